"""The prefix window: a key costs one block, and the window's start stays put between jumps."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest

from daemon.prompts.prefix_window import PrefixWindow
from tests.fakes.split_tokenizer import CODE, GPT2, LLAMA3, ONE_BLOCK, Tokenizer, place


def window(tokenizer: Tokenizer, room: int = 400, *, splits: bool = True) -> PrefixWindow:
    return PrefixWindow(tokenizer, room=room, splits_at_lines=splits)


@pytest.mark.parametrize("pattern", [GPT2, LLAMA3])
@pytest.mark.parametrize("text", [CODE, ONE_BLOCK])
def test_ids_in_a_window_are_those_of_its_text(text: str, pattern: re.Pattern[str]) -> None:
    """They are an end of the ids of the whole document, cut into many blocks."""
    tokenizer = Tokenizer(pattern)
    builder = window(tokenizer)
    for offset in range(9000, 9400, 5):
        ids = builder.ids(place(text, offset))
        assert 200 <= len(ids) <= 400
        assert ids == before_a_word(tokenizer, text[:offset])[-len(ids) :]


def before_a_word(tokenizer: Tokenizer, text: str) -> list[int]:
    """The ids of a text that a word follows, as far as that leaves the text's own alone."""
    *ids, last = tokenizer.whole(text + "x")
    is_alone = [last] == tokenizer.whole("x")
    return ids if is_alone and text.endswith(("\t", "\n")) else tokenizer.whole(text)


@pytest.mark.parametrize(
    ("text", "gpt2", "llama3"),
    [
        ("f {\n\t", ["f", " {", "\n", "\t"], ["f", " {\n", "\t"]),
        ("f {\n\t\t", ["f", " {", "\n\t", "\t"], ["f", " {\n", "\t\t"]),
        ("a\n\n", ["a", "\n", "\n"], ["a", "\n\n"]),
        ("a\n  ", ["a", "\n  "], ["a", "\n", "  "]),
        ("\t", ["\t"], ["\t"]),
        ("x", ["x"], ["x"]),
    ],
)
@pytest.mark.parametrize("splits", [True, False])
def test_white_space_at_the_end_is_what_it_is_before_a_word(
    text: str, gpt2: list[str], llama3: list[str], splits: bool
) -> None:
    """Where a model's words take the tab before them along, it is left as it stands."""
    for pattern, pieces in ((GPT2, gpt2), (LLAMA3, llama3)):
        tokenizer = Tokenizer(pattern)
        ids = window(tokenizer, splits=splits).ids(place(text))
        assert [piece for token in ids for piece, known in tokenizer.ids.items() if known == token] == pieces


LONGEST = 400 // 8
"""Characters of a block, for a window of 400 tokens."""


def type_keys(builder: PrefixWindow, text: str, first: int, keys: int) -> list[list[int]]:
    return [builder.ids(place(text[:offset] + "\nrest", offset)) for offset in range(first, first + keys)]


@pytest.mark.parametrize(
    "text", [CODE, ONE_BLOCK, "x" * 20_000, "a, " * 7000, "    y\n" * 4000, "你好" * 9000]
)
def test_a_key_costs_one_block(text: str) -> None:
    """Whatever the text: lines of 20,000 characters, blocks of any length."""
    tokenizer = Tokenizer()
    builder = window(tokenizer)
    builder.ids(place(text, 9000))
    costs = []
    for offset in range(9001, 9600):
        tokenizer.characters = 0
        builder.ids(place(text[:offset] + "\nrest", offset))
        costs.append(tokenizer.characters)
    jumps = [cost for cost in costs if cost > LONGEST + 1]
    assert len(jumps) <= 10
    assert all(cost <= 12 * 400 for cost in jumps)


def differ_early(a: list[int], b: list[int]) -> bool:
    """Whether more than the last few ids changed."""
    same = max(0, len(a) - 8)
    return a[:same] != b[:same]


@pytest.mark.parametrize("splits", [True, False])
@pytest.mark.parametrize("text", [CODE, ONE_BLOCK, "x" * 20_000, "}\n\n" * 5000])
def test_the_windows_start_moves_in_jumps(text: str, splits: bool) -> None:
    """Between jumps only the last ids change; a jump comes after a third of a window at the earliest."""
    prompts = type_keys(window(Tokenizer(), splits=splits), text, 9000, 800)
    moved = [key for key, (a, b) in enumerate(itertools.pairwise(prompts)) if differ_early(a, b)]
    tokens = len(Tokenizer().whole(text[9000:9800]))
    assert len(moved) <= 1 + tokens // 130
    assert all(130 <= len(ids) <= 400 for ids in prompts)


def test_typing_a_document_from_its_beginning() -> None:
    """No id before the last few changes until the window is full."""
    tokenizer = Tokenizer()
    prompts = type_keys(window(tokenizer), CODE, 0, 400)
    assert prompts[-1] == tokenizer.whole(CODE[:399])
    assert not any(differ_early(a, b) for a, b in itertools.pairwise(prompts[1:]))


def test_the_cursor_goes_elsewhere() -> None:
    """Wherever it goes, there is text before it in the prompt; backspacing within the window moves nothing."""
    tokenizer = Tokenizer()
    builder = window(tokenizer)
    chance = random.Random(1)
    for _ in range(100):
        offset = chance.randrange(1500, len(CODE))
        ids = builder.ids(place(CODE, offset))
        assert 100 <= len(ids) <= 400
        assert ids == before_a_word(tokenizer, CODE[:offset])[-len(ids) :]
        fewer = builder.ids(place(CODE[: offset - 3] + CODE[offset:], offset - 3))
        assert fewer[:80] == ids[:80]


def test_text_before_the_window_changes() -> None:
    """The window finds its text no more where it was, and starts anew."""
    tokenizer = Tokenizer()
    builder = window(tokenizer)
    builder.ids(place(CODE, 9000))
    ids = builder.ids(place("import x\n" + CODE, 9009))
    assert ids == tokenizer.whole(CODE[:9000])[-len(ids) :]


def test_the_beginning_of_a_document_is_a_window_too() -> None:
    """After one that did not start there."""
    tokenizer = Tokenizer()
    builder = window(tokenizer)
    builder.ids(place(CODE, 9000))
    assert builder.ids(place(CODE, 40)) == tokenizer.whole(CODE[:40])


def test_a_megabyte_costs_no_more_than_the_window() -> None:
    """Nor does a line of a megabyte."""
    for text in (CODE * 10, "x = [" + "1, " * 400_000):
        tokenizer = Tokenizer()
        builder = window(tokenizer)
        builder.ids(place(text))
        assert tokenizer.characters <= 12 * 400
        tokenizer.characters = 0
        builder.ids(place(text + "y"))
        assert tokenizer.characters <= LONGEST + 1


@pytest.mark.model
def test_the_bundled_models_ids_are_those_of_the_whole() -> None:
    """On the sources of the daemon: what the fake patterns promise, a real tokeniser keeps."""
    from daemon.draft.llama_engine import LlamaEngine
    from daemon.draft.model_source import bundled_source

    files = sorted((Path(__file__).parents[3] / "daemon").rglob("*.py"))
    texts = [text for file in files if (text := file.read_text(encoding="utf-8"))]
    with LlamaEngine(bundled_source(), n_context=256, n_sequences=1, threads=1) as engine:
        assert engine.splits_at_lines
        for text in texts:
            ids = PrefixWindow(engine.tokenize, room=1024, splits_at_lines=True).ids(place(text))
            assert ids == engine.tokenize(text)[-len(ids) :]
    assert texts
