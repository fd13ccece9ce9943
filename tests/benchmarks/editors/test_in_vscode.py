"""What the page noted, read as keys and frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.editors.frames import Frame, Key
from benchmarks.editors.in_vscode import recording_of
from benchmarks.editors.strokes import Stroke
from benchmarks.editors.visits import Visit, WrongText


def test_what_is_put_in_as_text_has_no_key_down_event() -> None:
    """A new line has one, but its indentation is put in behind it."""
    strokes = [
        Stroke(0.1, "a", "a"),
        Stroke(0.1, "é", "aé"),
        Stroke(0.1, "\n  ", "  "),
        Stroke(0.1, "b", "  b"),
    ]
    noted = {
        "keys": [{"at": 10.0, "key": "a"}, {"at": 30.0, "key": "Enter"}, {"at": 40.0, "key": "b"}],
        "frames": [{"at": 12.5, "line": "a", "ghost": "xy\n"}, {"at": 45.0, "line": "  b", "ghost": "\n  z"}],
    }
    recording = recording_of(Visit(Path("a.py"), (0, 0), strokes), noted)
    assert recording.keys == [
        Key(10.0, "a", "a"),
        Key(None, "é", "aé"),
        Key(None, "\n  ", "  "),
        Key(40.0, "b", "  b"),
    ]
    assert recording.frames == [Frame(12.5, "a", "xy"), Frame(45.0, "  b", "\n  z")]


def test_a_key_that_did_not_reach_the_page_spoils_the_visit() -> None:
    visit = Visit(Path("a.py"), (0, 0), [Stroke(0.1, "a", "a"), Stroke(0.1, "b", "ab")])
    with pytest.raises(WrongText, match=r"2 keys, 1 at the page"):
        recording_of(visit, {"keys": [{"at": 1.0, "key": "a"}], "frames": []})
