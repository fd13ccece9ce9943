"""A document of a grammar's language: the state at any cursor in it, found from what has changed since the last one.

The text before the cursor is followed in segments (`grammars/segments.py`), and the recogniser keeps standing at the
end of the last: a key costs its own segment, an edit higher up what comes after it. An error is got over as
`grammars/resync.py` says; where it can't be, and on the very line of an error, the state is unmasked with the reason.
Memory grows with the text (about 150 bytes per byte of it), hence LONGEST_TEXT. Not thread-safe; no clock.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice, pairwise
from sys import maxsize
from typing import Final

from grammars import resync
from grammars.compiled import CompiledGrammar
from grammars.cursor import GrammarState, consume_bytes
from grammars.engine import TokenTable
from grammars.expectation import Expectations
from grammars.interface import CursorState, Mode, Recogniser, RecogniserFailed, Unconstrained
from grammars.resync import Hit, Piece
from grammars.segments import Cutter, Segment, common_length, place

LONGEST_TEXT: Final = 1_500_000
"""Characters before the cursor that are followed."""
_FAILURES: Final = 3
"""Failures of the engine in states handed out, after which the document is left alone."""
_RECOVERY_BYTES: Final = 4_096
"""What a search for a way on counts for in a budget."""
_LONG_STRETCH: Final = 1_000
"""Characters that are followed in one go, if they are also a tenth of what the recogniser has behind it: for that it is
copied, which costs a fraction of following them."""
_AHEAD: Final = resync.SKIPPED + 12
"""Segments after an error that are looked at."""


@dataclass(frozen=True, slots=True)
class _Followed:
    """A segment that the recogniser has behind it, or that was skipped."""

    end: int
    tokens: int
    """The recogniser's, at its end."""
    is_boundary: bool
    error: str = ""
    """The place of the first error of the text so far."""


_START: Final = _Followed(0, 0, is_boundary=True)


@dataclass(frozen=True, slots=True)
class _Lost:
    """No way on was found after an error."""

    place: str
    seen: int
    """Code points of the text that this rests on: a search makes sense again when a segment more is complete."""
    is_final: bool
    """So much text was tried that more of it would not help."""


@dataclass(frozen=True, slots=True)
class _TooMuch:
    """The engine gave up on a text that begins so."""

    beginning: str
    reason: str


