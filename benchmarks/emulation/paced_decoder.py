"""A real target at an emulated speed: its own decoder, each forward of which takes at least so long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from benchmarks.emulation.pace import Pace
from verifier.model.decoder import Decoder, Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel


class PacedDecoder(Decoder):
    """A decoder with the weights of another, at a pace. Its logits are the other's."""

    def __init__(self, decoder: Decoder, n_positions: int, pace: Pace) -> None:
        super().__init__(decoder.config, decoder.weights, n_positions)
        self._pace = pace

    def logits(self, segments: Sequence[Segment], cache: KVCache) -> Tensor:
        """See `Decoder.logits`."""
        with self._pace.forward():
            return super().logits(segments, cache)


def paced(model: LoadedModel, pace: Pace) -> LoadedModel:
    """The same model at this pace; its name says so."""
    decoder = PacedDecoder(model.decoder, model.n_positions, pace)
    return replace(model, name=f"{model.name} (emulated: {pace})", decoder=decoder)
