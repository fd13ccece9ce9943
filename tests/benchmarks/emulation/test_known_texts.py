"""What follows a cursor in texts known by heart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.emulation.known_texts import LEAST_BYTES, TAIL_BYTES, KnownTexts

TEXTS = ["alpha beta\ngamma delta\n", "one two\nalpha beta three\n"]


@pytest.mark.parametrize(
    ("before", "rest"),
    [
        ("", TEXTS[0]),
        ("alpha", " beta\ngamma delta\n"),
        ("one", " two\nalpha beta three\n"),
        ("one two\nalpha beta", " three\n"),  # the longest tail tells the two places apart
        ("something else alpha beta", "\ngamma delta\n"),  # the first place of those that are alike
        ("xx gamma de", "lta\n"),
        ("zz ta", ""),  # two letters are not enough
        ("nothing of this", ""),
        (TEXTS[0], ""),
        (TEXTS[1], ""),
    ],
)
def test_the_rest(before: str, rest: str) -> None:
    assert KnownTexts(TEXTS).rest(before.encode()) == rest.encode()


@given(text=st.text("ab\n", max_size=400), extra=st.text("abc", max_size=6))
def test_the_longest_tail_is_found(text: str, extra: str) -> None:
    """Against a search that tries every length."""
    known = KnownTexts([text, "bab"])
    everything = b"\0" + text.encode() + b"\0bab\0"
    for cut in range(0, len(text), 37):
        before = (text[:cut] + extra).encode()
        tail = before[-TAIL_BYTES:] if len(before) >= TAIL_BYTES else b"\0" + before
        lengths = [n for n in range(len(tail) + 1) if tail[len(tail) - n :] in everything]
        place = everything.find(tail[len(tail) - lengths[-1] :]) + lengths[-1]
        enough = lengths[-1] >= min(LEAST_BYTES, len(tail))
        expected = everything[place : everything.find(b"\0", place)] if enough else b""
        assert known.rest(before) == expected


@given(text=st.text(min_size=1, max_size=200).filter(lambda text: "\0" not in text), cut=st.integers(0, 60))
def test_a_text_is_followed_from_its_beginning(text: str, cut: int) -> None:
    assert KnownTexts([text]).rest(text[:cut].encode()) == text[cut:].encode()


def test_another_place() -> None:
    """Every number names one, and none is outside a text."""
    known = KnownTexts(TEXTS)
    places = {known.elsewhere(number) for number in range(2000)}
    assert len(places) > 5
    assert all(any(text.encode().endswith(place) for text in TEXTS) for place in places)


@pytest.mark.parametrize("texts", [[], ["a\0b"]])
def test_what_can_not_be_known(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="NUL"):
        KnownTexts(texts)
