"""The websocket server: who may connect at all, and a Connection for each who does.

Tokens come in the Authorization header only. Pages in a browser can't connect: their requests carry an Origin.
"""

from __future__ import annotations

import hmac
import http
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from speculation.codec import MAX_FRAME_BYTES
from verifier.connection import Connection, ConnectionLimits
from verifier.errors import VerifierFailed
from verifier.scheduler import Scheduler

log = logging.getLogger(__name__)

HEALTH_PATH = "/healthz"
_CLOSE_TIMEOUT_S = 2.0


@asynccontextmanager
async def listening(
    scheduler: Scheduler,
    *,
    host: str,
    port: int,
    token: str,
    verify_estimate_us: int,
    tls: ssl.SSLContext | None = None,
    limits: ConnectionLimits | None = None,
) -> AsyncIterator[tuple[str, int]]:
    """Serve the scheduler's sessions within the context; its value is the address bound. Port 0: any free one.

    With an empty `token` everybody may connect. Raises VerifierFailed if the address can't be bound.
    """
    allowed = limits or ConnectionLimits()

    async def handler(socket: ServerConnection) -> None:
        try:
            await Connection(socket, scheduler, verify_estimate_us, allowed).serve()
        except Exception:  # the last resort: a defect here costs one connection, not the process
            log.exception("a connection ended by a defect")
            await socket.close(1011)

    try:
        server = await serve(
            handler,
            host,
            port,
            process_request=_gate(token),
            origins=[None],
            compression=None,
            max_size=MAX_FRAME_BYTES,
            close_timeout=_CLOSE_TIMEOUT_S,
            server_header=None,
            ssl=tls,
        )
    except OSError as error:
        raise VerifierFailed(
            f"can't listen on {host}:{port} ({error.strerror or error}): stop what uses it or choose another --port"
        ) from error
    async with server:
        yield _address(server)


def _gate(token: str) -> Callable[[ServerConnection, Request], Response | None]:
    """The check of each HTTP request: health for everybody, a websocket only with the token."""
    expected = f"Bearer {token}".encode()

    def check(socket: ServerConnection, request: Request) -> Response | None:
        if request.path == HEALTH_PATH:
            return socket.respond(http.HTTPStatus.OK, "ok\n")
        given = ",".join(request.headers.get_all("Authorization")).encode("utf-8", "surrogateescape")
        if token and not hmac.compare_digest(given, expected):
            refusal = socket.respond(http.HTTPStatus.UNAUTHORIZED, "a valid bearer token is needed\n")
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        return None

    return check


def _address(server: Server) -> tuple[str, int]:
    host, port = next(iter(server.sockets)).getsockname()[:2]
    return str(host), int(port)
