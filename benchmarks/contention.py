"""A key's answer while other programs hold all cores: `python -m benchmarks.contention [--json] [--keys N]`.

A real LSP client types a real file against a real bridge and daemon with the bundled draft model, no verifier: first on
the machine as it is, then with one busy loop for each core beside it, then without them again. After each key it asks
for ghost text, and before that for something that the bridge alone refuses, messages being handled in their order: so
the refusal tells when the key's didChange had been handled. These times are the client's, who shares the cores: they
are longer than what the bridge and the daemon took, by the time that three processes wait for a core to wake up on.

Figures, each `_idle`, `_busy` and `_again`: `answer_p50_ms`, `answer_p99_ms`: from the key to its answer, of keys that
the bridge could not answer from memory, empty answers included; `late_text_p99_ms`: to its first text, where that came
after an empty answer; `with_text`: the share of those keys that had text by their answer; `change_p50_ms`,
`change_p99_ms`: what the bridge took to handle didChange while drafts are made, by the clock on the wall (ux-6);
`refusal_p99_ms`: from writing didChange to the refusal; `remembered`: the share of keys answered from memory. In
`daemon`: where its texts came from, and its times.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.machine import machine_info
from benchmarks.typing import timed_bridge
from benchmarks.typing.lsp import Bridge, running_bridge
from draftwire.demo.processes import workplace
from draftwire.demo.report import percentile
from draftwire.demo.script import source_text

START: Final = 400
"""Characters of the file that are there at the beginning."""
WARM_UP: Final = 20
"""Keys before the first phase: prompt and grammars are read then, once."""
RHYTHM_S: Final = 0.15
READY_S: Final = 180.0
ANSWER_S: Final = 10.0
URI: Final = "file:///draftwire-contention/typed.py"
PHASES: Final = ("idle", "busy", "again")
BUSY_LOOP: Final = (sys.executable, "-c", "while True: pass")


@dataclass(slots=True)
class Times:
    """Of one phase, in milliseconds."""

    keys: int = 0
    remembered: int = 0
    answers: list[float] = field(default_factory=list)
    with_text: int = 0
    late_texts: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)

    def figures(self, phase: str) -> dict[str, float | None]:
        """The figures of the module's docstring."""
        asked = len(self.answers)
        values = {
            "answer_p50_ms": percentile(self.answers, 50),
            "answer_p99_ms": percentile(self.answers, 99),
            "late_text_p99_ms": percentile(self.late_texts, 99),
            "with_text": round(self.with_text / asked, 3) if asked else None,
            "change_p50_ms": percentile(self.changes, 50),
            "change_p99_ms": percentile(self.changes, 99),
            "refusal_p99_ms": percentile(self.refusals, 99),
            "remembered": round(self.remembered / self.keys, 3) if self.keys else None,
        }
        return {f"{name}_{phase}": value for name, value in values.items()}


