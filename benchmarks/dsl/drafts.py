"""Drafting as the daemon does it, step by step under one of several policies, for `benchmarks.dsl_acceptance`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.dsl.thumb_blocks import LONGEST_BLOCK, block_length
from daemon.draft.engine import DraftEngine
from daemon.draft.match_trust import SHORTEST, MatchTrust
from daemon.draft.text_match import longest_match
from grammars.interface import CursorState

SUGGESTION_TOKENS = 12


@dataclass(frozen=True, slots=True)
class Policy:
    """How a draft token is chosen, at temperature 0."""

    masked: bool = False
    """The best token that the grammar allows, not just the best."""
    matches: bool = False
    """What followed the same words before goes before the model's choice, where such matches are trusted at first."""


@dataclass(slots=True)
class Drafted:
    """Draft tokens with the entropies (nats) they were drawn at: 0 where a match was followed."""

    ids: list[int] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    ended: bool = False
    """The draft said that there is no more."""

    @property
    def block(self) -> list[int]:
        """The block that goes to the verifier, by the rule of thumb."""
        return self.ids[: block_length(self.entropies)[0]]


class Drafter:
    """Drafts with one engine in one of its sequences."""

    def __init__(self, engine: DraftEngine, sequence: int) -> None:
        self._engine, self._sequence = engine, sequence
        vocabulary = engine.vocabulary
        self._endings = vocabulary.stop_ids | vocabulary.control_ids
        self._trust = MatchTrust()

    def draft(
        self, ids: Sequence[int], state: CursorState, policy: Policy, count: int, *, block: bool = False
    ) -> Drafted:
        """Up to `count` tokens after `ids`, for which `state` stands; the state is as before afterwards.

        block: stop where the verifier's block is full.
        """
        drafted = Drafted()
        pushed = 0
        while len(drafted.ids) < count and not (block and block_length(drafted.entropies)[1]):
            token, entropy = self._next([*ids, *drafted.ids], state, policy)
            if token is None or token in self._endings:
                drafted.ended = True
                break
            drafted.ids.append(token)
            drafted.entropies.append(entropy)
            state.push(token)
            pushed += 1
        state.pop(pushed)
        return drafted

    def block(self, ids: Sequence[int], state: CursorState, policy: Policy) -> Drafted:
        """One block for the verifier."""
        return self.draft(ids, state, policy, LONGEST_BLOCK, block=True)

    def _next(self, ids: Sequence[int], state: CursorState, policy: Policy) -> tuple[int | None, float]:
        """The next token and its entropy; None if the grammar allows nothing."""
        if policy.matches:
            matched = self._matched(ids)
            if matched is not None and (not policy.masked or state.first_legal([matched]) == 0):
                return matched, 0.0
        candidates = self._engine.next_candidates(self._sequence, ids)
        if not policy.masked:
            return int(candidates.ids[0]), candidates.entropy
        index = state.first_legal(candidates.ids.tolist())
        if index is not None:
            return int(candidates.ids[index]), candidates.entropy
        mask = state.mask()
        if not mask.any():
            return None, 0.0
        return int(self._engine.next_candidates(self._sequence, ids, mask).ids[0]), candidates.entropy

    def _matched(self, ids: Sequence[int]) -> int | None:
        """The token that followed when the text of the last of `ids` stood in that of all of them before."""
        token_bytes = self._engine.vocabulary.token_bytes
        text = b"".join(token_bytes[token] for token in ids).decode("utf-8", "replace")
        match = longest_match(text, [text], SHORTEST)
        if match is None or not self._trust.follows(match.matched):
            return None
        return self._engine.tokenize(match.continuation)[0]
