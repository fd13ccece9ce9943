"""A peer's behaviour at a key: when llama.vim asks its server, what it sends, and what it remembers.

Described from reading the plugin, in its own defaults; a clock and a server are all it needs here.

- At each move of the cursor in insert mode it looks into its cache: an answer for this very place, or for a place up
  to 128 characters before it whose text the user has typed along.
- With a request under way it sends no other, and does not cancel it: it tries again 100 ms later, and shows the answer
  when it comes if the cursor's place fits by then. `cancels=True` is a kinder variant, which no plugin has: a new key
  ends the old request at once.
- It asks nothing where more than 8 characters stand after the cursor on its line.

Left out, all in the peer's favour here: the extra context it collects from other places, and the second request that
it sends after each answer for the place behind it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

N_PREFIX_LINES = 256
N_SUFFIX_LINES = 64
MAX_LINE_SUFFIX = 8
CACHE_ENTRIES = 250
LOOK_BACK = 128
RETRY_S = 0.1


@dataclass(frozen=True, slots=True)
class Infill:
    """What is sent: the lines before the cursor's, its line up to the cursor, what follows, and how far it is indented.

    A line of white space alone counts as empty: the model begins it anew.
    """

    prefix: str
    middle: str
    suffix: str
    indent: int


def infill(before: str, after: str) -> Infill:
    """What llama.vim sends for a cursor between these two texts."""
    *lines, middle = before.split("\n")
    rest, *following = after.split("\n")
    blank = not (middle + rest).strip()
    middle, rest = ("", "") if blank else (middle, rest)
    indent = len(middle) - len(middle.lstrip(" \t"))
    suffix = "\n".join([rest, *following[:N_SUFFIX_LINES]]) + "\n"
    return Infill("\n".join(lines[-N_PREFIX_LINES:]) + "\n", middle, suffix, indent)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown at a key, and where it is from."""

    text: str
    """Empty: nothing, or another key has come."""
    remembered: bool = False
    """It was in the cache when the key came. In an editor such a key takes no hop to any process."""


NOTHING = Answer("")
Server = Callable[[Infill], Awaitable[str]]


class LlamaVim:
    """The plugin at one cursor. `ghost` is called at each key, whether or not earlier calls have returned."""

    def __init__(self, server: Server, *, cancels: bool = False, retry_s: float = RETRY_S) -> None:
        self.requests = 0
        self.remembered = 0
        """Keys that were answered from the cache."""
        self._server = server
        self._cancels = cancels
        self._retry_s = retry_s
        self._cache: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._newest = 0
        self._under_way: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        """Set, and replaced, whenever there is another key or answer."""

    async def ghost(self, before: str, after: str) -> str:
        """The text to show between the two; empty if there is none before another key comes."""
        return (await self.answer(before, after)).text

    async def answer(self, before: str, after: str) -> Answer:
        """What is shown between the two at this key."""
        self._newest += 1
        own = self._newest
        self._announce()
        if known := self._known(before, after):
            self.remembered += 1
            return Answer(known, remembered=True)
        if len(after.partition("\n")[0]) > MAX_LINE_SUFFIX:
            return NOTHING
        if self._cancels and self._under_way is not None:
            self._under_way.cancel()
            self._under_way = None
        clock, due = asyncio.get_running_loop().time, 0.0
        while self._newest == own:
            if self._under_way is None and clock() >= due:
                self._send(before, after)
            elif clock() >= due:
                due = clock() + self._retry_s
            await self._listen(max(0.0, due - clock()) if due else None)
            if known := self._known(before, after):
                return Answer(known) if self._newest == own else NOTHING
            if (before, after) in self._cache:
                return NOTHING  # the answer for this very place is that there is nothing
        return NOTHING

    async def close(self) -> None:
        """Drop the request under way."""
        if self._under_way is not None:
            self._under_way.cancel()
            await asyncio.gather(self._under_way, return_exceptions=True)

    def _send(self, before: str, after: str) -> None:
        self.requests += 1
        self._under_way = asyncio.create_task(self._ask(before, after))

    async def _ask(self, before: str, after: str) -> None:
        """One request; its answer goes into the cache, where whoever waits finds it."""
        text = (await self._server(infill(before, after))).rstrip("\n")
        self._cache[before, after] = text
        while len(self._cache) > CACHE_ENTRIES:
            self._cache.popitem(last=False)
        self._under_way = None
        self._announce()

    async def _listen(self, most_s: float | None) -> None:
        """Until there is news, or it is time to try again."""
        news = asyncio.create_task(self._news.wait())
        watched = {news} | ({self._under_way} if self._under_way is not None else set())
        try:
            done, _ = await asyncio.wait(watched, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        for task in done - {news}:
            if not task.cancelled():
                task.result()  # a server that fails ends the run

    def _known(self, before: str, after: str) -> str:
        """What the cache has for this place: an answer, or the rest of one, nearby, that was typed along."""
        for (place, rest), text in sorted(self._cache.items(), key=lambda item: -len(item[0][0])):
            typed = len(before) - len(place)
            fits = 0 <= typed <= LOOK_BACK and rest == after and before.startswith(place)
            if fits and len(text) > typed and text.startswith(before[len(place) :]):
                return text[typed:]
        return ""

    def _announce(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
