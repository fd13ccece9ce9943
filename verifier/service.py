"""The verifier as a process: load the model, listen, serve until told to stop.

Settings are checked before anything slow happens. No user's text, token id or secret is ever logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import ssl
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from verifier.bundled import bundled_model
from verifier.connection import ConnectionLimits
from verifier.engine import Block, Decided, Request, TargetEngine
from verifier.errors import FileUnusable, SettingsContradict, Unavailable, VerifierFailed
from verifier.extras import install_command
from verifier.model.files import check_model
from verifier.reference import GREEDY_RULE
from verifier.scheduler import Scheduler
from verifier.server import check_address, listening

log = logging.getLogger(__name__)

BUNDLED = "bundled"
_CHUNK_TOKENS = {"cpu": 64, "cuda": 512}
"""Context tokens prefilled in one step: what one session's prefill may delay another's round by."""


@dataclass(frozen=True, slots=True)
class VerifierSettings:
    """Everything the verifier is told at its start."""

    model: str = BUNDLED
    """A .gguf file, a folder saved by transformers, or "bundled"."""
    host: str = "127.0.0.1"
    port: int = 8765
    """0: any free one; `ready` is told which."""
    token: str = field(default="", repr=False)
    """The bearer token clients must show; empty: none is asked for."""
    insecure_no_auth: bool = False
    """Allow other hosts to connect without a token."""
    slots: int = 8
    """Sessions that one step computes; more may be open. Each takes memory for `max_context` tokens."""
    max_context: int | None = None
    """Tokens a session may hold; None: what the model was made for, at most 4096."""
    credit: int = 64
    """Draft tokens a session may have in flight."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """auto: float32 on CPU, bfloat16 on CUDA."""
    threads: int = 0
    """CPU threads of the model; 0: torch decides."""
    certfile: Path | None = None
    keyfile: Path | None = None
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)


async def serve(
    settings: VerifierSettings,
    *,
    ready: Callable[[str, int], None] | None = None,
    loaded: Callable[[TargetEngine], None] | None = None,
    loading: Callable[[], None] | None = None,
) -> None:
    """Load the model and serve until cancelled.

    `loading()` is called when all that can be checked quickly is right, `loaded(engine)` before it listens,
    `ready(host, port)` then. Raises VerifierFailed, whose message says what to do: the settings contradict each
    other, the address is taken, the model can't be used.
    """
    check(settings)
    tls = _tls(settings)
    await asyncio.to_thread(check_address, settings.host, settings.port)
    await asyncio.to_thread(model_path, settings)
    if loading is not None:
        loading()
    engine = await asyncio.to_thread(load_engine, settings)
    if loaded is not None:
        loaded(engine)
    estimate_us = await asyncio.to_thread(measure_verify_us, engine)
    await serve_engine(engine, settings, tls=tls, estimate_us=estimate_us, ready=ready)


async def serve_engine(
    engine: TargetEngine,
    settings: VerifierSettings,
    *,
    tls: ssl.SSLContext | None = None,
    estimate_us: int = 0,
    ready: Callable[[str, int], None] | None = None,
) -> None:
    """Serve an engine that is loaded already, until cancelled. Errors as in `serve`."""
    scheduler = Scheduler(engine, credit=settings.credit)
    steps = asyncio.create_task(scheduler.run())
    try:
        async with listening(
            scheduler,
            host=settings.host,
            port=settings.port,
            token=settings.token,
            verify_estimate_us=estimate_us,
            tls=tls,
            limits=settings.limits,
        ) as (host, port):
            log.debug("serving %s on %s:%d, %d slots", engine.target_id, host, port, engine.n_slots)
            if ready is not None:
                ready(host, port)
            await steps
    finally:
        steps.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await steps


def check(settings: VerifierSettings) -> None:
    """Raises VerifierFailed if the settings can't be served."""
    if not settings.token and not settings.insecure_no_auth and not _is_loopback(settings.host):
        raise SettingsContradict(
            f"{settings.host} is reachable from other hosts: give a token (--token-file, or DRAFTWIRE_VERIFIER_TOKEN), "
            "or --insecure-no-auth to serve everybody"
        )
    if not 0 <= settings.port < 65536:
        raise SettingsContradict(f"--port {settings.port} is not a port: give 0 to 65535")
    if (settings.certfile is None) != (settings.keyfile is None):
        raise SettingsContradict("TLS needs both --certfile and --keyfile")
    if settings.slots < 1 or settings.credit < 1 or (settings.max_context or 2) < 2:
        raise SettingsContradict("--slots must be at least 1 and --max-context at least 2")


def warnings(settings: VerifierSettings) -> list[str]:
    """What can be served and yet is not safe."""
    if settings.certfile is not None or _is_loopback(settings.host):
        return []
    travels = "the token and the users' code travel" if settings.token else "the users' code travels"
    return [
        f"{settings.host} is reachable from other hosts without TLS: {travels} unencrypted; "
        "give --certfile and --keyfile, or --host 127.0.0.1 behind a proxy that does TLS"
    ]


def model_path(settings: VerifierSettings) -> Path:
    """The file or folder that the settings name. Raises ModelUnusable if that is no model at first sight."""
    if settings.model == BUNDLED:
        return bundled_model()
    path = Path(settings.model)
    check_model(path)
    return path


def load_engine(settings: VerifierSettings) -> TargetEngine:
    """The torch engine with the model the settings name. Raises VerifierFailed."""
    path = model_path(settings)
    try:
        import torch  # not at the top: --help must answer without it

        from verifier.model.load import load_model
        from verifier.torch_engine import TorchEngine
    except ImportError as error:
        raise Unavailable(f"{error.name} is missing; run: {install_command('verifier')}") from error
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise Unavailable("this machine or this build of torch has no CUDA: use --device cpu")
    on_cuda = settings.device == "cuda" or (settings.device == "auto" and torch.cuda.is_available())
    device = torch.device("cuda" if on_cuda else "cpu")
    if settings.threads:
        torch.set_num_threads(settings.threads)
    try:
        model = load_model(
            path,
            n_positions=settings.max_context,
            device=device,
            dtype=getattr(torch, _dtype(settings, device.type)),
        )
        return TorchEngine(model, n_slots=settings.slots, chunk_tokens=_CHUNK_TOKENS[device.type])
    except (RuntimeError, MemoryError) as error:  # torch reports a failed allocation as RuntimeError
        raise VerifierFailed(
            f"the model does not fit ({error}): lower --slots or --max-context, or use a smaller model"
        ) from error


def measure_verify_us(engine: TargetEngine) -> int:
    """The median time of a round of 8 draft tokens after a short context, in microseconds. Warms the engine up."""
    session, tokens = -2, [0] * min(64, engine.max_context - 9)
    block = Block((0,) * min(8, engine.max_draft))
    times: list[float] = []
    while len(times) < 4:
        started = time.perf_counter()
        [result] = engine.verify([Request(session, tokens, GREEDY_RULE, 0, block)])
        if isinstance(result, Decided):
            times.append(time.perf_counter() - started)
    engine.release(session)
    return round(1e6 * statistics.median(times[1:]))


def _dtype(settings: VerifierSettings, device: str) -> str:
    if settings.dtype != "auto":
        return settings.dtype
    return "bfloat16" if device == "cuda" else "float32"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _tls(settings: VerifierSettings) -> ssl.SSLContext | None:
    if settings.certfile is None or settings.keyfile is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(settings.certfile, settings.keyfile)
    except (OSError, ssl.SSLError) as error:
        raise FileUnusable(
            f"the certificate can't be used ({error}): check --certfile and --keyfile"
        ) from error
    return context
