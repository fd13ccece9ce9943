"""The display: what it pushes, when, and what becomes of it as the user types."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from daemon.api.messages import SuggestionUpdate
from daemon.documents import Document, Place
from daemon.screen.display import Display, Showing
from daemon.screen.merge import News, Timing
from tests.fakes.virtual_time import VirtualTimeLoop

TIMING = Timing(settling=0.25, update_interval=0.15)


@dataclass
class Run:
    """A source whose news a test sets."""

    place: Place
    news: News = field(default_factory=lambda: News("", 0, complete=False, settled=True))


class Screen:
    """A display, the updates it pushed with their times, and the clock."""

    def __init__(self) -> None:
        self.loop = VirtualTimeLoop()
        self.pushed: list[tuple[float, SuggestionUpdate]] = []
        self.display = Display(
            itertools.count(1), lambda update: self.pushed.append((self.loop.time(), update)), TIMING
        )
        self.document = Document("file:///f", "python", 1, "")
        self.run = Run(self.place())

    def place(self) -> Place:
        return Place(self.document, len(self.document.text))

    def type(self, text: str, closed: str = "") -> Place:
        self.document = Document(
            "file:///f", "python", self.document.version + 1, self.document.text + text + closed
        )
        place = Place(self.document, len(self.document.text) - len(closed))
        self.display.follow(place)
        return place

    def ask(self, text: str, verified: int = 0) -> Showing:
        self.run.news = News(text, verified, complete=False, settled=True)
        return self.display.show(self.run, self.place(), self.run.news, self.loop.time())

    def hear(self, text: str, verified: int = 0, *, complete: bool = False, settled: bool = True) -> None:
        self.run.news = News(text, verified, complete, settled)
        if self.display.showing is not None:
            self.loop.run_until_complete(self._hear(self.display.showing))

    async def _hear(self, showing: Showing) -> None:
        self._update(showing)

    def _update(self, showing: Showing) -> None:
        self.display.update(showing, self.run.news, self.loop.time(), self._update)

    @property
    def kinds(self) -> list[tuple[float, str, str]]:
        return [(round(time, 6), update.kind, update.suggestion.text) for time, update in self.pushed]


@pytest.fixture
def screen() -> Iterator[Screen]:
    screen = Screen()
    yield screen
    screen.loop.close()


def test_a_held_back_update_goes_out_when_it_is_due(screen: Screen) -> None:
    """With the newest text, once (ux-22); what is shown already is marked at once."""
    showing = screen.ask("a")
    screen.hear("ab")
    screen.loop.pass_time(0.1)
    screen.hear("abc", 1)
    screen.loop.pass_time(1)
    assert screen.kinds == [(0.1, "verified", "a"), (0.15, "extended", "abc")]
    update = screen.pushed[1][1]
    assert (update.document, update.version, update.offset) == ("file:///f", 1, 0)
    assert (update.suggestion.id, update.suggestion.verified, update.suggestion.source) == (
        showing.number,
        1,
        "draft",
    )


def test_verified_to_its_end_it_is_the_targets(screen: Screen) -> None:
    """The source says whose text it is."""
    assert screen.ask("ab", 2).offer.verified == 2
    screen.hear("abc", 3, complete=True)
    screen.loop.pass_time(1)
    suggestion = screen.pushed[0][1].suggestion
    assert (suggestion.source, suggestion.complete) == ("target", True)


def test_a_short_correction_waits_for_more_of_it(screen: Screen) -> None:
    """Until most of the settling window is over."""
    screen.ask("abc")
    screen.hear("x", settled=False)
    screen.loop.pass_time(0.1)
    screen.hear("xy", settled=False)
    screen.loop.pass_time(1)
    assert screen.kinds == [(0.2, "corrected", "xy")]


def test_a_withdrawn_suggestion_is_gone(screen: Screen) -> None:
    """Nothing more is sent of it."""
    screen.ask("abc")
    screen.hear("", complete=True)
    assert screen.kinds == [(0, "withdrawn", "")]
    assert screen.display.showing is None


def test_typing_along_moves_it(screen: Screen) -> None:
    """Updates are of the rest, at the new offset and version; the settling window goes on."""
    screen.ask("abc", 1)
    screen.loop.pass_time(0.2)
    screen.type("ab")
    screen.hear("xyz")
    assert screen.kinds == [(0.2, "corrected", "xyz")]
    assert (screen.pushed[0][1].version, screen.pushed[0][1].offset) == (2, 2)


@pytest.mark.parametrize(("typed", "closed"), [("x", ""), ("(", ")")])
def test_typing_against_it_ends_it(screen: Screen, typed: str, closed: str) -> None:
    """So does a bracket that the editor closed itself; a held-back update does not go out."""
    screen.ask("(abc")
    screen.hear("(abcd")
    screen.type(typed, closed)
    screen.loop.pass_time(1)
    screen.hear("(abcde")
    assert (screen.display.showing, screen.pushed) == (None, [])
    screen.type("y")


def test_clearing_ends_it(screen: Screen) -> None:
    """And its held-back update."""
    screen.ask("abc")
    screen.hear("abcd")
    screen.display.clear()
    screen.loop.pass_time(1)
    assert screen.pushed == []


def test_news_of_a_showing_that_is_over_change_nothing(screen: Screen) -> None:
    """A late update is for a suggestion that another one has replaced."""
    old = screen.ask("abc")
    screen.ask("abcd")
    screen.display.update(old, News("abcdef", 0, complete=True, settled=True), 10.0, lambda _: None)
    assert screen.pushed == []


def test_asked_again_with_no_key_between_it_changes_as_updates_do(screen: Screen) -> None:
    """One correction while settling, then only text that goes on (ux-21)."""
    first = screen.ask("abc", 1)
    again = screen.ask("axy", 1)
    assert (again.offer.text, again.number) == ("axy", first.number + 1)
    assert screen.ask("abz", 1).offer.text == "axy"
    screen.loop.pass_time(0.3)
    assert screen.ask("abz", 1).offer.text == "axy"
    assert screen.ask("axyz", 2).offer.text == "axyz"


def test_asked_after_a_key_it_may_be_another(screen: Screen) -> None:
    """A contradicting verdict is what the next key shows, with a settling window of its own (ux-21)."""
    screen.ask("abc")
    screen.loop.pass_time(0.3)
    screen.type("a")
    assert screen.ask("xy").offer.shown_at == 0.3


def test_asked_after_a_key_text_that_goes_on_keeps_its_window(screen: Screen) -> None:
    """The user is reading it already."""
    screen.ask("abc")
    screen.loop.pass_time(0.3)
    screen.type("a")
    offer = screen.ask("bcd").offer
    assert (offer.text, offer.shown_at) == ("bcd", 0.0)
    screen.hear("xyz")
    screen.loop.pass_time(1)
    assert screen.pushed == []


def test_another_run_has_its_own_window(screen: Screen) -> None:
    """Even if its text goes on where the other's ended."""
    screen.ask("abc")
    screen.loop.pass_time(0.3)
    other = Run(screen.place())
    showing = screen.display.show(other, screen.place(), News("abcd", 0, complete=True, settled=True), 0.3)
    assert showing.offer.shown_at == 0.3


