"""Remembered runs: which one answers at a place, which began ahead behind it, whether the active one may yet fit."""

from __future__ import annotations

from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.remembered_runs import REMEMBERED, RememberedRuns
from daemon.run import Run
from tests.fakes.engine import byte_vocabulary

VOCABULARY = byte_vocabulary()


def at(marked: str) -> Place:
    """The place of the | in a text."""
    return Place(Document("file:///f", "python", 1, marked.replace("|", "")), marked.index("|"))


def run(marked: str, text: str = "", *, ahead: bool = False, finished: bool = True) -> Run:
    generation = Generation(at(marked), [1], VOCABULARY, Limits(100, 8))
    for token in text.encode():
        generation.draft(token, 0.0)
    return Run(generation, 0.0, ahead=ahead, finished=finished)


def of(*runs: Run) -> RememberedRuns:
    """Remembered in this order; the last is the active one."""
    remembered = RememberedRuns()
    for one in runs:
        remembered.add(one)
        remembered.active = one
    return remembered


def test_the_run_under_way_answers_before_what_it_has_to_say_is_known() -> None:
    """Not once it is over, and not elsewhere."""
    active = run("a|", finished=False)
    runs = of(run("a|", "bc"), active)
    assert runs.at(at("a|")) is runs.busy is active
    assert runs.at(at("x|")) is None
    active.finished = True
    older = runs.at(at("a|"))
    assert older is not None
    assert older.known_text == "bc"
    assert (runs.busy, runs.active) == (None, active)


def test_what_began_ahead_is_found_from_where_it_was_foreseen() -> None:
    """From any place along the suggestion, by the rest of it; other runs are not meant."""
    ahead = run("a = b + c|", "d", ahead=True)
    runs = of(run("a = |", "b + c"), run("a = b + c|", "e"), ahead)
    assert runs.behind(at("a = |"), "b + c") is ahead
    assert runs.behind(at("a = b|"), " + c") is ahead
    assert runs.behind(at("a = |"), "b") is None
    assert runs.behind(at("x = |"), "b + c") is None
    ahead.ahead = False
    assert runs.behind(at("a = |"), "b + c") is None


def test_the_active_run_is_kept_as_long_as_its_user_may_get_to_it() -> None:
    """A run that began ahead: along the way there, and beyond as any other."""
    runs = of(run("a = bc|", "d", ahead=True, finished=False))
    assert [runs.active_may_fit(at(text)) for text in ("a = |", "a = b|", "a = bc|", "a = bcd|")] == [
        True
    ] * 4
    assert [runs.active_may_fit(at(text)) for text in ("a = x|", "a = bcx|", "a = | ")] == [False] * 3
    assert not of(run("a = bc|")).active_may_fit(at("a = b|"))
    assert RememberedRuns().active_may_fit(at("a|"))


def test_only_the_last_are_remembered_and_none_once_they_are_forgotten() -> None:
    """The active one goes on."""
    runs = of(run("first|", "x"), *(run(f"{n}|", "x") for n in range(REMEMBERED)))
    assert runs.at(at("first|")) is None
    assert runs.at(at("0|")) is not None
    runs.forget()
    assert runs.at(at("0|")) is None
    assert runs.active is not None


def test_what_is_dropped_is_not_found() -> None:
    ahead = run("a = b|", "c", ahead=True)
    runs = of(run("a = |", "b"), ahead)
    runs.drop(ahead)
    assert runs.behind(at("a = |"), "b") is None
    assert runs.at(at("a = b|")) is None


def test_what_the_target_is_known_to_say_at_a_place() -> None:
    """What a draft said there tells nothing of that."""
    runs = of(run("x =|", "= 1"))
    assert not runs.says_otherwise(at("x =|"), " ")
    said = run("x =|")
    said.generation.commit(b"= 1")
    runs.add(said)
    assert runs.says_otherwise(at("x =|"), " ")
    assert not runs.says_otherwise(at("x =|"), "=")
    assert not runs.says_otherwise(at("y =|"), " ")
    assert not runs.says_otherwise(at("x =|\ny"), " ")
