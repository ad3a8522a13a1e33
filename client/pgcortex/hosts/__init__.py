"""AI hosts on this machine, and how the memory is added to their configuration."""

from pgcortex.hosts._config import Change, plan, write
from pgcortex.hosts._entry import local_entry, remote_entry, secrets_left_out
from pgcortex.hosts._places import HOSTS, Host, host_called

__all__ = [
    "HOSTS",
    "Change",
    "Host",
    "host_called",
    "local_entry",
    "plan",
    "remote_entry",
    "secrets_left_out",
    "write",
]
