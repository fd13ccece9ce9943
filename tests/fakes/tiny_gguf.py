"""Tiny random GGUF models, written from scratch: real to llama.cpp, nonsense to a reader.

GGUF version 3: magic, version, number of tensors, number of key-value pairs; the pairs; name, shape, type and offset
of each tensor; padding to 32 bytes; the tensors, each padded to 32.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 32
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
WITHOUT_FIM = (*SPECIAL_TOKENS[:2], "<|a|>", "<|b|>", "<|c|>")
QWEN_CODER = (*SPECIAL_TOKENS, "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>")
CODE_LLAMA = (*SPECIAL_TOKENS[:2], "<PRE>", "<SUF>", "<MID>")
MERGES = ("Ġ Ġ", "ĠĠ ĠĠ", "r e", "re t", "ret u", "retu r", "retur n", "d e", "de f")
FIRST_SPECIAL = 256 + len(MERGES)
_NORMAL, _CONTROL = 1, 3

Value = bool | int | float | str | Sequence[int] | Sequence[float] | Sequence[str]


def write_gguf(
    path: Path, metadata: Mapping[str, Value], tensors: Mapping[str, NDArray[np.float32]], version: int = 3
) -> Path:
    """Write a GGUF of float32 tensors (row-major: numpy's last axis is GGUF's first)."""
    pairs = b"".join(_string(key) + _value(value) for key, value in metadata.items())
    infos, blobs, offset = [], [], 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        infos.append(_string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset))
        blob = _padded(np.ascontiguousarray(tensor, np.float32).tobytes())
        blobs.append(blob)
        offset += len(blob)
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata)) + pairs + b"".join(infos)
    path.write_bytes(_padded(header) + b"".join(blobs))
    return path


def tiny_llama(
    path: Path,
    *,
    n_layers: int = 2,
    width: int = 32,
    n_context: int = 4096,
    seed: int = 0,
    specials: Sequence[str] = SPECIAL_TOKENS,
    scale: float = 1.0,
    says: Collection[int] | None = None,
    overrides: Mapping[str, Value | None] | None = None,
) -> Path:
    """A random Llama with a byte-level vocabulary: 256 bytes, a few merges, the special tokens.

    specials: their texts; the first is the end of text, the second the end of turn. scale: of the weights; larger
    ones make a more decided model. says: the ids that it generates, if not all. overrides: metadata to change, or to
    leave out (None).
    """
    tokens = byte_level_tokens(specials)
    metadata: dict[str, Value | None] = {
        "general.architecture": "llama",
        "general.name": "tiny random llama",
        "llama.block_count": n_layers,
        "llama.context_length": n_context,
        "llama.embedding_length": width,
        "llama.feed_forward_length": 2 * width,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": width // 4,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [_NORMAL] * FIRST_SPECIAL + [_CONTROL] * len(specials),
        "tokenizer.ggml.merges": list(MERGES),
        "tokenizer.ggml.bos_token_id": FIRST_SPECIAL,
        "tokenizer.ggml.eos_token_id": FIRST_SPECIAL,
        "tokenizer.ggml.eot_token_id": FIRST_SPECIAL + 1,
        **(overrides or {}),
    }
    kept = {key: value for key, value in metadata.items() if value is not None}
    tensors = _llama_tensors(n_layers, width, len(tokens), seed, scale)
    if says is not None:
        tensors["output.weight"][[token for token in range(len(tokens)) if token not in says]] = 0
    return write_gguf(path, kept, tensors)


def byte_level_tokens(specials: Sequence[str] = SPECIAL_TOKENS) -> list[str]:
    """The vocabulary's texts in GPT-2's byte alphabet, ids in this order."""
    itself = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    alphabet = [chr(byte) if byte in itself else chr(next(others)) for byte in range(256)]
    return [*alphabet, *(merge.replace(" ", "") for merge in MERGES), *specials]


def _llama_tensors(
    n_layers: int, width: int, n_vocab: int, seed: int, scale: float
) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)

    def random(rows: int, columns: int) -> NDArray[np.float32]:
        values: NDArray[np.float64] = rng.standard_normal((rows, columns)) * scale / np.sqrt(columns)
        return values.astype(np.float32)

    tensors = {
        "token_embd.weight": random(n_vocab, width),
        "output_norm.weight": np.ones(width, np.float32),
        "output.weight": random(n_vocab, width) * 4,
    }
    for n in range(n_layers):
        tensors |= {
            f"blk.{n}.attn_norm.weight": np.ones(width, np.float32),
            f"blk.{n}.attn_q.weight": random(width, width),
            f"blk.{n}.attn_k.weight": random(width // 2, width),
            f"blk.{n}.attn_v.weight": random(width // 2, width),
            f"blk.{n}.attn_output.weight": random(width, width),
            f"blk.{n}.ffn_norm.weight": np.ones(width, np.float32),
            f"blk.{n}.ffn_gate.weight": random(2 * width, width),
            f"blk.{n}.ffn_up.weight": random(2 * width, width),
            f"blk.{n}.ffn_down.weight": random(width, 2 * width),
        }
    return tensors


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    """Type number and value: bool 7, uint32 4, float32 6, string 8, array 9 (of int32 5, float32 6, string 8)."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    first = value[0]
    kind, items = (
        (8, b"".join(_string(str(item)) for item in value))
        if isinstance(first, str)
        else (6, struct.pack(f"<{len(value)}f", *value))
        if isinstance(first, float)
        else (5, struct.pack(f"<{len(value)}i", *value))
    )
    return struct.pack("<IIQ", 9, kind, len(value)) + items


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)
