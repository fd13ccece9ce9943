"""Our decoder computes what transformers' does: tiny random Llama, Qwen2 and Qwen3, float32, |difference| <= 1e-5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from numpy.typing import NDArray
from torch import Tensor

from verifier.model.decoder import Decoder, Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import load_folder

TOLERANCE = 1e-5
"""Logits of the tiny models lie within about +-1, so this is a few float32 roundings."""

SIZES = {
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "vocab_size": 101,
    "max_position_embeddings": 512,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
MODELS = {
    "llama": lambda: transformers.LlamaConfig(**SIZES, rms_norm_eps=1e-5),
    "llama3-rope-tied": lambda: transformers.LlamaConfig(
        **SIZES, tie_word_embeddings=True, rope_parameters=LLAMA3
    ),
    "llama-one-kv-head-each": lambda: transformers.LlamaConfig(**{**SIZES, "num_key_value_heads": 6}),
    "qwen2": lambda: transformers.Qwen2Config(**SIZES, tie_word_embeddings=True),
    "qwen2-untied": lambda: transformers.Qwen2Config(**SIZES, tie_word_embeddings=False),
    "qwen3": lambda: transformers.Qwen3Config(**SIZES, head_dim=16, tie_word_embeddings=True),
}


def save_random(name: str, folder: Path, *, shard: str = "5GB") -> transformers.PreTrainedModel:
    """A random model of MODELS[name], saved by transformers; norms and biases are random too, not ones and zeros."""
    torch.manual_seed(1)
    model = transformers.AutoModelForCausalLM.from_config(MODELS[name](), dtype=torch.float32).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.uniform_(0.5, 1.5)
    model.save_pretrained(folder, max_shard_size=shard)
    return model


@pytest.fixture(scope="module", params=MODELS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Decoder, transformers.PreTrainedModel]:
    folder = tmp_path_factory.mktemp("model")
    theirs = save_random(request.param, folder)
    return load_folder(folder, n_positions=512).decoder, theirs


def cache_for(decoder: Decoder, n_slots: int = 4) -> KVCache:
    return KVCache(decoder.config, n_slots, 256, device=decoder.device, dtype=decoder.dtype)


def reference(model: transformers.PreTrainedModel, ids: Sequence[int]) -> Tensor:
    with torch.inference_mode():
        logits: Tensor = model(torch.tensor([ids])).logits[0]
    return logits


def random_ids(n: int, seed: int = 0) -> list[int]:
    ids: NDArray[np.int64] = np.random.default_rng(seed).integers(0, SIZES["vocab_size"], n)
    return [int(i) for i in ids]


def close(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and float((a - b).abs().max()) <= TOLERANCE


def test_whole_sequence_equals_transformers(pair: tuple[Decoder, transformers.PreTrainedModel]) -> None:
    ours, theirs = pair
    ids = random_ids(150)
    logits = ours.logits([Segment(0, 0, ids, n_wanted=len(ids))], cache_for(ours))
    assert close(logits, reference(theirs, ids))


def test_chunks_and_single_steps_equal_the_whole(pair: tuple[Decoder, transformers.PreTrainedModel]) -> None:
    """Chunks of 64, 9, 8, 3, 1 rows: both operand orders of `linear`, with and without a mask."""
    ours, theirs = pair
    ids, cache, start, rows = random_ids(86, 1), cache_for(ours), 0, []
    for size in (64, 9, 8, 3, 1, 1):
        rows.append(ours.logits([Segment(1, start, ids[start : start + size], n_wanted=size)], cache))
        start += size
    assert close(torch.cat(rows), reference(theirs, ids))


def test_a_batch_of_sequences_equals_each_alone(pair: tuple[Decoder, transformers.PreTrainedModel]) -> None:
    ours, theirs = pair
    cache = cache_for(ours)
    sequences = {slot: random_ids(20 + 7 * slot, slot) for slot in range(4)}
    ours.logits([Segment(s, 0, ids[: 5 * s + 1], n_wanted=0) for s, ids in sequences.items()], cache)
    logits = ours.logits(
        [Segment(s, 5 * s + 1, ids[5 * s + 1 :], n_wanted=s + 1) for s, ids in sequences.items()], cache
    )
    expected = torch.cat([reference(theirs, ids)[-(s + 1) :] for s, ids in sequences.items()])
    assert close(logits, expected)


def test_rollback_equals_replay(pair: tuple[Decoder, transformers.PreTrainedModel]) -> None:
    """Rows written for rejected tokens leave no trace once others are written from the same start."""
    ours, theirs = pair
    cache, ids = cache_for(ours), random_ids(40, 3)
    ours.logits([Segment(2, 0, ids[:30], n_wanted=0)], cache)
    ours.logits([Segment(2, 30, random_ids(50, 4))], cache)
    assert close(ours.logits([Segment(2, 30, ids[30:], n_wanted=10)], cache), reference(theirs, ids)[30:])


def test_each_node_of_a_tree_sees_its_own_path_only(
    pair: tuple[Decoder, transformers.PreTrainedModel],
) -> None:
    ours, theirs = pair
    cache, trunk = cache_for(ours), random_ids(12, 5)
    nodes, parents = random_ids(6, 6), [-1, -1, 0, 0, 1, 4]
    paths = [[0], [1], [0, 2], [0, 3], [1, 4], [1, 4, 5]]
    ours.logits([Segment(0, 0, trunk[:9], n_wanted=0)], cache)
    logits = ours.logits([Segment(0, 9, [*trunk[9:], *nodes], parents, n_wanted=7)], cache)
    expected = [
        reference(theirs, trunk)[-1],
        *(reference(theirs, trunk + [nodes[i] for i in p])[-1] for p in paths),
    ]
    assert close(logits, torch.stack(expected))
    cache.keep_rows(0, 12, paths[-1])
    path = trunk + [nodes[i] for i in paths[-1]]
    assert close(ours.logits([Segment(0, 15, [7])], cache), reference(theirs, [*path, 7])[-1:])


def test_a_copied_prefix_serves_another_slot(pair: tuple[Decoder, transformers.PreTrainedModel]) -> None:
    ours, theirs = pair
    cache, ids = cache_for(ours), random_ids(25, 8)
    ours.logits([Segment(0, 0, ids[:20], n_wanted=0)], cache)
    cache.copy_prefix(0, 3, 20)
    assert close(ours.logits([Segment(3, 20, ids[20:], n_wanted=5)], cache), reference(theirs, ids)[20:])


def test_bfloat16_runs_and_stays_near_float32(tmp_path: Path) -> None:
    """Within 0.05 of float32 logits that lie within about +-1: bf16 carries 8 bits."""
    theirs = save_random("qwen3", tmp_path)
    ours = load_folder(tmp_path, n_positions=64, dtype=torch.bfloat16).decoder
    ids = random_ids(30)
    logits = ours.logits([Segment(0, 0, ids, n_wanted=30)], cache_for(ours))
    assert logits.dtype == torch.bfloat16
    assert float((logits.float() - reference(theirs, ids)).abs().max()) < 0.05
