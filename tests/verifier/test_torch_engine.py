"""The torch engine on a tiny model: one step for many sessions says what plain one-token decoding says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from speculation import sparse
from speculation.sampling import Sampling, draw
from tests.fakes.tiny_model import N_VOCAB, load_tiny, write_model
from verifier.engine import Block, Decided, Failed, Prefilled, Request, Rule
from verifier.errors import EngineFailed, ModelUnusable
from verifier.model.decoder import Decoder, Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel, load_folder
from verifier.reference import GREEDY_RULE, continuation, greedy_continuation
from verifier.torch_engine import TorchEngine

SAMPLED = Rule("match", Sampling(1.0, 0.95), seed=5)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def engine(model: LoadedModel) -> TorchEngine:
    return TorchEngine(model, n_slots=4, chunk_tokens=32)


def logits_after(model: LoadedModel, tokens: Sequence[int]) -> NDArray[np.float32]:
    """One row, computed from nothing."""
    decoder = model.decoder
    cache = KVCache(decoder.config, 1, 128, device=decoder.device, dtype=decoder.dtype)
    row: NDArray[np.float32] = decoder.logits([Segment(0, 0, list(tokens))], cache)[0].numpy()
    return row


def context(seed: int, n: int) -> list[int]:
    return random.Random(seed).choices(range(N_VOCAB), k=n)


@pytest.mark.parametrize("rule", [GREEDY_RULE, SAMPLED], ids=["greedy", "sampled"])
def test_plain_decoding_is_the_models_own(model: LoadedModel, engine: TorchEngine, rule: Rule) -> None:
    tokens = context(0, 50)
    said = continuation(engine, tokens, 12, rule)
    for i, token in enumerate(said):
        row = logits_after(model, [*tokens, *said[:i]])
        assert token == draw(row, rule.sampling, rule.seed, len(tokens) + i)
    assert len(set(said)) > 3, "a model that always says the same proves nothing"


@pytest.mark.parametrize("rule", [GREEDY_RULE, SAMPLED], ids=["greedy", "sampled"])
@pytest.mark.parametrize("wrong_at", range(6))
def test_every_reject_position(engine: TorchEngine, rule: Rule, wrong_at: int) -> None:
    """A block of 5 that is wrong at `wrong_at` (5: nowhere), and then on from there without a trace of it."""
    tokens = context(1, 20)
    own = continuation(engine, tokens, 12, rule)
    draft = own[:5]
    if wrong_at < 5:
        draft[wrong_at] = (draft[wrong_at] + 1) % N_VOCAB
    [result] = engine.verify([Request(1, tokens, rule, 0, Block(tuple(draft)))])
    assert result == Decided(tuple(range(wrong_at)), own[wrong_at])
    commit = tokens + own[: wrong_at + 1]
    rest = tuple(own[wrong_at + 1 : 11])
    [result] = engine.verify([Request(1, commit, rule, 1, Block(rest))])
    assert result == Decided(tuple(range(len(rest))), own[11])


def test_a_step_of_many_sessions_equals_each_alone(engine: TorchEngine) -> None:
    contexts = {session: context(session, 5 + 4 * session) for session in range(1, 4)}
    own = {
        s: continuation(engine, tokens, 6, SAMPLED if s == 2 else GREEDY_RULE)
        for s, tokens in contexts.items()
    }
    batch = [
        Request(
            s, tokens, SAMPLED if s == 2 else GREEDY_RULE, 0, Block((*own[s][:s], (own[s][s] + 1) % N_VOCAB))
        )
        for s, tokens in contexts.items()
    ]
    assert engine.verify(batch) == [Decided(tuple(range(s)), own[s][s]) for s in contexts]


def test_a_tree_keeps_its_accepted_path_only(engine: TorchEngine) -> None:
    tokens = context(4, 15)
    own = greedy_continuation(engine, tokens, 8)
    other = [(token + 1) % N_VOCAB for token in own]
    tree = Block((other[0], own[0], other[1], own[1], own[2]), (-1, -1, 1, 1, 3))
    assert engine.verify([Request(1, tokens, GREEDY_RULE, 0, tree)]) == [Decided((1, 3, 4), own[3])]
    engine.verify([Request(1, tokens + own[:4], GREEDY_RULE, 1, Block(tuple(own[4:7])))])
    slot = engine._slots.assign(1, tokens).slot
    assert slot.tokens == tokens + own[:7]
    assert engine.verify([Request(1, tokens + own[:5], GREEDY_RULE, 1)]) == [Decided((), own[5])]


def test_a_long_context_takes_several_steps_and_others_are_served_in_each(engine: TorchEngine) -> None:
    long, short = context(5, 100), context(6, 10)
    expected_long, expected_short = (
        greedy_continuation(engine, long, 1),
        greedy_continuation(engine, short, 4),
    )
    engine = TorchEngine(engine_model(engine), n_slots=4, chunk_tokens=32)
    remaining, said = [], []
    while len(said) < 4:
        results = engine.verify([Request(1, long, GREEDY_RULE, 0), Request(2, short + said, GREEDY_RULE, 0)])
        assert isinstance(results[1], Decided)
        said.append(results[1].next_id)
        remaining.append(results[0].remaining if isinstance(results[0], Prefilled) else results[0])
    assert said == expected_short
    assert remaining == [68, 36, 4, Decided((), expected_long[0])]


def engine_model(engine: TorchEngine) -> LoadedModel:
    return LoadedModel("tiny", "1", engine._decoder, 128, engine.vocabulary)


def test_two_long_contexts_share_a_step(engine: TorchEngine) -> None:
    batch = [Request(s, context(s, 60), GREEDY_RULE, 0) for s in (1, 2)]
    assert engine.verify(batch) == [Prefilled(44), Prefilled(44)]


def test_a_request_that_decides_nothing_only_fills_the_cache(engine: TorchEngine) -> None:
    tokens = context(7, 20)
    ask = Request(1, tokens, GREEDY_RULE, 0, decide=False)
    assert engine.verify([ask]) == [Prefilled(0)]
    assert engine._slots.assign(1, tokens).cached == 19
    assert engine.verify([ask]) == [Prefilled(0)], "nothing to run at all"
    assert engine.verify([Request(1, tokens, GREEDY_RULE, 0)]) == [
        Decided((), greedy_continuation(engine, tokens, 1)[0])
    ]


def test_a_new_session_inherits_the_common_prefix_of_a_freed_and_of_a_live_one(engine: TorchEngine) -> None:
    tokens = context(8, 30)
    expected = greedy_continuation(engine, [*tokens[:25], 3, 4], 3)
    engine.verify([Request(1, tokens, GREEDY_RULE, 0)])
    assert engine._locate(Request(2, [*tokens[:25], 3, 4], GREEDY_RULE, 0), ())[1] == 25, (
        "copied from the live one"
    )
    assert greedy_continuation(engine, [*tokens[:25], 3, 4], 3) == expected
    engine.release(1)
    assert engine._locate(Request(3, [*tokens[:29], 9], GREEDY_RULE, 0), ())[1] == 29, "left by the freed one"


def test_random_edits_rollbacks_and_releases_never_change_what_is_said(model: LoadedModel) -> None:
    """The cache is only a cache: 60 random requests over four slots equal a fresh computation each."""
    rng = random.Random(3)
    engine = TorchEngine(model, n_slots=3, chunk_tokens=200)
    tokens = {session: context(session, 12) for session in range(3)}
    for _ in range(60):
        session = rng.randrange(3)
        if rng.random() < 0.2:
            engine.release(session)
            tokens[session] = list(tokens[rng.randrange(3)])
        keep = rng.randint(1, len(tokens[session]))
        tokens[session] = tokens[session][:keep] + rng.choices(range(N_VOCAB), k=rng.randint(0, 3))
        draft = tuple(rng.choices(range(N_VOCAB), k=rng.randint(0, 4)))
        [result] = engine.verify([Request(session, tokens[session], GREEDY_RULE, 0, Block(draft))])
        assert isinstance(result, Decided)
        said = [*(draft[i] for i in result.accepted), result.next_id]
        for i, token in enumerate(said):
            assert token == logits_after(model, tokens[session] + said[:i]).argmax()
        tokens[session] = (tokens[session] + said)[:60]


@pytest.mark.parametrize("mode", ["ratio", "block"])
def test_ratio_modes_run_and_are_reproducible(engine: TorchEngine, mode: str) -> None:
    tokens = context(9, 10)
    q = sparse.quantise(np.arange(4), np.array([0.4, 0.3, 0.2, 0.1]))
    rule = Rule(mode, Sampling(1.0), seed=1)  # type: ignore[arg-type]
    ask = Request(1, tokens, rule, 0, Block((1, 2), q=(q, q)))
    assert engine.verify([ask]) == engine.verify([ask])


def test_unusable_logits_fail_the_request_that_sees_them_only(tmp_path: Path) -> None:
    model = load_folder(write_model(tmp_path / "model"), n_positions=64)
    weights, config = model.decoder.weights, model.decoder.config
    embedding = weights.embedding.clone()
    embedding[7] = torch.nan
    broken = replace(model, decoder=Decoder(config, replace(weights, embedding=embedding), 64))
    engine = TorchEngine(broken, n_slots=2, chunk_tokens=64)
    results = engine.verify([Request(1, [1, 7], GREEDY_RULE, 0), Request(2, [1, 2], GREEDY_RULE, 0)])
    assert isinstance(results[0], Failed)
    assert isinstance(results[1], Decided)


def test_a_failed_step_is_an_error_and_leaves_the_cache_usable(engine: TorchEngine) -> None:
    tokens = context(10, 9)
    expected = greedy_continuation(engine, tokens, 1)
    with pytest.raises(EngineFailed, match="forward pass failed"):
        engine.verify([Request(1, [*tokens, N_VOCAB + 5], GREEDY_RULE, 0)])
    assert engine.verify([Request(1, tokens, GREEDY_RULE, 0)]) == [Decided((), expected[0])]


def test_a_folder_without_a_tokenizer_is_not_served(tmp_path: Path) -> None:
    (write_model(tmp_path) / "tokenizer.json").unlink()
    with pytest.raises(ModelUnusable, match=r"tokenizer\.json"):
        TorchEngine(load_folder(tmp_path, n_positions=64), n_slots=1, chunk_tokens=8)
