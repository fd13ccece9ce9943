"""Real typing replayed: `python -m benchmarks.keystrokes [--json] [--quick] [--round-trip-ms 0 20 40 80] ...`.

A typist (`typing/typist.py`) types real files of several languages, at a recorded rhythm, with mistakes, pauses, jumps
and accepted suggestions, in an LSP client (`typing/editor.py`) at a real bridge, daemon and verifier. Between daemon
and verifier lies an emulated network (`emulation/network.py`); with --target-ms each forward of the target takes at
least so long (`emulation/target.py`). Every combination of --round-trip-ms and --target-ms is a replay of its own, with
processes of its own.

Time is real: a typist who is hurried leaves a machine less time for each key than people do. Only pauses are capped, at
--pause-s: past a second nothing moves that a longer pause would show. A full run of 2,000 keys takes about eight
minutes for each setting, --quick about one. Which keys are pressed follows from the seed, the files and what is shown;
the last depends on the machine, so two runs differ where a suggestion came in time once and once did not. (--speed does
hurry the typist: for memory over very many keys, not for latencies.)

The clock starts when a key's didChange is written. A key that the next one overtakes before it has its text has no
latency; `overtaken` in the rows counts them, on this side and (as those not `answered`) on the peer's.

- `provisional_*`: to the first text, for keys whose text was not known before, once the daemon has been at the place
  (`cold_*` in the rows: the first text after opening a file or moving the cursor).
- `verified_*`: to the first verified character of the suggestion that the key brought. `verified_over_floor_p99_ms`:
  beyond the floor, which is the round trip and one forward.
- `type_through_p99_ms`: keys that went along what was shown; `bridge_recall_p99_ms`: what the bridge took of that, from
  the didChange it read to the answer it wrote.
- `peer_ratio_*`: key to text, over all keys that got one, ours / the peer's (--peer); `peer_ratio_new_*`: of those
  whose text was not known before on either side. The peer types the same keys after each replay, at the same moments,
  with the draft's model.
- `flicker`: texts that were replaced after their settling window by one that does not begin with them; `settled`:
  within it, once (`typing/tally.py`).
- `keys_saved`: the share of the keys that the typed text needs.
- `acceptance_rate`, `accepted_per_round` (the target's own token not counted): the daemon's own counts.
- `continuations_foreseen_share`: how often what follows was drafted by the time a suggestion ended (ux-28): its too.

The figures are those of the first setting; `rows` has all, with what else was counted: reasons for nothing shown,
processor time a key, memory, languages. With an oracle as target everything that was shown as verified is held against
what it says alone (`wrong_verified` of `checked_verified`).
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.emulation.precise_loop import precise_loop
from benchmarks.machine import machine_info
from benchmarks.peer.llama_build import PeerMissing
from benchmarks.peer.llama_server import LlamaServerPeer
from benchmarks.typing import timed_bridge
from benchmarks.typing.corpus import NothingToType
from benchmarks.typing.editor import Editor
from benchmarks.typing.events import Event
from benchmarks.typing.interruption import Interruption
from benchmarks.typing.lossless import check
from benchmarks.typing.lsp import Bridge, BridgeLost, running_bridge
from benchmarks.typing.options import Request, request_of
from benchmarks.typing.peer import Waits, waits
from benchmarks.typing.process import Meter
from benchmarks.typing.replay import Replay
from benchmarks.typing.report import figures_of, lines, peer_row, ratios, row_of, spread
from benchmarks.typing.stage import Setting, Stage, staged
from benchmarks.typing.tally import Tally, tally
from daemon.draft.models import resolve_draft_model
from daemon.settings.config import DraftConfig
from verifier.errors import VerifierFailed

UP_S: Final = 180.0
STATS_S: Final = 10.0
MOST_WRONG_TEXTS: Final = 10
"""Shown in the report; all are counted."""
TOLD_EVERY: Final = 100
"""Keys between two lines of progress."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One replay under one setting."""

    row: dict[str, Any]
    tallied: Tally
    events: Sequence[Event]


async def measure(request: Request, setting: Setting) -> Measured:
    """One replay, from the start of its processes to their end."""
    plan, editor = request.plan, Editor(keeps_text=request.peer or setting.is_oracle)
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(staged(setting, seed=plan.seed, threads=request.threads))
        file = stage.projects.with_name("watched.json")
        command = (*timed_bridge.COMMAND, str(file))
        async with running_bridge(stage.environment, editor.notified, command) as bridge:
            editor.attach(bridge)
            await _ready(editor, stage, setting)
            replay, taken, stats = await _replayed(request, editor, bridge, stage)
        watched = timed_bridge.watched_in(file)
    tallied = tally(editor.events)
    row = row_of(tallied, replay.spared, stats, floor_ms=setting.floor_ms)
    row = {"setting": str(setting), "errors": bridge.errors, **row, **taken}
    row |= spread("bridge_recall", watched.recalled_ms) | spread("bridge_recall_cpu", watched.recalled_cpu_ms)
    row |= spread("bridge_change", watched.changes_ms)
    return Measured(row, tallied, editor.events)


