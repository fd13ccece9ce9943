"""Which rules become terminals, and what becomes of text in the others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from grammars.diagnostics import GrammarError
from grammars.form import (
    EMPTY,
    Annotations,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Pattern,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes import lexical
from grammars.passes.lexical import lexed
from tests.fakes.small_grammars import grammar_of

a = Literal("a")
DIGIT = CharacterSet(((48, 57),))
LETTER = CharacterSet(((97, 122),))
NOT_QUOTE = CharacterSet(((34, 34),), negated=True)
R = Reference


def many(item: Expression) -> Repeat:
    return Repeat(item, 1, None)


def terminals(rules: Mapping[str, Expression], **marks: bool) -> set[str]:
    """The rules that become terminals, of those given."""
    found = lexed(grammar_of(rules, lexical=marks)).grammar.rules
    return {name for name, rule in found.items() if rule.lexical and name in rules}


BASE: dict[str, Expression] = {
    "digit": choice([Literal(one) for one in "0123456789"]),
    "letter": LETTER,
    "sign": choice([Literal("+"), Literal("-")]),
    "integer": many(R("digit")),
    "name": sequence([R("letter"), Repeat(choice([R("letter"), R("digit")]), 0, None)]),
}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"range": sequence([R("integer"), Literal(".."), R("integer")])}, set()),
        ({"real": sequence([R("integer"), Literal("."), R("integer")])}, set()),
        ({"real": sequence([many(R("digit")), optional(sequence([Literal("."), R("integer")]))])}, {"real"}),
        ({"let": sequence([Literal("let"), R("letter"), Literal("="), R("integer")])}, set()),
        ({"let": sequence([Literal("let"), many(R("letter"))])}, set()),
        ({"hex": sequence([Literal("0x"), many(R("digit"))])}, {"hex"}),
        ({"unit": sequence([R("integer"), choice([Literal("ms"), Literal("s")])])}, set()),
        ({"list": sequence([R("letter"), optional(R("list"))])}, set()),
        ({"text": sequence([Literal('"'), Repeat(NOT_QUOTE, 0, None), Literal('"')])}, {"text"}),
        (
            {
                "text": sequence([R("q"), R("chars"), R("q")]),
                "chars": Repeat(R("c"), 0, None),
                "c": choice([NOT_QUOTE, Literal('""')]),
                "q": Literal('"'),
            },
            {"text", "chars", "c", "q"},
        ),
        ({"word": sequence([R("letter"), R("ws")]), "ws": Repeat(Literal(" "), 0, None)}, {"ws"}),
        ({"other": Exclusion(R("letter"), a)}, {"other"}),
        ({"not": sequence([Literal("do"), choice([sequence([EMPTY]), DIGIT])])}, {"not"}),
        (
            {
                "line": sequence([R("comment"), R("name")]),
                "comment": sequence([Literal("#"), Repeat(NOT_QUOTE, 0, None)]),
            },
            {"line", "comment"},
        ),
        (
            {
                "lines": sequence([R("name"), R("comment")]),
                "comment": sequence([Literal("#"), Repeat(NOT_QUOTE, 0, None)]),
            },
            {"comment"},
        ),
        (
            {
                "one": sequence([R("name"), optional(choice([R("sp"), R("name")]))]),
                "sp": sequence([Literal(" "), LETTER]),
            },
            {"one", "sp"},
        ),
    ],
)
def test_inference(rules: dict[str, Expression], expected: set[str]) -> None:
    """What is made of characters holds together, what is made of terminals has free spacing."""
    found = terminals({"start": Repeat(choice([R(name) for name in rules]), 0, None), **rules, **BASE})
    assert found - set(BASE) == expected
    assert found & set(BASE) == {"digit", "letter", "integer", "name"}


def test_annotations_decide() -> None:
    """@token and @rule over what is inferred; what a terminal is made of is one."""
    rules = {
        "start": sequence([R("range"), R("name")]),
        "range": sequence([R("integer"), a, R("sign")]),
        **BASE,
    }
    found = terminals(rules, range=True, name=False)
    assert "range" in found
    assert "sign" in found
    assert "name" not in found


def test_explicit_lexer() -> None:
    """Nothing is inferred: what is marked, and what that is made of."""
    rules = {"start": R("A"), "A": sequence([R("B"), a]), "B": a, "c": many(DIGIT)}
    grammar = grammar_of(rules, lexical={"A": True}, explicit_lexer=True)
    found = lexed(grammar)
    assert {name for name, rule in found.grammar.rules.items() if rule.lexical} == {"A", "B", "c text"}
    assert found.inferred == {"B", "c text"}


def test_start_is_never_a_terminal() -> None:
    """It gets a rule before it."""
    grammar = grammar_of({"N": many(DIGIT)}, lexical={"N": True}, explicit_lexer=True)
    found = lexed(grammar).grammar
    assert found.rules[found.start].expression == R("N")
    assert not found.rules[found.start].lexical


@pytest.mark.parametrize(
    ("body", "written", "texts"),
    [
        (sequence([LETTER, Repeat(choice([LETTER, Literal("_")]), 0, None), a]), False, 1),
        (sequence([Literal('"'), Repeat(NOT_QUOTE, 0, None), Literal('"'), a]), False, 1),
        (sequence([Literal('"'), Repeat(NOT_QUOTE, 0, None), Literal('"'), Literal(" ")]), True, 1),
        (choice([sequence([many(LETTER), R("x")]), many(DIGIT), many(LETTER)]), False, 2),
        (Repeat(choice([R("x"), Literal("-"), LETTER]), 0, None), False, 1),
        (sequence([many(sequence([LETTER, Literal("-")])), R("x")]), False, 1),
        (sequence([many(sequence([LETTER, Literal("--")])), R("x")]), False, 1),
        (sequence([R("x"), Exclusion(LETTER, a)]), False, 1),
    ],
)
def test_text_in_rules(body: Expression, written: bool, texts: int) -> None:
    """Runs of characters get a name; equal ones the same; quotes stay with what blanks may edge."""
    grammar = grammar_of({"start": body, "x": choice([a, sequence([Literal("("), R("x"), Literal(")")])])})
    found = lexed(grammar)
    assert found.spacing.written_out == written
    made = [name for name in found.grammar.rules if name.startswith("start text")]
    assert len(made) == texts
    for name in grammar.rules:
        expression = found.grammar.rules[name].expression
        assert not isinstance(expression, (CharacterSet, Exclusion))


def test_exclusion_of_rules_is_dropped() -> None:
    """It can't be kept outside terminals: more is allowed then, with a warning."""
    rules = {"start": Exclusion(R("x"), a), "x": choice([a, sequence([Literal("("), R("x"), Literal(")")])])}
    found = lexed(grammar_of(rules))
    assert found.grammar.rules["start"].expression == R("x")
    assert [one.code for one in found.diagnostics] == ["exclusion-dropped"]


