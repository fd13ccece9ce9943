"""What is learnt of a verdict, for which language."""

import pytest

from daemon.target.acceptance_estimate import adaedl_bound
from daemon.target.acceptances import Acceptances
from daemon.target.draft_worth import JUDGED_TOKENS

NOW = 50.0


def test_tokens_up_to_the_first_that_is_another_are_judged() -> None:
    acceptances = Acceptances()
    before = acceptances.of("python").estimate.survival([0.05, 0.3, 1.0, 2.0])
    for _ in range(40):
        acceptances.heard("python", [1, 2, 3, 4], [0.05, 0.3, 1.0, 2.0], [1, 2, 9], NOW)
    estimate = acceptances.of("python").estimate
    assert estimate.rate(0.05) > 0.95 > before[0]
    assert estimate.rate(0.3) > 0.9
    assert estimate.rate(1.0) < 0.1
    assert acceptances.of("python").worth.rate == pytest.approx(2 / 3, abs=0.01)


def test_a_target_that_goes_on_beyond_the_tail_says_nothing_more_of_it() -> None:
    acceptances = Acceptances()
    for _ in range(JUDGED_TOKENS):
        acceptances.heard("python", [1], [0.05], [1, 2, 3], NOW)
        acceptances.heard("python", [], [], [1], NOW)
    assert acceptances.of("python").worth.rate == 1.0


def test_a_new_language_begins_with_what_is_known_of_all() -> None:
    acceptances = Acceptances()
    for _ in range(100):
        acceptances.heard("python", [1], [1.5], [1], NOW)
    assert acceptances.of("go").estimate.rate(1.5) > 0.8 > adaedl_bound(1.5)
    assert acceptances.of("go").worth.rate is None


def test_languages_are_told_apart() -> None:
    acceptances = Acceptances()
    for _ in range(JUDGED_TOKENS):
        acceptances.heard("python", [1], [0.5], [1], NOW)
        acceptances.heard("go", [1], [0.5], [2], NOW)
    assert acceptances.of("python").estimate.rate(0.5) > 0.9 > 0.2 > acceptances.of("go").estimate.rate(0.5)
    assert acceptances.summary(NOW) == {"go": "off", "python": "good, 100% the target's own"}


@pytest.mark.parametrize(
    ("shares", "warning"),
    [
        ({}, ""),
        ({"python": 1.0}, ""),
        ({"c": 0.5, "python": 1.0, "awk": 0.4}, "drafts are often wrong in awk, c"),
        ({"go": 0.0}, "drafts are mostly wrong in go, where the verifier writes alone for now"),
        (
            {"go": 0.0, "c": 0.5},
            "drafts are often wrong in c; drafts are mostly wrong in go, where the verifier writes alone for now",
        ),
    ],
)
def test_who_is_warned_of(shares: dict[str, float], warning: str) -> None:
    acceptances = Acceptances()
    for language, share in shares.items():
        for n in range(JUDGED_TOKENS):
            token = 1 if int((n + 1) * share) > int(n * share) else 2
            acceptances.heard(language, [1], [0.5], [token], NOW)
    assert acceptances.warning(NOW) == warning
