"""What shape a decoder of the Llama family has, read from a Hugging Face `config.json` or from GGUF metadata.

Supported: Llama (1 to 3.x with `llama3` rope scaling), Qwen2 / Qwen2.5 and Qwen3, dense. Everything the decoder does
not compute is refused here by name, so that a model is never run as something it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from verifier.errors import ModelUnusable

Family = Literal["llama", "qwen2", "qwen3"]
_FAMILIES: dict[str, Family] = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}


@dataclass(frozen=True, slots=True)
class Llama3Scaling:
    """Rope frequencies stretched as in Llama 3.1: long wavelengths by `factor`, short ones not at all."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_positions: int


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """The numbers a decoder of the Llama family is built from."""

    family: Family
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    hidden: int
    intermediate: int
    n_vocab: int
    max_positions: int
    norm_eps: float
    rope_theta: float
    rope_scaling: Llama3Scaling | None
    tied_head: bool

    @property
    def qk_norm(self) -> bool:
        """Whether q and k are RMS-normalised per head (Qwen3)."""
        return self.family == "qwen3"

    @property
    def group(self) -> int:
        """Query heads per key-value head."""
        return self.n_heads // self.n_kv_heads


def from_hf(config: Mapping[str, object]) -> DecoderConfig:
    """The configuration in a parsed `config.json` (transformers 4, 5). Raises ModelUnusable: what is not supported."""
    family = _family(str(config.get("model_type")))
    _require(config.get("hidden_act", "silu") == "silu", f"activation {config.get('hidden_act')!r}")
    _require(not config.get("mlp_bias"), "biases in the feed-forward layers")
    _require(not config.get("use_sliding_window"), "sliding-window attention")
    _require(config.get("quantization_config") is None, "quantised safetensors weights")
    heads, hidden = _int(config, "num_attention_heads"), _int(config, "hidden_size")
    rope = _rope_parameters(config)
    return _checked(
        DecoderConfig(
            family=family,
            n_layers=_int(config, "num_hidden_layers"),
            n_heads=heads,
            n_kv_heads=_int(config, "num_key_value_heads", heads),
            head_dim=_int(config, "head_dim", hidden // heads),
            hidden=hidden,
            intermediate=_int(config, "intermediate_size"),
            n_vocab=_int(config, "vocab_size"),
            max_positions=_int(config, "max_position_embeddings", 2048),
            norm_eps=_float(config, "rms_norm_eps", 1e-6),
            rope_theta=_float(rope, "rope_theta", 10000.0),
            rope_scaling=_hf_scaling(rope),
            tied_head=bool(config.get("tie_word_embeddings", False)),
        )
    )


def from_gguf(metadata: Mapping[str, object], *, n_vocab: int, tied_head: bool) -> DecoderConfig:
    """The configuration in a GGUF file's key-value pairs. Raises ModelUnusable, saying what is not supported."""
    arch = str(metadata.get("general.architecture"))
    family = _family(arch)
    own = {k.removeprefix(f"{arch}."): v for k, v in metadata.items() if k.startswith(f"{arch}.")}
    _require(not own.get("expert_count"), "mixtures of experts")
    _require(
        own.get("rope.scaling.type", "none") in ("none", "llama3"),
        f"rope scaling {own.get('rope.scaling.type')!r}",
    )
    heads, hidden = _int(own, "attention.head_count"), _int(own, "embedding_length")
    head_dim = _int(own, "attention.key_length", hidden // heads)
    _require(_int(own, "rope.dimension_count", head_dim) == head_dim, "partial rotary embedding")
    return _checked(
        DecoderConfig(
            family=family,
            n_layers=_int(own, "block_count"),
            n_heads=heads,
            n_kv_heads=_int(own, "attention.head_count_kv", heads),
            head_dim=head_dim,
            hidden=hidden,
            intermediate=_int(own, "feed_forward_length"),
            n_vocab=n_vocab,
            max_positions=_int(own, "context_length", 2048),
            norm_eps=_float(own, "attention.layer_norm_rms_epsilon", 1e-6),
            rope_theta=_float(own, "rope.freq_base", 10000.0),
            rope_scaling=None,
            tied_head=tied_head,
        )
    )


def _family(name: str) -> Family:
    if name not in _FAMILIES:
        raise ModelUnusable(
            f"the torch engine runs {', '.join(_FAMILIES)} models, not {name!r}: choose a model of these families"
        )
    return _FAMILIES[name]


def _rope_parameters(config: Mapping[str, object]) -> dict[str, object]:
    """`rope_parameters` (transformers 5), or `rope_theta` and `rope_scaling` (4), as one mapping."""
    rope: dict[str, object] = {"rope_theta": config.get("rope_theta", 10000.0)}
    for key in ("rope_scaling", "rope_parameters"):
        part = config.get(key)
        if isinstance(part, Mapping):
            rope.update({str(k): v for k, v in part.items()})
    _require(rope.get("partial_rotary_factor", 1.0) == 1.0, "partial rotary embedding")
    return rope


def _hf_scaling(rope: Mapping[str, object]) -> Llama3Scaling | None:
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind in ("default", None):
        return None
    _require(kind == "llama3", f"rope scaling {kind!r}")
    return Llama3Scaling(
        factor=_float(rope, "factor"),
        low_freq_factor=_float(rope, "low_freq_factor"),
        high_freq_factor=_float(rope, "high_freq_factor"),
        original_positions=_int(rope, "original_max_position_embeddings"),
    )


def _checked(config: DecoderConfig) -> DecoderConfig:
    if config.n_heads % config.n_kv_heads or config.head_dim % 2 or config.head_dim < 2:
        raise ModelUnusable(
            f"{config.n_heads} query heads do not divide over {config.n_kv_heads} key-value heads of even width "
            f"{config.head_dim}: the model's configuration is damaged"
        )
    return config


def _require(supported: bool, what: str) -> None:  # noqa: FBT001
    if not supported:
        raise ModelUnusable(f"the torch engine does not support {what}: choose another model or engine")


def _int(values: Mapping[str, object], key: str, default: int | None = None) -> int:
    value = values.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelUnusable(f"the model's configuration has no usable {key!r} (found {value!r})")
    return value


def _float(values: Mapping[str, object], key: str, default: float | None = None) -> float:
    value = values.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise ModelUnusable(f"the model's configuration has no usable {key!r} (found {value!r})")
    return float(value)
