"""From a path to a loaded model: decoder, vocabulary and name, whichever of the two formats it is in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from verifier.errors import ModelUnusable
from verifier.model import config as configs
from verifier.model.decoder import Decoder
from verifier.model.gguf_file import GgufFile
from verifier.model.vocabulary import TargetVocabulary, from_folder, from_gguf
from verifier.model.weights import GgufTensors, SafetensorsFolder, assemble, read_config


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A target model ready to run."""

    name: str
    decoder: Decoder
    vocabulary: TargetVocabulary | None
    """None for a folder without tokenizer files: it can be computed with, not served."""


def load_model(
    path: Path, *, n_positions: int, device: torch.device | None = None, dtype: torch.dtype = torch.float32
) -> LoadedModel:
    """Load a GGUF file or a folder saved by transformers, for sequences of at most `n_positions` tokens.

    Raises ModelUnusable: the path does not exist, the files are damaged, or the model is not supported.
    """
    if path.is_dir():
        return load_folder(path, n_positions=n_positions, device=device, dtype=dtype)
    return load_gguf(path, n_positions=n_positions, device=device, dtype=dtype)


def load_folder(
    folder: Path, *, n_positions: int, device: torch.device | None = None, dtype: torch.dtype = torch.float32
) -> LoadedModel:
    """Load a folder with `config.json` and safetensors weights. Raises ModelUnusable."""
    config = configs.from_hf(read_config(folder))
    _check_length(config, n_positions)
    weights = assemble(config, SafetensorsFolder(folder), device=device or torch.device("cpu"), dtype=dtype)
    has_tokenizer = (folder / "tokenizer.json").is_file()
    vocabulary = from_folder(folder, config.n_vocab) if has_tokenizer else None
    return LoadedModel(folder.resolve().name, Decoder(config, weights, n_positions), vocabulary)


def load_gguf(
    path: Path, *, n_positions: int, device: torch.device | None = None, dtype: torch.dtype = torch.float32
) -> LoadedModel:
    """Load a GGUF file, dequantised to `dtype`. Raises ModelUnusable."""
    file = GgufFile(path)
    vocabulary = from_gguf(file)
    config = configs.from_gguf(
        file.metadata(), n_vocab=vocabulary.n_vocab, tied_head="output.weight" not in file.tensor_names
    )
    _check_length(config, n_positions)
    weights = assemble(config, GgufTensors(file, config), device=device or torch.device("cpu"), dtype=dtype)
    return LoadedModel(path.stem, Decoder(config, weights, n_positions), vocabulary)


def _check_length(config: configs.DecoderConfig, n_positions: int) -> None:
    if n_positions > config.max_positions:
        raise ModelUnusable(
            f"the model was made for {config.max_positions} tokens of context, not {n_positions}: "
            f"give --max-context {config.max_positions} or less"
        )
