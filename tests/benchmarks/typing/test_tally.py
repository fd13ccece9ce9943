"""What is counted of a screen, case by case."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchmarks.typing.events import Cause, Display, Event, Key, KeyKind, Misplaced, Opened
from benchmarks.typing.tally import Flicker, Tally, percentiles, tally


def key(at_ms: float, text: str = "x", kind: KeyKind = "type") -> Key:
    return Key(at_ms / 1000, kind, text)


def shown(
    at_ms: float, text: str, cause: Cause = "answer", *, verified: int = 0, recalled: bool = False
) -> Display:
    return Display(at_ms / 1000, text, verified, complete=False, cause=cause, recalled=recalled)


WARM: Sequence[Event] = (Opened(-10.0, "python"), key(-9000), shown(-8000, "warm"), key(-1000, "!"))
"""Before every case: a file was opened, and something shown and typed against."""


def counted(*events: Event) -> Tally:
    tallied = tally([*WARM, *events])
    for name, count in {"keys": 2, "answered": 1, "shown": 1, "overtaken": 1}.items():
        tallied.counts[name] -= count
    return tallied


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([key(0), shown(30, "abc"), shown(400, "abcd", "extended")], {}, id="extended"),
        pytest.param(
            [key(0), shown(30, "abc"), shown(200, "abd", "corrected")], {"settled": 1}, id="settled"
        ),
        pytest.param(
            [key(0), shown(30, "abc"), shown(310, "abd", "corrected")],
            {"flicker": 1, "flicker_on_key": 0},
            id="too late",
        ),
        pytest.param(
            [key(0), shown(30, "abc"), shown(100, "abd", "corrected"), shown(200, "xyz", "corrected")],
            {"settled": 1, "flicker": 1},
            id="once only",
        ),
        pytest.param([key(0), shown(30, "abc"), shown(100, "", "withdrawn")], {"settled": 1}, id="withdrawn"),
        pytest.param(
            [key(0), shown(30, "abc"), shown(900, "", "withdrawn")], {"flicker": 1}, id="withdrawn late"
        ),
        pytest.param(
            [key(0), shown(30, "abc"), shown(900, "ab", "corrected")], {"flicker": 1}, id="shortened"
        ),
        pytest.param([key(0), shown(30, "abc"), key(500, "a"), shown(502, "bc")], {}, id="typed along"),
        pytest.param(
            [key(0), shown(30, "abc"), key(500, "a"), shown(502, "bd")],
            {"flicker": 1, "flicker_on_key": 1, "shown": 2},
            id="another one with a key along",
        ),
        pytest.param(
            [key(0), shown(30, "abc"), key(500, "a"), shown(900, "bd")],
            {"flicker": 1, "flicker_on_key": 0, "shown": 2},
            id="another one long after a key along",
        ),
        pytest.param(
            [key(0), shown(30, "abc"), key(500, "x"), shown(502, "bd")], {"shown": 2}, id="typed against"
        ),
        pytest.param(
            [key(0), shown(30, "abc"), key(500, "", "backspace"), shown(502, "xabc")],
            {"shown": 2},
            id="backspace",
        ),
        pytest.param(
            [key(0), shown(30, "abc"), key(500, "abc", "all"), shown(502, "def")], {"shown": 2}, id="all"
        ),
        pytest.param([key(0), shown(30, "a b"), key(500, "a", "word"), shown(502, " b")], {}, id="word"),
        pytest.param([key(0), shown(30, "abc"), Opened(1.0, "c")], {}, id="another file"),
        pytest.param(
            [key(0), shown(30, "abc", verified=2), shown(100, "xyz", "corrected")],
            {"settled": 1, "taken_back": 1},
            id="verified text taken back",
        ),
        pytest.param([key(0), shown(30, "abc"), Misplaced(0.1, "there")], {"misplaced": 1}, id="misplaced"),
    ],
)
def test_replacements(events: list[Event], expected: dict[str, int]) -> None:
    counts = counted(*events).counts
    names = ("shown", "flicker", "flicker_on_key", "settled", "taken_back", "misplaced")
    expected = {**dict.fromkeys(names, 0), "shown": 1, **expected}
    assert {name: counts[name] for name in names} == expected


def test_each_flicker_is_told() -> None:
    tallied = counted(key(0), shown(30, "abc"), shown(900, "xyz", "corrected"))
    assert tallied.flickers == [Flicker("abc", "xyz", 870, 900, "corrected")]


def test_keys_are_told_apart_by_what_became_of_them() -> None:
    counts = counted(
        *(key(0), shown(30, "abc")),
        *(key(100, "a"), shown(101, "bc", recalled=True)),
        *(key(200, "z"), shown(260, "")),
        key(300),
        *(key(400, "y"), shown(470, "new")),
    ).counts
    assert {name: counts[name] for name in ("keys", "answered", "empty", "overtaken")} == {
        "keys": 5,
        "answered": 3,
        "empty": 1,
        "overtaken": 1,
    }
    assert counts["keys_type"] == 7


def test_text_that_an_empty_answer_could_not_wait_for() -> None:
    tallied = counted(key(0), shown(100, ""), shown(180, "abc", "extended"), shown(400, "abcd", "extended"))
    assert tallied.provisional_ms == pytest.approx([180])
    assert {name: tallied.counts[name] for name in ("answered", "late", "empty", "shown", "flicker")} == {
        "answered": 0,
        "late": 1,
        "empty": 0,
        "shown": 1,
        "flicker": 0,
    }


def test_an_update_that_overtakes_the_answer_is_the_keys_text() -> None:
    tallied = counted(key(0), shown(90, "abc", "extended"), shown(100, "abc"))
    assert tallied.provisional_ms == pytest.approx([90])
    assert (tallied.counts["late"], tallied.counts["answered"], tallied.counts["empty"]) == (1, 0, 0)


def test_text_that_comes_back_is_not_another_first_text() -> None:
    tallied = counted(key(0), shown(30, "abc"), shown(90, "", "withdrawn"), shown(200, "abc", "extended"))
    assert tallied.provisional_ms == pytest.approx([30])
    assert (tallied.counts["late"], tallied.counts["answered"], tallied.counts["empty"]) == (0, 1, 0)


def test_latencies_are_told_apart_by_what_the_key_needed() -> None:
    tallied = tally(
        [
            *(Opened(0.0, "c"), key(0), shown(900, "cold one")),
            *(key(1000, "c"), shown(1001, "old one", recalled=True)),
            *(key(1100, "X"), shown(1140, "provisional")),
            *(key(1200, "", "backspace"), shown(1205, "Xrecalled", recalled=True)),
        ]
    )
    assert tallied.cold_ms == pytest.approx([900])
    assert tallied.type_through_ms == pytest.approx([1])
    assert tallied.provisional_ms == pytest.approx([40])
    assert tallied.recalled_ms == pytest.approx([5])
    assert sorted(tallied.all_ms) == pytest.approx([1, 5, 40, 900])


@pytest.mark.parametrize(
    ("events", "verified_ms", "never"),
    [
        ([key(0), shown(30, "abc", verified=1)], [30], 0),
        ([key(0), shown(30, "abc"), shown(180, "abc", "verified", verified=2)], [180], 0),
        ([key(0), shown(30, "abc"), key(90, "a"), shown(180, "bc", "verified", verified=1)], [180], 0),
        ([key(0), shown(30, "abc"), shown(180, "abX", "corrected", verified=3)], [180], 0),
        ([key(0), shown(30, "abc"), key(90, "x")], [], 1),
        ([key(0), shown(30, "abc", verified=1), shown(99, "abcd", "extended", verified=4)], [30], 0),
    ],
)
def test_the_first_verified_character_counts_from_the_key_that_brought_the_suggestion(
    events: list[Event], verified_ms: list[float], never: int
) -> None:
    tallied = counted(*events)
    assert tallied.verified_ms == pytest.approx(verified_ms)
    assert tallied.counts["never_verified"] == never


def test_what_was_cold_is_not_timed() -> None:
    tallied = tally([Opened(0.0, "c"), key(0), shown(900, "abc", verified=3)])
    assert (tallied.verified_ms, tallied.counts["never_verified"]) == ([], 0)


def test_percentiles() -> None:
    assert percentiles([1.0, 2.0, 3.004], 50, 100) == [2.0, 3.0]
    assert percentiles([], 50, 99) == [None, None]
