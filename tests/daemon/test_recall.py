"""Recall: what was typed between two places, against a naive reading; which known continuation fits."""

from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.documents import Document, Place
from daemon.recall import AUTO_CLOSED, MOST_AUTO_CLOSED, best_fit, typed_since


def at(marked: str) -> Place:
    """The place of the | in a text."""
    return Place(Document("file:///f", "python", 1, marked.replace("|", "")), marked.index("|"))


@pytest.mark.parametrize(
    ("then", "now", "typed"),
    [
        ("a|b", "a|b", ""),
        ("a|b", "axy|b", "xy"),
        ("f|", "f(|)", "("),
        ("f|", "f([{|}])", "([{"),
        ("f|", "f([{(|)}])", "([{("),
        ("f|", "f([{((|))}])", None),
        ("f|)", "f(|))", "("),
        ("f(|)", 'f("|")', '"'),
        ("f|", "f(|x", None),
        ("a|b", "|b", None),
        ("a|b", "a|", None),
        ("a|b", "x|b", None),
        ("a|b", "ax|c", None),
        ("x" * 100 + "|", "y" + "x" * 99 + "a|", None),
        ("你|好", "你们🤗|好", "们🤗"),
        ("a\n|\nb", "a\nc\n|\nb", "c\n"),
    ],
)
def test_what_was_typed(then: str, now: str, typed: str | None) -> None:
    """Typing, auto-closed brackets, and everything else that is no typing."""
    assert typed_since(at(then), at(now)) == typed


def test_moving_within_one_version_is_no_typing() -> None:
    """The cursor went over text that was there before."""
    place = at("ab|cd")
    assert typed_since(place, Place(place.document, 3)) is None
    assert typed_since(place, Place(place.document, 2)) == ""


def naive(then: Place, now: Place) -> str | None:
    """Try every split of the new text."""
    old, new = then.document.text, now.document.text
    for added in range(MOST_AUTO_CLOSED + 1):
        closed = new[now.offset : now.offset + added]
        typed = new[then.offset : now.offset]
        fits = now.offset >= then.offset and len(closed) == added and set(closed) <= AUTO_CLOSED
        if fits and old[: then.offset] + typed + closed + old[then.offset :] == new:
            return typed
    return None


short = st.text(st.sampled_from("a()]\n你"), max_size=5)


@given(short, short, short, short, short, st.booleans())
@example("a", "a", "(", ")", "a", False)
def test_it_agrees_with_the_naive_reading(
    before: str, after: str, typed: str, closed: str, other: str, is_typing: bool
) -> None:
    """Whatever the texts: typing along, and unrelated ones."""
    then = Place(Document("f", "x", 1, before + after), len(before))
    text = before + typed + closed + after if is_typing else before + other + closed
    now = Place(Document("f", "x", 2, text), len(before) + len(typed) if is_typing else len(text) // 2)
    assert typed_since(then, now) == naive(then, now)


@dataclass(frozen=True)
class Continuation:
    place: Place
    known_text: str


def test_the_newest_continuation_that_fits_is_recalled() -> None:
    """Typing along, backspacing, and text that was used up."""
    first = Continuation(at("a|"), "bcd")
    second = Continuation(at("abc|"), "x")
    known = [second, first]
    assert best_fit(known, at("ab|")) == (first, "b")
    assert best_fit(known, at("a|")) == (first, "")
    assert best_fit(known, at("abc|")) == (second, "")
    assert best_fit(known, at("abcd|")) is None
    assert best_fit(known, at("abcx|")) is None
    assert best_fit(known, at("z|")) is None
    assert best_fit([first], at("abc|")) == (first, "bc")
    assert best_fit([], at("a|")) is None


def test_a_large_document_is_not_read_character_by_character() -> None:
    """A thousand comparisons of four million characters that differ near the cursor, and one that agrees."""
    text = "x = 1\n" * 700_000
    place = Place(Document("f", "x", 1, text), len(text) // 2)
    other = Place(Document("f", "x", 2, text[: place.offset - 1] + "!" + text[place.offset :]), place.offset)
    same = Place(Document("f", "x", 3, text[: place.offset] + "y" + text[place.offset :]), place.offset + 1)
    assert all(typed_since(place, other) is None for _ in range(1000))
    assert typed_since(place, same) == "y"


class Unread(str):
    """A text of which no more than a few characters may be copied."""

    def __getitem__(self, key: object) -> str:
        part = super().__getitem__(key)  # type: ignore[index]
        assert len(part) < 100, "the document was read"
        return part


def test_documents_are_compared_only_where_the_text_goes_on_as_it_was_typed() -> None:
    """A key against every known continuation costs nothing that grows with the document."""
    before, after = "x = 1\n" * 500, "y = 2\n" * 500
    place = Place(Document("f", "x", 1, Unread(before + after)), len(before))
    now = Place(Document("f", "x", 2, Unread(before + "y" + after)), len(before) + 1)
    assert best_fit([Continuation(place, "x")] * 16, now) is None
    with pytest.raises(AssertionError, match="was read"):
        best_fit([Continuation(place, "yz")], now)
