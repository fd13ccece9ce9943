"""Per document only the newest request counts: an older one under way is answered empty at once. Pure
asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class NewestRequests:
    """Which request is the newest of each document."""

    def __init__(self) -> None:
        self._superseded: dict[str, asyncio.Event] = {}

    def supersede(self, document: str) -> None:
        """Let the request under way for this document, if any, be answered empty."""
        if (superseded := self._superseded.pop(document, None)) is not None:
            superseded.set()

    async def run(self, document: str, asking: Coroutine[Any, Any, Answer]) -> Answer | None:
        """The result of `asking`, or None once a newer request of the document has begun; it is then
        cancelled."""
        self.supersede(document)
        mine = self._superseded[document] = asyncio.Event()
        asked = asyncio.ensure_future(asking)
        overtaken = asyncio.ensure_future(mine.wait())
        try:
            await asyncio.wait({asked, overtaken}, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else None
        finally:
            asked.cancel()
            overtaken.cancel()
            if self._superseded.get(document) is mine:
                del self._superseded[document]