class GrammarDocument:
    """One document. `at` lends its recogniser to the state it returns, and takes it back at the next call.

    Offsets are code points. A state overtaken by a later call of `at` or `prepare` raises Stale.
    """

    def __init__(self, template: Recogniser, compiled: CompiledGrammar, table: TokenTable) -> None:
        self._template = template
        self._table = table
        self._expectations = Expectations(compiled, table)
        self._cutter = Cutter(compiled.boundaries)
        self._handed: GrammarState | None = None
        self._too_much: _TooMuch | None = None
        self._failures = 0
        self._begin()

    def at(
        self, text: str, offset: int, *, back_bytes: int = 0, budget_bytes: int | None = None
    ) -> CursorState:
        """The state before the last `back_bytes` bytes of `text[:offset]`.

        With a budget, at most so much is followed; a state that would cost more is unmasked, "reading the file".
        """
        limit = max(0, offset - back_bytes)
        if not self.prepare(text, limit, budget_bytes=budget_bytes):
            return self._unmasked("reading the file")
        if limit > LONGEST_TEXT:
            return self._unmasked(f"the file is longer than {LONGEST_TEXT:,} characters")
        if self._too_much is not None and limit >= len(self._too_much.beginning):
            return self._unmasked(self._too_much.reason)
        if self._lost is not None:
            return self._unmasked(f"{self._lost.place} is not as the grammar has it")
        try:
            return self._state(text, offset, back_bytes)
        except RecogniserFailed as error:
            return self._unmasked(self._give_up(text[:limit], error))

    def prepare(self, text: str, offset: int, *, budget_bytes: int | None = None) -> bool:
        """Follow `text` towards `offset`, by `budget_bytes` at most; whether `at` is cheap there now."""
        self._reclaim()
        if self._too_much is not None and not text.startswith(self._too_much.beginning):
            self._too_much = None
        if offset > LONGEST_TEXT or (self._too_much is not None and offset >= len(self._too_much.beginning)):
            return True
        try:
            self._keep(text, offset)
            self._text = text
            return self._follow(offset, budget_bytes)
        except RecogniserFailed as error:
            self._give_up(text[: self._attempted], error)
            return True

    def _unmasked(self, reason: str) -> Unconstrained:
        return Unconstrained(self._table.n_vocab, reason)

    def _state(self, text: str, offset: int, back_bytes: int) -> CursorState:
        """The state after what is left before the cursor: part of a segment."""
        start = self._end
        rest = encoded(text[start:offset])
        rest = rest[: max(0, len(rest) - back_bytes)]
        consumed = consume_bytes(self._recogniser, self._table, rest)
        self._rest_tokens = consumed.tokens
        if consumed.length < len(rest):
            wrong = start + len(rest[: consumed.length].decode(errors="replace"))
            return self._unmasked(f"{place(text, wrong)} is not as the grammar has it")
        error = self._error
        mode = Mode("resynced", f"resumed after the error at {error}") if error else Mode("masked")
        before = text[:offset]

        def expected(more: bytes) -> tuple[str, ...]:
            prefix = encoded(before)
            return self._expectations.after(prefix[: len(prefix) - back_bytes] + more)

        self._handed = GrammarState(self._recogniser, self._table, mode, None if error else expected)
        return self._handed

    # What is kept ------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """At the start of a text, with a new recogniser."""
        self._recogniser = self._template.copy()
        self._text = ""
        self._followed: list[_Followed] = []
        self._holds: list[int] = []
        """For each segment followed: code points of the text that it rests on; never descending."""
        self._has_floor = False
        """The recogniser began after the first of the segments: there is no way back before that."""
        self._rest_tokens = 0
        self._lost: _Lost | None = None
        self._attempted = 0

    @property
    def _end(self) -> int:
        return self._followed[-1].end if self._followed else 0

    @property
    def _error(self) -> str:
        return self._followed[-1].error if self._followed else ""

    def _reclaim(self) -> None:
        """Take the recogniser back from the state it was lent to."""
        handed, self._handed = self._handed, None
        if handed is not None and not handed.retire():
            self._failures += 1
            if self._failures == _FAILURES:
                self._too_much = _TooMuch("", "the engine failed on this file again and again")
            self._begin()
        self._recogniser.rollback(self._rest_tokens)
        self._rest_tokens = 0

    def _give_up(self, beginning: str, error: RecogniserFailed) -> str:
        reason = f"the grammar is too much for the engine here: {error}"
        self._too_much = _TooMuch(beginning, reason)
        self._begin()
        return reason

    def _keep(self, text: str, limit: int) -> None:
        """Go back to the last segment that is the same in `text` and ends before `limit`."""
        lost = self._lost
        if lost is not None and (
            limit < lost.seen or text[self._end : lost.seen] != self._text[self._end : lost.seen]
        ):
            self._lost = None
        kept = common_length(self._text, text, self._holds)
        kept = min(kept, bisect_right(self._followed, limit, key=lambda segment: segment.end))
        if kept < len(self._followed):
            self._lost = None
            self._go_back(kept)

    def _go_back(self, kept: int) -> None:
        if kept == 0 and self._has_floor:
            self._begin()
            return
        tokens = self._followed[kept - 1].tokens if kept else 0
        self._recogniser.rollback(self._followed[-1].tokens - tokens)
        del self._followed[kept:], self._holds[kept:]

    # Following ---------------------------------------------------------------------------------------------------

    def _follow(self, limit: int, budget_bytes: int | None) -> bool:
        """Consume segment after segment; whether the last before `limit` was reached, or an error that stays."""
        budget = maxsize if budget_bytes is None else budget_bytes
        spent = self._follow_in_one_go(limit, budget)
        while (segment := self._cutter.next(self._text, self._end, limit)) is not None:
            if self._lost is not None:
                if self._lost.is_final or self._cutter.next(self._text, self._lost.seen, limit) is None:
                    return True
                self._lost = None
            if spent >= budget:
                return False
            self._attempted = segment.end
            data = encoded(self._text[self._end : segment.end])
            spent += len(data)
            tokens = self._table.greedy(data)
            count = self._recogniser.consume(tokens)
            if count == len(tokens):
                self._append(segment.end, count, is_boundary=segment.is_boundary)
                continue
            self._recogniser.rollback(count)
            spent += _RECOVERY_BYTES
            self._recover(limit)
            spent += self._follow_in_one_go(limit, min(budget - spent, 2 * _LONG_STRETCH))
        return True

    def _follow_in_one_go(self, limit: int, budget_bytes: int) -> int:
        """Consume what comes before the next error, if it may be long; how many bytes that was."""
        stretch = min(limit - self._end, budget_bytes)
        if self._lost is not None or stretch < max(_LONG_STRETCH, self._end // 10):
            return 0
        segments: list[Segment] = []
        pieces: list[list[int]] = []
        start, sizes = self._end, [0]
        while (
            sizes[-1] < budget_bytes and (segment := self._cutter.next(self._text, start, limit)) is not None
        ):
            data = encoded(self._text[start : segment.end])
            segments.append(segment)
            pieces.append(self._table.greedy(data))
            sizes.append(sizes[-1] + len(data))
            start = self._attempted = segment.end
        count = self._recogniser.consume_pieces(pieces)
        for segment, piece in zip(segments[:count], pieces, strict=False):
            self._append(segment.end, len(piece), is_boundary=segment.is_boundary)
        return sizes[count]

    def _append(self, end: int, tokens: int, *, is_boundary: bool) -> None:
        before = self._followed[-1] if self._followed else _START
        self._followed.append(_Followed(end, before.tokens + tokens, is_boundary, before.error))
        self._holds.append(max(end, self._holds[-1] if self._holds else 0))

    # Errors ------------------------------------------------------------------------------------------------------

    def _recover(self, limit: int) -> None:
        """After the segment that comes next was not accepted: skip it, or be lost."""
        ends, ahead = self._ahead(limit)
        wrong = self._end + self._accepted(ends[0])
        error = self._error or place(self._text, wrong)
        is_own_line = self._text.find("\n", wrong, limit) < 0
        if is_own_line or not (self._resume(ends, ahead, error) or self._restart(ends, ahead, error)):
            self._lost = _Lost(place(self._text, wrong), ends[-1], is_final=len(ahead) == _AHEAD)

    def _ahead(self, limit: int) -> tuple[list[int], list[Piece]]:
        """The next complete segments: where they end, and what they are."""
        ends: list[int] = []
        pieces: list[Piece] = []
        start = self._end
        while len(ends) < _AHEAD and (segment := self._cutter.next(self._text, start, limit)) is not None:
            text = self._text[start : segment.end]
            pieces.append(Piece(self._table.greedy(encoded(text)), segment.is_boundary, not text.strip()))
            ends.append(segment.end)
            start = segment.end
        return ends, pieces

    def _accepted(self, end: int) -> int:
        """Code points of the next segment that are allowed."""
        data = encoded(self._text[self._end : end])
        consumed = consume_bytes(self._recogniser, self._table, data)
        self._recogniser.rollback(consumed.tokens)
        return len(data[: consumed.length].decode(errors="replace"))

    def _resume(self, ends: list[int], ahead: list[Piece], error: str) -> bool:
        """Skip what has to be skipped, nesting kept; False, and nothing changed, if that can't be done."""
        places = self._places_behind()
        here = self._followed[-1].tokens if self._followed else 0
        back = [here - (self._followed[kept - 1].tokens if kept else 0) for kept in places]
        found = resync.search(self._recogniser, back, ahead, self._nonsense())
        kept = places[found.hit.behind if found.hit else 0]
        self._replay(places[found.reached], kept)
        if found.hit is None:
            return False
        del self._followed[kept:], self._holds[kept:]
        self._skip(ends, found.hit, error)
        return True

    def _nonsense(self) -> list[int]:
        """Tokens that follow in strings and comments only; none in a language that takes any characters."""
        tokens = self._table.greedy(resync.NONSENSE)
        return [] if self._template.copy().valid(tokens) == len(tokens) else tokens

    def _places_behind(self) -> list[int]:
        """How many of the segments followed may be kept: all, or up to a boundary before."""
        count = len(self._followed)
        first = 1 if self._has_floor else 0
        earlier = (
            kept
            for kept in range(count - 1, first - 1, -1)
            if kept == 0 or self._followed[kept - 1].is_boundary
        )
        return [count, *islice(earlier, resync.TAKEN_BACK)]

    def _replay(self, kept: int, until: int) -> None:
        """Consume again what was rolled back: the segments from `kept` on, up to `until`."""
        segments = [_START, *self._followed[:until]]
        for start, end in pairwise(segments[kept:]):
            if end.tokens > start.tokens:
                self._recogniser.consume(self._table.greedy(encoded(self._text[start.end : end.end])))

    def _restart(self, ends: list[int], ahead: list[Piece], error: str) -> bool:
        """Begin anew after the error, as if that were the start of a text."""
        fresh = self._template.copy()
        hit = resync.search(fresh, (0,), ahead).hit
        if hit is None:
            return False
        self._recogniser, self._has_floor = fresh, True
        self._followed, self._holds = [], []
        self._skip(ends, hit, error)
        return True

    def _skip(self, ends: list[int], hit: Hit, error: str) -> None:
        tokens = self._followed[-1].tokens if self._followed else 0
        self._followed.append(_Followed(ends[hit.skipped - 1], tokens, True, error))
        self._holds.append(max(ends[hit.evidence - 1], self._holds[-1] if self._holds else 0))


def encoded(text: str) -> bytes:
    """UTF-8; half a surrogate pair, which an editor may send for a moment, is what no grammar allows."""
    return text.encode(errors="surrogatepass")
