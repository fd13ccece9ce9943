"""Per document only the newest request counts: an older one under way is answered empty at once. Pure asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Answer = TypeVar("Answer")


class NewestRequests:
    """Which request is the newest of each document."""

    def __init__(self) -> None:
        self._asking: dict[str, asyncio.Timeout] = {}

    def supersede(self, document: str) -> None:
        """Let the request under way for this document, if any, be answered empty."""
        if (asking := self._asking.pop(document, None)) is not None:
            asking.reschedule(asyncio.get_running_loop().time())

    async def run(self, document: str, asking: Awaitable[Answer]) -> Answer | None:
        """The result of `asking`, or None once a newer request of the document has begun; it is then cancelled.

        It starts at once, in this task: what it sends goes out before what the editor says next.
        """
        self.supersede(document)
        scope = asyncio.timeout(None)  # a scope that ends when `supersede` says so
        try:
            async with scope:
                self._asking[document] = scope
                return await asking
        except TimeoutError:
            if not scope.expired():
                raise
            return None
        finally:
            if self._asking.get(document) is scope:
                del self._asking[document]