class Editor(RuleBasedStateMachine):
    """A client that keeps what it was told, beside a display; news of any kind come at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = Screen()
        self.shown: str | None = None
        self.verified = 0
        self.corrections = 0
        self.shown_at = self.updated_at = 0.0
        self.heard = 0
        self.truth = ""

    def teardown(self) -> None:
        self.screen.loop.close()

    def news(self, draft: str) -> str:
        return self.truth[: self.verified] + draft

    @rule(draft=st.text("ab", min_size=1, max_size=3), truth=st.text("ab", max_size=8))
    @precondition(lambda self: self.shown is None)
    def ask(self, draft: str, truth: str) -> None:
        self.screen.run = Run(self.screen.place())
        self.truth, self.verified, self.corrections = truth, 0, 0
        offer = self.screen.ask(draft).offer
        self.shown = offer.text
        self.shown_at = self.updated_at = self.screen.loop.time()

    @rule(draft=st.text("ab", max_size=4), n=st.integers(0, 3), complete=st.booleans(), settled=st.booleans())
    def hear(self, draft: str, n: int, complete: bool, settled: bool) -> None:
        self.verified = min(self.verified + n, len(self.truth))
        self.screen.hear(self.news(draft), self.verified, complete=complete, settled=settled)
        self.take_updates()

    @rule(seconds=st.sampled_from([0.01, 0.06, 0.1, 0.15, 0.3]))
    def time_passes(self, seconds: float) -> None:
        self.screen.loop.pass_time(seconds)
        self.take_updates()

    @rule(n=st.integers(1, 2))
    @precondition(lambda self: self.shown is not None and self.shown != "")
    def type_along(self, n: int) -> None:
        """What a run knows is of the new place then; text typed off it leaves nothing."""
        assert self.shown is not None
        typed, self.shown = self.shown[:n], self.shown[n:]
        known = self.screen.run.news
        if known.text.startswith(typed):
            self.verified, self.truth = max(0, self.verified - len(typed)), self.truth[len(typed) :]
            self.truth = self.truth if self.verified else ""
            rest = News(known.text[len(typed) :], self.verified, known.complete, known.settled)
        else:
            self.verified, self.truth = 0, ""
            rest = News("", 0, complete=True, settled=True)
        self.screen.run.news = rest
        self.screen.type(typed)

    @rule()
    def type_against(self) -> None:
        self.screen.type("!")
        self.shown = None

    def take_updates(self) -> None:
        new, self.heard = self.screen.pushed[self.heard :], len(self.screen.pushed)
        for time, update in new:
            assert self.shown is not None
            text = update.suggestion.text
            assert (update.version, update.offset) == (
                self.screen.document.version,
                len(self.screen.document.text),
            )
            if update.kind in ("corrected", "withdrawn"):
                self.corrections += 1
                assert time - self.shown_at <= TIMING.settling + 1e-9
            elif update.kind == "verified":
                assert text == self.shown
            else:
                assert text.startswith(self.shown)
                assert self.shown == "" or time - self.updated_at >= TIMING.update_interval - 1e-9
            if self.shown == "":  # typed to its end: what comes then is displayed for the first time
                self.shown_at, self.corrections = time, 0
            if update.kind != "verified":
                self.updated_at = time
            self.shown = None if update.kind == "withdrawn" else text
            assert text[: update.suggestion.verified] == self.truth[: update.suggestion.verified]
        assert self.corrections <= 1

    @invariant()
    def both_show_the_same(self) -> None:
        showing = self.screen.display.showing
        assert (None if showing is None else showing.offer.text) == self.shown


Editor.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
test_what_an_editor_sees = Editor.TestCase


def test_ux_49_the_first_text_after_an_empty_answer_is_an_update_at_once(screen: Screen) -> None:
    """It settles from then on; as long as there is none, and if there never is, nothing is pushed."""
    screen.display.expect(screen.run, screen.place(), screen.loop.time())
    screen.hear("")
    screen.loop.pass_time(1.0)
    screen.hear("foo")
    screen.hear("bar")
    screen.loop.pass_time(1.0)
    screen.hear("bar baz")
    assert screen.kinds == [(1.0, "extended", "foo"), (1.0, "corrected", "bar"), (2.0, "extended", "bar baz")]


def test_a_key_ends_the_wait_for_a_first_text(screen: Screen) -> None:
    screen.display.expect(screen.run, screen.place(), screen.loop.time())
    screen.hear("", complete=True)
    screen.type("x")
    assert screen.display.showing is None
    assert screen.kinds == []


def others(screen: Screen, *texts: str) -> list[tuple[Run, News]]:
    """Candidates of runs of their own."""
    return [(Run(screen.place()), News(text, 0, complete=True, settled=True)) for text in texts]


def test_ux_27_typing_along_another_candidate_makes_it_what_is_shown(screen: Screen) -> None:
    """It has the id it was listed with, only grows, and belongs to the run that takes it up."""
    screen.ask("foo")
    second, _ = screen.display.show_beside(screen.place(), others(screen, "bar", "bat"), 0.0)
    assert (second.number, second.offer.complete) == (2, False)
    screen.type("ba")
    showing = screen.display.showing
    assert showing is not None
    assert (showing.number, showing.offer.text) == (second.number, "r")
    assert [one.offer.text for one in screen.display.beside] == ["t"]
    successor = Run(screen.place())
    screen.display.hand_over(screen.run, successor)
    assert screen.display.text_of(successor) == ""
    screen.display.hand_over(second.run, successor)
    assert screen.display.text_of(successor) == "r"
    screen.hear("xyz")
    screen.loop.pass_time(1)
    screen.hear("rest")
    assert [(kind, text) for _, kind, text in screen.kinds] == [("extended", "rest")]


def test_a_key_against_all_candidates_ends_them(screen: Screen) -> None:
    screen.ask("foo")
    screen.display.show_beside(screen.place(), others(screen, "bar"), 0.0)
    screen.type("x")
    assert (screen.display.showing, screen.display.beside) == (None, [])


def test_candidates_stay_beside_what_is_shown_until_another_run_is_shown(screen: Screen) -> None:
    screen.ask("foo")
    screen.display.show_beside(screen.place(), others(screen, "bar"), 0.0)
    screen.ask("foo")
    assert [one.offer.text for one in screen.display.beside] == ["bar"]
    screen.display.show(Run(screen.place()), screen.place(), News("x", 0, complete=True, settled=True), 0.0)
    assert screen.display.beside == []
