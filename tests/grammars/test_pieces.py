"""Which tokens agree with bytes that must come next, against the plain definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grammars.pieces import PieceIndex, agrees, common_beginning

FEW = st.binary(max_size=4).map(lambda data: bytes(b"ab\xff\xfe"[byte % 4] for byte in data))


@given(pieces=st.lists(FEW, max_size=30), pending=FEW.filter(bool))
def test_agreeing_tokens_are_found(pieces: list[bytes], pending: bytes) -> None:
    """Equal pieces, pieces of 0xff alone and empty ones included."""
    expected = [token for token, piece in enumerate(pieces) if agrees(piece, pending)]
    assert sorted(PieceIndex(pieces).agreeing(pending)) == expected


@given(pieces=st.lists(FEW, max_size=30), values=st.sets(st.sampled_from(b"ab\xff\x00")))
def test_tokens_that_contain_a_byte_are_found(pieces: list[bytes], values: set[int]) -> None:
    expected = [token for token, piece in enumerate(pieces) if values & set(piece)]
    index = PieceIndex(pieces)
    assert index.containing(values) == expected
    assert index.containing(set()) == []
    assert index.containing(values) == expected


@given(one=FEW, other=FEW)
def test_the_common_beginning_is_the_longest(one: bytes, other: bytes) -> None:
    length = common_beginning(one, other)
    assert one[:length] == other[:length]
    assert one[length : length + 1] != other[length : length + 1] or length == len(one) == len(other)


def test_no_text_agrees_with_nothing() -> None:
    assert not agrees(b"", b"a")
    assert agrees(b"a", b"")


def test_a_blank_joins_words_where_tokens_begin_with_both() -> None:
    index = PieceIndex([b" ", b"  ", b"\t\t", b" return", b"\tX", b"\t1"])
    assert index.join_words(b" ")
    assert not index.join_words(b"\t")
    assert not PieceIndex([]).join_words(b" ")
