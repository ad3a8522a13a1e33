"""The memory as an MCP server, for Claude, Cursor, VS Code and every other host.

`serve_stdio` is what a host on this machine starts; `serve_http` is a service that many people's hosts
reach with their Supabase tokens.
"""

from pgcortex.mcp._http import serve_http
from pgcortex.mcp._stdio import serve_stdio

__all__ = ["serve_http", "serve_stdio"]
