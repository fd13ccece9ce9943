"""The surroundings hash is a name of the text near an offset, and of nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from daemon.api.text import SURROUNDINGS_RADIUS, hash_of_sides, surroundings_hash


@given(st.text(max_size=300), st.integers(-5, 310))
def test_fits_javascript_numbers(text: str, offset: int) -> None:
    """53 bits, whatever the text (lone surrogates included) and the offset."""
    assert 0 <= surroundings_hash(text, offset) < 2**53


@given(st.text(max_size=100), st.text(max_size=100))
def test_equals_the_hash_of_the_two_sides(before: str, after: str) -> None:
    """A caller with the sides at hand gets the same number."""
    sides = before[-SURROUNDINGS_RADIUS:], after[:SURROUNDINGS_RADIUS]
    assert surroundings_hash(before + after, len(before)) == hash_of_sides(*sides)


def test_text_far_away_does_not_count() -> None:
    """An edit beyond the radius leaves the hash as it was."""
    near = "n" * SURROUNDINGS_RADIUS
    assert surroundings_hash("a" + near + near + "b", 65) == surroundings_hash("xyz" + near + near, 67)


def test_the_place_of_the_offset_counts() -> None:
    """The same text with the offset one further is another place."""
    assert surroundings_hash("abc", 1) != surroundings_hash("abc", 2)


def test_the_value_is_fixed() -> None:
    """Both ends, of any version, must compute this number."""
    assert surroundings_hash("def add(你🤗", 8) == 6180783252479160


def test_outside_offsets_count_as_the_nearest_end() -> None:
    """As documented."""
    assert surroundings_hash("abc", -3) == surroundings_hash("abc", 0)
    assert surroundings_hash("abc", 99) == surroundings_hash("abc", 3)
