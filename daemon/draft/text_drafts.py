"""Drafts without the model: how a text around goes on where it agrees with what was written last.

    propose  the next token along the longest match; followed where such matches proved better than the model
    said     what the model named instead, to be judged beside it when the target has spoken
    stopgap  a text to answer a key for which the model is late

Knows texts and tokens, not whether a grammar allows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.documents import without_last_word
from daemon.draft.engine import DraftEngine
from daemon.draft.match_trust import SHORTEST, MatchTrust
from daemon.draft.text_match import CONTINUED, LONGEST_COMPARED, Match, longest_match, rest_of_word
from daemon.prompts.key_shapes import masked
from daemon.prompts.open_texts import OpenTexts
from daemon.run import Run

STOPGAP_MATCHED: Final = 4
"""Characters that must agree for a stopgap. It is better than nothing, not better than the model."""
STOPGAP_VISIBLE: Final = 3
"""Of them, so many that are no blanks."""


@dataclass(slots=True)
class Proposal:
    """What a match says comes next."""

    token: int
    matched: int
    """Characters that agree before it."""
    is_followed: bool
    """Matches like this one are better than the model."""


@dataclass(slots=True)
class _Position:
    """What was named for one token of a run."""

    proposal: Proposal
    model: int | None = None


class TextDrafts:
    """One document's. `opening` gives the ids its prompts begin with: another file of the language, maybe."""

    def __init__(self, texts: OpenTexts, opening: Callable[[], Sequence[int]]) -> None:
        self._texts = texts
        self._opening = opening
        self._run: Run | None = None
        """The run that what is below is about."""
        self._before = ""
        """The text before its place ..."""
        self._around: list[str] = []
        """... and those that drafts are sought in: the same, without the word that is being typed, and others."""
        self._path: list[int] = []
        """The tokens generated, after which ..."""
        self._ahead: list[int] = []
        """... these are the next along the match that was found ..."""
        self._matched = 0
        """... which so many characters before them belong to."""
        self._positions: dict[int, _Position] = {}
        """By tokens generated before them: those that the target has yet to judge."""

    def propose(self, run: Run, engine: DraftEngine) -> Proposal | None:
        """The next token along the longest match; None if there is none.

        A match that was found is followed as long as its tokens are what is drafted.
        """
        self._judge()
        generated = run.generation.generated
        if run is not self._run:
            self._before, *others = self._texts.around(run.place)
            around = [without_last_word(self._before), *others, _text(self._opening(), engine)]
            self._run, self._around, self._ahead, self._positions = run, around, [], {}
        if not self._ahead or generated != self._path:
            self._seek(generated, engine)
        if not self._ahead:
            return None
        token = self._ahead.pop(0)
        self._path = [*generated, token]
        proposal = Proposal(token, self._matched, self._trust(run).follows(self._matched))
        self._positions[len(generated)] = _Position(proposal)
        self._matched += len(engine.vocabulary.token_bytes[token])
        return proposal

    def said(self, run: Run, token: int) -> None:
        """The model has named the next token."""
        position = self._positions.get(len(run.generation.generated))
        if run is self._run and position is not None:
            position.model = token

    def stopgap(self, run: Run) -> str:
        """How the line at the run's place may go on, or else the word; empty if no text around tells."""
        texts = self._texts.around(run.place)
        match = longest_match(texts[0][-LONGEST_COMPARED:], texts, STOPGAP_MATCHED)
        if match is None or match.visible < STOPGAP_VISIBLE:
            return rest_of_word(texts[0], texts)
        line, end, _ = match.continuation.partition("\n")
        return line if end or len(match.continuation) < CONTINUED else line.rpartition(" ")[0]

    def _judge(self) -> None:
        """The target has spoken since: who named its tokens?"""
        if self._run is None:
            return
        committed, trust = self._run.generation.committed, self._trust(self._run)
        for index in [index for index in self._positions if index < len(committed)]:
            one, right = self._positions.pop(index), committed[index]
            model = None if one.model is None else one.model == right
            trust.judged(one.proposal.matched, match=one.proposal.token == right, model=model)

    def _trust(self, run: Run) -> MatchTrust:
        return self._texts.trust(run.place.document.language)

    def _seek(self, generated: Sequence[int], engine: DraftEngine) -> None:
        """Find the longest match, and the tokens along it; the last is left out if its text was cut.

        So it is where somebody types: a blank there, a token by itself, would be another's beginning elsewhere.
        """
        before = self._before[-LONGEST_COMPARED:] + _text(generated, engine)
        match = longest_match(before, self._around, SHORTEST)
        self._ahead, self._matched = [], 0
        if match is not None:
            continuation = _sayable(match)
            ids = engine.tokenize(continuation) if continuation else []
            is_cut = len(match.continuation) == CONTINUED or continuation != match.continuation
            is_cut = is_cut or self._around[0].endswith(continuation)
            self._ahead = ids[:-1] if is_cut else ids
            self._matched = match.matched


def _sayable(match: Match) -> str:
    """The continuation up to what looks like a key: drafts are sent to the verifier."""
    hidden = masked(match.source)[match.at :]
    pairs = enumerate(zip(match.continuation, hidden, strict=False))
    end = next((index for index, (raw, shown) in pairs if raw != shown), len(match.continuation))
    return match.continuation[:end]


def _text(generated: Sequence[int], engine: DraftEngine) -> str:
    """What the tokens stand for. Half of a character at the end agrees with nothing."""
    token_bytes = engine.vocabulary.token_bytes
    return b"".join(token_bytes[token] for token in generated).decode("utf-8", "replace")
