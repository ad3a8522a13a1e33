"""Memories as resources: one by its id, and the recent ones."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from pgcortex._errors import CortexError, InvalidInput, NotFound
from pgcortex.mcp import _render as render
from pgcortex.mcp._brains import Brains
from pgcortex.mcp._failures import sentence
from pgcortex.mcp._parameters import identifier

RECENT = 20


def add_resources(server: MCPServer, brains: Brains) -> None:
    """Register them."""

    @server.resource(
        "memory://recent",
        name="recent",
        title="Recent memories",
        description=f"The {RECENT} newest memories",
        mime_type="application/json",
    )
    def recent() -> str:
        try:
            listed = brains().list_thoughts(limit=RECENT)
        except CortexError as error:
            raise ResourceError(sentence(error)) from error
        return render.thoughts(listed, None)

    @server.resource(
        "memory://{id}",
        name="memory",
        title="One memory",
        description="A memory in full, by its id",
        mime_type="application/json",
    )
    def memory(id: str) -> str:
        try:
            return render.in_full([brains().get(identifier("id", id))], 0)
        except (NotFound, InvalidInput) as error:
            raise ResourceNotFoundError(sentence(error)) from error
        except CortexError as error:
            raise ResourceError(sentence(error)) from error
