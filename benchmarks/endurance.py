"""Memory over very many keys: `python -m benchmarks.endurance [--json] [--keys 100000] [--bundled] [--no-verifier]`.

A typist of `benchmarks.keystrokes` types its files again and again, through a real bridge and daemon, at a verifier
whose target knows them; each key as soon as the one before has its answer, and every fourth sooner, so that requests
are overtaken and cancelled. Files are opened and closed, suggestions shown, accepted and typed along, drafts rejected.
The draft is an oracle too (`emulation/oracle_draft.py`): what a model computes takes most of a key's time and none of
the memory that could grow. With --bundled it is the bundled model, which takes several times as long.

Figures: `memory_growth_daemon`, `memory_growth_bridge`: resident memory when all is typed / after the first tenth of
the keys. `rows` has the memory at 10, 25, 50, 75 and 100 %, what was shown, and `misplaced`: what came for another text
than it said (ux-8).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.emulation.line import Network
from benchmarks.emulation.target import TargetPlan
from benchmarks.machine import machine_info
from benchmarks.typing.corpus import NothingToType, Source, installed, named
from benchmarks.typing.editor import Editor
from benchmarks.typing.events import Misplaced
from benchmarks.typing.lsp import Bridge, BridgeLost, running_bridge
from benchmarks.typing.options import MOST_SPEED
from benchmarks.typing.process import resident_mb
from benchmarks.typing.replay import Plan, Replay
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.stage import Setting, Stage, staged
from daemon.api.paths import RUNTIME_DIR_VARIABLE, runtime_paths
from daemon.api.start import ensure_daemon
from draftwire.demo.processes import cleared_when_terminated
from verifier.errors import VerifierFailed

KEYS: Final = 100_000
SHARES: Final = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Of the keys: where memory is read. By the first, what has a limit has reached it."""
GOAL: Final = 1.05
TURNS: Final = 20
"""Of each file: all languages are met, and their grammars loaded, before memory is read first."""
HURRIED: Final = 4
"""Every so many keys one does not wait for the answer to the one before."""
ANSWER_S: Final = 60.0
UP_S: Final = 180.0
STATS_S: Final = 10.0
PAUSE_S: Final = 0.05
ERRORS: Final = 0.1
"""Of the target's tokens, and of the draft's."""
TOLD_EVERY: Final = 1000
ORACLE_DRAFT: Final = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r}); "
    "from benchmarks.emulation.oracle_draft import main; main()"
)
"""Run from wherever a daemon is started."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to type, and at what."""

    sources: list[Source]
    keys: int
    seed: int
    bundled: bool
    """The draft is the bundled model."""
    verifier: bool

    @property
    def setting(self) -> Setting:
        """Of the stage. The answer to a key waits for no longer draft than there is."""
        daemon = {"display": {"first_ghost_ms": 0}}
        if not self.verifier:
            return Setting(None, daemon=daemon)
        texts = tuple(source.path for source in self.sources)
        return Setting(Network(0), TargetPlan(0, texts, ERRORS, self.seed), daemon)


class Memory:
    """Reads the memory of processes as keys are typed."""

    def __init__(self, keys: int, pids: dict[str, int]) -> None:
        self.read: dict[str, dict[str, float | None]] = {name: {} for name in pids}
        """MB, by process and then by share of the keys."""
        self._pids = pids
        self._due = [(share, share * keys) for share in SHARES]

    def typed(self, keys: int) -> None:
        """So many are typed: note what is taken if it is time to."""
        while self._due and keys >= self._due[0][1]:
            share, _ = self._due.pop(0)
            for name, pid in self._pids.items():
                self.read[name][f"{share:.0%}"] = resident_mb(pid)
            print(f"{share:.0%} of the keys: {self.read}", file=sys.stderr)

    def growth(self, name: str) -> float | None:
        """At the end / after the first share; None where the system does not tell."""
        first, *_, last = (self.read[name].get(f"{share:.0%}") for share in SHARES)
        return round(last / first, 4) if first and last else None


