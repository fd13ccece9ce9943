"""The target's keys and values: one preallocated slot per session.

A slot holds rows 0..n-1 of one token sequence; which tokens these are, and how many still count, is `slots.py`'s
business. Rolling back costs nothing: rows beyond the length are simply written again.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from verifier.model.config import DecoderConfig


class KVCache:
    """Keys and values of shape [slots, kv heads, positions, head width] per layer, allocated once.

    On CPU the pages of a position are only touched, and so only take memory, when it is first written.
    """

    def __init__(
        self,
        config: DecoderConfig,
        n_slots: int,
        n_positions: int,
        *,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        shape = (config.n_layers, n_slots, config.n_kv_heads, n_positions, config.head_dim)
        self.n_slots, self.n_positions = n_slots, n_positions
        self._keys = torch.empty(shape, device=device, dtype=dtype)
        self._values = torch.empty(shape, device=device, dtype=dtype)
        self.layers: list[tuple[Tensor, Tensor]] = list(
            zip(self._keys.unbind(0), self._values.unbind(0), strict=True)
        )

    def copy_prefix(self, source: int, target: int, length: int) -> None:
        """Make the first `length` rows of slot `target` those of slot `source`."""
        for part in (self._keys, self._values):
            part[:, target, :, :length] = part[:, source, :, :length]

    def keep_rows(self, slot: int, start: int, rows: Sequence[int]) -> None:
        """Move rows `start + rows[i]` to `start + i`: what stays of a verified tree. `rows` ascend."""
        index = torch.tensor([start + row for row in rows], device=self._keys.device)
        for part in (self._keys, self._values):
            part[:, slot, :, start : start + len(rows)] = part[:, slot].index_select(2, index)
