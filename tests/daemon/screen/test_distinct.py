"""Which candidates say different things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.screen.distinct import goes_another_way, is_new, leading_blanks

TEXT = st.text("ab \n", max_size=5)


@pytest.mark.parametrize(
    ("text", "known", "new"),
    [
        ("foo", [], True),
        ("foo", ["bar"], True),
        ("foo", ["foo"], False),
        ("f (x)", ["f(x)\n"], False),
        ("foo", ["foobar"], True),  # a text that ends earlier is another
        ("", [], False),
        (" \n", ["x"], False),
        ("你好", ["你"], True),
    ],
)
def test_what_is_new(text: str, known: list[str], new: bool) -> None:
    assert is_new(text, known) is new


@pytest.mark.parametrize(
    ("beginning", "known", "parts"),
    [
        (b"b", ["foo"], True),
        (b" b", ["foo", "\n    bar"], False),
        (b"f", ["foo"], False),
        (b"foobar", ["foo"], False),
        (b"   ", ["foo"], False),
        (b"fa", ["foo"], True),
        ("你".encode()[:1], ["你好"], False),
        ("好".encode(), ["你好"], True),
        (b"x", [], True),
    ],
)
def test_what_goes_another_way(beginning: bytes, known: list[str], parts: bool) -> None:
    assert goes_another_way(beginning, known) is parts


@given(TEXT, TEXT, st.lists(TEXT.filter(lambda text: text.strip() != ""), max_size=3))
def test_what_begins_another_way_is_new_however_it_ends(beginning: str, rest: str, known: list[str]) -> None:
    if goes_another_way(beginning.encode(), known):
        assert is_new(beginning + rest, known)


def test_leading_blanks_end_with_the_first_word() -> None:
    pieces = [b"\n", b"    ", b" x", b"y"]
    assert leading_blanks([0, 1, 2, 1, 3], pieces) == [0, 1]
    assert leading_blanks([3, 0], pieces) == []
    assert leading_blanks([0, 0], pieces) == [0, 0]
