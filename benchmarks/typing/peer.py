"""The same keys typed once more, at a peer: at the same moments, with the same text around the cursor.

The peer is asked at every key, as its own plugin would be by the editor; when it really sends a request, and what it
does with an old one, is its own affair. A text counts for the key if it comes before the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.peer.llama_vim import Answer
from benchmarks.typing.events import Event, Key


class Peer(Protocol):
    """Another completer, as its plugin drives it."""

    async def answer(self, before: str, after: str) -> Answer:
        """The text to show between the two; empty: none."""
        ...


@dataclass(slots=True)
class Waits:
    """Milliseconds from key to text, of the keys that got one before the next."""

    all_ms: list[float] = field(default_factory=list)
    new_ms: list[float] = field(default_factory=list)
    """Of texts that the peer did not have yet when the key came."""


async def waits(events: Iterable[Event], peer: Peer, most_s: float) -> Waits:
    """Type the keys among the events. Gaps are capped at `most_s`."""
    keys = [event for event in events if isinstance(event, Key)]
    found = Waits()
    clock = asyncio.get_running_loop().time
    asked: set[asyncio.Task[None]] = set()
    try:
        for number, key in enumerate(keys):
            assert key.sides is not None, "the editor has kept the text"
            pressed = clock()
            until_next_s = _gap_s(keys, number, most_s)
            asked.add(asyncio.create_task(_ask(peer, key.sides, pressed, until_next_s, found)))
            await asyncio.sleep(max(0.0, pressed + until_next_s - clock()))
            for done in [task for task in asked if task.done()]:
                asked.remove(done)
                done.result()
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return found


async def _ask(peer: Peer, sides: tuple[str, str], pressed: float, until_next_s: float, found: Waits) -> None:
    answer = await peer.answer(*sides)
    waited_s = asyncio.get_running_loop().time() - pressed
    if answer.text and waited_s < until_next_s:
        found.all_ms.append(1000 * waited_s)
        found.new_ms.extend([] if answer.remembered else [1000 * waited_s])


def _gap_s(keys: Sequence[Key], number: int, most_s: float) -> float:
    if number + 1 == len(keys):
        return most_s
    return min(most_s, keys[number + 1].at - keys[number].at)
