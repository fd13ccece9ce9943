"""Merging: the table row by row, and its promises under any news at any time."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from daemon.screen.merge import (
    TABLE,
    Effect,
    Event,
    News,
    Offer,
    State,
    Timing,
    first_shown,
    is_left_off,
    merge,
    next_update_at,
)

TIMING = Timing(settling=0.25, update_interval=0.15)
SHOWN = News("abc", 1, complete=False, settled=True)


def news(text: str, verified: int = 0, *, complete: bool = False, settled: bool = True) -> News:
    return News(text, verified, complete, settled)


def test_the_table_is_complete() -> None:
    """Each event has a row in each state (ux-7)."""
    assert set(TABLE) == set(itertools.product(State, Event))


@pytest.mark.parametrize(
    ("at", "coming", "effect", "text", "verified", "state"),
    [
        # settling
        (0.1, news("xyz"), None, "abc", 1, State.SETTLING),  # not what is verified
        (0.1, news("axy"), "corrected", "axy", 1, State.FIXED),
        (0.1, news("ab", 1, complete=True), "corrected", "ab", 1, State.FIXED),
        (0.1, news("axy", settled=False), None, "abc", 1, State.SETTLING),
        (0.05, news("axyz", 2, settled=False), "corrected", "ax", 2, State.TARGETS),  # at once
        (0.05, news("axyz", 2, complete=True), "corrected", "axyz", 2, State.TARGETS),
        (0.05, news("a xy", 2, settled=False), None, "abc", 1, State.SETTLING),  # a blank says nothing yet
        (0.2, news("axy", settled=False), "corrected", "axy", 1, State.FIXED),
        (0.1, news("abcd", 1), None, "abc", 1, State.SETTLING),  # too early
        (0.1, news("abcd", 2), "verified", "abc", 2, State.SETTLING),  # too early for the rest
        (0.1, news("abcd", 4, complete=True), "verified", "abc", 3, State.SETTLING),
        (0.15, news("abcd", 2), "extended", "abcd", 2, State.SETTLING),
        (0.15, news("abc", 2), "verified", "abc", 2, State.SETTLING),
        (0.15, news("abc", 1, complete=True), "verified", "abc", 1, State.SETTLING),
        (0.15, news("ab", 2), "verified", "abc", 2, State.SETTLING),
        (0.15, news("abc", 1), None, "abc", 1, State.SETTLING),
        (0.15, news("abc", 0), None, "abc", 1, State.SETTLING),
        (0.15, news("", 0), None, "abc", 1, State.SETTLING),
        (0.15, news("", 0, complete=True), None, "abc", 1, State.SETTLING),  # "a" is verified
        # fixed
        (0.3, news("axy"), None, "abc", 1, State.FIXED),
        (0.3, news("axy", 2), None, "abc", 1, State.FIXED),
        (0.3, news("abcd", 0), "extended", "abcd", 1, State.FIXED),
        (0.3, news("abc", 3), "verified", "abc", 3, State.FIXED),
        (0.3, news("", complete=True), None, "abc", 1, State.FIXED),
    ],
)
def test_what_news_change(
    at: float, coming: News, effect: Effect | None, text: str, verified: int, state: State
) -> None:
    """One suggestion, shown at 0, its first character verified."""
    offer, got = merge(first_shown(SHOWN, 0.0), coming, at, TIMING)
    assert (got, offer.text, offer.verified, offer.state) == (effect, text, verified, state)


@pytest.mark.parametrize(
    ("coming", "effect", "text"),
    [
        (news("axyz", 2), None, "ax"),
        (news("axyz", 3), "extended", "axy"),
        (news("axq", 3), "extended", "axq"),
        (news("axyz", 2, complete=True), "extended", "axyz"),
        (news("abc", 1), None, "ax"),
    ],
)
def test_after_the_target_overruled_only_its_words_are_added(
    coming: News, effect: Effect | None, text: str
) -> None:
    """There is no second correction that would take a wrong draft away again (ux-7); complete text stays as it is."""
    offer, _ = merge(first_shown(SHOWN, 0.0), news("axyz", 2), 0.05, TIMING)
    offer, got = merge(offer, coming, 0.3, TIMING)
    assert (got, offer.text) == (effect, text)


def test_what_is_left_empty_is_withdrawn() -> None:
    """The target ends where nothing but a draft stood; only while settling, and only once."""
    offer = first_shown(news("abc"), 0.0)
    empty = news("", complete=True)
    assert merge(offer, empty, 0.1, TIMING)[1] == "withdrawn"
    assert merge(offer, empty, 0.3, TIMING)[1] is None
    assert merge(merge(offer, news("x"), 0.1, TIMING)[0], empty, 0.12, TIMING)[1] is None


@pytest.mark.parametrize(
    ("coming", "due"),
    [
        (news("abcd"), 0.15),
        (news("abc", 3), 0.0),
        (news("abc", 1), None),
        (news("xyz"), None),
        (news("axy", settled=False), 0.2),
    ],
)
def test_when_held_back_news_go_out(coming: News, due: float | None) -> None:
    """At that time `merge` sends them (ux-22)."""
    offer = first_shown(SHOWN, 0.0)
    assert next_update_at(offer, coming, 0.0, TIMING) == due
    assert due is None or merge(offer, coming, due, TIMING)[1] is not None


class Merging(RuleBasedStateMachine):
    """A target's text that commits grow, a draft that may be wrong behind it, and a clock."""

    @initialize(truth=st.text("ab", max_size=12), draft=st.text("ab", min_size=1, max_size=5))
    def show(self, truth: str, draft: str) -> None:
        self.target, self.verified, self.draft, self.complete = truth, 0, draft, False
        self.now = self.updated_at = self.shown_at = 0.0
        self.corrections = 0
        self.offer = first_shown(self.news(settled=False), 0.0)

    def news(self, *, settled: bool) -> News:
        return News(self.target[: self.verified] + self.draft, self.verified, self.complete, settled)

    @rule(seconds=st.sampled_from([0.0, 0.01, 0.05, 0.15, 0.2, 0.25]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(more=st.text("ab", min_size=1, max_size=3))
    def draft_grows(self, more: str) -> None:
        if not self.complete:
            self.draft += more

    @rule(n=st.integers(1, 4))
    def target_commits(self, n: int) -> None:
        emitted = self.target[self.verified : self.verified + n]
        self.verified += len(emitted)
        self.draft = self.draft[len(emitted) :] if self.draft.startswith(emitted) else ""
        if self.verified == len(self.target):
            self.draft, self.complete = "", True

    @rule(settled=st.booleans())
    def news_come(self, settled: bool) -> None:
        news = self.news(settled=settled)
        before = self.offer
        self.offer, effect = merge(before, news, self.now, TIMING)
        self.check(before, news, effect)
        due = next_update_at(self.offer, news, self.now, TIMING)
        if due is not None:
            assert due > self.now
            assert merge(self.offer, news, due, TIMING)[1] is not None

    @rule(n=st.integers(1, 3))
    def user_types_along(self, n: int) -> None:
        """As `Display.follow` does: all of it is about the rest then."""
        n = min(n, len(self.offer.text), len(self.target[: self.verified] + self.draft))
        typed = self.offer.text[:n]
        if not self.news(settled=True).text.startswith(typed):
            return
        self.offer = replace(self.offer, text=self.offer.text[n:], verified=max(0, self.offer.verified - n))
        self.draft = self.draft[max(0, n - self.verified) :]
        self.target = self.target[n:] if n <= self.verified else self.target[self.verified :]
        self.verified = max(0, self.verified - n)

    def check(self, before: Offer, news: News, effect: Effect | None) -> None:
        after = self.offer
        assert after.text.startswith(before.text[: before.verified])
        assert after.verified >= before.verified
        if effect is None:
            assert (after.text, after.verified, after.complete) == (
                before.text,
                before.verified,
                before.complete,
            )
            return
        if effect in ("corrected", "withdrawn"):
            self.corrections += 1
            assert self.now - self.shown_at <= TIMING.settling
        else:
            assert effect == "verified" or self.now - self.updated_at >= TIMING.update_interval - 1e-9
            assert after.text.startswith(before.text)
        assert (effect == "extended") == (after.text.startswith(before.text) and after.text != before.text)
        assert (after.text == "") == (effect == "withdrawn" or before.text == "" != effect == "verified")
        assert after.complete == (news.complete and after.text == news.text)
        if after.state is State.TARGETS and not news.complete:
            assert after.verified == len(after.text)
        if effect != "verified":
            self.updated_at = self.now

    @invariant()
    def promises(self) -> None:
        offer = getattr(self, "offer", None)
        if offer is not None:
            assert self.corrections <= 1
            assert 0 <= offer.verified <= len(offer.text)
            assert offer.text[: offer.verified] == self.target[: offer.verified]


Merging.TestCase.settings = settings(max_examples=80, stateful_step_count=25)
test_merging_whatever_comes = Merging.TestCase


@pytest.mark.parametrize(
    ("coming", "left_off"),
    [
        (news("axy"), True),
        (news("ab", complete=True), True),
        (news("ab"), False),
        (news("abc"), False),
        (news("abcd"), False),
        (news("", complete=True), False),
    ],
)
def test_what_contradicts_what_is_shown_is_left_off_the_screen(coming: News, left_off: bool) -> None:
    """ux-21."""
    assert is_left_off(first_shown(SHOWN, 0.0), coming) is left_off
