"""llguidance behind our door: any bytes are followed, nothing poisons it, what fails is ours to name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grammars.diagnostics import GrammarError
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from grammars.interface import RecogniserFailed
from tests.fakes.grammar_engine import (
    CONTROL,
    OTHER_STOP,
    PIECES,
    QUERIES,
    STOP,
    compiled,
    recogniser,
    token_table,
)


@pytest.fixture(scope="module")
def table() -> TokenTable:
    return token_table()


def spelled(table: TokenTable, tokens: list[int]) -> bytes:
    lacking = [byte for byte in range(256) if bytes([byte]) not in PIECES]
    words = [*table.token_bytes, *(bytes([byte]) for byte in lacking)]
    return b"".join(words[token] for token in tokens)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"SELECT a",
        "状态机".encode(),
        "状态机".encode()[1:-1],
        b"a\xff\xfe\xf3z\xc3",
        b"\x06\x00<pad><end>",
        "\U000f0000".encode(),
    ],
)
def test_any_bytes_are_spelled_in_tokens(table: TokenTable, data: bytes) -> None:
    tokens = table.greedy(data)
    assert spelled(table, tokens) == data
    assert sum(map(table.length, tokens)) == len(data)
    assert [bytes_ for token in tokens for bytes_ in table.single_bytes(token)] == [
        table.byte_tokens[byte] for byte in data
    ]


def test_the_longest_token_is_taken(table: TokenTable) -> None:
    assert table.greedy(b"SELECT") == [PIECES.index(b"SELECT")]


def test_control_and_stop_tokens_stand_for_no_text(table: TokenTable) -> None:
    assert table.n_vocab == len(PIECES)
    assert table.stop_ids == {STOP, OTHER_STOP}
    assert table.control_ids == {CONTROL}
    assert [table.token_bytes[token] for token in (CONTROL, STOP, OTHER_STOP)] == [b""] * 3


def test_consume_takes_what_is_allowed_and_leaves_the_rest(table: TokenTable) -> None:
    queries = recogniser(QUERIES, table)
    tokens = table.greedy(b"SELECT a FROM b;")
    assert queries.consume([*tokens, table.greedy(b")")[0]]) == len(tokens)
    assert queries.accepting()
    assert queries.valid(tokens) == len(tokens)
    queries.rollback(2)
    assert not queries.accepting()
    assert queries.consume(tokens[-2:]) == 2


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["SELECT", " a", " FROM b", ";"], 4),
        (["SELECT", " a b", ";"], 1),
        (["SELECT a", "", ") FROM"], 2),
        ([";"], 0),
        ([], 0),
    ],
)
def test_pieces_are_consumed_up_to_the_first_that_is_not_allowed(
    table: TokenTable, texts: list[str], count: int
) -> None:
    """What is left stands where `consume` would, and can be taken back."""
    queries, single = recogniser(QUERIES, table), recogniser(QUERIES, table)
    before = queries.mask()
    pieces = [table.greedy(text.encode()) for text in texts]
    tokens = [token for piece in pieces[:count] for token in piece]
    assert queries.consume_pieces(pieces) == count
    assert single.consume(tokens) == len(tokens)
    assert (queries.mask() == single.mask()).all()
    assert queries.accepting() == single.accepting()
    queries.rollback(len(tokens))
    assert (queries.mask() == before).all()


def test_the_mask_says_what_valid_says_and_is_as_wide_as_the_logits(table: TokenTable) -> None:
    queries = recogniser(QUERIES, table)
    for token in [None, *table.greedy("SELECT (状), 'a b' FROM b; --x".encode())]:
        if token is not None:
            assert queries.consume([token]) == 1
        mask = queries.mask()
        assert mask.shape == (len(PIECES),)
        assert mask.dtype == np.bool_
        assert mask.tolist() == [queries.valid([token]) == 1 for token in range(table.n_vocab)]
        assert not mask[[CONTROL, STOP, OTHER_STOP]].any()


def test_nothing_goes_on_after_a_text_that_is_over(table: TokenTable) -> None:
    word = recogniser('start: "ab"\n', table)
    tokens = table.greedy(b"ab")
    assert word.consume(tokens) == 2
    assert word.accepting()
    assert not word.mask().any()
    assert word.valid(tokens) == 0
    assert word.consume_pieces([tokens]) == 0
    word.rollback(1)
    assert word.valid(tokens[1:]) == 1


def test_a_copy_moves_by_itself(table: TokenTable) -> None:
    queries = recogniser(QUERIES, table)
    queries.consume(table.greedy(b"SELECT "))
    copy = queries.copy()
    assert copy.consume(table.greedy(b"a FROM b;"))
    assert copy.accepting()
    assert not queries.accepting()


@pytest.mark.parametrize("tokens", [[-1], [5, 10**9]])
def test_ids_that_the_engine_lacks_are_refused_before_it_sees_them(
    table: TokenTable, tokens: list[int]
) -> None:
    queries = recogniser(QUERIES, table)
    for method in (queries.consume, queries.valid):
        with pytest.raises(ValueError, match="tokens out of range"):
            method(tokens)
    with pytest.raises(ValueError, match="tokens out of range"):
        queries.consume_pieces([table.greedy(b"SELECT"), tokens])
    assert queries.valid(table.greedy(b"SELECT")) == 1


def test_a_grammar_that_the_engine_does_not_take_is_an_error_in_the_author_s_names(table: TokenTable) -> None:
    with pytest.raises(GrammarError, match='unknown name: "my rule"') as refused:
        load(compiled("start: my_rule_1\n", names={"my_rule_1": "my rule"}), table)
    (finding,) = refused.value.diagnostics
    assert (finding.code, finding.severity) == ("engine", "error")
    assert "\n" not in finding.message
    assert finding.advice


def test_a_limit_of_the_engine_is_a_failure_that_stays(table: TokenTable) -> None:
    letters = " | ".join(f'"{chr(97 + n)}"' for n in range(26))
    scannerless = recogniser(f"start: word\nword: letter | word letter\nletter: {letters}\n", table)
    wide = TokenTable(
        [bytes([97 + n // 676, 97 + n // 26 % 26, 97 + n % 26]) * 12 for n in range(17_000)],
        control_ids=(),
        stop_ids=(),
    )
    too_much = load(compiled(f"start: word\nword: letter | word letter\nletter: {letters}\n"), wide)
    assert scannerless.mask().any()
    for _ in range(2):
        with pytest.raises(RecogniserFailed, match="Too many items"):
            too_much.mask()
    with pytest.raises(RecogniserFailed):
        too_much.consume([1])
    with pytest.raises(RecogniserFailed):
        too_much.copy()


class PanicException(BaseException):
    """By its name what pyo3 raises for a panic."""


class Matcher:
    """An LLMatcher that does one thing, whatever it is asked."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def validate_tokens(self, tokens: list[int]) -> int:
        if self.error is not None:
            raise self.error
        return 0

    try_consume_tokens = validate_tokens

    def rollback(self, count: int) -> bool:
        return False

    def is_error(self) -> bool:
        return self.error is None

    def get_error(self) -> str:
        return ""


