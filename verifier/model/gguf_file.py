"""Reading a GGUF file: metadata and dequantised tensors, by the `gguf` package, with its errors made clear."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from numpy.typing import NDArray

from verifier.errors import ModelUnusable
from verifier.model.files import check_gguf


class GgufFile:
    """An open GGUF file. Raises ModelUnusable when it is missing, truncated, or no GGUF at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        check_gguf(path)
        try:
            reader = GGUFReader(path)
            self._tensors = {tensor.name: tensor for tensor in reader.tensors}
            self._fields = reader.fields
        except Exception as error:  # the package raises whatever numpy or struct run into on damaged bytes
            raise self._damaged(error) from error

    @property
    def tensor_names(self) -> frozenset[str]:
        return frozenset(self._tensors)

    def metadata(self) -> Mapping[str, object]:
        """All key-value pairs but the long tokenizer arrays; those come from `field`."""
        return {k: self.field(k) for k in self._fields if not k.startswith(("tokenizer.ggml.", "GGUF."))}

    def field(self, key: str) -> object:
        """One value (number, string or list), None if the file has no such key."""
        if key not in self._fields:
            return None
        try:
            value: object = self._fields[key].contents()
        except Exception as error:
            raise self._damaged(error) from error
        return value

    def tensor(self, name: str) -> NDArray[np.float32]:
        """One tensor as float32, in [out, in] order."""
        stored = self._tensors[name]
        try:
            values: NDArray[np.float32] = dequantize(stored.data, stored.tensor_type).astype(
                np.float32, copy=False
            )
        except Exception as error:
            raise self._damaged(error) from error
        return values

    def _damaged(self, error: Exception) -> ModelUnusable:
        return ModelUnusable(
            f"{self._path} is damaged ({type(error).__name__}: {error}): fetch the model again"
        )
