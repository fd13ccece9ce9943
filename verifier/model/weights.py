"""Loading a model's weights: a safetensors folder as transformers writes it, or a GGUF file, dequantised.

Both are read tensor by tensor under Hugging Face's names, then fused (q, k, v in one matrix; gate and up in one), so
the decoder multiplies fewer, larger matrices. A missing, surplus or misshapen tensor is an error: never a guess.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from verifier.errors import ModelUnusable
from verifier.model.config import DecoderConfig
from verifier.model.gguf_file import GgufFile
from verifier.model.linear import Matrix


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer's weights."""

    attention_norm: Tensor
    qkv: Matrix
    q_norm: Tensor | None
    k_norm: Tensor | None
    attention_out: Matrix
    feed_forward_norm: Tensor
    gate_up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of a decoder. With a tied head, `head` holds `embedding` itself."""

    embedding: Tensor
    layers: tuple[Layer, ...]
    norm: Tensor
    head: Matrix
    rope_divisors: Tensor | None = None
    """[D / 2]: what each rotary frequency is divided by (GGUF files of Llama 3.1 and later)."""


class TensorSource(Protocol):
    """Tensors by Hugging Face's names."""

    names: frozenset[str]

    def read(self, name: str) -> Tensor: ...


class SafetensorsFolder:
    """The tensors of a folder with `model.safetensors`, or with shards and `model.safetensors.index.json`."""

    def __init__(self, folder: Path) -> None:
        self._file_of = self._files(folder)
        self.names = frozenset(self._file_of)

    def read(self, name: str) -> Tensor:
        path = self._file_of[name]
        try:
            with safe_open(path, framework="pt") as file:
                tensor: Tensor = file.get_tensor(name)
                return tensor
        except (SafetensorError, OSError) as error:
            raise ModelUnusable(f"{path} is damaged ({error}): fetch the model again") from error

    @staticmethod
    def _files(folder: Path) -> dict[str, Path]:
        index = folder / "model.safetensors.index.json"
        try:
            if index.is_file():
                shards: dict[str, str] = json.loads(index.read_text("utf-8"))["weight_map"]
                return {name: folder / Path(shard).name for name, shard in shards.items()}
            single = folder / "model.safetensors"
            with safe_open(single, framework="pt") as file:
                return dict.fromkeys(file.keys(), single)
        except FileNotFoundError as error:
            raise ModelUnusable(
                f"{folder} has no model.safetensors: give a folder saved by transformers"
            ) from error
        except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelUnusable(
                f"the weights in {folder} are damaged ({error}): fetch the model again"
            ) from error


_GGUF_PARTS = {
    "attn_norm.weight": "input_layernorm.weight",
    "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight",
    "attn_v.weight": "self_attn.v_proj.weight",
    "attn_q.bias": "self_attn.q_proj.bias",
    "attn_k.bias": "self_attn.k_proj.bias",
    "attn_v.bias": "self_attn.v_proj.bias",
    "attn_q_norm.weight": "self_attn.q_norm.weight",
    "attn_k_norm.weight": "self_attn.k_norm.weight",
    "attn_output.weight": "self_attn.o_proj.weight",
    "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
}
_GGUF_WHOLE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
    "rope_freqs.weight": "rope_divisors",
}


class GgufTensors:
    """The tensors of a GGUF file under Hugging Face's names, dequantised to float32.

    llama.cpp stores Llama's q and k rows so that the two numbers a rotation mixes are neighbours; Hugging Face (and
    our decoder, and llama.cpp for Qwen) keeps them half a head apart. Those rows are put back here.
    """

    def __init__(self, file: GgufFile, config: DecoderConfig) -> None:
        self._file, self._config = file, config
        self._stored_as = {_hf_name(name): name for name in file.tensor_names}
        self.names = frozenset(self._stored_as)

    def read(self, name: str) -> Tensor:
        values = self._file.tensor(self._stored_as[name])
        if self._config.family == "llama" and ".self_attn." in name:
            part = name.rsplit(".", 2)[1]
            if (
                part in ("q_proj", "k_proj") and len(values) % self._config.head_dim == 0
            ):  # else of a wrong shape
                values = _half_apart(values, self._config.head_dim)
        return torch.from_numpy(np.array(values, dtype=np.float32))


def _hf_name(gguf_name: str) -> str:
    if gguf_name in _GGUF_WHOLE:
        return _GGUF_WHOLE[gguf_name]
    block, _, rest = gguf_name.partition(".")
    number, _, part = rest.partition(".")
    if block == "blk" and number.isdigit() and part in _GGUF_PARTS:
        return f"model.layers.{number}.{_GGUF_PARTS[part]}"
    return gguf_name


