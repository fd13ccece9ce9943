"""What is known of a run under its grammar: what fits, what is held back, how it is called."""

from __future__ import annotations

import pytest

from daemon.grammars.run_grammar import RunGrammar, State
from grammars.interface import Mode


@pytest.mark.parametrize(
    ("state", "shown"),
    [("none", "abc"), ("reading", ""), ("in force", ""), ("off", "abc"), ("held back", "")],
)
def test_what_was_not_examined_is_held_back_where_a_grammar_is_in_force(state: State, shown: str) -> None:
    grammar = RunGrammar(state)
    assert grammar.fitting("abc", 0) == shown
    assert grammar.knows("abc", 0) is (state not in ("reading", "in force"))
    assert grammar.knows("", 0)


def test_what_is_shown_grows_with_what_was_examined() -> None:
    grammar = RunGrammar("in force")
    grammar.examined("let", 4, 3)
    assert grammar.fitting("let a = 1", 4) == "let"
    grammar.examined("let a =", 4, 5)
    assert grammar.fitting("let a = 1", 4) == "let a"
    grammar.examined("let a = 1", 4, 2)  # what fitted of a beginning fits still
    assert grammar.fitting("let a = 1", 4) == "let a"
    assert grammar.fitting("let x", 4) == "let"
    assert grammar.fitting("del", 4) == ""


def test_a_text_is_examined_anew_when_it_has_grown_by_some_tokens_or_a_line() -> None:
    grammar = RunGrammar("in force")
    assert grammar.has_grown("l", 4)
    grammar.examined("let", 4, 3)
    assert not grammar.has_grown("let a = 1, 2", 4)
    assert grammar.has_grown("let a = 1, 2, 3", 4)
    assert grammar.has_grown("let a\n", 4)
    assert grammar.has_grown("let a", 5)
    assert grammar.has_grown("del", 4)


def test_what_is_known_not_to_fit_is_not_shown_because_the_grammar_is_off() -> None:
    """What nobody looked at is."""
    grammar = RunGrammar("in force")
    grammar.examined("let a", 4, 5)
    grammar.examined("del = b", 4, 4)
    grammar.turn_off("too slow")
    assert grammar.fitting("let a = = 1", 4) == "let a = = 1"
    assert grammar.fitting("del = b;", 4) == "del "
    assert grammar.fitting("del = b;", 5) == "del = b;"


def test_of_a_run_without_its_grammar_nothing_is_shown_and_the_reason_is_said() -> None:
    grammar = RunGrammar("reading")
    grammar.hold_back("compiling x.bnf")
    assert (grammar.fitting("let a", 4), grammar.trims) == ("", False)
    assert grammar.mode == "held back: compiling x.bnf"


def test_another_text_after_the_cursor_is_another_question() -> None:
    grammar = RunGrammar("in force")
    grammar.examined("abc", 4, 3)
    assert not grammar.knows("abc", 5)
    assert grammar.fitting("abc", 5) == ""


@pytest.mark.parametrize(
    ("mode", "state", "words"),
    [
        (Mode("masked"), "in force", "masked"),
        (Mode("resynced", "resumed after line 3"), "in force", "resynced: resumed after line 3"),
        (Mode("unmasked", "line 3 is wrong"), "off", "unmasked: line 3 is wrong"),
        (None, "none", ""),
    ],
)
def test_how_well_the_text_is_followed_decides(mode: Mode | None, state: State, words: str) -> None:
    grammar = RunGrammar("reading")
    grammar.follows(mode)
    assert (grammar.state, grammar.mode) == (state, words)


def test_after_an_illegal_token_what_fits_is_cut_as_before() -> None:
    grammar = RunGrammar("in force", "masked")
    grammar.follows(Mode("unmasked", "a token that the grammar does not allow was taken"))
    assert grammar.state == "in force"
    assert grammar.mode.startswith("unmasked: a token")
