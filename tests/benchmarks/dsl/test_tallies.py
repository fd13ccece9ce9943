"""Counts and the shares they become."""

from __future__ import annotations

from benchmarks.dsl.tallies import Judgement, Rounds, Suggestions


def test_rounds_add_up() -> None:
    rounds = Rounds()
    for drafted, accepted in ((4, 2), (0, 0), (2, 2)):
        rounds.add(drafted, accepted)
    assert rounds.report() == {
        "acceptance": 0.6667,
        "accepted_per_round": 1.33,
        "drafted_per_round": 2.0,
        "first_token": 0.6667,
        "rounds": 3,
    }
    assert Rounds().report()["acceptance"] == 0.0


def test_suggestions_add_up() -> None:
    suggestions = Suggestions()
    suggestions.add(Judgement(legal=True, fits=False, is_shown=True, trimmed_fits=True))
    suggestions.add(Judgement(legal=False, fits=False, is_shown=False, trimmed_fits=False))
    assert suggestions.report() == {
        "legal": 0.5,
        "fits": 0.0,
        "shown_trimmed": 0.5,
        "trimmed_fits": 1.0,
        "suggestions": 2,
    }
