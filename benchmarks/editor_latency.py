"""From the key to the ghost text on the screen, in the real editors: `python -m benchmarks.editor_latency [--json]`.

    python -m benchmarks.editor_latency [--editor vscode|neovim|both] [--keys N] [--seed N] [--target-ms MS] [--json]

Real files are typed at a recorded human rhythm (`typing/`), without mistakes and without accepting, in a real VS Code
(code-server in Chromium, our packaged extension) and a real Neovim (0.11, our plugin, an attached screen); both use the
real bridge and a real daemon with the bundled draft model. Without --target-ms there is no verifier; with it there is
one on this machine that knows the files by heart and takes so long for a forward.

The clock starts when the editor is given the key: in VS Code with the time stamp of the browser's key down event, in
Neovim just before the key is written to it. It stops when a frame has been drawn that has the text after that key and
ghost text for it: in VS Code after that animation frame's paint, by the page's own clock, in Neovim with the `flush`
that ends its batch. A key that the next one overtakes before that has no latency. Both editors have all their own time
in it: VS Code waits some 50 ms before it asks.

Figures, each `vscode_` and `neovim_`:

- `p50_ms`, `p99_ms`: every key with ghost text, but for the first of each file, which is `cold_p50_ms`;
- `fresh_p50_ms`, `fresh_p99_ms`: of those that brought a new suggestion; `along_p50_ms`, `along_p99_ms`: of those that
  went along the suggestion shown;
- `text_p50_ms`, `text_p99_ms`: to the first frame with what the key itself inserts, of every key: the editor alone;
- `with_ghost`: how many have ghost text, `fresh`: how many of them a new suggestion; `keys`: how many were timed (all
  that are one event in the editor: not a new line with its indentation); `overtaken`: how many by the next.

And how long our code holds a thread that the user waits for, while keys are typed: `neovim_lua_` (each call of the
plugin from the editor, by a clock around it) and `vscode_host_` (the extension host's thread, by a profile while one
more file is typed, sampled every 0.2 ms), each with `longest_ms`, `p99_ms` of all calls, and `longest_cpu_ms`, the
longest by the time in which it ran, which other programs do not lengthen. The page's own thread runs none of our code;
`vscode_page_long_tasks` counts tasks of 50 ms and more there, of whatever in VS Code, and `vscode_page_longest_ms` is
the longest.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.editors.frames import Waits, waits_of
from benchmarks.editors.in_neovim import neovim_screen
from benchmarks.editors.in_vscode import vscode
from benchmarks.editors.visits import MeasuredEditor, Stretch, Visit, WrongText, visits_of
from benchmarks.editors.workbench import missing
from benchmarks.emulation.target import TargetPlan, target_process
from benchmarks.machine import machine_info
from benchmarks.typing.corpus import NothingToType, installed
from benchmarks.typing.replay import Plan
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.stage import Section, config_text
from benchmarks.typing.tally import percentiles
from draftwire.demo.processes import Workplace, workplace
from verifier.errors import VerifierFailed

PROGRAM: Final = Path(sys.executable).with_name("draftwire")
KEYS: Final = 500
PAUSE_S: Final = 1.0
GOAL_MS: Final = 100
BLOCKING_GOAL_MS: Final = 5
Figures = dict[str, float | None]


class CanNotRun(Exception):
    """Something is missing here. The message says what to do."""


def measure_vscode(place: Workplace, environment: Mapping[str, str], plan: Plan) -> Figures:
    """Type in VS Code: its figures."""
    with vscode(place.folder / "vscode", PROGRAM, environment, plan.pauses.cap_s) as editor:
        visits = visits_of(plan, editor.projects)
        waits = type_in(editor, visits, plan.keys, "VS Code")
        longs_ms = list(editor.long_tasks_ms)
        host = held("vscode_host", editor.host_stretches(next(visits)))
    page: Figures = {
        "vscode_page_long_tasks": len(longs_ms),
        "vscode_page_longest_ms": max(longs_ms, default=None),
    }
    return figures_of("vscode", waits) | host | page


def measure_neovim(place: Workplace, environment: Mapping[str, str], plan: Plan) -> Figures:
    """Type in Neovim: its figures."""
    with neovim_screen(place.folder / "neovim", PROGRAM, environment, plan.pauses.cap_s) as editor:
        waits = type_in(editor, visits_of(plan, editor.projects), plan.keys, "Neovim")
        return figures_of("neovim", waits) | held("neovim_lua", editor.stretches)


EDITORS: Final = {"vscode": measure_vscode, "neovim": measure_neovim}


def type_in(editor: MeasuredEditor, visits: Iterator[Visit], keys: int, name: str) -> Waits:
    """Type file after file until so many keys are pressed."""
    waits, pressed = Waits(), 0
    for visit in visits:
        recording = editor.type(visit)
        waits.add(waits_of(recording.keys, recording.frames))
        pressed += len(visit.strokes)
        print(f"{name}: {pressed} of {keys} keys, {visit.path.name}", file=sys.stderr)
        if pressed >= keys:
            break
    return waits


def figures_of(editor: str, waits: Waits) -> Figures:
    """The latencies of one editor."""
    p50, p99 = percentiles(waits.all_ms, 50, 99)
    fresh50, fresh99 = percentiles(waits.fresh_ms, 50, 99)
    along50, along99 = percentiles(waits.along_ms, 50, 99)
    text50, text99 = percentiles(waits.text_ms, 50, 99)
    values = {
        "p50_ms": p50,
        "p99_ms": p99,
        "fresh_p50_ms": fresh50,
        "fresh_p99_ms": fresh99,
        "along_p50_ms": along50,
        "along_p99_ms": along99,
        "cold_p50_ms": percentiles(waits.cold_ms, 50)[0],
        "text_p50_ms": text50,
        "text_p99_ms": text99,
        "with_ghost": len(waits.all_ms),
        "fresh": len(waits.fresh_ms),
        "overtaken": waits.overtaken,
        "keys": waits.keys,
    }
    return {f"{editor}_{name}": value for name, value in values.items()}


def held(name: str, stretches: Sequence[Stretch]) -> Figures:
    """How long our code held a thread."""
    p99, longest = percentiles([stretch.ms for stretch in stretches], 99, 100)
    (longest_cpu,) = percentiles([stretch.cpu_ms for stretch in stretches], 100)
    return {f"{name}_longest_ms": longest, f"{name}_p99_ms": p99, f"{name}_longest_cpu_ms": longest_cpu}


def measure(editors: Sequence[str], plan: Plan, target_ms: float | None) -> Figures:
    """All these editors in turn, with one daemon."""
    figures: Figures = {}
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(workplace())
        url = ""
        if target_ms is not None:
            target = TargetPlan(target_ms, tuple(source.path for source in plan.sources))
            url = f"ws://127.0.0.1:{stack.enter_context(target_process(target))[1]}"
        settings: dict[str, Section] = {"daemon": {"idle_exit_s": 20}, "verifier": {"url": url}}
        environment = place.environment(config_text(settings))
        stack.callback(lambda: asyncio.run(place.stop_daemon()))
        for name in editors:
            figures |= EDITORS[name](place, environment, plan)
    return figures


def request_of(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, list[str], Plan]:
    """Read the command line: the options, which editors, and what is typed. Raises CanNotRun, NothingToType."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--editor", choices=(*EDITORS, "both"), default="both", help="which (default: both)")
    parser.add_argument("--keys", type=int, default=KEYS, help=f"to press in each editor (default {KEYS})")
    parser.add_argument("--seed", type=int, default=1, help="which keys, and when (default 1)")
    parser.add_argument("--target-ms", type=float, help="with a verifier that takes so long for a forward")
    options = parser.parse_args(arguments)
    if options.keys < 1:
        parser.error("--keys: give 1 or more")
    editors = list(EDITORS) if options.editor == "both" else [options.editor]
    if "vscode" in editors and (why := missing()):
        raise CanNotRun(why)
    if not PROGRAM.exists():
        raise CanNotRun("there is no draftwire beside this Python; run: make install")
    plan = Plan(sources=installed(), keys=options.keys, seed=options.seed, pauses=Pauses(PAUSE_S), least=1)
    return options, editors, plan


def main(arguments: Sequence[str] | None = None) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        options, editors, plan = request_of(arguments)
        figures: dict[str, Any] = measure(editors, plan, options.target_ms)
    except (CanNotRun, NothingToType, VerifierFailed, WrongText, AssertionError, OSError) as error:
        raise SystemExit(f"benchmarks.editor_latency: {error}") from error
    baseline = {"goal_p99_ms": GOAL_MS, "goal_longest_ms": BLOCKING_GOAL_MS, "target_ms": options.target_ms}
    result = {"figures": figures, "baseline": baseline, "machine": machine_info()}
    if options.json:
        print(json.dumps(result))
        return
    for name, value in figures.items():
        print(f"{name:26} {value}")


if __name__ == "__main__":
    main()
