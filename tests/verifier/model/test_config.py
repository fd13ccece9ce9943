"""Model configurations: what is read from both formats, and what is refused by name."""

from __future__ import annotations

import pytest

from verifier.errors import ModelUnusable
from verifier.model.config import Llama3Scaling, from_gguf, from_hf

HF: dict[str, object] = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 50,
}
GGUF: dict[str, object] = {
    "general.architecture": "qwen3",
    "qwen3.block_count": 2,
    "qwen3.embedding_length": 64,
    "qwen3.feed_forward_length": 96,
    "qwen3.attention.head_count": 4,
    "qwen3.attention.head_count_kv": 2,
    "qwen3.attention.key_length": 32,
    "qwen3.context_length": 4096,
    "qwen3.rope.freq_base": 1e6,
    "qwen3.attention.layer_norm_rms_epsilon": 1e-6,
}
SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def test_defaults_of_an_old_llama() -> None:
    config = from_hf(HF)
    assert (config.n_kv_heads, config.head_dim, config.group, config.rope_theta) == (4, 16, 1, 10000.0)
    assert (config.tied_head, config.qk_norm, config.rope_scaling) == (False, False, None)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_theta": 5e5, "rope_scaling": SCALING},
        {"rope_parameters": {**SCALING, "rope_theta": 5e5}},
    ],
    ids=["transformers 4", "transformers 5"],
)
def test_llama3_scaling_in_both_spellings(rope: dict[str, object]) -> None:
    config = from_hf({**HF, **rope})
    assert config.rope_theta == 5e5
    assert config.rope_scaling == Llama3Scaling(8.0, 1.0, 4.0, 8192)


def test_gguf_metadata() -> None:
    config = from_gguf(GGUF, n_vocab=50, tied_head=True)
    assert (config.family, config.head_dim, config.n_kv_heads, config.group, config.qk_norm) == (
        "qwen3",
        32,
        2,
        2,
        True,
    )
    assert (config.rope_theta, config.max_positions, config.n_vocab, config.tied_head) == (
        1e6,
        4096,
        50,
        True,
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model_type": "gpt2"}, "runs llama, qwen2, qwen3 models, not 'gpt2'"),
        ({"hidden_act": "gelu"}, "activation 'gelu'"),
        ({"mlp_bias": True}, "biases in the feed-forward"),
        ({"use_sliding_window": True}, "sliding-window"),
        ({"quantization_config": {}}, "quantised safetensors"),
        ({"partial_rotary_factor": 0.5, "rope_parameters": {"partial_rotary_factor": 0.5}}, "partial rotary"),
        ({"rope_scaling": {"type": "yarn"}}, "rope scaling 'yarn'"),
        ({"num_hidden_layers": "many"}, "no usable 'num_hidden_layers' (found 'many')"),
        ({"rms_norm_eps": -1}, "no usable 'rms_norm_eps'"),
        ({"num_key_value_heads": 3}, "do not divide"),
    ],
)
def test_what_is_not_computed_is_refused_by_name(change: dict[str, object], words: str) -> None:
    with pytest.raises(ModelUnusable) as refused:
        from_hf({**HF, **change})
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"qwen3.expert_count": 8}, "mixtures of experts"),
        ({"qwen3.rope.scaling.type": "yarn"}, "rope scaling 'yarn'"),
        ({"qwen3.rope.dimension_count": 16}, "partial rotary"),
        ({"general.architecture": "mamba"}, "not 'mamba'"),
    ],
)
def test_what_gguf_models_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(ModelUnusable, match=words):
        from_gguf({**GGUF, **change}, n_vocab=50, tied_head=True)
