"""One document's text, and the tokens of one run after it, followed by the document's grammars.

Everything here runs on the legality engine's thread, one call at a time (`daemon/grammars/worker.py`), and any call may
be the last that anybody hears of. So nothing hangs on events: a call is given what is known (a place, the tokens
generated there) and first brings the state to it. A verdict, a rejected tail, an edit or another run are only another
path or place, and going back to an earlier one gives the answers of then.

In an island its grammar holds until a draft closes it, where that may be; what comes after is text of the host, of
which nothing is known until the next key. What is after the cursor counts up to the island's end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daemon.documents import Place
from daemon.draft.engine import Vocabulary
from daemon.grammars.document_grammar import DocumentGrammar
from daemon.grammars.remarks import signs_within_statements
from daemon.grammars.subject import Inside, Language, Subject, Subjects
from daemon.screen.shaping import cuts
from grammars.document import encoded
from grammars.interface import CursorState, Mode
from grammars.suffix import Fit, Outset, Suffix, longest_fit, reach, takes_nonsense
from speculation.paths import common_length

REMEMBERED_SUFFIXES: Final = 8
END_TOKENS: Final = 16
"""A draft may end where so many tokens of the text after the cursor can follow."""
MOST_CUTS: Final = 32
"""Cuts of a text that are tried; those of its beginning mostly were when it was shorter."""
FAR_LOOKS: Final = 4
"""Of a text that has grown, so many cuts are followed far into the text after the cursor: each takes a millisecond."""


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


Score = tuple[bool, int]
"""How well the text after the cursor follows: whether to the end of what is looked at, and by how many tokens."""

_WORST: Final[Score] = (False, -1)


@dataclass(frozen=True, slots=True)
class _Scan:
    """What was found of a text: where to cut it, and how well the text after the cursor follows there."""

    text: str = ""
    cut: int = 0
    score: Score = _WORST


@dataclass(slots=True)
class _After:
    """A text after the cursor."""

    suffix: Suffix
    best: Score = _WORST
    """How well it has ever followed."""
    reach: int = 0
    """How far it has ever followed where its window did."""

    @property
    def could_follow(self) -> bool:
        return self.suffix.is_blank or self.best[0]

    def saw(self, score: Score) -> None:
        self.best = max(self.best, score)


@dataclass(slots=True)
class _Standing:
    """A state at a place, and what it has been taken on by."""

    place: Place
    subject: Subject
    state: CursorState
    pushed: list[int] = field(default_factory=list)
    illegal: list[int] = field(default_factory=list)
    """The index of the first pushed token that was not allowed: what comes after it can't be judged."""
    scans: dict[int, _Scan] = field(default_factory=dict)
    """By characters after the cursor."""
    outsets: dict[int, Outset] = field(default_factory=dict)
    """The place before texts after the cursor, by their characters."""
    may_close: dict[str, bool] = field(default_factory=dict)
    """Whether the island may end after these texts."""


