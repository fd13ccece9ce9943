"""What was shown as verified against what a target says alone."""

from __future__ import annotations

import pytest

from benchmarks.typing.events import Display, Event, Key, KeyKind, Opened
from benchmarks.typing.lossless import check

SAID = "the target says this"


def says(before: str, at_least: int) -> bytes:
    """SAID, wherever the text before the cursor ends with a part of it; then what follows."""
    assert at_least >= 0
    start = before.rpartition("|")[2]
    return SAID[len(start) :].encode() if SAID.startswith(start) else b""


def key(before: str, kind: KeyKind = "type") -> Key:
    return Key(0.0, kind, before[-1:], (before, "\n"))


def shown(text: str, verified: int, *, recalled: bool = False, cause: str = "answer") -> Display:
    return Display(0.0, text, verified, True, cause, recalled)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "checked", "wrong"),
    [
        pytest.param([key("|"), shown("the target", 10)], 1, 0, id="right"),
        pytest.param([key("|"), shown("the draft", 4)], 1, 0, id="a provisional tail"),
        pytest.param([key("|"), shown("the draft", 9)], 1, 1, id="wrong"),
        pytest.param([key("|"), shown("the draft", 0)], 0, 0, id="nothing verified"),
        pytest.param([key("|the"), shown(" target", 7)], 1, 0, id="in the middle"),
        pytest.param(
            [
                key("|"),
                shown("the", 0),
                key("|t"),
                shown("he", 0, recalled=True),
                shown("he t", 4, cause="extended"),
            ],
            1,
            0,
            id="typed along, then verified",
        ),
        pytest.param(
            [key("|"), shown("the", 0), key("|t"), shown("hex", 3, recalled=True)],
            1,
            1,
            id="typed along, wrong",
        ),
        pytest.param(
            [key("|"), shown("the", 3), key("|x"), shown("he", 2, recalled=True)],
            1,
            0,
            id="typed against, recalled",
        ),
        pytest.param(
            [key("|"), shown("the", 3), key("|", "backspace"), shown("xyz", 3, recalled=True)],
            1,
            0,
            id="backspace",
        ),
        pytest.param([key("|"), Opened(0.0, "c"), shown("xyz", 3)], 0, 0, id="another file"),
        pytest.param([shown("xyz", 3)], 0, 0, id="no key"),
        pytest.param([key("|"), shown("the target says this and more", 30)], 1, 1, id="beyond its end"),
    ],
)
def test_every_verified_text_is_the_targets(events: list[Event], checked: int, wrong: int) -> None:
    found = check(events, says)
    assert (found.checked, len(found.wrong)) == (checked, wrong)


def test_what_is_wrong_is_told() -> None:
    assert check([key("|"), shown("they", 4)], says).wrong == [("they", SAID)]