async def measure(wanted: Wanted) -> dict[str, Any]:
    """Type it all: the row."""
    plan = Plan(
        wanted.sources, wanted.keys, wanted.seed, Pauses(PAUSE_S), least=4, speed=MOST_SPEED, turns=TURNS
    )
    editor, loop = Editor(keeps_text=False), asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(staged(wanted.setting, seed=wanted.seed, threads=1))
        if not wanted.bundled:
            await stack.enter_async_context(_oracle_daemon(stage, wanted))
        bridge = await stack.enter_async_context(running_bridge(stage.environment, editor.notified))
        editor.attach(bridge)
        link = "online" if wanted.verifier else "off"
        await editor.until_status(timeout_s=UP_S, draft="ready", link=link)
        stage.daemon_pid = editor.status["pid"]
        memory = Memory(wanted.keys, {"daemon": editor.status["pid"], "bridge": bridge.process.pid})
        began = loop.time()

        async def before_key() -> None:
            await _may_type(editor.keys, bridge)
            memory.typed(editor.keys)

        await Replay(plan, editor, stage.projects, before_key).run()
        await bridge.until_answered(ANSWER_S)
        seconds = loop.time() - began
        memory.typed(editor.keys)
        stats = await bridge.ask("draftwire/stats", None, STATS_S)
    return {
        "draft": "bundled" if wanted.bundled else "oracle",
        "target": "oracle" if wanted.verifier else "none",
        "keys": editor.keys,
        "seconds": round(seconds, 1),
        "memory_mb": memory.read,
        "growth": {name: memory.growth(name) for name in memory.read},
        "misplaced": sum(1 for event in editor.events if isinstance(event, Misplaced)),
        "errors": bridge.errors,
        **{
            name: stats[name]
            for name in ("requests", "suggestions", "shown", "accepted", "sources", "nothing")
        },
        "acceptance": stats["acceptance"],
    }


async def _until_terminated(wanted: Wanted) -> dict[str, Any]:
    with cleared_when_terminated():
        return await measure(wanted)


async def _may_type(keys: int, bridge: Bridge) -> None:
    """Return when the next key may be pressed."""
    bridge.check()
    if keys and keys % TOLD_EVERY == 0:
        print(f"{keys} keys", file=sys.stderr)
    if keys % HURRIED:
        await bridge.until_answered(ANSWER_S)


@asynccontextmanager
async def _oracle_daemon(stage: Stage, wanted: Wanted) -> AsyncIterator[None]:
    """A daemon whose draft is an oracle, up before the bridge looks for one; it ends with the stage."""
    options = ["--config", stage.environment["DRAFTWIRE_CONFIG"], "--seed", str(wanted.seed + 1)]
    texts = [str(source.path) for source in wanted.sources]
    command = [sys.executable, "-c", ORACLE_DRAFT, "--errors", str(ERRORS)]
    paths = runtime_paths(Path(stage.environment[RUNTIME_DIR_VARIABLE]))
    client = await ensure_daemon(
        paths, client="endurance", command=[*command, *options, *texts], timeout_s=UP_S
    )
    try:
        yield
    finally:
        await client.close()


def figures_of(row: dict[str, Any]) -> dict[str, float | None]:
    """The figures of the module's docstring."""
    return {f"memory_growth_{name}": value for name, value in row["growth"].items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, on one line")
    parser.add_argument("--keys", type=int, default=KEYS, help=f"keys to press (default {KEYS})")
    parser.add_argument("--seed", type=int, default=1, help="which keys (default 1)")
    parser.add_argument("--files", nargs="+", type=Path, default=[], help="type these, not those of packages")
    parser.add_argument("--bundled", action="store_true", help="draft with the bundled model")
    parser.add_argument("--no-verifier", action="store_true", help="the draft alone")
    options = parser.parse_args()
    try:
        sources = named(options.files) if options.files else installed()
        wanted = Wanted(sources, options.keys, options.seed, options.bundled, not options.no_verifier)
        row = asyncio.run(_until_terminated(wanted))
    except (NothingToType, BridgeLost, VerifierFailed, OSError, ValueError) as error:
        raise SystemExit(f"benchmarks.endurance: {error}") from error
    goals = dict.fromkeys(figures_of(row), GOAL)
    found = {"figures": figures_of(row), "goals": goals, "rows": [row], "machine": machine_info()}
    print(json.dumps(found, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
