"""Is what was shown as verified the target's own? Compared with the target alone, decoding one token at a time.

The only place of the product that brings both sides into one process: the prompt is the daemon's, the target is the
verifier's engine, loaded a second time and never given a draft.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.documents import Document, Place
from daemon.draft.engine import Vocabulary
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.prompts.exemplar import Candidate, budget_tokens, opening_ids
from daemon.prompts.healing import before_blank
from daemon.prompts.prompt import Prompt
from draftwire.demo.script import LANGUAGE
from grammars.pieces import PieceIndex
from verifier.engine import TargetEngine
from verifier.reference import greedy_continuation
from verifier.service import VerifierSettings, load_engine

TOKENS_AT_A_TIME = 8


@dataclass(frozen=True, slots=True)
class Opening:
    """Another file of the document's language, which its prompts begin with."""

    exemplar: Candidate
    document_name: str
    line_comment: str


@dataclass(frozen=True, slots=True)
class Claim:
    """ "After `before`, the target alone says `verified` first.\""""

    before: str
    verified: str
    start: int = 0
    """Characters before the cursor when the document was opened: the prompt's window is chosen there."""
    opening: Opening | None = None
    """What the prompt began with, unless it was asked for before that was found."""


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
    pieces = PieceIndex(draft.vocabulary.token_bytes)
    findings: list[Finding] = []
    try:
        for claim in claims:
            findings.append(_checked(claim, draft, pieces, target, window_tokens))
            done(len(findings))
    finally:
        draft.close()
    return findings


def _checked(
    claim: Claim, draft: LlamaEngine, pieces: PieceIndex, target: TargetEngine, window_tokens: int
) -> Finding:
    """What the target says with the opening; where that is not what was shown, what it says without.

    Before a blank at the text's end, if it says that first (`daemon/prompts/healing.py`).
    """
    here = Place(Document("demo", LANGUAGE, 1, claim.before), len(claim.before))
    begin, pending = before_blank(here, pieces)
    for opening in (claim.opening, None) if claim.opening else (None,):
        for place, blank in [(begin, pending), (here, "")] if pending else [(here, "")]:
            context = _prompt(draft, window_tokens, place, claim.start, opening)
            said = _said_alone(target, draft.vocabulary, context, len(blank + claim.verified))
            if said.startswith(blank):
                break
        finding = Finding(claim, said.removeprefix(blank))
        if finding.holds:
            break
    return finding


def _said_alone(target: TargetEngine, vocabulary: Vocabulary, context: list[int], at_least: int) -> str:
    """What the target says after `context` without a draft: `at_least` characters, unless it ends before."""
    ids: list[int] = []
    text = ""
    while len(text) < at_least and not (ids and ids[-1] in vocabulary.stop_ids):
        ids += greedy_continuation(target, [*context, *ids], TOKENS_AT_A_TIME, vocabulary.stop_ids)
        data = b"".join(vocabulary.token_bytes[token] for token in ids)
        text, _ = codecs.utf_8_decode(data, "replace", False)  # half a character at the end is none yet
    return text


def _prompt(
    engine: LlamaEngine, window_tokens: int, place: Place, start: int, opening: Opening | None
) -> list[int]:
    """The token ids the daemon sends for the text before the place."""
    prompt = Prompt(
        engine.tokenize,
        window_tokens=window_tokens,
        splits_at_lines=engine.splits_at_lines,
        start=(*engine.prompt_start, *_opening_ids(engine, window_tokens, opening)),
    )
    # The window's start stays where it was first put.
    prompt.ids(Place(place.document, min(start, place.offset)))
    return prompt.ids(place)


def _opening_ids(engine: LlamaEngine, window_tokens: int, opening: Opening | None) -> list[int]:
    if opening is None:
        return []
    return opening_ids(
        opening.exemplar,
        opening.document_name,
        engine.tokenize,
        budget=budget_tokens(window_tokens),
        line_comment=opening.line_comment,
    )
