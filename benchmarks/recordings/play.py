"""What is played: a file that is written with help, and the stage for it.

Bridge, daemon, draft model and verifier are the real ones. The target is emulated and knows the file by heart, so that
no recording needs a GPU.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.emulation.line import Network
from benchmarks.emulation.target import TargetPlan
from benchmarks.typing.stage import Setting, staged

NAME = "primes.py"
TEXT = """\
def is_prime(n):
    if n < 2:
        return False
    for i in range(2, int(n**0.5) + 1):
        if n % i == 0:
            return False
    return True


def primes_below(limit):
    return [n for n in range(2, limit) if is_prime(n)]


def factors(n):
    found = []
    divisor = 2
    while n > 1:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1
    return found
"""
ROUND_TRIP_MS = 20.0
DEADLINE_MS = 60_000
"""For verdicts: even on a machine that is busy with something else none comes too late."""
LINES = 3
"""Of a suggestion: no more than the draft gets right."""
READY_WITHIN_S = 300.0
"""The first start re-quantises the model."""


@dataclass(frozen=True, slots=True)
class Play:
    """The stage while an editor plays on it."""

    folder: Path
    """Empty, for what the editor needs."""
    environment: Mapping[str, str]
    """Leads a bridge to the daemon of this stage."""
    program: Path
    """What stands for `draftwire`."""
    lose_verifier: Callable[[], None]
    """Kill it, as if its host were gone."""


def up_to(words: str) -> str:
    """The file as far as these words, which it has once."""
    assert TEXT.count(words) == 1, words
    return TEXT.partition(words)[0] + words


async def play(scene: Callable[[Play], None], *, forward_ms: float) -> None:
    """Run a scene, in a thread, on a stage whose target takes so long for a forward."""
    with tempfile.TemporaryDirectory(prefix="draftwire-recording-") as name:
        folder = Path(name)
        known = folder / "known.py"
        known.write_text(TEXT, encoding="utf-8")
        target = TargetPlan(forward_ms=forward_ms, texts=(known,))
        daemon = {"verifier": {"deadline_ms": DEADLINE_MS}, "completion": {"max_lines": LINES}}
        setting = Setting(Network(ROUND_TRIP_MS), target, daemon)
        async with staged(setting, seed=0, threads=1) as stage:
            assert stage.target is not None
            loop, kill = asyncio.get_running_loop(), stage.target.kill

            def lose_verifier() -> None:
                asyncio.run_coroutine_threadsafe(kill(), loop).result()

            program = Path(sys.executable).with_name("draftwire")
            await asyncio.to_thread(scene, Play(folder, stage.environment, program, lose_verifier))
