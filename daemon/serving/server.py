"""The daemon's local server: sockets around `service.py`, and the process's life.

Knows framing and connections; what the messages mean is the service's.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import os
import signal
import time
from collections.abc import Callable

from daemon.api.errors import BadMessage, FrameError, FrameTooLarge, other_protocol
from daemon.api.framing import encode, for_daemon
from daemon.api.messages import (
    API_VERSION,
    ClientMessage,
    DaemonMessage,
    Failed,
    Goodbye,
    Hello,
    ServedMessage,
    Shutdown,
    Welcome,
)
from daemon.api.paths import RuntimePaths
from daemon.draft.calibration import Threads
from daemon.draft.engine import DraftEngine
from daemon.serving.client import Client
from daemon.serving.lifecycle import AlreadyRunning, IdleExit, listening_socket, only_daemon, remove_socket
from daemon.serving.service import Service
from daemon.settings.config import Config, ConfigError
from daemon.settings.config_token import verifier_token
from daemon.target.link_address import LinkSettings
from daemon.version import VERSION

__all__ = ["AlreadyRunning", "run_daemon"]

log = logging.getLogger(__name__)

HELLO_S = 5.0
LEAVE_S = 1.0
READ_BYTES = 1 << 16
MOST_UNREAD_BYTES = 8 * 2**20
"""A client that leaves this much unread is disconnected."""


async def run_daemon(
    config: Config, paths: RuntimePaths, load_engine: Callable[[], DraftEngine] | None = None
) -> None:
    """Be the daemon until idle, told to shut down, or signalled. Raises AlreadyRunning, ConfigError."""
    link = link_settings(config)
    paths.prepare()
    with only_daemon(paths):
        listener, token = await listening_socket(paths)
        service = Service(
            config,
            load_engine or (lambda: load_draft_engine(config, service.preparing)),
            link,
            time.monotonic,
        )
        end = asyncio.Event()
        _end_on_signals(end)
        local = LocalServer(service, token, IdleExit(config.daemon.idle_exit_s, end), end)
        server = await asyncio.start_server(local.connection, sock=listener)
        service.start()
        try:
            log.info("daemon %s is up (pid %d)", VERSION, os.getpid())
            await end.wait()
        finally:
            remove_socket(paths)
            server.close()
            await service.close()
            await local.disconnect_all()
            await server.wait_closed()
            log.info("daemon has ended")


def load_draft_engine(
    config: Config, progress: Callable[[str, float], None] = lambda what, fraction: None
) -> DraftEngine:
    """The configured draft model, made ready. Raises EngineFailed. Runs in the engine's thread.

    progress: told what is being done, and the fraction of it that is done.
    """
    from daemon.draft.calibrated_engine import load_calibrated
    from daemon.draft.models import resolve_draft_model

    file = resolve_draft_model(config.draft.model, config.draft.cache_path, progress)
    progress(f"loading {file.name}", 0.0)
    return load_calibrated(file, config.draft)


def draft_threads(config: Config) -> Threads:
    """What is known of the configured model's threads on this machine. Raises EngineFailed."""
    from daemon.draft.calibrated_engine import known_threads

    return known_threads(config.draft)


def link_settings(config: Config) -> LinkSettings | None:
    """Where the verifier is; None if none is configured. Raises ConfigError (the token can't be read)."""
    verifier = config.verifier
    if not verifier.url:
        return None
    token = verifier_token(config)
    for warning in token.warnings:
        log.warning("%s", warning)
    return LinkSettings(verifier.url, token.value, verifier.ca_file, verifier.insecure_skip_verify)


