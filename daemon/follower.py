"""One document's text, and the tokens of one run after it, followed by the document's grammars.

Everything here runs on the legality engine's thread, one call at a time (`daemon/grammar_worker.py`), and any call may
be the last that anybody hears of. So nothing hangs on events: a call is given what is known (a place, the tokens
generated there) and first brings the state to it. A verdict, a rejected tail, an edit or another run are only another
path or place, and going back to an earlier one gives the answers of then.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daemon.document_grammar import DocumentGrammar, LoadedGrammar
from daemon.documents import Place
from daemon.engine import Vocabulary
from daemon.shaping import cuts
from grammars.document import GrammarDocument
from grammars.interface import CursorState, Mode
from grammars.islands import IslandFinder
from grammars.suffix import Fit, longest_fit
from speculation.paths import common_length

REMEMBERED_SUFFIXES: Final = 8
END_TOKENS: Final = 16
"""A draft may end where so many tokens of the text after the cursor can follow."""
SUFFIX_CHARACTERS: Final = 2048
"""More of the text after the cursor than anybody looks at."""
MOST_CUTS: Final = 32
"""Cuts of a text that are tried; those of its beginning mostly were when it was shorter."""
READ_BYTES: Final = 2048
"""Followed in one call: 5 to 10 ms."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a search."""

    index: int | None
    """Of the first candidate that may come next."""
    checks: int
    """Candidates that were looked at."""
    mode: Mode
    illegal: tuple[int, ...]
    """Which of the generated tokens the grammar does not allow: their indices."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """What of a document one grammar is about."""

    document: GrammarDocument
    text: str
    offset: int
    """The cursor's, in this text."""

    @property
    def after(self) -> str:
        """The beginning of the text after the cursor; empty if it is blank."""
        after = self.text[self.offset : self.offset + SUFFIX_CHARACTERS]
        return after if after.strip() else ""


@dataclass(frozen=True, slots=True)
class _Scan:
    """What was found of a text: where to cut it, and how well the text after the cursor follows there."""

    text: str
    cut: int
    score: Score = (False, -1)


Score = tuple[bool, int]
"""How well the text after the cursor follows: whether to the end of what is looked at, and by how many tokens."""


_NO_SCAN: Final = _Scan("", 0)


def _better(known: _Scan, found: _Scan) -> _Scan:
    """The longer cut, unless more of the text after the cursor follows the shorter."""
    return found if found.cut > known.cut and found.score >= known.score else known


@dataclass(slots=True)
class _Standing:
    """A state at a place, and what it has been taken on by."""

    place: Place
    state: CursorState
    after: str
    """As the subject's."""
    pushed: list[int] = field(default_factory=list)
    illegal: list[int] = field(default_factory=list)
    """The index of the first pushed token that was not allowed: what comes after it can't be judged."""
    scans: dict[int, _Scan] = field(default_factory=dict)
    """By characters after the cursor."""


