"""The Llama family's decoder, whole: embedding, [attention, feed-forward] x layers, norm, head.

One call runs a ragged batch: the new tokens of all sequences stand in one row dimension for the linear layers, and
attention runs per sequence against its own cache slot. It knows nothing of sessions, drafts or sampling.

Shapes: T rows (new tokens of all sequences), R rows whose logits are wanted, H query heads, K key-value heads, D the
head width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import embedding, rms_norm, scaled_dot_product_attention, silu

from verifier.model.config import DecoderConfig
from verifier.model.kv_cache import KVCache
from verifier.model.linear import linear
from verifier.model.weights import Layer, Weights

_PIECE_ROWS = 128


@dataclass(frozen=True, slots=True)
class Segment:
    """The new tokens of one sequence: they follow the `start` rows its slot already holds."""

    slot: int
    start: int
    ids: Sequence[int]
    parents: Sequence[int] = ()
    """For a tree in the last len(parents) tokens: each one's parent there, -1 for the token before the tree."""
    n_wanted: int = 1
    """The last so many tokens get logits."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a segment's rows (or a piece of them) are, and what they attend to."""

    slot: int
    start: int
    end: int
    first_row: int
    last_row: int
    mask: Tensor | None
    """[rows, end], added to the scores; None for a single row, which sees everything before it."""


