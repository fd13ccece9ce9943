"""Where cursors go in files, and what stands before them in the prompt."""

from __future__ import annotations

from benchmarks.dsl.places import (
    COLD_TOKENS,
    PLACES_PER_FILE,
    CursorPlace,
    SourceFile,
    places,
    prompt_for,
    token_offsets,
    truth_after,
)
from tests.fakes.engine import FakeEngine

LONG = SourceFile("a/long.x", "abcde fghi\n" * 100)
SHORT = SourceFile("a/b/short.x", "short\n")


def test_tokens_begin_at_characters_only() -> None:
    engine = FakeEngine(extra_tokens=["状".encode(), b"ab"])
    assert token_offsets("ab状态c", engine) == [0, 2, 3, 4]


def test_cold_places_lie_at_the_beginning_and_warm_ones_behind() -> None:
    engine = FakeEngine()
    cold = places([SHORT, LONG], "cold", 1000, engine, "#")
    warm = places([SHORT, LONG], "warm", 1000, engine, "#")
    assert {one.file for one in cold} == {SHORT, LONG}
    assert max(one.offset for one in cold) < COLD_TOKENS <= min(one.offset for one in warm)
    assert len(warm) == PLACES_PER_FILE
    assert [one.offset for one in warm] == sorted(one.offset for one in warm)


def test_the_comment_that_a_file_begins_with_is_no_place() -> None:
    licensed = SourceFile("a/licensed.x", "# licence\n#\n\n" + LONG.text)
    found = places([licensed], "cold", 1000, FakeEngine(), "#")
    assert [one.offset - 13 for one in found] == [
        one.offset for one in places([LONG], "cold", 1000, FakeEngine(), "#")
    ]


def test_no_more_places_than_were_asked_for() -> None:
    assert len(places([LONG, LONG], "cold", 50, FakeEngine(), "#")) == 50


def test_one_other_file_stands_before_a_prompt() -> None:
    engine = FakeEngine()
    prompt = prompt_for(LONG, [LONG, SHORT], "#", engine, cold=True)
    ids = prompt.ids(CursorPlace(LONG, 5).place)
    assert bytes(ids) == b"# file: short.x\nshort\n\n# file: long.x\nabcde"


def test_alone_a_file_has_nothing_before_it() -> None:
    prompt = prompt_for(LONG, (), "#", FakeEngine(), cold=True)
    assert bytes(prompt.ids(CursorPlace(LONG, 5).place)) == b"abcde"


def test_the_distance_is_counted_in_folders() -> None:
    distances = [SHORT.candidate_for(LONG).distance, LONG.candidate_for(LONG).distance]
    assert distances == [1, 0]


def test_the_truth_is_what_the_file_says() -> None:
    assert bytes(truth_after(CursorPlace(SHORT, 2), FakeEngine())) == b"ort\n"
