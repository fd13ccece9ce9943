"""What may follow a terminal, and what may stand in its place."""

from __future__ import annotations

import pytest

from grammars.form import (
    CharacterSet,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes.automaton import bits
from grammars.passes.following import beside_alike, following
from tests.fakes.small_grammars import grammar_of

a, b, c = Literal("a"), Literal("b"), Literal("c")
W = Reference("W")


def after(rules: dict[str, Expression], *transparent: str) -> tuple[dict[str, str], dict[str, str]]:
    """Terminal -> what may come after it, and beside it, as texts."""
    grammar = grammar_of({**rules, "W": Literal(" ")}, lexical={**dict.fromkeys(rules, False), "W": True})
    terminals = {a: False, b: False, c: False, "W": True}
    found = following(grammar.rules, next(iter(rules)), terminals, transparent)
    names = "abcW"
    return tuple(
        {
            name: "".join(names[bit] for bit in bits(sets[key]))
            for key, name in zip(terminals, names, strict=True)
        }
        for sets in (found.after, found.beside)
    )  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"S": sequence([a, b])}, {"a": "b", "b": "", "c": "", "W": ""}),
        ({"S": sequence([a, optional(b), c])}, {"a": "bc", "b": "c", "c": "", "W": ""}),
        ({"S": Repeat(choice([a, b]), 0, None)}, {"a": "ab", "b": "ab", "c": "", "W": ""}),
        ({"S": sequence([Repeat(a, 0, 1), Literal("")])}, {"a": "", "b": "", "c": "", "W": ""}),
        (
            {"S": sequence([Reference("T"), c]), "T": sequence([a, Reference("U")]), "U": optional(b)},
            {"a": "bc", "b": "c", "c": "", "W": ""},
        ),
        ({"S": choice([a, sequence([Reference("S"), b])])}, {"a": "b", "b": "b", "c": "", "W": ""}),
        ({"S": sequence([a, W, b])}, {"a": "bW", "b": "", "c": "", "W": "b"}),
    ],
)
def test_after(rules: dict[str, Expression], expected: dict[str, str]) -> None:
    """Through options, repetitions, rules and terminals that may be empty."""
    assert after(rules)[0] == expected


def test_transparent() -> None:
    """What is taken for empty does not count itself."""
    assert after({"S": sequence([a, W, W, b])}, "W")[0] == {"a": "b", "b": "", "c": "", "W": "b"}


def test_beside() -> None:
    """Terminals that may stand at the same place, the first one included."""
    assert after({"S": sequence([choice([a, b]), optional(c), a])})[1] == {
        "a": "abc",
        "b": "ab",
        "c": "ac",
        "W": "",
    }


def test_sets_are_in_terminals() -> None:
    """A pass forgot something: that is a bug here."""
    with pytest.raises(AssertionError, match="not in a terminal"):
        after({"S": CharacterSet(((97, 97),))})


def test_beside_where_a_text_may_be_two_terminals() -> None:
    """After a text that is `a` and W what follows either may stand: `b` beside `c`."""
    rules = {"s": choice([sequence([a, b]), sequence([W, c])])}
    grammar = grammar_of({**rules, "W": Literal("a")}, lexical={"s": False, "W": True})
    found = following(grammar.rules, "s", {a: False, b: False, c: False, "W": False})
    assert found.beside[b] == 0b0010
    beside = beside_alike(found, {a: 0b1000})
    assert (beside[b], beside[c]) == (0b0110, 0b0110)
    assert beside_alike(found, {a: 0b0010})[b] == 0b0010


def test_beside_each_other_where_there_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find out which of them would take too long."""
    grammar = grammar_of({"s": sequence([a, b])}, lexical={"s": False})
    found = following(grammar.rules, "s", {a: False, b: False})
    monkeypatch.setattr("grammars.passes.following.MANY", 1)
    assert beside_alike(found, {}) == {a: 0b11, b: 0b11}
