"""The seam to the draft model: what the completion loop needs of it, and the values that cross.

Real engine: `llama_engine.py`. Tests use `tests/fakes/engine.py`. Nothing here knows which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the draft model's token ids mean."""

    fingerprint: str
    """`speculation.vocabulary.fingerprint` over the three fields below."""
    token_bytes: Sequence[bytes]
    """Shape [n_vocab]; the bytes each id stands for (special tokens: their name in UTF-8)."""
    special_ids: dict[str, int]
    """Those the model has of: bos, eos, eot, pad, unk, fim_pre, fim_suf, fim_mid, ..."""
    control_ids: frozenset[int]
    """Ids that must never reach the editor as text (control, unknown, unused)."""
    stop_ids: frozenset[int]
    """Ids that end a generation (end of text, end of turn, the next file)."""
    architecture: str = ""
    """What the model's file says it is ("llama", "starcoder2"); empty where that is not known."""

    @property
    def n_vocab(self) -> int:
        return len(self.token_bytes)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The model's best next tokens after a sequence, best first."""

    ids: NDArray[np.int32]
    """Shape [k], k <= 64."""
    logits: NDArray[np.float32]
    """Shape [k], descending; equal logits stand in ascending id order."""
    entropy: float
    """Nats, of the softmax over these k at temperature 1."""


class Aborted(Exception):
    """The evaluation was stopped by `abort`; the sequence keeps what had been evaluated."""


class EngineFailed(Exception):
    """The model can't be loaded or evaluated; the message says what to do."""


class DraftEngine(Protocol):
    """A causal language model with `n_sequences` independent token sequences. Not thread-safe but for `abort`."""

    vocabulary: Vocabulary
    model_name: str
    n_sequences: int
    n_context: int
    """Tokens a sequence may hold."""
    splits_at_lines: bool
    """Whether no token spans from a letter or digit to white space or ASCII punctuation (but an apostrophe), nor over
    the start of a flush-left line after a line that is not blank (byte-level BPE): text can be tokenised in pieces."""
    prompt_start: Sequence[int]
    """Ids every prompt begins with: BOS where the model wants one, else nothing."""

    def tokenize(self, text: str) -> list[int]:
        """Text -> ids, with no special tokens added and none parsed out of the text."""
        ...

    def next_candidates(
        self, sequence: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        """The best next tokens after `ids` in `sequence`; of those that are `allowed` (shape [n_vocab]), if given.

        Only what differs from the sequence's last evaluated ids is evaluated (longest common prefix; the rest is
        rolled back). Raises Aborted, EngineFailed, ValueError (ids empty, too long, or out of range; nothing is
        allowed, or `allowed` has another shape).
        """
        ...

    def evaluated_tokens(self) -> int:
        """Tokens evaluated since the engine was made."""
        ...

    def abort(self, sequence: int, keep: int = 0) -> None:
        """Stop an evaluation of `sequence` under way in another thread, within one token; else do nothing.

        The first `keep` of its ids are wanted still: as long as they are not all evaluated it goes on.
        """
        ...

    def close(self) -> None:
        """Free the model. Further calls raise EngineFailed."""
        ...
