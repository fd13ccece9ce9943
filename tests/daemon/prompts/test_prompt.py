"""Prompts: what they begin with, what is around the cursor in them, and that they fit into the window."""

from __future__ import annotations

import pytest

from daemon.prompts.fim import Layout
from daemon.prompts.prompt import Prompt
from tests.fakes.split_tokenizer import CODE, Tokenizer, place

START, PRE, SUF, MID = 1_000_000, 1_000_001, 1_000_002, 1_000_003
PSM = Layout(False, (PRE,), (SUF,), (MID,))
SPM = Layout(True, (SUF,), (PRE,), (MID,))
JOINED = Layout(True, (PRE, SUF), (MID,), ())


def prompt(
    tokenizer: Tokenizer,
    window: int = 400,
    *,
    splits: bool = True,
    start: tuple[int, ...] = (),
    layout: Layout | None = None,
) -> Prompt:
    return Prompt(tokenizer, window_tokens=window, splits_at_lines=splits, start=start, layout=layout)


@pytest.mark.parametrize("layout", [None, PSM, JOINED])
@pytest.mark.parametrize("splits", [True, False])
def test_the_start_is_always_there(splits: bool, layout: Layout | None) -> None:
    """And within the window."""
    builder = prompt(Tokenizer(), 80, splits=splits, start=(START,), layout=layout)
    assert builder.ids(place("")) == [START]
    for offset in range(0, 3000, 7):
        ids = builder.ids(place(CODE, offset))
        assert ids[0] == START
        assert len(ids) <= 80
        assert (PRE in ids) is (layout is not None)


@pytest.mark.parametrize("layout", [None, SPM])
@pytest.mark.parametrize("splits", [True, False])
def test_an_empty_prompt_is_a_line_end(splits: bool, layout: Layout | None) -> None:
    """A model needs a token to go on from."""
    tokenizer = Tokenizer()
    builder = prompt(tokenizer, splits=splits, layout=layout)
    assert builder.ids(place("", 0)) == tokenizer.whole("\n")


def test_a_window_without_room_is_refused() -> None:
    """A mistake of the caller."""
    with pytest.raises(ValueError, match="no room"):
        prompt(Tokenizer(), 1, start=(5,))


BEFORE, AFTER = "def f(a):\n    x = ", "\n    return x\n\n\ny = f(1)\n"


@pytest.mark.parametrize(
    ("layout", "order"),
    [
        (PSM, [PRE, "before", SUF, "after", MID]),
        (SPM, [SUF, "after", PRE, "before", MID]),
        (JOINED, [PRE, SUF, "after", MID, "before"]),
    ],
    ids=["prefix first", "suffix first", "joined"],
)
def test_both_texts_stand_where_the_layout_has_them(layout: Layout, order: list[int | str]) -> None:
    tokenizer = Tokenizer()
    texts = {"before": tokenizer.whole(BEFORE), "after": tokenizer.whole(AFTER)}
    expected = [token for part in order for token in (texts[part] if isinstance(part, str) else [part])]
    ids = prompt(tokenizer, start=(START,), layout=layout).ids(place(BEFORE + AFTER, len(BEFORE)))
    assert ids == [START, *expected]


def test_at_the_beginning_of_a_document_the_prefix_is_empty() -> None:
    tokenizer = Tokenizer()
    ids = prompt(tokenizer, layout=JOINED).ids(place(AFTER, 0))
    assert ids == [PRE, SUF, *tokenizer.whole(AFTER), MID]


@pytest.mark.parametrize("rest", ["", "\n", ")\n", "\n    }\n}\n"])
def test_where_nothing_follows_the_text_is_continued(rest: str) -> None:
    """With all of the window for it."""
    tokenizer = Tokenizer()
    text = CODE[:2000]
    builder = prompt(tokenizer, 100, layout=SPM)
    assert builder.ids(place(text + rest, 2000)) == prompt(tokenizer, 100).ids(place(text + rest, 2000))


def test_a_small_window_has_no_room_for_a_suffix() -> None:
    assert PRE not in prompt(Tokenizer(), 63, layout=PSM).ids(place(BEFORE + AFTER, len(BEFORE)))
    assert PRE in prompt(Tokenizer(), 64, layout=PSM).ids(place(BEFORE + AFTER, len(BEFORE)))


def test_a_document_that_looks_like_marks_has_none() -> None:
    """Marks are ids; text is tokenised as text, whatever it says."""
    text = "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"
    ids = prompt(Tokenizer(), layout=PSM).ids(place(text, 15))
    assert [ids.count(mark) for mark in (PRE, SUF, MID)] == [1, 1, 1]
