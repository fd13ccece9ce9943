"""Which rule leads to which."""

from __future__ import annotations

from grammars.form import (
    EMPTY,
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
from grammars.passes.graph import (
    closed_under,
    components,
    is_productive,
    neighbours,
    nullable_rules,
    reachable,
    recursive,
)
from tests.fakes.small_grammars import grammar_of

a = Literal("a")


def test_reachability_and_recursion() -> None:
    """A cycle, what leads to it, what it leads to, and a rule that leads to itself."""
    R = Reference
    rules = grammar_of(
        {
            "top": sequence([R("x"), R("gone"), R("x")]),
            "x": choice([R("y"), R("leaf")]),
            "y": optional(R("x")),
            "leaf": a,
            "self": choice([a, R("self")]),
        }
    ).rules
    graph = neighbours(rules)
    assert graph == {"top": ("x",), "x": ("y", "leaf"), "y": ("x",), "leaf": (), "self": ("self",)}
    assert reachable(graph, ["top", "gone"]) == {"top", "x", "y", "leaf"}
    assert [sorted(one) for one in components(graph)] == [["leaf"], ["x", "y"], ["top"], ["self"]]
    assert recursive(graph) == {"x", "y", "self"}


def test_long_chains_need_no_recursion() -> None:
    """5,000 rules in a row."""
    rules: dict[str, Expression] = {f"r{number}": Reference(f"r{number + 1}") for number in range(5_000)}
    grammar = grammar_of({**rules, "r5000": EMPTY})
    assert len(components(neighbours(grammar.rules))) == 5_001
    assert len(nullable_rules(grammar.rules)) == 5_001


def test_nullable() -> None:
    """Every shape."""
    rules: dict[str, Expression] = {
        "empty": EMPTY,
        "text": Literal(""),
        "option": optional(a),
        "loop": Repeat(Reference("empty"), 2, None),
        "one of": choice([a, Reference("loop")]),
        "all": sequence([Reference("empty"), Reference("option")]),
        "without": Exclusion(optional(a), a),
        "no": sequence([Reference("empty"), a]),
        "set": CharacterSet(((97, 97),)),
        "without empty": Exclusion(optional(a), Literal("")),
    }
    assert nullable_rules(grammar_of(rules).rules) == set(rules) - {"no", "set", "without empty"}


def test_productive() -> None:
    """Every shape."""
    R = Reference
    rules: dict[str, Expression] = {
        "a": a,
        "pattern": Pattern("x"),
        "set": CharacterSet(((97, 97),)),
        "loop": Repeat(R("never"), 0, None),
        "one": choice([R("never"), R("a")]),
        "row": sequence([R("a"), R("one")]),
        "without": Exclusion(R("a"), R("never")),
        "some": Repeat(R("a"), 1, None),
        "never": sequence([R("never"), a]),
        "nothing": CharacterSet(),
        "at least": Repeat(R("never"), 1, None),
    }
    found = closed_under(grammar_of(rules).rules, is_productive)
    assert found == set(rules) - {"never", "nothing", "at least"}