class LocalServer:
    """Accepts clients. `token` must be in their Hello unless it is empty."""

    def __init__(self, service: Service, token: str, idle: IdleExit, end: asyncio.Event) -> None:
        self._service = service
        self._token = token
        self._idle = idle
        self._end = end
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        idle.clients(0)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, from its Hello to its end. Nothing a client sends ends more than its own connection."""
        task = asyncio.current_task()
        assert task is not None, "asyncio serves each connection in a task"
        self._connections[task] = writer
        outlet = _Outlet(writer)
        try:
            await self._serve(_Messages(reader, outlet), outlet)
        except FrameTooLarge as error:
            log.info("a client's connection ended: %s", error)
            outlet.push(Failed("bad_message", str(error)))
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
            log.info("a client's connection ended: %s", error)
        except Exception:
            log.exception("a client's connection failed")
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            del self._connections[task]

    async def disconnect_all(self) -> None:
        """Close every connection once what was sent on it is out; one whose client does not read is left."""
        for writer in self._connections.values():
            writer.close()
        if self._connections:
            await asyncio.wait(set(self._connections), timeout=LEAVE_S)

    async def _serve(self, messages: _Messages, outlet: _Outlet) -> None:
        async with asyncio.timeout(HELLO_S):
            hello = await messages.next()
        client = self._greet(hello, outlet)
        if client is None:
            return
        self._idle.clients(len(self._service.clients))
        abandoned = True
        try:
            while (message := await messages.next()) is not None:
                if isinstance(message, Shutdown):
                    self._end.set()
                    return
                if isinstance(message, Goodbye):
                    abandoned = False
                    return
                if isinstance(message, Hello):
                    outlet.push(Failed("bad_message", "Hello comes once, first"))
                    continue
                _carry_out(client, message, outlet)
        finally:
            await client.close()
            self._idle.clients(len(self._service.clients), abandoned=abandoned)

    def _greet(self, hello: ClientMessage | None, outlet: _Outlet) -> Client | None:
        if hello is None:
            return None
        if not isinstance(hello, Hello):
            outlet.push(Failed("bad_hello", "the first message must be Hello"))
        elif not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            outlet.push(
                Failed("unauthorized", "the token is not this run's; read it from the runtime directory")
            )
        elif hello.api != API_VERSION:
            outlet.push(Failed("bad_hello", other_protocol(API_VERSION, hello.api)))
        else:
            return self._accept(hello, outlet)
        return None

    def _accept(self, hello: Hello, outlet: _Outlet) -> Client | None:
        try:
            client = Client(self._service, hello.client, outlet.push, hello.settings)
        except ConfigError as error:
            outlet.push(Failed("bad_setting", str(error), settings=error.keys))
            return None
        outlet.push(Welcome(API_VERSION, VERSION, os.getpid(), self._service.config.draft.model))
        outlet.push(self._service.status())
        return client


def _carry_out(client: Client, message: ServedMessage, outlet: _Outlet) -> None:
    """A defect costs its one message: the connection and the client's documents stay."""
    try:
        client.take(message)
    except Exception:
        log.exception("a %s failed", type(message).__name__)
        text = f"the daemon failed at this {type(message).__name__}; its log says why"
        outlet.push(Failed("internal", text, getattr(message, "request", None)))


class _Outlet:
    """Writes messages to a client; one that does not read is cut off."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def push(self, message: DaemonMessage) -> None:
        if self._writer.is_closing():
            return
        if self._writer.transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
            log.warning("a client does not read; disconnecting it")
            self._writer.transport.abort()
            return
        try:
            self._writer.write(encode(message))
        except FrameError as error:
            log.error("an answer could not be sent: %s", error)


class _Messages:
    """What a client sends, one message at a time; None at the end. A bad one is answered and skipped."""

    def __init__(self, reader: asyncio.StreamReader, outlet: _Outlet) -> None:
        self._reader = reader
        self._outlet = outlet
        self._frames = for_daemon()

    async def next(self) -> ClientMessage | None:
        while True:
            try:
                message = self._frames.next_message()
            except BadMessage as error:
                self._outlet.push(Failed("bad_message", str(error)))
                continue
            if message is not None:
                return message
            data = await self._reader.read(READ_BYTES)
            if not data:
                return None
            self._frames.feed(data)


def _end_on_signals(end: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, end.set)
