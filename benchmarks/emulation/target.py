"""A verifier whose target takes as long for a forward as one would elsewhere: `python -m benchmarks.emulation.target`.

    async with EmulatedTarget(TargetPlan(forward_ms=30, texts=(file,))) as target:
        ...  # a daemon, or an emulated network, connects to target.port
        await target.kill()
        await target.start()  # on another port

It is a process of its own with the real service, scheduler, sessions, sampling and wire. With texts, an oracle that
knows them takes the model's place (`oracle_target.py`); without, it is a real model, padded (`paced_decoder.py`), which
on a machine without a GPU is often slower than the pace. What is emulated stands in the target's name, so that daemon
and report show it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.emulation.known_texts import KnownTexts
from benchmarks.emulation.oracle_target import Oracle, OracleTarget
from benchmarks.emulation.pace import Pace
from verifier.bundled import bundled_model
from verifier.engine import TargetEngine
from verifier.errors import VerifierFailed
from verifier.service import BUNDLED, VerifierSettings, measure_verify_us, serve_engine

_START_S = 180.0
_NOT_STARTED = "the emulated target did not start: see what it wrote above"


@dataclass(frozen=True, slots=True)
class TargetPlan:
    """Which target is emulated."""

    forward_ms: float
    """What a forward takes at least."""
    texts: tuple[Path, ...] = ()
    """Files an oracle knows by heart; none: a real model."""
    error_rate: float = 0.0
    """The chance, at each token, that the oracle says another one."""
    seed: int = 0
    """Chooses its errors."""
    model: str = BUNDLED
    """A GGUF file, or "bundled": the oracle's vocabulary, or the real model."""
    chunk_tokens: int = 0
    """Context tokens that one forward takes in; 0: 512 for an oracle, as on a GPU, and 64 for a model on a CPU."""
    threads: int = 1
    """Of a real model."""
    max_context: int = 2048


def oracle_engine(plan: TargetPlan, pace: Pace) -> TargetEngine:
    """The oracle that the plan describes. Raises ModelUnusable, OSError, ValueError."""
    from benchmarks.emulation.oracle_tokens import gguf_tokens  # loads llama.cpp

    known = KnownTexts([path.read_text("utf-8") for path in plan.texts])
    oracle = Oracle(known, gguf_tokens(_model(plan)), error_rate=plan.error_rate, seed=plan.seed)
    name = f"oracle of {len(plan.texts)} texts (emulated: {pace}, {plan.error_rate:.0%} errors)"
    chunk = plan.chunk_tokens or 512
    return OracleTarget(oracle, pace, name=name, max_context=plan.max_context, chunk_tokens=chunk)


def model_engine(plan: TargetPlan, pace: Pace) -> TargetEngine:
    """The real model that the plan names, in float32 on the CPU. Raises ModelUnusable."""
    import torch  # an oracle starts in a second without it

    from benchmarks.emulation.paced_decoder import paced
    from verifier.model.load import load_model
    from verifier.torch_engine import TorchEngine

    torch.set_num_threads(plan.threads)
    model = load_model(_model(plan), n_positions=plan.max_context)
    return TorchEngine(paced(model, pace), n_slots=4, chunk_tokens=plan.chunk_tokens or 64)


def _model(plan: TargetPlan) -> Path:
    return bundled_model() if plan.model == BUNDLED else Path(plan.model)


class EmulatedTarget:
    """The verifier process of a plan: started when the context is entered, killed when it is left."""

    def __init__(self, plan: TargetPlan) -> None:
        self.plan = plan
        self.port = 0
        """Where it listens; another one after each start."""
        self.name = ""
        """The target's, with what is emulated."""
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> EmulatedTarget:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Start it, and return when it listens. Raises VerifierFailed with what it said if it does not."""
        pipe = asyncio.subprocess.PIPE
        self._process = process = await asyncio.create_subprocess_exec(
            *_command_of(self.plan), stdin=pipe, stdout=pipe
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_START_S):
                line = await process.stdout.readline()
        except BaseException:
            await self.kill()
            raise
        if not line:
            await self.kill()
            raise VerifierFailed(_NOT_STARTED)
        ready = json.loads(line)
        self.port, self.name = ready["port"], ready["target"]

    async def kill(self) -> None:
        """End it at once, as a crash would (SIGKILL), and wait until it is gone."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        self._process = None


