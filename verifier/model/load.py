"""From a path to a loaded model: decoder, vocabulary and name, whichever of the two formats it is in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from verifier.errors import ModelUnusable
from verifier.model import config as configs
from verifier.model.decoder import Decoder
from verifier.model.files import read_config
from verifier.model.gguf_file import GgufFile
from verifier.model.vocabulary import TargetVocabulary, from_folder, from_gguf
from verifier.model.weights import GgufTensors, SafetensorsFolder, assemble

DEFAULT_POSITIONS = 4096
_SAMPLES, _SAMPLE_BYTES = 64, 65536


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A target model ready to run."""

    name: str
    revision: str
    """Names these very weights: a digest of samples of their files."""
    decoder: Decoder
    n_positions: int
    """Tokens a sequence may have."""
    vocabulary: TargetVocabulary | None
    """None for a folder without tokenizer files: it can be computed with, not served."""


def load_model(
    path: Path,
    *,
    n_positions: int | None = None,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float32,
) -> LoadedModel:
    """Load a GGUF file or a folder saved by transformers, for sequences of at most `n_positions` tokens.

    Without `n_positions`: what the model was made for, but no more than DEFAULT_POSITIONS.

    Raises ModelUnusable: the path does not exist, the files are damaged, or the model is not supported.
    """
    if path.is_dir():
        return load_folder(path, n_positions=n_positions, device=device, dtype=dtype)
    return load_gguf(path, n_positions=n_positions, device=device, dtype=dtype)


def load_folder(
    folder: Path,
    *,
    n_positions: int | None = None,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float32,
) -> LoadedModel:
    """Load a folder with `config.json` and safetensors weights. Raises ModelUnusable."""
    config = configs.from_hf(read_config(folder))
    n_positions = _positions(config, n_positions)
    weights = assemble(config, SafetensorsFolder(folder), device=device or torch.device("cpu"), dtype=dtype)
    has_tokenizer = (folder / "tokenizer.json").is_file()
    vocabulary = from_folder(folder, config.n_vocab) if has_tokenizer else None
    return LoadedModel(
        folder.resolve().name,
        revision_of(sorted(folder.glob("*.safetensors"))),
        Decoder(config, weights, n_positions),
        n_positions,
        vocabulary,
    )


def load_gguf(
    path: Path,
    *,
    n_positions: int | None = None,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float32,
) -> LoadedModel:
    """Load a GGUF file, dequantised to `dtype`. Raises ModelUnusable."""
    file = GgufFile(path)
    vocabulary = from_gguf(file)
    config = configs.from_gguf(
        file.metadata(), n_vocab=vocabulary.n_vocab, tied_head="output.weight" not in file.tensor_names
    )
    n_positions = _positions(config, n_positions)
    weights = assemble(config, GgufTensors(file, config), device=device or torch.device("cpu"), dtype=dtype)
    return LoadedModel(
        path.stem, revision_of([path]), Decoder(config, weights, n_positions), n_positions, vocabulary
    )


def revision_of(files: Sequence[Path]) -> str:
    """A digest over each file's size and 64 samples of 64 KiB, evenly spread: enough to tell two models apart."""
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "big"))
        with path.open("rb") as file:
            for sample in range(_SAMPLES):
                file.seek(size * sample // _SAMPLES)
                digest.update(file.read(_SAMPLE_BYTES))
    return f"sampled-sha256:{digest.hexdigest()[:32]}"


def _positions(config: configs.DecoderConfig, wanted: int | None) -> int:
    if wanted is None:
        return min(config.max_positions, DEFAULT_POSITIONS)
    if wanted > config.max_positions:
        raise ModelUnusable(
            f"the model was made for {config.max_positions} tokens of context, not {wanted}: "
            f"give --max-context {config.max_positions} or less"
        )
    return wanted
