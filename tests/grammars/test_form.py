"""The one form: how expressions are put together, walked and rewritten."""

from __future__ import annotations

from grammars.form import (
    EMPTY,
    CharacterSet,
    Choice,
    Exclusion,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    Sequence,
    choice,
    mapped,
    optional,
    references,
    sequence,
    walk,
)

A, B, C = Literal("a"), Literal("b"), Reference("c")


def test_sequences_are_flat_and_one_item_is_itself() -> None:
    assert sequence([A, Sequence((B, C)), EMPTY]) == Sequence((A, B, C))
    assert sequence([A, EMPTY]) == A
    assert sequence([]) == EMPTY


def test_choices_are_flat_without_doubles_and_one_alternative_is_itself() -> None:
    assert choice([A, Choice((B, A)), C]) == Choice((A, B, C))
    assert choice([A, A]) == A


def test_where_it_stands_does_not_make_an_expression_another_one() -> None:
    from grammars.diagnostics import Span

    assert Literal("a", span=Span(1, 1, 1, 2)) == A


def test_walk_goes_outermost_first_and_in_order() -> None:
    whole = Sequence((Choice((A, B)), Repeat(C, 0, None), Exclusion(CharacterSet(), B)))
    assert [type(one).__name__ for one in walk(whole)] == [
        "Sequence", "Choice", "Literal", "Literal", "Repeat", "Reference", "Exclusion", "CharacterSet", "Literal",
    ]  # fmt: skip
    assert [one.name for one in references(whole)] == ["c"]


def test_mapped_rewrites_innermost_first_and_keeps_things_flat() -> None:
    def change(one: Expression) -> Expression:
        match one:
            case Reference("c"):
                return Sequence((A, B))
            case Literal("a"):
                return Literal("x")
            case _:
                return one

    whole = Sequence((C, Choice((A, C)), Repeat(C, 1, None), Exclusion(A, B)))
    ab = Sequence((A, B))
    assert mapped(whole, change) == Sequence(
        (A, B, Choice((Literal("x"), ab)), Repeat(ab, 1, None), Exclusion(Literal("x"), B))
    )


def test_an_optional_item_comes_once_or_not_at_all() -> None:
    assert optional(A) == Repeat(A, 0, 1)


def test_a_grammar_keeps_all_else_when_its_rules_change() -> None:
    before = Grammar("bnf", {"s": Rule("s", A)}, "s", skip=("blank",))
    after = before.with_rules({"s": Rule("s", B)})
    assert (after.rules["s"].expression, after.skip, after.start) == (B, ("blank",), "s")
