"""The peer's plugin: what it sends, when, and what it remembers. The server is the test's."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.peer.llama_vim import (
    CACHE_ENTRIES,
    LOOK_BACK,
    MAX_LINE_SUFFIX,
    N_PREFIX_LINES,
    N_SUFFIX_LINES,
    Answer,
    Infill,
    LlamaVim,
    infill,
)

TEXT = "def add(a, b):\n    return a + b\n"


class Server:
    """Answers a request when it is told to."""

    def __init__(self) -> None:
        self.asked: list[Infill] = []
        self.cancelled = 0
        self._answers: list[asyncio.Future[str]] = []
        self._arrived = asyncio.Condition()

    async def __call__(self, request: Infill) -> str:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.asked.append(request)
        self._answers.append(answer)
        async with self._arrived:
            self._arrived.notify_all()
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    async def answer(self, number: int, text: str | Exception) -> None:
        """Answer the request of this number, once it has come."""
        async with asyncio.timeout(10), self._arrived:
            await self._arrived.wait_for(lambda: len(self.asked) > number)
        if isinstance(text, Exception):
            self._answers[number].set_exception(text)
        else:
            self._answers[number].set_result(text)


def press(plugin: LlamaVim, before: str, after: str = "") -> asyncio.Task[str]:
    return asyncio.create_task(plugin.ghost(before, after))


async def turns(count: int = 5) -> None:
    """Let everything happen that is ready."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("before", "after", "sent"),
    [
        ("a\nb\n  x = ", "y\nz", Infill("a\nb\n", "  x = ", "y\nz\n", 2)),
        ("a\n    ", "\nz", Infill("a\n", "", "\nz\n", 0)),  # a line of blanks alone
        ("x", "", Infill("\n", "x", "\n", 0)),
        ("p\n" * 300 + "x", "", Infill("p\n" * N_PREFIX_LINES, "x", "\n", 0)),
        ("x", "y" + "\ns" * 100, Infill("\n", "x", "y" + "\ns" * N_SUFFIX_LINES + "\n", 0)),
    ],
)
def test_what_is_sent(before: str, after: str, sent: Infill) -> None:
    assert infill(before, after) == sent


@pytest.mark.asyncio
async def test_an_answer_is_shown_and_typed_along_from_memory() -> None:
    """Without trailing line ends; another answer is asked for where the user departs from it."""
    server = Server()
    plugin = LlamaVim(server)
    shown = press(plugin, TEXT[:19])
    await server.answer(0, "return a + b\n\n")
    assert await shown == "return a + b"
    assert await plugin.answer(TEXT[:22], "") == Answer("urn a + b", remembered=True)
    assert await plugin.ghost(TEXT[:20], "") == "eturn a + b"
    departs = press(plugin, TEXT[:20] + "x")
    await server.answer(1, "y")
    assert await departs == "y"
    assert await plugin.answer("", "x" * (MAX_LINE_SUFFIX + 1)) == Answer("")
    assert (plugin.requests, plugin.remembered) == (2, 2)
    other_side = press(plugin, TEXT[:20], "\nmore")
    await server.answer(2, "z")
    assert await other_side == "z"


@pytest.mark.asyncio
async def test_a_request_under_way_is_waited_for_and_may_serve_a_later_key() -> None:
    """Of the keys typed meanwhile only the newest is shown something."""
    server = Server()
    plugin = LlamaVim(server)
    keys = [press(plugin, TEXT[:19])]
    await turns()
    for cut in (20, 21):
        keys.append(press(plugin, TEXT[:cut]))
        await turns()
    assert len(server.asked) == 1
    await server.answer(0, "return a + b")
    assert await asyncio.gather(*keys) == ["", "", "turn a + b"]
    assert plugin.requests == 1


@pytest.mark.asyncio
async def test_an_answer_that_does_not_fit_is_followed_by_another_request() -> None:
    """Not before its time to try again has come."""
    server = Server()
    plugin = LlamaVim(server, retry_s=0.05)
    old = press(plugin, "a")
    await turns()
    clock = asyncio.get_running_loop().time
    pressed = clock()
    new = press(plugin, "ax")
    await turns()
    await server.answer(0, "b")
    assert await old == ""
    await server.answer(1, "yz")
    assert clock() - pressed >= 0.05
    assert await new == "yz"


@pytest.mark.asyncio
async def test_a_request_that_takes_long_is_waited_for_again_and_again() -> None:
    server = Server()
    plugin = LlamaVim(server, retry_s=0.002)
    press(plugin, "a")
    await turns()
    new = press(plugin, "ax")
    await asyncio.wait([new], timeout=0.03)
    assert len(server.asked) == 1
    await server.answer(0, "xyz")
    assert await new == "yz"


@pytest.mark.asyncio
async def test_the_kinder_variant_ends_the_old_request() -> None:
    server = Server()
    plugin = LlamaVim(server, cancels=True)
    old = press(plugin, "a")
    await turns()
    new = press(plugin, "ax")
    await server.answer(1, "y")
    assert (await old, await new) == ("", "y")
    assert server.cancelled == 1


@pytest.mark.asyncio
async def test_nothing_is_asked_before_much_text_nor_twice_for_nothing() -> None:
    server = Server()
    plugin = LlamaVim(server)
    assert await plugin.ghost("a", "x" * (MAX_LINE_SUFFIX + 1)) == ""
    assert server.asked == []
    nothing = press(plugin, "a")
    await server.answer(0, "\n\n")
    assert await nothing == ""
    assert plugin.requests == 1


@pytest.mark.asyncio
async def test_a_server_that_fails_is_heard_of() -> None:
    server = Server()
    shown = press(LlamaVim(server), "a")
    await server.answer(0, OSError("gone"))
    with pytest.raises(OSError, match="gone"):
        await shown


@pytest.mark.asyncio
async def test_what_is_remembered_is_bounded() -> None:
    """In places and in how far back they are."""

    async def server(request: Infill) -> str:
        return "z" * (LOOK_BACK + 50)

    plugin = LlamaVim(server)
    assert await plugin.ghost("a", "")
    assert len(await plugin.ghost("a" + "z" * LOOK_BACK, "")) == 50
    await plugin.ghost("a" + "z" * (LOOK_BACK + 1), "")
    assert plugin.requests == 2
    for number in range(CACHE_ENTRIES):
        await plugin.ghost(f"{number} ", "")
    before = plugin.requests
    await plugin.ghost("a", "")
    assert plugin.requests == before + 1


@pytest.mark.asyncio
async def test_closing_ends_what_is_under_way() -> None:
    server = Server()
    plugin = LlamaVim(server)
    shown = press(plugin, "a")
    await turns()
    shown.cancel()
    await plugin.close()
    await plugin.close()
    assert server.cancelled == 1
