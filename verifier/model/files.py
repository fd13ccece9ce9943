"""What a model's path holds, as far as can be told without torch: a GGUF file, or a folder saved by transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from verifier.errors import ModelUnusable


def check_model(path: Path) -> None:
    """Raises ModelUnusable if there is nothing at `path`, or what is no model at first sight."""
    if path.is_dir():
        read_config(path)
    else:
        check_gguf(path)


def check_gguf(path: Path) -> None:
    """Raises ModelUnusable unless `path` is a readable file that begins as a GGUF file does."""
    if not path.is_file():
        raise ModelUnusable(f"there is no model file {path}: check the path")
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise ModelUnusable(f"{path} can't be read ({error.strerror}): check its permissions") from error
    if start != b"GGUF":
        raise ModelUnusable(
            f"{path} is not a GGUF file: give a .gguf model or a folder saved by transformers"
        )


def read_config(folder: Path) -> Mapping[str, object]:
    """The parsed `config.json` of a model folder. Raises ModelUnusable."""
    try:
        parsed = json.loads((folder / "config.json").read_text("utf-8"))
    except FileNotFoundError as error:
        raise ModelUnusable(
            f"{folder} has no config.json: give a folder saved by transformers, or a .gguf file"
        ) from error
    except (OSError, ValueError) as error:
        raise ModelUnusable(
            f"{folder / 'config.json'} can't be read ({error}): fetch the model again"
        ) from error
    if not isinstance(parsed, dict):
        raise ModelUnusable(f"{folder / 'config.json'} holds no JSON object: fetch the model again")
    return parsed
