"""The benchmark of the grammars measures what it says: in small, with a made-up vocabulary and no model."""

from __future__ import annotations

import base64
from pathlib import Path
from random import Random

import numpy as np
import pytest

from benchmarks import masks
from benchmarks.dsl.grammars import Language, language_of
from benchmarks.mask import documents as mask_documents
from benchmarks.mask import loading as mask_loading
from benchmarks.mask.search import Steps, engine_share, made_up_rows, step_through, with_made_up_rows
from benchmarks.mask.vocabularies import LARGE, MeasuredVocabulary, large
from grammars.cursor import GrammarState
from grammars.engine import TokenTable, load
from tests.fakes.grammar_engine import CONTROL, PIECES, QUERIES, STOP, recogniser, token_table


@pytest.fixture(scope="module")
def language() -> Language:
    return language_of("promql", 1)


@pytest.fixture(scope="module")
def table() -> TokenTable:
    return token_table()


def base() -> MeasuredVocabulary:
    pieces = (*PIECES, *(f"w{n}".encode() for n in range(400)))
    return MeasuredVocabulary("49k", "made up", pieces, frozenset({CONTROL, STOP}), frozenset({STOP}))


def test_the_search_is_the_argmax_under_the_mask(language: Language, table: TokenTable) -> None:
    """`step_through` raises where it is not."""
    steps = with_made_up_rows([language], table, 300, seed=1)
    assert len(steps.search_us) == len(steps.mask_us) == len(steps.push_us) == 300
    assert steps.checks >= 300 - steps.full_masks
    figures = masks.search_figures(steps, "49k")
    assert set(figures) >= {"search_p50_us_49k", "search_p99_us_49k", "search_max_us_49k"}


def test_a_step_without_a_legal_candidate_takes_the_mask(table: TokenTable) -> None:
    state = GrammarState(recogniser(QUERIES, table), table)
    row = np.where(state.mask(), -np.inf, 0).astype(np.float32)
    row[PIECES.index(b"SELECT")] = -5
    steps = step_through(state, table, [PIECES.index(b"SELECT")], iter([row]))
    assert steps.full_masks == 1


def test_a_refused_token_ends_the_run(table: TokenTable) -> None:
    state = GrammarState(recogniser(QUERIES, table), table)
    token = table.greedy(b"=")[0]
    with pytest.raises(RuntimeError, match="a token of a valid file is refused: b'='"):
        step_through(state, table, [token], made_up_rows([token], table.n_vocab, 1))


def test_the_engine_s_share_is_of_the_model_s_step() -> None:
    steps = Steps(search_us=[10, 30], push_us=[10, 10], decode_us=[1000, 2000])
    assert engine_share(steps) == pytest.approx(0.02)
    assert engine_share(Steps(search_us=[1], push_us=[1])) is None


def test_documents_errors_and_suffixes_are_measured(language: Language, table: TokenTable) -> None:
    template = load(language.compiled, table)
    keys = mask_documents.key_times(language, template, table, 1)
    assert (len(keys.cold), len(keys.edit_at_start)) == (1, 3)
    found = mask_documents.recoveries(language, template, table, errors=1, trials=3, seed=1)
    assert found.trials == 3
    assert found.right + found.wrong <= 3
    cut = mask_documents.trims(language, template, table, cursors=2, seed=1)
    assert (cut.trials, len(cut.ms)) == (10, 10)
    assert mask_documents.pop_us(language, template, table, 1)
    assert len(mask_documents.step_us(language, template, table, 1_000, 1)) > 100


def test_a_file_is_broken_in_its_first_three_quarters() -> None:
    text = "".join(f"line {n} of it\n" for n in range(40))
    quarter = text[len(text) * 3 // 4 + 20 :]
    for seed in range(40):
        broken = mask_documents.corrupted(text, Random(seed))
        assert broken.endswith(quarter)


def test_generated_grammars_have_as_many_rules_as_asked_for(table: TokenTable) -> None:
    text = mask_loading.grammar_of(100)
    assert text.count("::=") == 100
    figures = mask_loading.load_ms(table)
    assert figures["load_cached_ms"] < figures["load_100_rules_ms"] < figures["load_1000_rules_ms"]


def test_lark_follows_the_same_file(table: TokenTable) -> None:
    found = mask_loading.beside_lark(table, 1)
    assert found["ours_ms"] > 0
    assert "lark_earley_ms" in found or "lark_earley_refuses" in found


def test_the_large_vocabulary_is_read_from_ranks_or_put_together(tmp_path: Path) -> None:
    file = tmp_path / "some.tiktoken"
    lines = [
        f"{base64.b64encode(piece).decode()} {rank}" for rank, piece in enumerate((b"a", b"\xff", b"bc"))
    ]
    file.write_text("\n".join(lines), encoding="ascii")
    read = large(base(), file)
    assert read.token_bytes[:4] == (b"a", b"\xff", b"bc", b"")
    assert len(read.token_bytes) == LARGE
    assert (read.stop_ids, read.origin) == ({3}, "some.tiktoken")
    assert STOP not in read.control_ids


@pytest.mark.parametrize("content", ["not base64!! 0", "YQ== 1", "YQ=="])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "some.tiktoken"
    file.write_text(content, encoding="ascii")
    with pytest.raises(ValueError, match=r"some\.tiktoken: "):
        large(base(), file)


def test_every_figure_with_a_goal_is_printed_by_its_name() -> None:
    assert all(goal.split()[0] in ("<=", ">=") and float(goal.split()[1]) for goal in masks.GOALS.values())
