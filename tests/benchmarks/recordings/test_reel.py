"""From screens and the times they came at to frames, and to a GIF."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchmarks.recordings.picture import Painter
from benchmarks.recordings.reel import LONGEST_MS, SHORTEST_MS, Frame, Reel, write_gif
from benchmarks.recordings.screen import Cell, Snapshot, Style


def screen(text: str) -> Snapshot:
    cells = tuple(Cell(letter, Style(0xFFFFFF, 0x000000)) for letter in text)
    return Snapshot((cells,), (0, 0), is_inserting=True)


def reel_at(*times_s: float) -> Reel:
    """One whose clock says these times, one after the other."""
    times = iter(times_s)
    return Reel(lambda: next(times))


def shown(reel: Reel) -> list[tuple[str, int]]:
    return [("".join(cell.text for cell in one.screen.rows[0]), one.shown_ms) for one in reel.frames]


@pytest.mark.parametrize(
    ("seconds", "shown_ms"), [(0.02, SHORTEST_MS), (0.1, 100), (0.2, 200), (9.0, LONGEST_MS)]
)
def test_a_screen_stays_for_as_long_as_it_did_within_bounds(seconds: float, shown_ms: int) -> None:
    reel = reel_at(0.0, seconds)
    reel.take(screen("a"))
    reel.take(screen("b"))
    assert shown(reel) == [("a", shown_ms), ("b", LONGEST_MS)]


def test_a_screen_that_no_monitor_shows_is_no_frame() -> None:
    reel = reel_at(0.0, 0.01, 0.3)
    for text in "abc":
        reel.take(screen(text))
    assert shown(reel) == [("b", LONGEST_MS), ("c", LONGEST_MS)]


def test_the_same_screen_again_is_the_same_frame_unless_other_words_are_below() -> None:
    reel = reel_at(0.0, 0.1, 0.2)
    reel.take(screen("a"))
    reel.take(screen("a"))
    assert len(reel.frames) == 1
    reel.caption = "words"
    reel.take(screen("a"))
    assert [frame.caption for frame in reel.frames] == ["", "words"]


def test_what_is_held_stays_so_long_however_soon_the_next_comes() -> None:
    reel = reel_at(0.0, 0.001)
    reel.take(screen("a"))
    reel.hold(2500)
    reel.take(screen("b"))
    assert shown(reel) == [("a", 2500), ("b", LONGEST_MS)]


def test_a_gif_has_the_frames_with_their_times_and_begins_anew(tmp_path: Path) -> None:
    frames = [Frame(screen("ab"), "one", 120), Frame(screen("cd"), "two", 2500)]
    write_gif(tmp_path / "film.gif", frames, Painter(16))
    with Image.open(tmp_path / "film.gif") as film:
        assert (film.n_frames, film.info["loop"]) == (2, 0)  # type: ignore[attr-defined]
        times = []
        for number in range(2):
            film.seek(number)
            times.append(film.info["duration"])
    assert times == [120, 2500]
