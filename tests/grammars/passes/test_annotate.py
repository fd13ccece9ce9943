"""What annotations do to a grammar."""

from __future__ import annotations

import pytest

from grammars.diagnostics import GrammarError, Span
from grammars.form import (
    Annotations,
    CharacterSet,
    Exclusion,
    Literal,
    sequence,
)
from grammars.passes.annotate import apply_annotations, closest, fresh
from tests.fakes.small_grammars import grammar_of

a = Literal("a")


def test_marks() -> None:
    """@token, @rule, @skip and @start; skipped rules are terminals."""
    notes = Annotations(start="C", terminals=("A",), rules=("B",), skip=("D",))
    grammar = apply_annotations(
        grammar_of({"A": a, "B": a, "C": a, "D": a}, annotations=notes, skip=("gone",))
    )
    assert {name: rule.lexical for name, rule in grammar.rules.items()} == {
        "A": True,
        "B": False,
        "C": None,
        "D": True,
    }
    assert (grammar.start, grammar.skip) == ("C", ("gone", "D"))


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        (Annotations(start="X"), "@start names X, and there is no such rule"),
        (Annotations(terminals=("X",)), "@token names X, and there is no such rule"),
        (Annotations(rules=("X",)), "@rule names X, and there is no such rule"),
        (Annotations(skip=("X",)), "@skip names X, and there is no such rule"),
        (Annotations(rules=("A",), terminals=("A",)), "A is named by @token and by @rule"),
    ],
)
def test_errors(notes: Annotations, message: str) -> None:
    """Names that no rule has."""
    with pytest.raises(GrammarError) as caught:
        apply_annotations(grammar_of({"A": a}, annotations=notes))
    assert [one.message for one in caught.value.diagnostics] == [message]


def test_the_place_of_a_name() -> None:
    """That of the name if it is known, else of the annotation."""
    spans = {"token": Span(1, 1, 1, 9), "token Y": Span(1, 8, 1, 9)}
    notes = Annotations(terminals=("X", "Y"), spans=spans)
    with pytest.raises(GrammarError) as caught:
        apply_annotations(grammar_of({"A": a}, annotations=notes))
    assert [one.span for one in caught.value.diagnostics] == [spans["token"], spans["token Y"]]


def test_any_case() -> None:
    """Literals, and characters that are listed; sets of all but some stay, since less would be allowed."""
    letters = CharacterSet(((97, 99), (48, 57)))
    negated = CharacterSet(((97, 97),), negated=True)
    expression = sequence([Literal("if"), letters, negated, Exclusion(letters, Literal("b"))])
    grammar = apply_annotations(grammar_of({"A": expression}, annotations=Annotations(ignore_case=True)))
    both = CharacterSet(((48, 57), (65, 67), (97, 99)))
    assert grammar.rules["A"].expression == sequence(
        [Literal("if", ignore_case=True), both, negated, Exclusion(both, Literal("b", ignore_case=True))]
    )


def test_comments_and_given_rules() -> None:
    """Comments become skip rules with names of their own; an author's rules named as given ones are left out."""
    notes = Annotations(line_comments=("#",), block_comments=(("/*", "*/"),), indent=True)
    rules = {"A": a, "comment #": a, "NEWLINE": a}
    grammar = apply_annotations(grammar_of(rules, annotations=notes))
    assert list(grammar.rules) == ["A", "comment #", "comment # 2", "comment /* */"]
    assert grammar.skip == ("comment # 2", "comment /* */")


def test_names() -> None:
    """Close names in advice, free names for new rules."""
    assert closest("Tabel", ["table", "x"]) == "did you mean table?"
    assert closest("q", ["table"]) == ""
    assert fresh("x", {"x": 1, "x 2": 2}) == "x 3"
    assert fresh("y", ("x",)) == "y"