class Follower:
    """One document's. `grammars` has at least one."""

    def __init__(self, grammars: DocumentGrammar, vocabulary: Vocabulary) -> None:
        self._ends = vocabulary.stop_ids
        self._no_text = vocabulary.stop_ids | vocabulary.control_ids
        self._token_bytes = vocabulary.token_bytes
        self._subjects = Subjects(grammars)
        self._standing: _Standing | None = None
        self._afters: dict[tuple[Language, str], _After] = {}
        """The one seen last at the end."""

    def read(self, place: Place) -> bool:
        """Follow some of the text before the place; whether `stand` is cheap there now."""
        if not self._subjects.look(place):
            return False
        subject = self._subjects.at(place)
        if subject is None:
            return True
        self._standing = None
        return subject.read()

    def stand(self, place: Place) -> Mode | None:
        """How well the text before the place is followed; None where no grammar is for it."""
        standing = self._at(place)
        if standing is None:
            return None
        mode = standing.state.mode
        if mode.kind != "unmasked":
            after = self._after(standing.subject)
            fit = longest_fit(standing.state, b"", (), after.suffix)
            after.saw(_score(fit))
            if fit.whole:
                _reaches(standing.state, b"", after)
        return mode

    def lack(self, place: Place) -> str:
        """Why the grammar is not there that should be for the place; empty if it is, or none should be."""
        return self._subjects.lack(place)

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
        standing = self._required(place)
        now = self._subjects.at(at)
        subject = now if now is not None and now.is_same(standing.subject) else standing.subject.left()
        after = self._after(subject)
        inside = standing.subject.inside(text)
        allowed = [cut for cut in cuts(text, at) if cut <= len(inside.text)]
        scan = self._scanned(standing, generated, inside.text, allowed, at.characters_after, after)
        after.saw(scan.score)
        is_closed_behind = subject.is_closed and after.could_follow
        if inside.is_closed and not is_closed_behind and self._may_close(standing, inside):
            return len(text)
        if scan.score < after.best:
            return 0
        is_whole, _ = scan.score
        cut = scan.cut if is_whole else min(scan.cut, _line_end(text, at.offset - place.offset))
        return self._before_remark(standing, text[:cut], after.suffix)

    def _scanned(
        self,
        standing: _Standing,
        generated: Sequence[int],
        text: str,
        allowed: Sequence[int],
        characters_after: int,
        after: _After,
    ) -> _Scan:
        """What is known of the text before this cursor, brought up to date; `allowed`: its cuts."""
        known = standing.scans.get(characters_after, _Scan())
        if not text.startswith(known.text):
            known = _Scan()
        outset = self._outset(standing, characters_after, after.suffix)
        data, seen = encoded(text), len(encoded(known.text))
        path = self._path_within(generated, data[:seen])
        state = self._taken_on(standing.place, path).state
        reached = sum(len(self._token_bytes[token]) for token in path)
        if state.extend(data[reached:seen]) == seen - reached and not standing.illegal:
            lengths = {len(encoded(text[:cut])): cut for cut in allowed[-MOST_CUTS:]}
            new = [length - seen for length in lengths if length > seen]
            for _ in range(FAR_LOOKS):
                fit = longest_fit(state, data[seen:], new, after.suffix, outset=outset, before=data[:seen])
                # Of 0, which shows nothing new, it is known how well that does. The longer cut is better, unless
                # more of the text after the cursor follows the shorter.
                if not fit.cut or _score(fit) < known.score:
                    break
                if not fit.whole or _reaches(state, data[seen : seen + fit.cut], after):
                    known = _Scan(text, lengths[seen + fit.cut], _score(fit))
                    break
                new = [cut for cut in new if cut < fit.cut]
        state.pop(1)
        standing.scans[characters_after] = replace(known, text=text)
        return known

    def _outset(self, standing: _Standing, characters_after: int, suffix: Suffix) -> Outset:
        if characters_after not in standing.outsets:
            state = self._taken_on(standing.place, ()).state
            standing.outsets[characters_after] = Outset.at(state, suffix)
        return standing.outsets[characters_after]

    def _before_remark(self, standing: _Standing, text: str, suffix: Suffix) -> int:
        """How much of the text comes before a comment in the middle of a statement: all, if there is none."""
        subject = standing.subject
        line_before = subject.text[: subject.offset].rpartition("\n")[2]
        comments, boundaries = subject.language.line_comments, subject.language.boundaries
        for offset, sign in signs_within_statements(text, line_before, comments, boundaries):
            state = self._taken_on(standing.place, ()).state
            state.extend(encoded(text[:offset]))
            was_free = takes_nonsense(state, suffix)
            state.extend(encoded(sign))
            is_free = takes_nonsense(state, suffix)
            state.pop(2)
            if is_free and not was_free:
                return len(text[:offset].rstrip())
        return len(text)

    def _may_close(self, standing: _Standing, inside: Inside) -> bool:
        """Whether the island may end after this text of it, which then may be shown with all that comes after it."""
        if inside.text not in standing.may_close:
            data = encoded(inside.text)
            state = self._taken_on(standing.place, ()).state
            standing.may_close[inside.text] = state.extend(data) == len(data) and state.is_complete()
            state.pop(1)
        return standing.may_close[inside.text]

    def _after(self, subject: Subject) -> _After:
        key = (subject.language, subject.after)
        after = self._afters.pop(key, None) or _After(subject.suffix())
        self._afters[key] = after
        if len(self._afters) > REMEMBERED_SUFFIXES:
            self._afters.pop(next(iter(self._afters)))
        return after

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
        if standing.state.is_complete():
            return True
        beginning = self._after(standing.subject).suffix.window[:END_TOKENS]
        return bool(beginning) and standing.state.fits(beginning) == len(beginning)

    # --- where the state stands

    def _taken_on(self, place: Place, generated: Sequence[int]) -> _Standing:
        """The state after the tokens generated at the place, up to one that stands for no text."""
        standing = self._required(place)
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

    def _required(self, place: Place) -> _Standing:
        standing = self._at(place)
        assert standing is not None, "what is asked about has a grammar"
        return standing

    def _at(self, place: Place) -> _Standing | None:
        """The state at the place, wherever it stood before."""
        if self._standing is not None and self._standing.place is place:
            return self._standing
        subject = self._subjects.at(place)
        self._standing = None if subject is None else _Standing(place, subject, subject.state())
        return self._standing


def _line_end(text: str, start: int) -> int:
    """Where the first line with text on it ends, from `start` on: more is not shown of what leads to nowhere yet."""
    first = len(text) - len(text[start:].lstrip())
    end = text.find("\n", first)
    return len(text) if end < 0 else end


def _may_stand(state: CursorState, text: bytes) -> bool:
    taken = state.extend(text)
    state.pop(1)
    return taken == len(text)


def _reaches(state: CursorState, text: bytes, after: _After) -> bool:
    """Whether, with `text` before it, what is after the cursor follows as far as it ever did."""
    state.extend(text)
    found = reach(state, after.suffix)
    state.pop(1)
    after.reach = max(after.reach, found)
    return found == after.reach


def _score(fit: Fit) -> Score:
    return fit.whole, fit.accepted