class Follower:
    """One document's. `grammars` has at least one."""

    def __init__(self, grammars: DocumentGrammar, vocabulary: Vocabulary) -> None:
        self._ends = vocabulary.stop_ids
        self._no_text = vocabulary.stop_ids | vocabulary.control_ids
        self._token_bytes = vocabulary.token_bytes
        self._islands = [island for island, _ in grammars.islands]
        self._finder = IslandFinder(self._islands)
        self._inner = [_document(grammar) for _, grammar in grammars.islands]
        self._whole = None if grammars.whole is None else _document(grammars.whole)
        self._standing: _Standing | None = None
        self._viable: dict[str, Score] = {}
        """How well texts after the cursor could follow at best, the one seen last at the end."""

    def read(self, place: Place) -> bool:
        """Follow some of the text before the place; whether `stand` is cheap there now."""
        subject = self._subject(place)
        if subject is None:
            return True
        self._standing = None
        return subject.document.prepare(subject.text, subject.offset, budget_bytes=READ_BYTES)

    def stand(self, place: Place) -> Mode | None:
        """How well the text before the place is followed; None where no grammar is for it."""
        standing = self._at(place)
        if standing is None:
            return None
        mode = standing.state.mode
        if mode.kind != "unmasked":
            self._saw(standing.after, _score(longest_fit(standing.state, b"", (), standing.after.encode())))
        return mode

    def first_legal(self, place: Place, generated: Sequence[int], candidates: Sequence[int]) -> Found:
        """The first of `candidates` (token ids) that may come after the tokens generated at the place."""
        standing = self._taken_on(place, generated)
        index = self._first(standing, candidates)
        checks = len(candidates) if index is None else index + 1
        return Found(index, checks, standing.state.mode, tuple(standing.illegal))

    def first_text(self, place: Place, texts: Sequence[bytes]) -> Found:
        """The first of `texts` that may stand at the place."""
        state = self._taken_on(place, ()).state
        index = next((n for n, text in enumerate(texts) if _may_stand(state, text)), None)
        return Found(index, len(texts) if index is None else index + 1, state.mode, ())

    def allowed(self, place: Place, generated: Sequence[int]) -> NDArray[np.bool_]:
        """Shape [n_vocab]: which tokens may come after those generated at the place."""
        standing = self._taken_on(place, generated)
        allowed = standing.state.mask().copy()
        allowed[list(self._ends)] = self._may_end(standing)
        return allowed

    def fit(self, place: Place, generated: Sequence[int], text: str, at: Place) -> int:
        """How many characters of `text` to show: what is after the cursor `at` is to follow as well as it ever could.

        `text` begins at `place`, and is mostly that of the tokens generated there. Of a text that goes on from the one
        asked about before, only what is new is looked at.
        """
        standing = self._at(place)
        assert standing is not None, "what is asked about has a grammar"
        scan = standing.scans.get(at.characters_after, _NO_SCAN)
        if not text.startswith(scan.text):
            scan = _NO_SCAN
        data, seen = text.encode(), len(scan.text.encode())
        path = self._path_within(generated, data[:seen])
        state = self._taken_on(place, path).state
        subject = self._subject(at)
        after = "" if subject is None else subject.after
        known = sum(len(self._token_bytes[token]) for token in path)
        if state.extend(data[known:seen]) == seen - known and not standing.illegal:
            scan = _better(scan, self._scanned(state, text, seen, cuts(text, at), after))
        state.pop(1)
        standing.scans[at.characters_after] = replace(scan, text=text)
        return scan.cut if scan.score >= self._saw(after, scan.score) else 0

    def _scanned(self, state: CursorState, text: str, seen: int, allowed: Sequence[int], after: str) -> _Scan:
        """The best of the `allowed` cuts of the text after its first `seen` bytes, behind which the state stands."""
        lengths = {len(text[:cut].encode()): cut for cut in allowed[-MOST_CUTS:]}
        rest = text.encode()[seen:]
        fit = longest_fit(state, rest, [length - seen for length in lengths if length > seen], after.encode())
        return _Scan(text, lengths.get(seen + fit.cut, 0), _score(fit))

    def _saw(self, after: str, score: Score) -> Score:
        """The best that this text after the cursor has ever followed; `score` is how it does now."""
        best = max(score, self._viable.pop(after, score))
        self._viable[after] = best
        if len(self._viable) > REMEMBERED_SUFFIXES:
            self._viable.pop(next(iter(self._viable)))
        return best

    def _path_within(self, generated: Sequence[int], data: bytes) -> list[int]:
        """The tokens that make the beginning of `data`."""
        path: list[int] = []
        length = 0
        for token in self._path(generated):
            piece = self._token_bytes[token]
            if not data.startswith(piece, length):
                break
            path.append(token)
            length += len(piece)
        return path

    def _first(self, standing: _Standing, candidates: Sequence[int]) -> int | None:
        start = 0
        ends = [index for index, token in enumerate(candidates) if token in self._ends]
        for end in (*ends, len(candidates)):
            index = standing.state.first_legal(candidates[start:end])
            if index is not None:
                return start + index
            if end < len(candidates) and self._may_end(standing):
                return end
            start = end + 1
        return None

    def _may_end(self, standing: _Standing) -> bool:
        """Whether a draft may: where the text may, or where the text after the cursor can follow."""
        state = standing.state
        if state.is_complete():
            return True
        suffix = state.tokens(standing.after.encode())[:END_TOKENS]
        return bool(suffix) and state.fits(suffix) == len(suffix)

    # --- where the state stands

    def _taken_on(self, place: Place, generated: Sequence[int]) -> _Standing:
        """The state after the tokens generated at the place, up to one that stands for no text."""
        standing = self._at(place)
        assert standing is not None, "what is asked about has a grammar"
        path = self._path(generated)
        kept = common_length(standing.pushed, path)
        standing.state.pop(len(standing.pushed) - kept)
        del standing.pushed[kept:]
        standing.illegal = [index for index in standing.illegal if index < kept]
        for token in path[kept:]:
            was_off = bool(standing.illegal)
            if not standing.state.push(token) and not was_off:
                standing.illegal.append(len(standing.pushed))
            standing.pushed.append(token)
        return standing

    def _path(self, generated: Sequence[int]) -> list[int]:
        return list(itertools.takewhile(lambda token: token not in self._no_text, generated))

    def _at(self, place: Place) -> _Standing | None:
        """The state at the place, wherever it stood before."""
        if self._standing is not None and self._standing.place is place:
            return self._standing
        self._standing = None
        subject = self._subject(place)
        if subject is not None:
            self._standing = _Standing(
                place, subject.document.at(subject.text, subject.offset), subject.after
            )
        return self._standing

    def _subject(self, place: Place) -> _Subject | None:
        """The island around the place, or the document as a whole; None if there is a grammar for neither."""
        text, offset = place.document.text, place.offset
        found = self._finder.at(text, offset)
        if found is not None:
            inner = self._inner[self._islands.index(found.island)]
            end = offset if found.end is None else found.end
            return _Subject(inner, text[found.start : end], offset - found.start)
        return None if self._whole is None else _Subject(self._whole, text, offset)


def _may_stand(state: CursorState, text: bytes) -> bool:
    taken = state.extend(text)
    state.pop(1)
    return taken == len(text)


def _score(fit: Fit) -> Score:
    return fit.whole, fit.accepted


def _document(grammar: LoadedGrammar) -> GrammarDocument:
    return GrammarDocument(grammar.template, grammar.compiled, grammar.table)
