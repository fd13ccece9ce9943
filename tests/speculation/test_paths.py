"""Path hashes: fixed values, and a growing path that agrees with hashing from the start."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.paths import EMPTY_PATH, HashedPath, common_length, extend_hash, path_hash

IDS = st.lists(st.integers(0, 2**31 - 1), max_size=12)


def test_hashes_of_version_1_are_fixed() -> None:
    """The wire carries them, so they may not change: SplitMix64 from the golden ratio."""
    assert path_hash([]) == EMPTY_PATH == 0x9E3779B97F4A7C15
    assert extend_hash(1234567, 0) == 6457827717110365317
    assert path_hash([0]) == 0x6E789E6AA1B965F4
    assert path_hash([0, 1, 2]) == extend_hash(extend_hash(path_hash([0]), 1), 2)


@given(IDS, IDS)
def test_a_hash_continues_from_any_prefix(head: list[int], tail: list[int]) -> None:
    assert path_hash(tail, start=path_hash(head)) == path_hash(head + tail)


def test_order_and_length_matter() -> None:
    paths = [(), (0,), (0, 0), (0, 1), (1, 0), (1,), (2,)]
    assert len({path_hash(path) for path in paths}) == len(paths)


@given(IDS, IDS, st.integers(0, 12))
def test_a_growing_path_knows_every_prefix(head: list[int], tail: list[int], keep: int) -> None:
    path = HashedPath(head)
    keep = min(keep, len(head))
    path.truncate(keep)
    path.extend(tail)
    expected = head[:keep] + tail
    assert (path.ids, len(path), path.hash) == (expected, len(expected), path_hash(expected))
    assert [path.hash_at(n) for n in range(len(path) + 1)] == [
        path_hash(expected[:n]) for n in range(len(path) + 1)
    ]


@pytest.mark.parametrize("length", [-1, 3])
def test_prefixes_that_are_not_there(length: int) -> None:
    path = HashedPath([1, 2])
    with pytest.raises(IndexError, match=f"path has 2 tokens, not {length}"):
        path.hash_at(length)
    with pytest.raises(IndexError):
        path.truncate(length)
    assert path.ids == [1, 2]


@given(st.lists(st.integers(0, 1), max_size=12), st.lists(st.integers(0, 1), max_size=12))
def test_common_length_is_the_number_of_equal_leading_items(a: list[int], b: list[int]) -> None:
    expected = 0
    while expected < min(len(a), len(b)) and a[expected] == b[expected]:
        expected += 1
    assert common_length(a, b) == expected
    assert common_length(tuple(a), b) == expected
