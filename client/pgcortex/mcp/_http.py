"""Over streamable HTTP, stateless: any request may reach any process, also after a restart (case C61)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgcortex._errors import InvalidInput

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

    from pgcortex.mcp._settings import ServerSettings

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"


def serve_http(host: str = "127.0.0.1", port: int = 8765) -> None:
    """Serve until interrupted. Raises InvalidInput when it would be open to the network without sign-in."""
    import uvicorn

    from pgcortex._settings import read_settings
    from pgcortex.mcp._settings import ServerSettings

    uvicorn.run(app(read_settings(ServerSettings), host, port), host=host, port=port, log_level="warning")


def app(settings: ServerSettings, host: str, port: int) -> Starlette:
    """The ASGI application.

    Where tokens can be verified every request needs one, and acts as its user. Without, the server answers
    on this machine only, as the owner of the brain in the settings.
    """
    from pgcortex.mcp._brains import OneBrain
    from pgcortex.mcp._server import build
    from pgcortex.mcp._tenants import BearersBrain

    if settings.verifies:
        from pgcortex.mcp._auth import SupabaseTokens, auth_settings

        server = build(
            BearersBrain(settings),
            auth=auth_settings(settings, host, port, PATH),
            token_verifier=SupabaseTokens(settings),
        )
    elif host in LOOPBACK:
        server = build(OneBrain(settings))
    else:
        raise InvalidInput(
            "host",
            f"{host} can be reached by others, and nobody would have to sign in",
            hint="set PGCORTEX_SUPABASE_URL or PGCORTEX_JWT_SECRET, or serve 127.0.0.1",
        )
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        host=host,
        transport_security=_allowed(settings, host),
    )


def _allowed(settings: ServerSettings, host: str) -> TransportSecuritySettings:
    """Host names a request may carry: a page in a browser must not reach a local server by another name."""
    from urllib.parse import urlsplit

    from mcp.server.transport_security import TransportSecuritySettings

    names = ["127.0.0.1", "localhost", "[::1]"] + ([] if host in LOOPBACK else [host])
    origins = [f"http://{name}:*" for name in names]
    hosts = [f"{name}:*" for name in names]
    if settings.public_url:
        public = urlsplit(settings.public_url)
        hosts += [public.netloc]
        origins += [f"{public.scheme}://{public.netloc}"]
    elif host not in LOOPBACK:
        # Reached under names nobody told us; tokens guard it.
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
    )
