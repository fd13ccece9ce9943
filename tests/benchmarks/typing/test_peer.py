"""Keys typed once more, at the same moments."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.peer.llama_vim import Answer
from benchmarks.typing.events import Event, Key, Opened
from benchmarks.typing.peer import Waits, waits
from tests.fakes.virtual_time import VirtualTimeLoop

REMEMBERED_S = 0.2


class SlowPeer:
    """Takes so long for each text as the text before the cursor says, in seconds; says nothing of "0.0".

    What takes less than REMEMBERED_S it had already.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[float, str]] = []

    async def answer(self, before: str, after: str) -> Answer:
        self.asked.append((asyncio.get_running_loop().time(), before))
        await asyncio.sleep(float(before))
        return Answer(after * (before != "0.0"), remembered=float(before) < REMEMBERED_S)


def key(at: float, takes_s: float) -> Key:
    return Key(at, "type", "x", (str(takes_s), "text"))


def replayed(*events: Event) -> tuple[Waits, SlowPeer]:
    peer = SlowPeer()
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(waits(events, peer, 1.0)), peer


def test_texts_count_that_come_before_the_next_key() -> None:
    found, peer = replayed(
        Opened(0.0, "c"), key(5.0, 0.1), key(5.25, 0.5), key(5.5, 0.0), key(60.0, 0.75), key(61.0, 2.0)
    )
    assert found.all_ms == pytest.approx([100, 750])
    assert found.new_ms == pytest.approx([750])
    assert [asked for asked, _ in peer.asked] == pytest.approx([0.0, 0.25, 0.5, 1.5, 2.5])


def test_an_error_of_the_peer_is_not_swallowed() -> None:
    with pytest.raises(ValueError, match="could not convert"):
        replayed(Key(0.0, "type", "x", ("not a number", "")), key(1.0, 0.1))
