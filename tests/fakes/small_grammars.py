"""Random small grammars for tests of passes, and grammars written as plain mappings."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from grammars.form import (
    EMPTY,
    Annotations,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    sequence,
)

NAMES = ("A", "B", "C")


def grammar_of(
    rules: Mapping[str, Expression],
    *,
    lexical: Mapping[str, bool] | None = None,
    annotations: Annotations | None = None,
    skip: tuple[str, ...] = (),
    explicit_lexer: bool = False,
) -> Grammar:
    """A grammar of these rules that starts with the first."""
    marks = lexical or {}
    return Grammar(
        "test",
        {name: Rule(name, expression, lexical=marks.get(name)) for name, expression in rules.items()},
        next(iter(rules)),
        annotations or Annotations(),
        skip,
        explicit_lexer,
    )


def expressions(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Expression]:
    """Expressions of a few parts over the letters a, b, c, + and the names."""
    leaves = st.one_of(
        st.sampled_from([Literal(one) for one in ("a", "b", "+", "ab")]),
        st.sampled_from([Reference(name) for name in names]),
        st.just(EMPTY),
    )
    counts = st.sampled_from([(0, 1), (0, None), (1, None), (2, 3)])
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.lists(parts, min_size=1, max_size=3).map(sequence),
            st.lists(parts, min_size=2, max_size=3).map(choice),
            st.tuples(parts, counts).map(lambda pair: Repeat(pair[0], *pair[1])),
        ),
        max_leaves=6,
    )


def small_grammars() -> st.SearchStrategy[Grammar]:
    """Three rules, recursive in any way."""
    return st.tuples(*(expressions() for _ in NAMES)).map(
        lambda found: grammar_of(dict(zip(NAMES, found, strict=True)))
    )