class Typist:
    """Types one document, key by key."""

    def __init__(self, text: str) -> None:
        self.times = Times()
        self.ready = asyncio.Event()
        self._text = text
        self._typed = START
        self._version = 1
        self._empty_since: float | None = None
        """When the newest key was pressed, if its answer was empty and nothing has come since."""

    def notified(self, method: str, params: Any, now: float) -> None:
        """The bridge says something by itself."""
        if method == "draftwire/status" and params.get("draft") == "ready":
            self.ready.set()
        is_first_text = method == "draftwire/suggestion" and params["version"] == self._version
        if is_first_text and params["text"] and self._empty_since is not None:
            self.times.late_texts.append((now - self._empty_since) * 1000)
            self._empty_since = None

    def open(self, bridge: Bridge) -> None:
        """The document as it stands before the first key."""
        item = {"uri": URI, "languageId": "python", "version": 1, "text": self._text[:START]}
        bridge.notify("textDocument/didOpen", {"textDocument": item})

    async def type(self, bridge: Bridge, keys: int) -> Times:
        """Press so many keys in the rhythm; slower only where an answer takes longer than that."""
        self.times = Times()
        loop = asyncio.get_running_loop()
        for _ in range(keys):
            due = loop.time() + RHYTHM_S
            await self._press(bridge)
            await asyncio.sleep(max(0.0, due - loop.time()))
        return self.times

    async def _press(self, bridge: Bridge) -> None:
        times, self._empty_since = self.times, None
        times.keys += 1
        key, at = self._text[self._typed], self._position()
        self._typed, self._version = self._typed + 1, self._version + 1
        change = {
            "textDocument": {"uri": URI, "version": self._version},
            "contentChanges": [{"range": {"start": at, "end": at}, "text": key}],
        }
        pressed = bridge.notify("textDocument/didChange", change)
        bridge.request("draftwire/none", None, lambda _, now: times.refusals.append((now - pressed) * 1000))
        bridge.errors -= 1  # refused, as it is meant to be
        answered: asyncio.Future[tuple[Any, float]] = asyncio.get_running_loop().create_future()
        where = {"textDocument": {"uri": URI}, "position": self._position(), "context": {"triggerKind": 2}}
        bridge.request("textDocument/inlineCompletion", where, lambda *answer: answered.set_result(answer))
        async with asyncio.timeout(ANSWER_S):
            result, now = await answered
        self._take(result["items"], pressed, now)

    def _take(self, items: list[dict[str, Any]], pressed: float, now: float) -> None:
        times = self.times
        detail = items[0]["command"]["arguments"][2] if items else {}
        if detail.get("source") == "recall" or detail.get("typed"):
            times.remembered += 1
            return
        times.answers.append((now - pressed) * 1000)
        times.with_text += bool(items)
        self._empty_since = None if items else pressed

    def _position(self) -> dict[str, int]:
        line = self._text.rfind("\n", 0, self._typed) + 1
        return {"line": self._text.count("\n", 0, self._typed), "character": self._typed - line}


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that do nothing else than to hold a core."""
    loops = [subprocess.Popen(BUSY_LOOP) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def cores() -> int:
    """Those this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def measure(keys: int, loops: int, settings: str) -> dict[str, Any]:
    """`keys` in each phase. settings: TOML after that of the daemon's configuration."""
    text = source_text()
    most = (len(text) - START - WARM_UP) // len(PHASES)
    if keys > most:
        raise SystemExit(f"--keys is at most {most}: the file that is typed ends there")
    with workplace() as place:
        environment = place.configured(draft_model="bundled", verifier_port=None, grammars=settings)
        typist = Typist(text)
        try:
            watched = place.folder / "watched.json"
            command = (*timed_bridge.COMMAND, str(watched))
            async with running_bridge(environment, typist.notified, command) as bridge:
                await asyncio.wait_for(typist.ready.wait(), READY_S)
                typist.open(bridge)
                await typist.type(bridge, WARM_UP)
                phases = {phase: await _phase(bridge, typist, phase, keys, loops) for phase in PHASES}
                stats = await bridge.ask("draftwire/stats", None, ANSWER_S)
            taken_ms = timed_bridge.watched_in(watched).changes_ms
        finally:
            await place.stop_daemon()
    figures: dict[str, float | None] = {}
    for number, (phase, times) in enumerate(phases.items()):
        times.changes = taken_ms[WARM_UP + number * keys :][:keys]
        figures |= times.figures(phase)
    return {"figures": figures, "daemon": _of_daemon(stats)}


async def _phase(bridge: Bridge, typist: Typist, phase: str, keys: int, loops: int) -> Times:
    with busy_loops(loops if phase == "busy" else 0):
        times = await typist.type(bridge, keys)
    sys.stderr.write(f"contention: {phase}\n")
    return times


def _of_daemon(stats: Mapping[str, Any]) -> dict[str, Any]:
    names = ("key_to_ghost_ms", "first_ghost_ms", "sources", "nothing", "drafted_tokens")
    return {name: stats[name] for name in names if name in stats}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contention",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line")
    parser.add_argument("--keys", type=int, default=300, help="keys in each phase")
    parser.add_argument("--loops", type=int, default=cores(), help="busy loops; default: one a core")
    parser.add_argument("--settings", default="", help="more of the daemon's configuration (TOML)")
    options = parser.parse_args()
    found = asyncio.run(measure(options.keys, options.loops, options.settings))
    found |= {"goals": {"answer_p99_ms_busy": 150, "change_p99_ms_busy": 5}, "machine": machine_info()}
    sys.stdout.write(json.dumps(found, indent=None if options.json else 2) + "\n")


if __name__ == "__main__":
    main()
