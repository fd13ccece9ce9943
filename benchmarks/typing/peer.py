"""The same keys typed once more, at a peer: at the same moments, with the same text around the cursor.

The peer is asked at every key, as its own plugin would be by the editor; when it really sends a request, and what it
does with an old one, is its own affair. A text counts for the key if it comes before the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Protocol

from benchmarks.typing.events import Event, Key


class Peer(Protocol):
    """Another completer, as its plugin drives it."""

    async def ghost(self, prefix: str, suffix: str) -> str:
        """The text to show between the two; empty: none."""
        ...


async def waits_ms(events: Iterable[Event], peer: Peer, most_s: float) -> list[float]:
    """Milliseconds from key to text, of the keys that got one before the next. Gaps are capped at `most_s`."""
    keys = [event for event in events if isinstance(event, Key)]
    waits: list[float] = []
    clock = asyncio.get_running_loop().time
    asked: set[asyncio.Task[None]] = set()
    try:
        for number, key in enumerate(keys):
            assert key.sides is not None, "the editor has kept the text"
            pressed = clock()
            until_next_s = _gap_s(keys, number, most_s)
            asked.add(asyncio.create_task(_ask(peer, key.sides, pressed, until_next_s, waits)))
            await asyncio.sleep(max(0.0, pressed + until_next_s - clock()))
            for done in [task for task in asked if task.done()]:
                asked.remove(done)
                done.result()
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    return waits


async def _ask(
    peer: Peer, sides: tuple[str, str], pressed: float, until_next_s: float, waits: list[float]
) -> None:
    text = await peer.ghost(*sides)
    waited_s = asyncio.get_running_loop().time() - pressed
    if text and waited_s < until_next_s:
        waits.append(1000 * waited_s)


def _gap_s(keys: Sequence[Key], number: int, most_s: float) -> float:
    if number + 1 == len(keys):
        return most_s
    return min(most_s, keys[number + 1].at - keys[number].at)