def _half_apart(rows: np.ndarray, head_dim: int) -> np.ndarray:
    """Reorder [heads * D, ...] rows from rotation pairs side by side to pairs half a head apart."""
    paired = rows.reshape(-1, head_dim // 2, 2, *rows.shape[1:])
    return np.swapaxes(paired, 1, 2).reshape(rows.shape)


def assemble(
    config: DecoderConfig, source: TensorSource, *, device: torch.device, dtype: torch.dtype
) -> Weights:
    """Read and fuse all weights. Raises ModelUnusable naming the tensor that is missing, surplus or misshapen."""
    reader = _Reader(config, source, device, dtype)
    embedding = reader.tensor("model.embed_tokens.weight", config.n_vocab, config.hidden)
    layers = tuple(_layer(config, reader, f"model.layers.{i}.") for i in range(config.n_layers))
    norm = reader.tensor("model.norm.weight", config.hidden)
    head = embedding if config.tied_head else reader.tensor("lm_head.weight", config.n_vocab, config.hidden)
    divisors = reader.optional("rope_divisors", config.head_dim // 2)
    reader.check_all_read(ignore={"lm_head.weight"} if config.tied_head else set())
    return Weights(embedding, layers, norm, Matrix.of(head), divisors)


def _layer(c: DecoderConfig, reader: _Reader, prefix: str) -> Layer:
    heads = {"q": c.n_heads * c.head_dim, "k": c.n_kv_heads * c.head_dim, "v": c.n_kv_heads * c.head_dim}
    biases = {p: reader.optional(f"{prefix}self_attn.{p}_proj.bias", width) for p, width in heads.items()}
    present = [bias for bias in biases.values() if bias is not None]
    if present and len(present) < len(heads):
        raise ModelUnusable(
            f"{prefix}self_attn has biases for some of q, k, v only: the model file is damaged"
        )
    return Layer(
        attention_norm=reader.tensor(f"{prefix}input_layernorm.weight", c.hidden),
        qkv=Matrix.of(
            torch.cat(
                [reader.tensor(f"{prefix}self_attn.{p}_proj.weight", n, c.hidden) for p, n in heads.items()]
            ),
            torch.cat(present) if present else None,
        ),
        q_norm=reader.tensor(f"{prefix}self_attn.q_norm.weight", c.head_dim) if c.qk_norm else None,
        k_norm=reader.tensor(f"{prefix}self_attn.k_norm.weight", c.head_dim) if c.qk_norm else None,
        attention_out=Matrix.of(reader.tensor(f"{prefix}self_attn.o_proj.weight", c.hidden, heads["q"])),
        feed_forward_norm=reader.tensor(f"{prefix}post_attention_layernorm.weight", c.hidden),
        gate_up=Matrix.of(
            torch.cat(
                [
                    reader.tensor(f"{prefix}mlp.{p}_proj.weight", c.intermediate, c.hidden)
                    for p in ("gate", "up")
                ]
            )
        ),
        down=Matrix.of(reader.tensor(f"{prefix}mlp.down_proj.weight", c.hidden, c.intermediate)),
    )


class _Reader:
    """Reads tensors of a known shape to one device and type, and remembers which."""

    def __init__(
        self, config: DecoderConfig, source: TensorSource, device: torch.device, dtype: torch.dtype
    ) -> None:
        self._source, self._device, self._dtype = source, device, dtype
        self._read: set[str] = set()

    def optional(self, name: str, *shape: int) -> Tensor | None:
        return self.tensor(name, *shape) if name in self._source.names else None

    def check_all_read(self, ignore: set[str]) -> None:
        surplus = sorted(
            name
            for name in self._source.names - self._read - ignore
            if not name.endswith(".rotary_emb.inv_freq")
        )
        if surplus:
            raise ModelUnusable(
                f"the torch engine does not compute the model's tensor {surplus[0]!r}: choose another model"
            )

    def tensor(self, name: str, *shape: int) -> Tensor:
        if name not in self._source.names:
            raise ModelUnusable(f"the model file has no tensor {name!r}: it is damaged or of another kind")
        tensor = self._source.read(name)
        if tuple(tensor.shape) != shape:
            raise ModelUnusable(
                f"tensor {name!r} is {tuple(tensor.shape)}, not {shape}: the model file is damaged"
            )
        self._read.add(name)
        return tensor.to(self._device, self._dtype)
