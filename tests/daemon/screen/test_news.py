"""What is known of a suggestion: a run's text at a place, shaped, cut to what fits; and whether it is worth showing."""

from __future__ import annotations

import pytest

from daemon.api.messages import Edit, Wait
from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from daemon.run import Run
from daemon.screen.merge import News
from daemon.screen.news import led_astray, news_of, shaped_at, worth_showing
from grammars.interface import Mode
from tests.fakes.engine import byte_vocabulary

EOS = 257


def run_of(text: str, *, verified: int = 0, before: str = "x = ", awaited: bool = False) -> Run:
    """A run that has generated `text`, so much of it committed."""
    place = Place(Document("x", "sql", 1, before), len(before))
    generation = Generation(place, (1,), byte_vocabulary(), Limits(64, 8))
    generation.commit(list(text.encode())[:verified])
    for token in list(text.encode())[verified:]:
        generation.draft(token, 0.0)
    return Run(generation, 0.0, awaited=awaited)


def typed(run: Run, text: str) -> Place:
    """The place after typing `text` there."""
    place = run.place
    document = place.document.edited([Edit(place.offset, place.offset, text)], 2)
    return Place(document, place.offset + len(text))


def in_force(run: Run, *examined: tuple[str, int]) -> Run:
    run.grammar.state = "reading"
    run.grammar.follows(Mode("masked"))
    for text, fitting in examined:
        run.grammar.examined(text, 0, fitting)
    return run


def test_news_are_the_rest_of_the_text_with_what_is_verified_of_it() -> None:
    run = run_of("12 + 34", verified=4)
    assert news_of(run, run.place, "optimistic") == (News("12 + 34", 4, False, True), None)
    assert news_of(run, typed(run, "12"), "optimistic") == (News(" + 34", 2, False, True), None)
    assert news_of(run, typed(run, "12 + 3"), "optimistic") == (News("4", 0, False, True), None)
    assert news_of(run, typed(run, "2"), "optimistic") == (News("", 0, True, True), "stale_version")


def test_only_verified_text_is_news_while_the_verifier_is_awaited_and_that_is_wanted() -> None:
    run = run_of("12 + 34", verified=2, awaited=True)
    assert news_of(run, run.place, "verified")[0].text == "12"
    run.awaited = False
    assert news_of(run, run.place, "verified")[0].text == "12 + 34"


def test_what_is_not_known_to_fit_is_no_news() -> None:
    run = in_force(run_of("12 + 34", verified=6))
    assert news_of(run, run.place, "optimistic") == (News("", 0, False, False), "filtered_grammar")
    in_force(run, ("12 +", 2))
    assert news_of(run, run.place, "optimistic") == (News("12", 2, False, False), None)
    assert news_of(run, typed(run, "1"), "optimistic")[0].text == "2"
    assert news_of(run, typed(run, "12 +"), "optimistic") == (News("", 0, False, False), "filtered_grammar")


def test_of_a_run_without_its_grammar_there_are_no_news_and_that_is_why() -> None:
    """Whoever has said it."""
    run = run_of("12 + 34", verified=4)
    run.grammar.hold_back("compiling x.bnf")
    assert news_of(run, run.place, "optimistic") == (News("", 0, False, True), "grammar_unused")
    assert not led_astray(run, "optimistic", over=True)


def test_a_failure_is_the_reason_before_any_other() -> None:
    run = in_force(run_of("12"))
    run.failure = "model_failed"
    assert news_of(run, run.place, "optimistic")[1] == "model_failed"


def test_a_text_at_its_end_holds_nothing_back() -> None:
    """Unless a limit has cut it, or nothing more comes of it: then its last line is none."""
    for ends, over, shown in (
        ([], False, "a"),
        ([], True, "a"),
        ([EOS], False, "a\na"),
        ([EOS], True, "a\na"),
    ):
        run = run_of("a\na", before="")
        for token in ends:
            run.generation.draft(token, 0.0)
        shaped = shaped_at(run, run.place, "optimistic", over=over)
        assert shaped is not None
        assert shaped[1].text == shown


@pytest.mark.parametrize(
    ("text", "wait", "waited_enough", "expected"),
    [
        ("", "first", True, False),
        ("12", "first", False, False),
        ("12", "first", True, True),
        ("12\n3", "first", False, True),
        ("12", "settled", True, False),
        ("12", "verified", True, False),
    ],
)
def test_what_is_worth_an_answer(text: str, wait: Wait, waited_enough: bool, expected: bool) -> None:
    run = run_of(text)
    assert worth_showing(run, run.place, "optimistic", wait, waited_enough=waited_enough) is expected
    assert worth_showing(run, typed(run, "q"), "optimistic", wait, waited_enough=waited_enough)
    run.finished = True
    assert worth_showing(run, run.place, "optimistic", wait, waited_enough=waited_enough)


def test_what_the_target_has_said_is_worth_an_answer_at_once() -> None:
    run = run_of("ab")
    run.generation.commit([ord("a")])
    assert worth_showing(run, run.place, "optimistic", "first", waited_enough=False)


def test_what_is_held_back_is_not_worth_an_answer() -> None:
    run = in_force(run_of("12"))
    assert not worth_showing(run, run.place, "optimistic", "first", waited_enough=True)
    in_force(run, ("12", 2))
    assert worth_showing(run, run.place, "optimistic", "first", waited_enough=True)


def test_a_whole_draft_is_settled() -> None:
    run = run_of("1" * 64)
    assert worth_showing(run, run.place, "optimistic", "settled", waited_enough=False)


def test_ux_49_a_stopgap_is_shown_until_a_model_has_spoken() -> None:
    """Shaped as any text, never as verified, and never where only verified text is wanted."""
    run = run_of("")
    run.stopgap = "12 + 34  "
    assert news_of(run, run.place, "optimistic") == (News("12 + 34", 0, False, False), None)
    assert news_of(run, typed(run, "1"), "optimistic")[1] == "stale_version"
    run.awaited = True
    assert news_of(run, run.place, "verified")[0].text == ""
    run.draft(ord("7"), 0.0, "model")
    assert news_of(run, run.place, "optimistic")[0].text == "7"


def test_a_stopgap_is_gone_with_its_run() -> None:
    run = run_of("")
    run.stopgap, run.finished = "12 + 34", True
    assert news_of(run, run.place, "optimistic") == (News("", 0, True, False), "empty_draft")


@pytest.mark.parametrize(("knows", "shown"), [("nothing", ""), ("a grammar", "1 + "), ("the suffix", "1 + ")])
def test_before_a_word_stands_only_what_was_made_to(knows: str, shown: str) -> None:
    """ux-47: a text that was written without a look at what follows leads to it by chance alone."""
    document = Document("x", "sql", 1, "x = y")
    context = (1, byte_vocabulary().special_ids["fim_suf"]) if knows == "the suffix" else (1,)
    generation = Generation(Place(document, 4), context, byte_vocabulary(), Limits(64, 8))
    for token in b"1 + ":
        generation.draft(token, 0.0)
    run = Run(generation, 0.0)
    if knows == "a grammar":
        run.grammar.state = "reading"
        run.grammar.follows(Mode("masked"))
    shaped = shaped_at(run, run.place, "optimistic", over=True)
    assert shaped is not None
    assert shaped[1].text == shown
