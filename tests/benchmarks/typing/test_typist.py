"""A typist types the file as it stands, whatever is shown, and takes what is right."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.typing.manuscript import Hole, Manuscript, holes_of
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.typist import Action, Go, Press, Rub, Spared, Take, Typist

FILE = "".join(f"def name_{number}(argument):\n    return argument + {number}\n\n\n" for number in range(30))
PAUSES = Pauses(cap_s=1.0)


def typist_of(text: str, holes: list[Hole], seed: str = "1") -> Typist:
    return Typist(Manuscript(text, holes), seed=seed, pauses=PAUSES, least=4)


def played(typist: Typist, shows: str | None = None) -> tuple[str, list[Action]]:
    """What stands after everything is typed, by what the editor was told alone; `shows` is always on the screen."""
    text, cursor = typist.manuscript.opened, typist.manuscript.cursor
    actions: list[Action] = []
    for _ in range(10_000):
        take = None
        shown = typist.manuscript.rest[:12] if shows == "right" else shows
        if shown and typist.reading_s(shown) is not None:
            take = typist.taken(shown)
        assert typist.wait_s() > 0
        action = typist.act(take)
        if action is None:
            return text, actions
        actions.append(action)
        match action:
            case Press(typed):
                text, cursor = text[:cursor] + typed + text[cursor:], cursor + len(typed)
            case Rub():
                text, cursor = text[: cursor - 1] + text[cursor:], cursor - 1
            case Take(_, length):
                assert shown is not None
                text, cursor = text[:cursor] + shown[:length] + text[cursor:], cursor + length
            case Go(offset):
                cursor = offset
    raise AssertionError("the typist does not come to an end")


@pytest.mark.parametrize("shows", [None, "right", "wrong suggestion", "\n\n"])
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_the_file_stands_at_the_end(shows: str | None, seed: str) -> None:
    typist = typist_of(FILE, holes_of(FILE, 400, Random(seed)), seed)
    text, actions = played(typist, shows)
    assert text == FILE
    kinds = {type(action) for action in actions}
    assert kinds >= {Press, Rub, Go}
    assert (Take in kinds) == (shows == "right")


def test_the_same_seed_types_the_same_and_another_another() -> None:
    holes = [Hole(FILE.index("def name_9"), len(FILE.rstrip()))]
    assert played(typist_of(FILE, holes)) == played(typist_of(FILE, holes))
    assert played(typist_of(FILE, holes)) != played(typist_of(FILE, holes, "2"))


def test_what_was_taken_changes_nothing_of_what_comes_later() -> None:
    """Mistakes and pauses hang on the place, so that runs in which other things were shown can be compared."""
    holes = [Hole(FILE.index("def name_9"), len(FILE.rstrip()))]
    later = FILE.index("def name_11")
    typed, taken = typist_of(FILE, holes), typist_of(FILE, holes)
    taken.act(Take("all", later - holes[0].start))
    for _ in range(later):
        if typed.manuscript.position == later:
            break
        typed.act(None)
    assert typed.manuscript.position == taken.manuscript.position
    assert played(typed) == played(taken)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("return x", Take("all", 8)),
        ("return x + y\nmore", Take("line", 12)),
        ("return z", Take("word", 6)),
        ("\n", None),
        ("ret", None),
        ("", None),
        ("wrong", None),
        ("x", None),
    ],
)
def test_the_most_that_agrees_is_taken_if_it_is_worth_a_key(shown: str, expected: Take | None) -> None:
    text = "f:\n    return x + y\n    no\n"
    typist = typist_of(text, [Hole(7, 19)])
    assert typist.manuscript.rest == "return x + y"
    assert typist.taken(shown) == expected


def test_spared_keys() -> None:
    spared = Spared(needed=8, pressed=4)
    spared.add(Spared(needed=2, pressed=1))
    assert spared.share == 0.5
    assert Spared().share is None
    typist = typist_of("return x + y\n", [Hole(0, 12)])
    assert typist.act(Take("all", 12)) == Take("all", 12)
    assert (typist.spared, typist.act(None)) == (Spared(needed=12, pressed=1), None)
