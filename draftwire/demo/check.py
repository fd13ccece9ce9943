"""Is what was shown as verified the target's own? Compared with the target alone, decoding one token at a time.

The only place of the product that brings both sides into one process: the prompt is the daemon's, the target is the
verifier's engine, loaded a second time and never given a draft.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.documents import Document, Place
from daemon.engine import Vocabulary
from daemon.llama_engine import LlamaEngine
from daemon.models import resolve_draft_model
from daemon.prompt import Prompt
from draftwire.demo.script import LANGUAGE
from verifier.engine import TargetEngine
from verifier.reference import greedy_continuation
from verifier.service import VerifierSettings, load_engine

TOKENS_AT_A_TIME = 8


@dataclass(frozen=True, slots=True)
class Claim:
    """ "After `before`, the target alone says `verified` first.\""""

    before: str
    verified: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, and what the target said when asked alone."""

    claim: Claim
    target: str

    @property
    def holds(self) -> bool:
        return self.target.startswith(self.claim.verified)


def check(
    claims: Sequence[Claim], model: str, cache: Path, window_tokens: int, done: Callable[[int], None]
) -> list[Finding]:
    """Ask the target alone for each claim's continuation. `done` is told how many have been checked."""
    draft = LlamaEngine(resolve_draft_model("bundled", cache, None).path, n_context=window_tokens + 64)
    target = load_engine(VerifierSettings(model=model, slots=1, max_context=window_tokens + 64))
    findings: list[Finding] = []
    try:
        for claim in claims:
            context = _prompt(draft, window_tokens, claim.before)
            findings.append(
                Finding(claim, _said_alone(target, draft.vocabulary, context, len(claim.verified)))
            )
            done(len(findings))
    finally:
        draft.close()
    return findings


def _said_alone(target: TargetEngine, vocabulary: Vocabulary, context: list[int], at_least: int) -> str:
    """What the target says after `context` without a draft: `at_least` characters, unless it ends before."""
    ids: list[int] = []
    text = ""
    while len(text) < at_least and not (ids and ids[-1] in vocabulary.stop_ids):
        ids += greedy_continuation(target, [*context, *ids], TOKENS_AT_A_TIME, vocabulary.stop_ids)
        text = b"".join(vocabulary.token_bytes[token] for token in ids).decode("utf-8", "replace")
    return text


def _prompt(engine: LlamaEngine, window_tokens: int, text: str) -> list[int]:
    """The token ids the daemon sends for this text before the cursor."""
    prompt = Prompt(
        engine.tokenize,
        window_tokens=window_tokens,
        splits_at_lines=engine.splits_at_lines,
        start=engine.prompt_start,
    )
    return prompt.ids(Place(Document("demo", LANGUAGE, 1, text), len(text)))
