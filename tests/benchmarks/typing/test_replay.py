"""A whole replay against a bridge that answers at once, on a clock that jumps."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from benchmarks.typing.corpus import NothingToType, Source
from benchmarks.typing.editor import Editor
from benchmarks.typing.events import Event, Key, Opened
from benchmarks.typing.lsp import Bridge
from benchmarks.typing.replay import FEWEST_KEYS_A_VISIT, Plan, Replay
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.tally import tally
from tests.fakes.typing_bridge import AnsweringBridge
from tests.fakes.virtual_time import VirtualTimeLoop

FILES = {
    name: "".join(f"{word} name_{number}:\n    take argument_{number}\n\n" for number in range(40))
    for name, word in {"a.py": "class", "b.proto": "message"}.items()
}


def plan_of(keys: int, *, files: dict[str, str] = FILES) -> Plan:
    sources = [Source(Path("/nowhere") / name, text) for name, text in files.items()]
    return Plan(sources, keys=keys, seed=1, pauses=Pauses(1.0), least=4)


@pytest.mark.parametrize(
    ("keys", "turns", "visit"), [(2000, 1, 1000), (2000, 10, 100), (100, 10, FEWEST_KEYS_A_VISIT)]
)
def test_all_files_have_their_turns(keys: int, turns: int, visit: int) -> None:
    assert replace(plan_of(keys), turns=turns).keys_a_visit == visit


def replayed(
    plan: Plan, folder: Path, ghost: Callable[[str], str] = lambda before: ""
) -> tuple[list[Event], Replay, AnsweringBridge, float]:
    """What happened, and how long it took."""
    bridge, editor = AnsweringBridge(ghost), Editor(keeps_text=False)
    editor.attach(cast(Bridge, bridge))

    async def before_key() -> None:
        """Nothing to do."""

    replay = Replay(plan, editor, folder, before_key)
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(replay.run())
        took_s = runner.get_loop().time()
    return editor.events, replay, bridge, took_s


def test_files_take_turns_until_enough_keys_are_typed(tmp_path: Path) -> None:
    events, replay, bridge, took_s = replayed(plan_of(3 * FEWEST_KEYS_A_VISIT), tmp_path)
    keys = [event for event in events if isinstance(event, Key)]
    assert len(keys) == 3 * FEWEST_KEYS_A_VISIT
    languages = [event.language for event in events if isinstance(event, Opened)]
    assert list(dict.fromkeys(languages)) == ["python", "proto"]
    assert len(bridge.closed) == 2
    assert not bridge.documents
    assert replay.spared.needed == replay.spared.pressed
    assert 0.1 < took_s / len(keys) < 0.6


def test_what_the_daemon_is_told_is_a_part_of_what_stands_in_the_file(tmp_path: Path) -> None:
    """Every key reaches it, in order: what it has at the end is the file without what was not typed."""
    _, _, bridge, _ = replayed(plan_of(2 * FEWEST_KEYS_A_VISIT), tmp_path)
    for uri, text in bridge.closed.items():
        same = difflib.SequenceMatcher(None, FILES[uri.rpartition("/")[2]], text, autojunk=False)
        added = sum(block.b - end for block, end in _blocks_and_ends(same))
        assert added <= 2  # a mistake that was not mended yet


def _blocks_and_ends(same: difflib.SequenceMatcher[str]) -> list[tuple[difflib.Match, int]]:
    """Each part that both have, and where the one before ends."""
    blocks = same.get_matching_blocks()
    return list(zip(blocks, [0, *(block.b + block.size for block in blocks[:-1])], strict=True))


def test_a_right_suggestion_is_taken(tmp_path: Path) -> None:
    def ghost(before: str) -> str:
        wanted = "argument_"
        begun = next((n for n in range(len(wanted), 3, -1) if before.endswith(f"take {wanted}"[:n])), 0)
        return f"take {wanted}"[begun:] if begun else ""

    events, replay, bridge, _ = replayed(plan_of(4 * FEWEST_KEYS_A_VISIT), tmp_path, ghost)
    counts = tally(events).counts
    assert counts["keys_all"] + counts["keys_word"] == len(bridge.accepted) > 0
    assert replay.spared.needed > replay.spared.pressed
    assert counts["misplaced"] == 0


def test_a_hurried_typist_presses_the_same_keys_sooner(tmp_path: Path) -> None:
    plan = plan_of(FEWEST_KEYS_A_VISIT)
    events, _, _, took_s = replayed(plan, tmp_path / "a")
    hurried, _, _, less_s = replayed(replace(plan, speed=10.0), tmp_path / "b")
    assert less_s < took_s / 2
    typed = [[event.text for event in one if isinstance(event, Key)] for one in (events, hurried)]
    assert typed[0] == typed[1]


def test_the_same_seed_is_the_same_replay(tmp_path: Path) -> None:
    assert replayed(plan_of(80), tmp_path / "a")[0] == replayed(plan_of(80), tmp_path / "b")[0]


def test_files_with_nothing_in_them(tmp_path: Path) -> None:
    with pytest.raises(NothingToType, match="--files"):
        replayed(plan_of(10, files={"a.py": "\n\n", "b.py": ""}), tmp_path)