async def _replayed(
    request: Request, editor: Editor, bridge: Bridge, stage: Stage
) -> tuple[Replay, dict[str, Any], dict[str, Any]]:
    """Type it all: the replay, what its processes took, and the daemon's own statistics."""
    plan = request.plan
    async with AsyncExitStack() as stack:
        interruption = Interruption(stage, plan.keys) if request.interrupted else None
        if interruption is not None:
            await stack.enter_async_context(interruption)

        async def before_key() -> None:
            bridge.check()
            _tell(editor.keys, plan.keys)
            meter.read(editor.keys, _pids(editor, bridge))
            if interruption is not None:
                await interruption.before_key(editor.keys)

        meter = Meter(plan.keys)
        replay = Replay(plan, editor, stage.projects, before_key)
        await replay.run()
        taken = meter.row(editor.keys, _pids(editor, bridge))
        return replay, taken, await bridge.ask("draftwire/stats", None, STATS_S)


async def _ready(editor: Editor, stage: Stage, setting: Setting) -> None:
    """Wait until the daemon has its model, and the verifier if there is one."""
    link = "off" if setting.network is None else "online"
    await editor.until_status(timeout_s=UP_S, draft="ready", link=link)
    stage.daemon_pid = editor.status["pid"]
    print("all is up; typing", file=sys.stderr)


def _tell(keys: int, of: int) -> None:
    if keys and keys % TOLD_EVERY == 0:
        print(f"{keys} of {of} keys", file=sys.stderr)


def _pids(editor: Editor, bridge: Bridge) -> dict[str, int]:
    return {"daemon": editor.status["pid"], "bridge": bridge.process.pid}


async def run(request: Request) -> list[dict[str, Any]]:
    """Every setting in turn: their rows. Ends in order when the process is asked to end."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    rows = []
    for number, setting in enumerate(request.settings, 1):
        print(f"{number} of {len(request.settings)}: {setting}", file=sys.stderr)
        measured = await measure(request, setting)
        row = measured.row
        if setting.is_oracle:
            row |= _held_against_the_oracle(setting, measured.events)
        at_peer = await _at_the_peer(request, measured.events) if request.peer else Waits()
        if request.peer:
            peer = peer_row(at_peer, row["keys"])
            row |= {**{f"peer_{name}": value for name, value in peer.items()}, **ratios(row, peer)}
        rows.append(row)
        print(json.dumps(figures_of(row)), file=sys.stderr)
        if request.plot is not None:
            _draw(_numbered(request.plot, number), setting, measured.tallied, at_peer.all_ms)
    return rows


def _held_against_the_oracle(setting: Setting, events: Sequence[Event]) -> dict[str, Any]:
    from benchmarks.typing.oracle import oracle_alone  # loads llama.cpp

    assert setting.target is not None, "an oracle has a plan"
    found = check(events, oracle_alone(setting.target))
    return {
        "checked_verified": found.checked,
        "wrong_verified": len(found.wrong),
        "wrong_texts": [{"shown": shown, "target": said} for shown, said in found.wrong[:MOST_WRONG_TEXTS]],
    }


async def _at_the_peer(request: Request, events: Sequence[Event]) -> Waits:
    """How long each key's text took there."""
    draft = DraftConfig()
    peer = LlamaServerPeer(
        resolve_draft_model(draft.model, draft.cache_path).path,
        threads=request.peer_threads,
        program=request.llama_server,
    )
    async with peer:
        print(f"the same at the peer: {peer.notes}", file=sys.stderr)
        return await waits(events, peer, request.plan.pauses.cap_s)


def _draw(path: Path, setting: Setting, tallied: Tally, peer_ms: Sequence[float]) -> None:
    from benchmarks.typing.plot import plot  # the one part that needs Pillow

    kinds = {
        "provisional": tallied.provisional_ms,
        "verified": tallied.verified_ms,
        "type-through": tallied.type_through_ms,
        "peer, all keys": peer_ms,
        "ours, all keys": tallied.all_ms if peer_ms else [],
    }
    plot(path, str(setting), kinds, setting.floor_ms)


def _numbered(path: Path, number: int) -> Path:
    """The first setting has the file as it was named; the others have their number in it."""
    return path if number == 1 else path.with_stem(f"{path.stem}-{number}")


def main() -> None:
    try:
        request = request_of(None, __doc__ or "")
        with asyncio.Runner(loop_factory=precise_loop) as runner:
            rows = runner.run(run(request))
    except (NothingToType, BridgeLost, PeerMissing, VerifierFailed, OSError, ValueError) as error:
        raise SystemExit(f"benchmarks.keystrokes: {error}") from error
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise SystemExit(130) from None
    result = {
        "figures": figures_of(rows[0]),
        "baseline": {"pause_s": request.plan.pauses.cap_s, "seed": request.plan.seed},
        "rows": rows,
        "machine": machine_info(),
    }
    print(json.dumps(result) if request.json else "\n".join(lines(rows)))


if __name__ == "__main__":
    main()