def test_a_panic_of_the_engine_is_a_failure(table: TokenTable) -> None:
    broken = LlguidanceRecogniser(Matcher(PanicException("index out of bounds\nat x.rs")), table)
    with pytest.raises(RecogniserFailed, match=r"the engine failed: index out of bounds$") as failed:
        broken.valid([1])
    assert isinstance(failed.value.__cause__, PanicException)
    with pytest.raises(RecogniserFailed):
        broken.rollback(1)


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt(), SystemExit(1), OverflowError("x")])
def test_other_exceptions_pass_through(table: TokenTable, interrupt: BaseException) -> None:
    with pytest.raises(type(interrupt)):
        LlguidanceRecogniser(Matcher(interrupt), table).valid([1])


@pytest.mark.parametrize("method", ["valid", "consume"])
def test_less_than_was_asked_may_be_a_failure(table: TokenTable, method: str) -> None:
    with pytest.raises(RecogniserFailed, match="no reason given"):
        getattr(LlguidanceRecogniser(Matcher(None), table), method)([1])


def test_a_rollback_that_is_refused_is_a_failure(table: TokenTable) -> None:
    poor = LlguidanceRecogniser(Matcher(None), table)
    poor.rollback(0)
    with pytest.raises(RecogniserFailed):
        poor.rollback(3)


def test_a_panic_while_loading_is_an_error_of_the_grammar(
    table: TokenTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Panicking:
        grammar_from_lark = staticmethod(str)

        def __new__(cls, *args: Any, **keywords: Any) -> Any:
            raise PanicException("stack overflow")

    monkeypatch.setattr("llguidance.LLMatcher", Panicking)
    with pytest.raises(GrammarError, match="can't be loaded: the engine failed: stack overflow"):
        load(compiled("start: x\n"), table)
