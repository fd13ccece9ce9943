"""Which frame is which key's, and how long a key took by it."""

from __future__ import annotations

from benchmarks.editors.frames import Frame, Key, Waits, frames_of, waits_of


def keys_at(*moments: float | None, text: str = "abcdefghij") -> list[Key]:
    """Keys that type this text from the beginning of a line."""
    return [Key(at, text[index], text[: index + 1]) for index, at in enumerate(moments)]


def test_the_first_in_a_file_is_cold_and_then_new_ones_and_those_along_are_told_apart() -> None:
    frames = [
        Frame(10, "a", ""),
        Frame(70, "a", "xy"),  # cold
        Frame(105, "ab", ""),
        Frame(160, "ab", "cd\nnext"),  # new: b was not what was shown
        Frame(203, "abc", "d\nnext"),  # along
        Frame(306, "abcd", ""),
        Frame(390, "abcd", "e"),  # the one before was typed to the end of its line, but it went on below
    ]
    waits = waits_of(keys_at(0, 100, 200, 300), frames)
    assert waits.cold_ms == [70]
    assert waits.fresh_ms == [60]
    assert waits.along_ms == [3, 90]
    assert waits.text_ms == [10, 5, 3, 6]
    assert (waits.keys, waits.overtaken) == (4, 0)
    assert waits.all_ms == [60, 3, 90]


def test_typed_to_the_very_end_what_follows_is_new() -> None:
    frames = [Frame(10, "a", "b"), Frame(150, "ab", "cd")]
    waits = waits_of(keys_at(0, 100), frames)
    assert (waits.cold_ms, waits.fresh_ms, waits.along_ms) == ([10], [50], [])


def test_ghost_text_that_has_not_moved_yet_is_not_for_the_new_text() -> None:
    """The key went against it: it stays for a frame, then another comes."""
    frames = [Frame(10, "a", "xyz"), Frame(105, "ab", "xyz"), Frame(170, "ab", "cd")]
    assert waits_of(keys_at(0, 100), frames).fresh_ms == [70]


def test_equal_letters_along_are_no_delay() -> None:
    frames = [Frame(10, "a", "aaa"), Frame(105, "aa", "aa")]
    assert waits_of(keys_at(0, 100, text="aaa"), frames).along_ms == [5]


def test_a_frame_that_shows_the_text_before_a_key_is_the_key_befores() -> None:
    keys = keys_at(0, 100)
    late = Frame(104, "a", "xy")
    assert frames_of(keys, [late, Frame(130, "ab", "")]) == [[late], [Frame(130, "ab", "")]]
    waits = waits_of(keys, [late, Frame(130, "ab", "")])
    assert (waits.cold_ms, waits.fresh_ms) == ([104], [])


def test_the_same_line_again_further_down_is_the_newer_keys() -> None:
    keys = [Key(0, "}", "}"), Key(100, "\n", ""), Key(200, "}", "}")]
    shown = Frame(230, "}", "x")
    assert frames_of(keys, [Frame(20, "}", ""), Frame(120, "", ""), shown])[2] == [shown]


def test_what_is_on_the_screen_before_the_first_key_is_no_ones() -> None:
    assert frames_of(keys_at(100), [Frame(50, "a", "x")]) == [[]]


def test_the_last_key_is_not_overtaken_and_others_are() -> None:
    waits = waits_of(keys_at(0, 20, 40), [Frame(50, "abc", "")])
    assert (waits.keys, waits.overtaken, waits.all_ms) == (3, 2, [])


def test_a_key_without_a_moment_is_not_timed_but_its_ghost_text_is_known() -> None:
    """What follows goes along it."""
    frames = [Frame(10, "a", "bcd"), Frame(120, "ab", "cd"), Frame(206, "abc", "d")]
    waits = waits_of(keys_at(0, None, 200), frames)
    assert (waits.keys, waits.cold_ms, waits.along_ms) == (2, [10], [6])


def test_waits_add_up() -> None:
    one = waits_of(keys_at(0, 100), [Frame(10, "a", "b"), Frame(150, "ab", "cd")])
    total = Waits()
    total.add(one)
    total.add(one)
    assert total.fresh_ms == [50, 50]
    assert total.cold_ms == [10, 10]
    assert total.text_ms == [10, 50, 10, 50]
    assert (total.keys, total.overtaken) == (4, 0)