@contextlib.contextmanager
def target_process(plan: TargetPlan) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The same without an event loop: the process, until the block ends, and its port. Raises VerifierFailed."""
    with subprocess.Popen(_command_of(plan), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise VerifierFailed(_NOT_STARTED)
            yield process, json.loads(line)["port"]
        finally:
            process.kill()


def _command_of(plan: TargetPlan) -> list[str]:
    """What starts it, wherever that is done: it ends with who did."""
    return [sys.executable, "-m", "benchmarks.emulation.target", "--until-stdin-ends", *options_of(plan)]


def options_of(plan: TargetPlan) -> list[str]:
    """The command line that describes a plan; `plan_of` reads it."""
    values = {
        "--forward-ms": plan.forward_ms,
        "--error-rate": plan.error_rate,
        "--seed": plan.seed,
        "--model": plan.model,
        "--chunk-tokens": plan.chunk_tokens,
        "--threads": plan.threads,
        "--max-context": plan.max_context,
    }
    options = [f"{name}={value}" for name, value in values.items()]
    return options + [f"--text={path}" for path in plan.texts]


async def serve(plan: TargetPlan, port: int) -> None:
    """Be the verifier of a plan until cancelled; say on stdout, in one line of JSON, where it listens."""
    pace = Pace(plan.forward_ms)
    engine = await asyncio.to_thread(oracle_engine if plan.texts else model_engine, plan, pace)
    estimate_us = await asyncio.to_thread(measure_verify_us, engine)

    def ready(host: str, bound: int) -> None:
        print(json.dumps({"host": host, "port": bound, "target": engine.target_id}), flush=True)

    await serve_engine(engine, VerifierSettings(port=port), estimate_us=estimate_us, ready=ready)


def plan_of(arguments: Sequence[str] | None = None) -> tuple[TargetPlan, argparse.Namespace]:
    """The plan that the command line describes, and the other options."""
    plan = TargetPlan(forward_ms=0)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--forward-ms", type=float, required=True, help="what a forward takes at least")
    parser.add_argument("--text", type=Path, action="append", default=[], help="a file the oracle knows")
    parser.add_argument("--error-rate", type=float, default=plan.error_rate, help="the oracle's, per token")
    parser.add_argument("--seed", type=int, default=plan.seed, help="chooses the oracle's errors")
    parser.add_argument("--model", default=plan.model, help="a GGUF file, or 'bundled' (default)")
    parser.add_argument("--chunk-tokens", type=int, default=plan.chunk_tokens, help="context in a forward")
    parser.add_argument("--threads", type=int, default=plan.threads, help="of a real model (default 1)")
    parser.add_argument("--max-context", type=int, default=plan.max_context, help="tokens of a session")
    parser.add_argument("--port", type=int, default=0, help="to listen on (default: any free one)")
    parser.add_argument("--until-stdin-ends", action="store_true", help="end with whoever started it")
    options = parser.parse_args(arguments)
    names = ("forward_ms", "error_rate", "seed", "model", "chunk_tokens", "threads", "max_context")
    chosen = {name: getattr(options, name) for name in names}
    return replace(plan, texts=tuple(options.text), **chosen), options


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    plan, options = plan_of()
    if options.until_stdin_ends:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        asyncio.run(serve(plan, options.port))
    except (VerifierFailed, OSError, ValueError) as error:
        raise SystemExit(f"benchmarks.emulation.target: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
