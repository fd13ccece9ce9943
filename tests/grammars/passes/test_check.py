"""What can't be a grammar is refused with its place; what is never used is said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from grammars.diagnostics import GrammarError, Span
from grammars.dialects.reading import MAX_COUNT
from grammars.emit import emit
from grammars.form import (
    CharacterSet,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    mapped,
    optional,
    sequence,
)
from grammars.passes import check
from grammars.passes.check import check_chain, check_limits, check_rules, pruned
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.small_grammars import grammar_of

a = Literal("a")
SPAN = Span(2, 1, 2, 4)


def nested(depth: int) -> Expression:
    expression: Expression = a
    for _ in range(depth):
        expression = optional(expression)
    return expression


@pytest.mark.parametrize(
    ("grammar", "code"),
    [
        (Grammar("test", {}, "A"), "no-rules"),
        (grammar_of({f"A{number}": a for number in range(check.MAX_RULES + 1)}), "too-large"),
        (grammar_of({"A": choice([Literal(str(number)) for number in range(check.MAX_NODES)])}), "too-large"),
        (
            grammar_of({"A": choice([Literal(str(number)) for number in range(check.MAX_EXPANDED + 1)])}),
            "too-large",
        ),
        (grammar_of({"A": nested(check.MAX_NESTING)}), "too-deep"),
        (grammar_of({"A": Repeat(Repeat(Repeat(a, 1, 300), 1, 300), 1, 300)}), "too-many-repetitions"),
        (grammar_of({"A": Literal("a\0")}), "nul"),
    ],
)
def test_limits(grammar: Grammar, code: str) -> None:
    """One error that says which limit it is."""
    with pytest.raises(GrammarError) as caught:
        check_limits(grammar)
    assert [one.code for one in caught.value.diagnostics] == [code]


def test_a_long_rule_without_counts_is_not_told_of_counts() -> None:
    """Of many words only their number is said to be too large, as is true."""
    words = choice([Literal(f"w{number}") for number in range(check.MAX_EXPANDED)])
    with pytest.raises(GrammarError, match="A has more than 50,000 parts") as caught:
        check_limits(grammar_of({"A": words}))
    assert "count" not in str(caught.value)


def test_no_count_is_offered_that_a_rule_may_not_have() -> None:
    """The readers' limit of a bound is the one of a rule's parts."""
    assert MAX_COUNT == check.MAX_EXPANDED


def test_within_limits() -> None:
    """Counts as people write them pass."""
    check_limits(grammar_of({"A": Repeat(Repeat(a, 1, 63), 0, 127)}))


@pytest.mark.parametrize(
    ("rules", "code", "message", "advice"),
    [
        (
            {"query": sequence([a, Reference("tabel")]), "table": a},
            "undefined-rule",
            "query refers to tabel, which is not defined",
            "did you mean table?",
        ),
        (
            {"query": Reference("x9")},
            "undefined-rule",
            "query refers to x9, which is not defined",
            "define x9, or quote it if it is text",
        ),
        (
            {"list": sequence([a, Reference("list")])},
            "unproductive-rule",
            "list can never end: every alternative needs list",
            "add an alternative that does without it",
        ),
        ({"list": Reference("list")}, "only-itself", "list is only itself", "say what it is made of"),
        (
            {"none": CharacterSet()},
            "unproductive-rule",
            "none can never end: every alternative needs a character that is none",
            "add an alternative that does without it",
        ),
    ],
)
def test_errors(rules: dict[str, Expression], code: str, message: str, advice: str) -> None:
    """What is the case, and what to do."""
    with pytest.raises(GrammarError) as caught:
        check_rules(grammar_of(rules))
    one = caught.value.diagnostics[0]
    assert (one.code, one.message, one.advice) == (code, message, advice)


def test_each_undefined_rule_once_at_its_place() -> None:
    """Where it is referred to; where that is not known, at the rule."""
    rules = {
        "A": Rule("A", sequence([Reference("X", SPAN), Reference("X"), Reference("Y")]), Span(1, 1, 1, 2)),
    }
    with pytest.raises(GrammarError) as caught:
        check_rules(Grammar("test", rules, "A"))
    assert [(one.span) for one in caught.value.diagnostics] == [SPAN, Span(1, 1, 1, 2)]


@pytest.mark.parametrize(
    ("start", "advice"), [("quer", "did you mean query?"), ("zzz", "name it in a comment: @start RULE")]
)
def test_no_start(start: str, advice: str) -> None:
    """The first rule must be one."""
    with pytest.raises(GrammarError) as caught:
        check_rules(Grammar("test", {"query": Rule("query", a)}, start))
    assert caught.value.diagnostics[0].advice == advice


def test_unreachable_rules_are_warned_of_and_pruned() -> None:
    """A few by name, the others counted; ones that we made are not named. Without end they are no error."""
    rules = {"A": Rule("A", a), "made": Rule("made", a), "B": Rule("B", Reference("B"), SPAN)}
    rules |= {f"C{number}": Rule(f"C{number}", a, SPAN) for number in range(30)}
    grammar = Grammar("test", rules, "A", skip=("C0",))
    warnings = check_rules(grammar)
    assert warnings[0].message == "B is never used from A"
    assert warnings[-1].message == "10 more rules are never used from A"
    assert list(pruned(grammar).rules) == ["A", "C0"]


def test_given_rules_need_no_definition() -> None:
    """Indentation is given."""
    grammar = grammar_of({"A": sequence([a, Reference("NEWLINE")])})
    assert check_rules(grammar, frozenset({"NEWLINE"})) == ()


@pytest.mark.parametrize(("name", "advice"), [("spce", "did you mean space?"), ("zzz", "define zzz")])
def test_undefined_skip(name: str, advice: str) -> None:
    """What is skipped must be a rule."""
    with pytest.raises(GrammarError) as caught:
        check_rules(grammar_of({"A": a, "space": a}, skip=(name,)))
    assert [one.advice for one in caught.value.diagnostics] == [advice]


def test_chains() -> None:
    """Rules in a long row are refused where the engine's stack would end; many rules beside each other are not."""

    def chain(length: int) -> Grammar:
        rules: dict[str, Expression] = {
            f"r{one}": sequence([a, Reference(f"r{one + 1}")]) for one in range(length)
        }
        rules[f"r{length}"] = choice([a, Reference("r0"), Reference("T")])
        lexical = {**dict.fromkeys(rules, False), "T": True}
        return grammar_of({**rules, "T": a}, lexical=lexical)

    check_chain(chain(check.MAX_CHAIN // 2 - 10))
    with pytest.raises(GrammarError) as caught:
        check_chain(chain(check.MAX_CHAIN // 2 + 10))
    assert caught.value.diagnostics[0].code == "too-deep"
    many = [f"r{number}" for number in range(check.MAX_CHAIN + 10)]
    wide = {"start": choice([Reference(name) for name in many]), **dict.fromkeys(many, a)}
    check_chain(grammar_of(wide, lexical=dict.fromkeys(wide, False)))


DEEP = {
    "names": (Reference("next"), 2),
    "rows": (sequence([a, Reference("next")]), 2),
    "options": (optional(sequence([a, Reference("next")])), 3),
    "several ways": (
        choice([sequence([a, Reference("next")]), sequence([Reference("r0"), Literal("z")])]),
        3,
    ),
    "nesting": (
        Repeat(choice([Literal("x"), sequence([a, optional(choice([Reference("next"), a]))])]), 0, None),
        6,
    ),
}


@pytest.mark.parametrize("shape", DEEP)
def test_the_longest_chain_loads(shape: str) -> None:
    """In the engine itself, on a thread with the stack of any thread here."""
    one, depth = DEEP[shape]
    length = check.MAX_CHAIN // depth - 10

    def rule(number: int) -> Expression:
        following = Reference(f"r{number + 1}")
        return mapped(one, lambda part: following if part == Reference("next") else part)

    rules = {f"r{number}": rule(number) for number in range(length)}
    rules[f"r{length}"] = a
    grammar = grammar_of(rules, lexical=dict.fromkeys(rules, False))
    check_chain(grammar)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ByteEngine, emit(grammar).text).result().allowed("a") == 1
