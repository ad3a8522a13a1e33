"""How an RPC reaches the database: the same calls over HTTP (supabase-py) or a connection (psycopg)."""

from pgcortex._transports._base import Transport
from pgcortex._transports._failures import failure_from

__all__ = ["Transport", "failure_from"]
