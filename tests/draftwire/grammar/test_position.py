"""What may come at a place: with the fake engine's vocabulary of bytes."""

from __future__ import annotations

import pytest

from draftwire.grammar.position import next_at
from grammars.compiler import compile_text
from tests.fakes.engine import FakeEngine
from tests.fakes.grammars import table_of
from tests.fakes.orders import GRAMMAR, TEXT, WRONG

ORDERS = compile_text(GRAMMAR, file_name="orders.bnf")


@pytest.mark.parametrize(
    ("text", "mode", "expected", "may_end"),
    [
        ("", "masked", {'"buy"', '"sell"', '"付款"'}, False),
        (TEXT, "masked", {'"buy"', '"sell"', '"付款"'}, True),
        ("buy 12 ", "masked", {"name"}, False),
        (WRONG, "unmasked", set(), True),
    ],
)
def test_terminals_and_tokens(text: str, mode: str, expected: set[str], may_end: bool) -> None:
    found = next_at(ORDERS, table_of(), text, len(text), most=5)
    assert (found.mode.kind, set(found.expected), found.may_end) == (mode, expected, may_end)
    assert len(found.tokens) == 5
    assert found.vocabulary == table_of().n_vocab


def test_ends_are_no_tokens_to_show() -> None:
    found = next_at(ORDERS, table_of(), TEXT, len(TEXT), most=1000)
    assert all(token.data for token in found.tokens)
    assert found.allowed == len(found.tokens)


def test_a_model_puts_its_best_first_and_bytes_are_shown_as_such() -> None:
    engine = FakeEngine()
    found = next_at(ORDERS, table_of(), "付款 ", 3, most=8, engine=engine)
    logits = [token.logit for token in found.tokens if token.logit is not None]
    assert len(logits) == len(found.tokens) > 0
    assert logits == sorted(logits, reverse=True)
    texts = {token.text for token in next_at(ORDERS, table_of(), "付款 ", 3, most=400).tokens}
    assert "a" in texts
    assert "\\xe8" in texts