class Decoder:
    """A decoder of the Llama family with its weights; call `logits`."""

    def __init__(self, config: DecoderConfig, weights: Weights, n_positions: int) -> None:
        self.config, self.weights = config, weights
        self.device, self.dtype = weights.embedding.device, weights.embedding.dtype
        self._cos, self._sin = _rope_tables(
            config, weights.rope_divisors, n_positions, self.device, self.dtype
        )

    @torch.inference_mode()
    def logits(self, segments: Sequence[Segment], cache: KVCache) -> Tensor:
        """Run the new tokens, write their keys and values, and return the wanted rows' logits [R, n_vocab] in order."""
        ids, positions, wanted, spans = self._lay_out(segments)
        cos, sin = self._cos[positions], self._sin[positions]
        x = embedding(ids, self.weights.embedding)
        for layer, (keys, values) in zip(self.weights.layers, cache.layers, strict=True):
            x += self._attention(self._norm(x, layer.attention_norm), layer, cos, sin, keys, values, spans)
            x += self._feed_forward(self._norm(x, layer.feed_forward_norm), layer)
        return linear(self._norm(x[wanted], self.weights.norm), self.weights.head)

    def _attention(
        self,
        x: Tensor,
        layer: Layer,
        cos: Tensor,
        sin: Tensor,
        keys: Tensor,
        values: Tensor,
        spans: list[_Span],
    ) -> Tensor:
        c = self.config
        qkv = linear(x, layer.qkv).view(len(x), -1, c.head_dim)  # [T, H + 2K, D]
        qk, v = qkv[:, : -c.n_kv_heads], qkv[:, -c.n_kv_heads :]
        if layer.q_norm is not None and layer.k_norm is not None:
            q, k = self._norm(qk[:, : c.n_heads], layer.q_norm), self._norm(qk[:, c.n_heads :], layer.k_norm)
            qk = torch.cat((q, k), dim=1)
        qk = torch.addcmul(qk * cos, qk.roll(c.head_dim // 2, -1), sin)
        q, k, v = qk[:, : c.n_heads].transpose(0, 1), qk[:, c.n_heads :].transpose(0, 1), v.transpose(0, 1)
        seen = []
        for s in spans:
            rows = slice(s.first_row, s.last_row)
            own_keys, own_values = keys[s.slot, :, : s.end], values[s.slot, :, : s.end]
            own_keys[:, s.start :] = k[:, rows]
            own_values[:, s.start :] = v[:, rows]
            seen.append(
                scaled_dot_product_attention(
                    q[None, :, rows],
                    own_keys[None],
                    own_values[None],
                    attn_mask=s.mask,
                    enable_gqa=c.group > 1,
                )[0].transpose(0, 1)
            )
        out = seen[0] if len(seen) == 1 else torch.cat(seen)
        return linear(out.reshape(len(x), -1), layer.attention_out)

    def _feed_forward(self, x: Tensor, layer: Layer) -> Tensor:
        gate, up = linear(x, layer.gate_up).chunk(2, dim=-1)
        return linear(silu(gate).mul_(up), layer.down)

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return rms_norm(x, weight.shape, weight, self.config.norm_eps)

    def _lay_out(self, segments: Sequence[Segment]) -> tuple[Tensor, Tensor, Tensor, list[_Span]]:
        """Token ids [T], positions [T], wanted rows [R] and the attention spans of a batch."""
        ids: list[int] = []
        positions: list[int] = []
        wanted: list[int] = []
        spans: list[_Span] = []
        for s in segments:
            first, last = len(ids), len(ids) + len(s.ids)
            ids.extend(s.ids)
            positions.extend(s.start + depth for depth in _depths(len(s.ids), s.parents))
            wanted.extend(range(last - s.n_wanted, last))
            for piece in _pieces(s):
                end = piece.start + len(piece.ids)
                spans.append(
                    _Span(s.slot, piece.start, end, first, first + len(piece.ids), self._mask(piece))
                )
                first += len(piece.ids)
        rows = torch.tensor([ids, positions], device=self.device)
        return rows[0], rows[1], torch.tensor(wanted, device=self.device, dtype=torch.long), spans

    def _mask(self, s: Segment) -> Tensor | None:
        """0 where a new token may look, -inf elsewhere: the cache, its ancestors and itself."""
        n = len(s.ids)
        if n == 1:
            return None
        visible = torch.ones((n, s.start + n), dtype=torch.bool).tril_(s.start)
        first_node = n - len(s.parents)
        for i, parent in enumerate(s.parents):
            row = visible[first_node + i]
            row[s.start + first_node :] = False
            if parent >= 0:
                row |= visible[first_node + parent]
            row[s.start + first_node + i] = True
        mask = torch.zeros(visible.shape, dtype=self.dtype).masked_fill_(~visible, -math.inf)
        return mask.to(self.device)


def _pieces(s: Segment) -> list[Segment]:
    """A long segment in pieces that attend one after the other, so that few scores above the diagonal are computed."""
    if s.parents or len(s.ids) <= _PIECE_ROWS:
        return [s]
    cuts = range(0, len(s.ids), _PIECE_ROWS)
    return [Segment(s.slot, s.start + cut, s.ids[cut : cut + _PIECE_ROWS]) for cut in cuts]


def _depths(n: int, parents: Sequence[int]) -> list[int]:
    """Distance of each new token from the segment's first: its index, but in a tree its parent's depth + 1."""
    depths = list(range(n - len(parents)))
    first_node = len(depths)
    for parent in parents:
        depths.append(depths[first_node + parent] + 1 if parent >= 0 else first_node)
    return depths


def _rope_tables(
    config: DecoderConfig, divisors: Tensor | None, n_positions: int, device: torch.device, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """cos and sin of shape [positions, 1, D] such that `x * cos + roll(x, D/2) * sin` is the rotary embedding.

    The first half of sin carries the minus sign of the rotation; computed in float64.
    """
    half = config.head_dim // 2
    frequencies = config.rope_theta ** (-torch.arange(half, dtype=torch.float64) / half)
    if config.rope_scaling is not None:
        s = config.rope_scaling
        turns = s.original_positions * frequencies / (2 * math.pi)
        smooth = ((turns - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor)).clamp(0, 1)
        frequencies = frequencies * (smooth + (1 - smooth) / s.factor)
    if divisors is not None:
        frequencies = frequencies / divisors.to("cpu", torch.float64)
    angles = torch.outer(torch.arange(n_positions, dtype=torch.float64), frequencies)
    cos, sin = torch.cat((angles.cos(), angles.cos()), 1), torch.cat((-angles.sin(), angles.sin()), 1)
    return cos[:, None].to(device, dtype), sin[:, None].to(device, dtype)
