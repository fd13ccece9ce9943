"""Weights from both formats: sharded, permuted, missing, surplus, misshapen, damaged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor

from tests.fakes.tiny_model import N_VOCAB, SIZES, random_tensors, write_model
from verifier.errors import ModelUnusable
from verifier.model.decoder import Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel, load_model

IDS = [3, 1, 4, 1, 5, 9, 2, 6]


def logits(model: LoadedModel) -> Tensor:
    decoder = model.decoder
    cache = KVCache(decoder.config, 1, 16, device=decoder.device, dtype=decoder.dtype)
    return decoder.logits([Segment(0, 0, IDS, n_wanted=len(IDS))], cache)


def neighbours(rows: Tensor, head_dim: int) -> Tensor:
    """Rows as llama.cpp stores them: the two numbers a rotation mixes side by side."""
    return rows.reshape(-1, 2, head_dim // 2, rows.shape[1]).transpose(1, 2).reshape(rows.shape)


def write_gguf(
    path: Path,
    kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
    rope_divisors: NDArray[np.float32] | None = None,
) -> Path:
    """The tiny model as llama.cpp would store it."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(48)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([*(f"t{i}" for i in range(N_VOCAB - 1)), "<|endoftext|>"])
    writer.add_eos_token_id(N_VOCAB - 1)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    for name, tensor in random_tensors().items():
        if "q_proj" in name or "k_proj" in name:
            tensor = neighbours(tensor, 8)
        values = tensor.numpy()
        if tensor.dim() == 2 and values.shape[1] % 32 == 0 and kind != gguf.GGMLQuantizationType.F32:
            packed = gguf.quants.quantize(values, kind)
            writer.add_tensor(f"{names.get_name(name, ('.weight',))}", packed, raw_dtype=kind)
        else:
            writer.add_tensor(f"{names.get_name(name, ('.weight',))}", values)
    if rope_divisors is not None:
        writer.add_tensor("rope_freqs.weight", rope_divisors)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_shards_equal_one_file(tmp_path: Path) -> None:
    whole = load_model(write_model(tmp_path / "whole"))
    folder = write_model(tmp_path / "sharded")
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    weight_map = {}
    for number, names in enumerate((sorted(tensors)[::2], sorted(tensors)[1::2])):
        save_file({name: tensors[name] for name in names}, folder / f"shard-{number}.safetensors")
        weight_map |= dict.fromkeys(names, f"shard-{number}.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}), "utf-8")
    assert torch.equal(logits(load_model(folder)), logits(whole))


def test_gguf_equals_safetensors(tmp_path: Path) -> None:
    folder, file = load_model(write_model(tmp_path / "model")), load_model(write_gguf(tmp_path / "m.gguf"))
    assert torch.equal(logits(folder), logits(file))
    assert folder.vocabulary is not None
    assert folder.vocabulary == file.vocabulary
    assert file.vocabulary.stop_ids == {N_VOCAB - 1}
    assert (folder.name, file.name) == ("model", "m")
    assert folder.revision != file.revision


def test_a_quantised_gguf_is_dequantised(tmp_path: Path) -> None:
    """8 bits: within 5 % of the largest logit."""
    exact = logits(load_model(write_model(tmp_path / "model")))
    rough = logits(load_model(write_gguf(tmp_path / "m.gguf", gguf.GGMLQuantizationType.Q8_0)))
    assert 0 < float((exact - rough).abs().max()) < 0.05 * float(exact.abs().max())


def test_rope_divisors_in_a_gguf_equal_llama3_scaling_in_a_folder(tmp_path: Path) -> None:
    """GGUF files of Llama 3.1 carry the outcome of the scaling, folders its parameters."""
    folder = write_model(tmp_path / "model")
    scaling = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    scaling["original_max_position_embeddings"] = 64
    (folder / "config.json").write_text(json.dumps({**SIZES, "rope_scaling": scaling}), "utf-8")
    turns = 64 * 10000.0 ** (-np.arange(4) / 4) / (2 * np.pi)
    smooth = np.clip((turns - 1) / 3, 0, 1)
    divisors = (1 / (smooth + (1 - smooth) / 4)).astype(np.float32)
    assert 1 < divisors[1] < 4, "one frequency in between"
    scaled, divided = load_model(folder), load_model(write_gguf(tmp_path / "m.gguf", rope_divisors=divisors))
    assert torch.allclose(logits(scaled), logits(divided), atol=1e-4)
    assert not torch.allclose(logits(scaled), logits(load_model(write_gguf(tmp_path / "p.gguf"))), atol=1e-2)


def test_an_untied_head_is_read(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    (folder / "config.json").write_text(json.dumps({**SIZES, "tie_word_embeddings": False}), "utf-8")
    tensors = random_tensors()
    save_file(
        {**tensors, "lm_head.weight": tensors["model.embed_tokens.weight"] * 2}, folder / "model.safetensors"
    )
    tied = logits(load_model(write_model(tmp_path / "tied")))
    assert torch.allclose(logits(load_model(folder)), 2 * tied, atol=1e-4)


def without(name: str) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.pop(name)


def with_(name: str, *shape: int) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.update({name: torch.zeros(shape)})


Q_BIAS = "model.layers.1.self_attn.q_proj.bias"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("model.norm.weight"), "no tensor 'model.norm.weight'"),
        (with_("model.norm.weight", 31), r"is \(31,\), not \(32,\)"),
        (with_("model.layers.0.self_attn.o_proj.bias", 32), "does not compute the model's tensor"),
        (with_(Q_BIAS, 32), "biases for some of q, k, v only"),
    ],
)
def test_a_missing_surplus_or_misshapen_tensor_is_named(
    tmp_path: Path, change: Callable[[dict[str, Tensor]], object], words: str
) -> None:
    folder, tensors = write_model(tmp_path), random_tensors()
    change(tensors)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelUnusable, match=words):
        load_model(folder)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
        (lambda folder: (folder / "config.json").write_text("{", "utf-8"), r"config\.json can't be read"),
        (lambda folder: (folder / "config.json").write_text("[]", "utf-8"), "holds no JSON object"),
        (lambda folder: (folder / "model.safetensors").unlink(), r"has no model\.safetensors"),
        (lambda folder: truncate(folder / "model.safetensors"), "are damaged"),
        (lambda folder: (folder / "model.safetensors.index.json").write_text("{}", "utf-8"), "are damaged"),
        (
            lambda folder: (folder / "tokenizer.json").write_text("{", "utf-8"),
            r"tokenizer\.json can't be read",
        ),
        (
            lambda folder: (folder / "tokenizer.json").write_text('{"model": {"vocab": {"a": 99}}}', "utf-8"),
            "mixes two models",
        ),
    ],
)
def test_a_damaged_folder_is_one_clear_error(
    tmp_path: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(write_model(tmp_path))
    with pytest.raises(ModelUnusable, match=words):
        load_model(tmp_path)


def test_a_missing_shard_is_one_clear_error(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    index = {"weight_map": dict.fromkeys(random_tensors(), "gone.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    with pytest.raises(ModelUnusable, match="gone"):
        load_model(folder)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no model file"),
        (b"not a model", "is not a GGUF file"),
        (b"GGUF\x03\0\0\0", "is damaged"),
    ],
)
def test_what_is_no_gguf_file(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnusable, match=words):
        load_model(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_gguf_file_is_damaged(tmp_path: Path, share: float) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ModelUnusable, match="damaged"):
        load_model(path)


def test_bytes_flipped_in_the_header_never_escape_as_another_error(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    content, rng = path.read_bytes(), np.random.default_rng(1)
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.integers(4, 400)] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        with contextlib.suppress(ModelUnusable):
            load_model(path)


def test_more_context_than_the_model_was_made_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="--max-context 512 or less"):
        load_model(write_model(tmp_path), n_positions=513)