def test_patterns_are_read_before() -> None:
    """A pass forgot something: that is a bug here."""
    with pytest.raises(AssertionError, match="no place in a rule"):
        lexed(grammar_of({"start": Pattern("a")}))


OPEN, CLOSE = Literal("/*"), Literal("*/")


@pytest.mark.parametrize(
    ("expression", "cut"),
    [
        (
            sequence([OPEN, Repeat(choice([R("C"), NOT_QUOTE]), 0, None), CLOSE]),
            sequence([OPEN, Repeat(NOT_QUOTE, 0, None), CLOSE]),
        ),
        (sequence([OPEN, Repeat(R("C"), 0, None), CLOSE]), sequence([OPEN, CLOSE])),
        (choice([sequence([a, R("C")]), a]), a),
        (
            choice([Exclusion(R("C"), a), Exclusion(LETTER, R("C")), Exclusion(LETTER, a)]),
            choice([LETTER, Exclusion(LETTER, a)]),
        ),
    ],
)
def test_recursive_terminals(expression: Expression, cut: Expression) -> None:
    """They are followed without what leads back, and that is said."""
    rules = {"start": R("C"), "C": expression}
    found = lexed(grammar_of(rules, lexical={"C": True}, explicit_lexer=True))
    assert found.grammar.rules["C"].expression == cut
    assert [one.code for one in found.diagnostics] == ["recursive-terminal"]


def test_recursion_through_a_rule_that_a_terminal_refers_to() -> None:
    """What a terminal refers to is a terminal, too."""
    rules = {"start": R("C"), "C": sequence([OPEN, R("c"), CLOSE]), "c": choice([a, sequence([a, R("c")])])}
    found = lexed(grammar_of(rules, lexical={"C": True}, explicit_lexer=True))
    assert found.grammar.rules["c"].expression == a
    assert [one.code for one in found.diagnostics] == ["recursive-terminal"]


def test_a_rule_that_was_only_annotated_as_a_terminal_stays_a_rule_if_it_is_recursive() -> None:
    """Nothing is taken from it; what is skipped can only be a terminal."""
    nested = choice([a, sequence([OPEN, R("C"), CLOSE])])
    found = lexed(grammar_of({"start": R("C"), "C": nested}, lexical={"C": True}))
    assert (found.grammar.rules["C"].expression, found.grammar.rules["C"].lexical) == (nested, False)
    assert [one.code for one in found.diagnostics] == ["recursive-terminal"]
    skipped = lexed(grammar_of({"start": a, "C": nested}, lexical={"C": True}, skip=("C", "nowhere")))
    assert skipped.grammar.rules["C"].expression == a


@pytest.mark.parametrize(
    "expression", [sequence([a, R("C")]), many(R("C")), choice([R("C"), sequence([R("C"), a])])]
)
def test_terminals_that_need_themselves(expression: Expression) -> None:
    """Nothing is left of them."""
    with pytest.raises(GrammarError) as caught:
        lexed(grammar_of({"start": R("C"), "C": expression}, lexical={"C": True}, explicit_lexer=True))
    assert caught.value.diagnostics[0].code == "recursive-terminal"


def test_too_large_terminal() -> None:
    """Counts multiply through references."""
    rules = {
        "start": R("C"),
        "C": Repeat(choice([R("D"), Exclusion(LETTER, a)]), 1, 100),
        "D": Repeat(sequence([Literal("abc"), LETTER]), lexical.MAX_TERMINAL // 200, None),
    }
    with pytest.raises(GrammarError) as caught:
        lexed(grammar_of(rules, annotations=Annotations(terminals=("C",)), lexical={"C": True}))
    assert caught.value.diagnostics[0].code == "too-large"
