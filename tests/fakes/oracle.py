"""An oracle whose tokens are bytes: the target of the engine in `tests/fakes/engine.py`, with the same vocabulary."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.emulation.known_texts import KnownTexts
from benchmarks.emulation.oracle_target import Oracle, OracleTarget, Tokens
from benchmarks.emulation.pace import Pace
from speculation.vocabulary import VocabularyIdentity
from tests.fakes.engine import byte_vocabulary
from verifier.model.vocabulary import TargetVocabulary


def byte_tokens(
    *extra: bytes, tokenize: Callable[[str], list[int]] = lambda text: list(text.encode()), fim: bool = True
) -> Tokens:
    """A token for each byte, the specials, then `extra` ones; `tokenize` uses bytes alone unless given."""
    vocabulary = byte_vocabulary(extra, fim=fim)
    identity = VocabularyIdentity(vocabulary.fingerprint, vocabulary.n_vocab, vocabulary.special_ids)
    target = TargetVocabulary(identity, vocabulary.stop_ids)
    return Tokens(target, vocabulary.token_bytes, vocabulary.control_ids, tokenize)


def byte_oracle(
    *texts: str,
    error_rate: float = 0.0,
    seed: int = 0,
    pace: Pace | None = None,
    chunk_tokens: int = 512,
    fim: bool = True,
) -> OracleTarget:
    """An oracle of these texts, in bytes, that takes no time unless a pace is given."""
    oracle = Oracle(KnownTexts(texts), byte_tokens(fim=fim), error_rate=error_rate, seed=seed)
    return OracleTarget(oracle, pace or Pace(0), name="byte oracle", chunk_tokens=chunk_tokens)
