"""Of the requests for one document only the newest is answered with something."""

import asyncio

import pytest

from lsp_bridge.newest import NewestRequests

pytestmark = pytest.mark.asyncio


async def test_the_result_of_a_request_alone() -> None:
    """Passed through, as are its errors."""

    async def work() -> int:
        return 7

    async def fail() -> int:
        raise ValueError("work failed")

    newest = NewestRequests()
    assert await newest.run("d", work()) == 7
    with pytest.raises(ValueError, match="work failed"):
        await newest.run("d", fail())
    newest.supersede("d")


async def test_an_older_request_ends_empty_and_its_work_is_cancelled() -> None:
    """At once; another document's is left alone."""
    newest = NewestRequests()
    cancelled: list[str] = []
    go = asyncio.Event()

    async def work(name: str) -> str:
        try:
            await go.wait()
        except asyncio.CancelledError:
            cancelled.append(name)
            raise
        return name

    older = asyncio.create_task(newest.run("d", work("older")))
    other = asyncio.create_task(newest.run("e", work("other")))
    await asyncio.sleep(0)
    newer = asyncio.create_task(newest.run("d", work("newer")))
    assert await older is None
    await asyncio.sleep(0)
    assert cancelled == ["older"]
    go.set()
    assert [await newer, await other] == ["newer", "other"]


async def test_a_cancelled_request_cancels_its_work() -> None:
    """And leaves nothing behind."""
    newest = NewestRequests()
    cancelled = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    asking = asyncio.create_task(newest.run("d", work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await cancelled.wait()
