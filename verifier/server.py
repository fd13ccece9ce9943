"""The websocket server: who may connect at all, and a Connection for each who does.

Tokens come in the Authorization header only. Pages in a browser can't connect: their requests carry an Origin.
"""

from __future__ import annotations

import errno
import hmac
import http
import logging
import os
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from speculation.codec import MAX_FRAME_BYTES
from verifier.connection import Connection, ConnectionLimits
from verifier.errors import Unavailable
from verifier.rate_limit import TokenBucket
from verifier.scheduler import Scheduler

log = logging.getLogger(__name__)

HEALTH_PATH = "/healthz"
_CLOSE_TIMEOUT_S = 2.0
_REFUSALS_LOGGED_PER_S = 1 / 60
_REFUSALS_LOGGED_AT_ONCE = 5


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

    With an empty `token` everybody may connect. Raises Unavailable if the address can't be bound.
    """
    allowed = limits or ConnectionLimits()

    async def handler(client: ServerConnection) -> None:
        try:
            await Connection(client, scheduler, verify_estimate_us, allowed).serve()
        except Exception:  # the last resort: a defect here costs one connection, not the process
            log.exception("a connection ended by a defect")
            await client.close(1011)

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
        raise _cannot_listen(host, port, error) from error
    async with server:
        yield _address(server)


def check_address(host: str, port: int) -> None:
    """Take the address and let go of it: what is wrong with it is known before the model is loaded.

    Raises Unavailable.
    """
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from error
    failures = [failure for entry in found if (failure := _bind_error(entry[0], entry[4])) is not None]
    taken = [failure for failure in failures if failure.errno != errno.EADDRNOTAVAIL]
    if taken or len(failures) == len(found):  # of a name's addresses some may not be this machine's
        raise _cannot_listen(host, port, (taken or failures)[0])


def _bind_error(family: int, address: Any) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name == "posix":  # as asyncio does: connections of an earlier run may linger
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind(address)
    except OSError as error:
        return error
    return None


def _cannot_listen(host: str, port: int, error: Exception) -> Unavailable:
    """Blames the host or the port, whichever it is."""
    number = error.errno if isinstance(error, OSError) else None
    reason = getattr(error, "strerror", None) or str(error)
    if isinstance(error, socket.gaierror | UnicodeError) or number == errno.EADDRNOTAVAIL:
        fix = "give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them"
        return Unavailable(f"--host {host} is no address of this machine ({reason}): {fix}")
    where = f"can't listen on {host}:{port} ({reason})"
    if number == errno.EACCES:
        return Unavailable(f"{where}: choose a --port above 1023")
    return Unavailable(f"{where}: stop what uses it or choose another --port")


class RefusalLog:
    """Notes who came without the right token: a few at once, then one now and then, with how many between."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._bucket = TokenBucket(_REFUSALS_LOGGED_PER_S, _REFUSALS_LOGGED_AT_ONCE, clock())
        self._unsaid = 0

    def note(self, peer: object, *, without: bool) -> None:
        """`peer` is the client's address; `without`: it gave no token at all."""
        if self._bucket.take(self._clock()):
            self._unsaid += 1
            return
        more = f" ({self._unsaid} more since the last such line)" if self._unsaid else ""
        log.warning("refused %s: %s%s", peer, "no token" if without else "a wrong token", more)
        self._unsaid = 0


def _gate(token: str) -> Callable[[ServerConnection, Request], Response | None]:
    """The check of each HTTP request: health for everybody, a websocket only with the token."""
    expected = f"Bearer {token}".encode()
    refusals = RefusalLog()

    def check(connection: ServerConnection, request: Request) -> Response | None:
        if request.path == HEALTH_PATH:
            return connection.respond(http.HTTPStatus.OK, "ok\n")
        given = ",".join(request.headers.get_all("Authorization")).encode("utf-8", "surrogateescape")
        if token and not hmac.compare_digest(given, expected):
            address = connection.remote_address
            refusals.note(address[0] if address else "a client", without=not given)
            refusal = connection.respond(http.HTTPStatus.UNAUTHORIZED, "a valid bearer token is needed\n")
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        return None

    return check


def _address(server: Server) -> tuple[str, int]:
    host, port = next(iter(server.sockets)).getsockname()[:2]
    return str(host), int(port)
