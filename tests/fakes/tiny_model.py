"""A tiny random model of the Llama family, as a folder that transformers could have saved, tokenizer included."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from verifier.model.load import LoadedModel, load_folder

N_VOCAB = 50
SIZES = {
    "model_type": "llama",
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": N_VOCAB,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "tie_word_embeddings": True,
    "eos_token_id": N_VOCAB - 1,
}


def random_tensors(seed: int = 0) -> dict[str, Tensor]:
    """All tensors of a model of SIZES, scaled so that its next token varies with the context."""
    generator = torch.Generator().manual_seed(seed)

    def matrix(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=generator) * (1.5 / columns**0.5)

    tensors = {"model.embed_tokens.weight": matrix(N_VOCAB, 32) * 8, "model.norm.weight": torch.ones(32)}
    for i in range(2):
        prefix = f"model.layers.{i}."
        tensors |= {
            f"{prefix}input_layernorm.weight": torch.ones(32),
            f"{prefix}post_attention_layernorm.weight": torch.ones(32),
            f"{prefix}self_attn.q_proj.weight": matrix(32, 32),
            f"{prefix}self_attn.k_proj.weight": matrix(16, 32),
            f"{prefix}self_attn.v_proj.weight": matrix(16, 32),
            f"{prefix}self_attn.o_proj.weight": matrix(32, 32) * 4,
            f"{prefix}mlp.gate_proj.weight": matrix(48, 32),
            f"{prefix}mlp.up_proj.weight": matrix(48, 32),
            f"{prefix}mlp.down_proj.weight": matrix(32, 48) * 4,
        }
    return tensors


def write_model(folder: Path, *, seed: int = 0) -> Path:
    """Write the model's files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(random_tensors(seed), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(SIZES), "utf-8")
    vocab = {f"t{i}": i for i in range(N_VOCAB - 1)} | {"<|endoftext|>": N_VOCAB - 1}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"type": "BPE", "vocab": vocab}}), "utf-8")
    return folder


def load_tiny(folder: Path, *, n_positions: int = 128) -> LoadedModel:
    """Write and load it."""
    return load_folder(write_model(folder), n_positions=n_positions)
