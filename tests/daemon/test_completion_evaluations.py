"""What a key costs, in tokens evaluated and characters tokenised: what is new and a constant, whatever the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from daemon.api.messages import Edit
from daemon.documents import Document, Place
from daemon.prompts.healing import MOST_BYTES, MOST_TOKENS
from tests.fakes.completion import Bench, bench, settings
from tests.fakes.engine import FakeEngine

WINDOW = 256
HEALED = MOST_BYTES + MOST_TOKENS
"""Tokens that are evaluated again, and tried, where the prompt ends inside a token."""
BLOCK = WINDOW // 8
"""Characters of a block, at most."""
JUMP = 12 * WINDOW
"""Characters that are looked at where the window's start moves."""
LINES = "def function(a, b):\n    if a:\n        return b + 1\n    return [a]\n\n\n"
WORDS = (b"return", b" return", b"alpha", b" alpha", b"    ")


class CountedEngine(FakeEngine):
    """Says the same whatever it is asked, and counts the characters it tokenises. `words`: tokens beside bytes."""

    def __init__(self, says: bytes = b"", words: Sequence[bytes] = ()) -> None:
        super().__init__(lambda prefix: says, extra_tokens=words, n_context=1024)
        self.tokenized = 0
        self.constant = 1 + (HEALED if words else 0)
        """For a key: the last token is evaluated again where the text got shorter."""

    def tokenize(self, text: str) -> list[int]:
        self.tokenized += len(text)
        return super().tokenize(text)


class Keyboard:
    """Types in the document of a bench, and notes what each key costs."""

    def __init__(self, b: Bench, text: str, cursor: int) -> None:
        assert isinstance(b.engine, CountedEngine)
        self.b, self.engine, self.cursor = b, b.engine, cursor
        self.evaluated: list[int] = []
        self.tokenized: list[int] = []
        b.document = Document("file:///a.py", "python", 1, text)
        b.completer.opened(b.document, b.completer.settings)

    async def key(self, text: str = "", *, backspaces: int = 0) -> None:
        evaluated, tokenized = self.engine.evaluated_tokens(), self.engine.tokenized
        drafted = self.b.statistics.drafted_tokens
        start = self.cursor - backspaces
        self.b.document = self.b.document.edited(
            [Edit(start, self.cursor, text)], self.b.document.version + 1
        )
        self.cursor = start + len(text)
        self.b.completer.edited(self.b.document, self.cursor)
        await self.b.ask(Place(self.b.document, self.cursor), "settled")
        drafted = self.b.statistics.drafted_tokens - drafted
        self.evaluated.append(self.engine.evaluated_tokens() - evaluated - drafted - len(text))
        self.tokenized.append(self.engine.tokenized - tokenized)

    def assert_cheap(self, *, jumps: int) -> None:
        """But for the first key, and so many at which the window's start moved."""
        constant = self.engine.constant
        dear = [cost for cost in self.evaluated[1:] if cost > constant]
        assert len(dear) <= jumps
        assert all(cost <= WINDOW + constant for cost in dear)
        many = [cost for cost in self.tokenized[1:] if cost > BLOCK + constant]
        assert len(many) <= jumps
        assert all(cost <= JUMP + constant for cost in many)


DOCUMENTS = {
    "a small file": (LINES, len(LINES) - 1),
    "a megabyte": (LINES * 15_000, len(LINES) * 7000 - 1),
    "a line of 10,000 characters": ("x = [" + "1, " * 3400 + "]\n", 5001),
    "a megabyte in one line": ("x = [" + "1, " * 350_000 + "]\n", 500_001),
    "one word of 10,000 characters": ("x" * 10_000 + "\n", 10_000),
}
ENGINES: dict[str, tuple[bytes, Sequence[bytes]]] = {
    "nothing to say": (b"", ()),
    "a draft that is always wrong": (b"wrong", ()),
    "prompts that end inside a token": (b"", WORDS),
}
CHOSEN = replace(settings(), window_tokens=WINDOW, completion=replace(settings().completion, max_tokens=4))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.asyncio
async def test_a_typed_key_costs_itself_and_a_constant(document: str, engine: str) -> None:
    """ux-36."""
    async with bench(engine=CountedEngine(*ENGINES[engine]), chosen=CHOSEN) as b:
        keyboard = Keyboard(b, *DOCUMENTS[document])
        for key in "\n    if alpha:\n        return alpha + a_return(alpha)\n    return" * 2:
            await keyboard.key(key)
        typed = len(keyboard.evaluated)
        keyboard.assert_cheap(jumps=1 + typed // (WINDOW // 4))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.asyncio
async def test_a_backspace_costs_a_constant(document: str, engine: str) -> None:
    async with bench(engine=CountedEngine(*ENGINES[engine]), chosen=CHOSEN) as b:
        keyboard = Keyboard(b, *DOCUMENTS[document])
        await keyboard.key("\nreturn alpha + alpha\n")
        for _ in range(40):
            await keyboard.key(backspaces=1)
        keyboard.assert_cheap(jumps=1)


@pytest.mark.asyncio
async def test_a_pasted_text_costs_itself() -> None:
    """And what is typed in it, a constant again."""
    async with bench(engine=CountedEngine(), chosen=CHOSEN) as b:
        keyboard = Keyboard(b, *DOCUMENTS["a megabyte"])
        for text in ("a", "pasted = 1\n" * 5, "b", "c"):
            await keyboard.key(text)
        keyboard.assert_cheap(jumps=1)


@pytest.mark.asyncio
async def test_the_cursor_elsewhere_costs_a_window_once() -> None:
    """ux-36."""
    async with bench(engine=CountedEngine(), chosen=CHOSEN) as b:
        keyboard = Keyboard(b, *DOCUMENTS["a megabyte"])
        for cursor in (400_000, 100, 900_000, 200_000):
            keyboard.cursor = cursor
            for key in "abcdefgh":
                await keyboard.key(key)
        keyboard.assert_cheap(jumps=4)
