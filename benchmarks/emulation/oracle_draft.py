"""A daemon whose draft knows texts: `python -m benchmarks.emulation.oracle_draft --config FILE TEXT_FILE ...`.

The daemon is the real one, with the bundled model's vocabulary and tokeniser; what the model would compute is looked
up, so that a key costs what the daemon itself takes. With errors, as an oracle as target has them
(`oracle_target.py`), it is a draft of which some is rejected. The runtime folder comes from the environment.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.emulation.known_texts import KnownTexts
from benchmarks.emulation.oracle_target import Oracle
from benchmarks.emulation.oracle_tokens import gguf_tokens
from daemon.api.paths import runtime_paths
from daemon.draft.engine import Candidates, EngineFailed, Vocabulary
from daemon.draft.llama_vocabulary import read_vocabulary_of_file
from daemon.draft.model_source import bundled_source
from daemon.draft.top_candidates import entropy_of_logits
from daemon.serving.server import run_daemon
from daemon.settings.config import load_config
from speculation.paths import common_length

N_SEQUENCES: Final = 4
N_CONTEXT: Final = 2048
_OTHERS: Final = 3
"""Candidates beside the one that is said."""
_SURE: Final = 4.0
"""How much higher its logit is than theirs: a probability of 0.95."""


class OracleEngine:
    """A `DraftEngine` that says what an oracle says; an evaluation takes no time, so there is nothing to abort."""

    model_name = "oracle"
    n_sequences = N_SEQUENCES
    n_context = N_CONTEXT
    splits_at_lines = True
    prompt_start: Sequence[int] = ()

    def __init__(self, oracle: Oracle, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._oracle = oracle
        self._held: list[list[int]] = [[] for _ in range(N_SEQUENCES)]
        self._evaluated = 0
        self._closed = False

    def tokenize(self, text: str) -> list[int]:
        """See `DraftEngine.tokenize`."""
        self._check_open()
        return self._oracle.tokens.tokenize(text)

    def next_candidates(
        self, sequence: int, ids: Sequence[int], allowed: NDArray[np.bool_] | None = None
    ) -> Candidates:
        """See `DraftEngine.next_candidates`. Where what is said is not allowed, the first that are stand for it."""
        self._check_open()
        self._evaluated += len(ids) - min(common_length(self._held[sequence], ids), len(ids) - 1)
        self._held[sequence] = list(ids)
        said = self._oracle.next_token(ids)
        if allowed is not None:
            legal = allowed.nonzero()[0]
            best = [said] if allowed[said] else []
            return _ranked([*best, *(int(one) for one in legal[: _OTHERS + 1] if one != said)])
        return _ranked([said, *(one for one in range(_OTHERS + 1) if one != said)])

    def evaluated_tokens(self) -> int:
        """See `DraftEngine.evaluated_tokens`."""
        return self._evaluated

    def abort(self, sequence: int, keep: int = 0) -> None:
        """Too late, always: what is under way is over before anybody could stop it."""

    def close(self) -> None:
        """See `DraftEngine.close`."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise EngineFailed("the engine was closed")


def _ranked(ids: Sequence[int]) -> Candidates:
    """The first by far the likeliest, the others equally so."""
    logits = np.zeros(len(ids), np.float32)
    logits[:1] = _SURE
    return Candidates(np.array(ids, np.int32), logits, entropy_of_logits(logits))


def oracle_engine(texts: Sequence[Path], error_rate: float, seed: int) -> OracleEngine:
    """The engine that knows these files, with the bundled model's vocabulary. Raises EngineFailed, OSError."""
    model = bundled_source()
    known = KnownTexts([path.read_text("utf-8") for path in texts])
    oracle = Oracle(known, gguf_tokens(model), error_rate=error_rate, seed=seed)
    return OracleEngine(oracle, read_vocabulary_of_file(model))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path, help="the files to know")
    parser.add_argument("--config", type=Path, required=True, help="the daemon's configuration")
    parser.add_argument("--errors", type=float, default=0.0, help="the chance of another token (default 0)")
    parser.add_argument("--seed", type=int, default=0, help="chooses the errors (default 0)")
    options = parser.parse_args()
    config = load_config(options.config)
    asyncio.run(
        run_daemon(
            config, runtime_paths(), lambda: oracle_engine(options.texts, options.errors, options.seed)
        )
    )


if __name__ == "__main__":
    main()
