"""Code units <-> code points, in the three encodings of the protocol (ux-10)."""

from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_bridge.positions import PositionEncoding, clean, index_of_units, units_of

ENCODINGS = get_args(PositionEncoding)
UNITS_PER_CHARACTER: dict[str, Callable[[str], int]] = {
    "utf-8": lambda c: len(c.encode()),
    "utf-16": lambda c: 2 if ord(c) > 0xFFFF else 1,
    "utf-32": lambda c: 1,
}
WRITTEN = st.text(st.sampled_from("ab é你🤗🇨🇳👩‍💻\t。"), max_size=20)

CASES = [
    ("abc", "utf-8", 2, 2),
    ("é你🤗x", "utf-8", 2, 1),
    ("é你🤗x", "utf-8", 5, 2),
    ("é你🤗x", "utf-8", 9, 3),
    ("é你🤗x", "utf-16", 4, 3),
    ("é你🤗x", "utf-16", 5, 4),
    ("é你🤗x", "utf-32", 3, 3),
    ("🇨🇳x", "utf-16", 4, 2),
    ("🇨🇳x", "utf-8", 8, 2),
    ("🤗x", "utf-16", 1, 0),
    ("🤗x", "utf-8", 3, 0),
    ("🤗x", "utf-16", 99, 2),
    ("", "utf-8", 5, 0),
]


@pytest.mark.parametrize(("line", "encoding", "units", "index"), CASES)
def test_index_of_units(line: str, encoding: PositionEncoding, units: int, index: int) -> None:
    """Inside a code point counts as its start, beyond the end as the end."""
    assert index_of_units(line, units, encoding) == index


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(line=WRITTEN, units=st.integers(0, 100))
def test_equals_a_walk_over_the_characters(encoding: PositionEncoding, line: str, units: int) -> None:
    """The fast conversions are the slow one."""
    index, used = 0, 0
    for character in line:
        used += UNITS_PER_CHARACTER[encoding](character)
        if used > units:
            break
        index += 1
    assert index_of_units(line, units, encoding) == index


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(line=WRITTEN, index=st.integers(0, 20))
def test_there_and_back(encoding: PositionEncoding, line: str, index: int) -> None:
    """units_of is the inverse."""
    index = min(index, len(line))
    assert index_of_units(line, units_of(line[:index], encoding), encoding) == index


@given(st.text(max_size=30))
def test_clean_keeps_lengths_in_every_encoding(text: str) -> None:
    """A lone surrogate becomes a character as long as itself."""
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    for codec in ("utf-8", "utf-16-le"):
        assert len(cleaned.encode(codec)) == len(text.encode(codec, "surrogatepass"))


def test_clean_leaves_good_text_alone() -> None:
    """The same object, so that large documents cost nothing."""
    text = "é你🤗"
    assert clean(text) is text
    assert clean("a\ud800b\udfff") == "a\ufffdb\ufffd"
