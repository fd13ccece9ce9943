"""A prompt that ends inside a token: both models begin before a blank at its end; a draft alone takes a word back.

**A blank** before the cursor, as after each line end that an editor has indented, belongs to the next word's token. So
the prompt ends before it (`before_blank`), as if the user had yet to type it: what either model says there is the
continuation if it begins with the blank, which is then typed along (`daemon/recall.py`). The draft is made to begin so;
if the target begins otherwise, a run with the whole text as its prompt takes over.

**A word** that is begun is healed. A model has mostly seen the word and its blank as one token, and goes on badly from
the pieces ("ret" with " = a + b", where " return" was meant). So the first tokens are
chosen from before the last word, among those that agree with what stands there (`pending`). What they hold beyond it is
the beginning of the draft, and the draft model goes on from them: from the pieces it would write like pieces later on
("retreturn" where the word is due again).

That is done only where no verifier is awaited: the target reads the words as they stand, and the draft agrees with it
best if it reads the same. The price is an evaluation or two at a run's start.

In a prompt to fill in the middle of (`fim.py`), prefix and middle may be one text: it is healed like any.
Where a mark stands behind the prefix there is nothing to take back; most such models were trained on texts that are
cut at any character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from daemon.documents import Place
from daemon.draft.draft_worker import DraftWorker
from daemon.grammars.legality import Legality
from daemon.run import Run
from grammars.pieces import PieceIndex

MOST_BYTES: Final = 16
"""Of the prompt's end that are taken back."""
MOST_TOKENS: Final = 3
"""Chosen under healing; if the pending bytes are not used up by then, the prompt is left as it is."""
MOST_TRIED: Final = 16
"""Of the best agreeing tokens, what goes on from them is looked at under the grammar."""

_BLANKS: Final = (" ", "\t")
_LAST_WORD: Final = re.compile(rb" ?[\w\x80-\xff]+\Z| +\Z", re.ASCII)


def before_blank(place: Place, pieces: PieceIndex) -> tuple[Place, str]:
    """Where a continuation of `place` is to begin, and the blank that stands between; the place itself if none does."""
    document, end = place.document, place.offset
    blank = document.text[max(end - 1, 1) : end]
    if blank not in _BLANKS or not pieces.join_words(blank.encode()):
        return place, ""
    text = document.text[: end - 1] + document.text[end:]
    return Place(replace(document, text=text, n_bytes=document.n_bytes - 1), end - 1), blank


@dataclass(frozen=True, slots=True)
class Healed:
    """A prompt in whole tokens."""

    prompt: list[int]
    """Its ids, the first token of the draft with them ..."""
    first: list[int]
    """... and the ids of what that holds beyond the prompt's text."""

    def begin(self, run: Run) -> None:
        """Let the run's draft begin so."""
        for token in self.first:
            run.draft(token, 0.0, "healing")
        run.generation.read_as(self.prompt)


class Healing:
    """For one document, whose number at the draft worker is `number`."""

    def __init__(self, number: int, worker: DraftWorker, legality: Legality) -> None:
        self._number = number
        self._worker = worker
        self._legality = legality

    async def heal(self, run: Run, is_wanted: Callable[[bytes], bool] = lambda _: True) -> Healed | None:
        """The run's prompt, healed; None if it is as the model would have it, or can't be healed.

        is_wanted: whether the draft may begin with these bytes. Raises Aborted and EngineFailed.
        """
        vocabulary = self._worker.vocabulary
        path = list(run.generation.context)
        count = taken_back(path, vocabulary.token_bytes, vocabulary.control_ids)
        pending = b"".join(vocabulary.token_bytes[token] for token in path[len(path) - count :])
        del path[len(path) - count :]
        if not path or not any(
            len(vocabulary.token_bytes[i]) > len(pending) for i in self._agreeing(pending)
        ):
            return None
        for _ in range(MOST_TOKENS):
            token = await self._best_agreeing(run, path, pending, is_wanted)
            if token is None:
                return None
            path.append(token)
            piece = vocabulary.token_bytes[token]
            if len(piece) >= len(pending):
                first = self._ids(piece[len(pending) :])
                return Healed(path, first) if first else None
            pending = pending[len(piece) :]
        return None

    async def _best_agreeing(
        self, run: Run, path: list[int], pending: bytes, is_wanted: Callable[[bytes], bool]
    ) -> int | None:
        """The model's best token that agrees with the pending bytes and goes on from them as the grammar allows."""
        run.evaluating = path
        vocabulary = self._worker.vocabulary
        agreeing = self._agreeing(pending)
        if not agreeing:
            return None
        allowed = np.zeros(vocabulary.n_vocab, np.bool_)
        allowed[agreeing] = True
        candidates = await self._worker.next_candidates(self._number, path, allowed)
        pieces = [(token, vocabulary.token_bytes[token]) for token in candidates.ids.tolist()]
        best = [token for token, one in pieces if len(one) < len(pending) or is_wanted(one[len(pending) :])]
        del best[MOST_TRIED:]
        beyond = [vocabulary.token_bytes[token][len(pending) :] for token in best]
        index = await self._legality.first_text(run, beyond) if best else None
        return None if index is None else best[index]

    def _agreeing(self, pending: bytes) -> list[int]:
        vocabulary = self._worker.vocabulary
        no_text = vocabulary.control_ids | vocabulary.stop_ids
        found = self._worker.pieces.agreeing(pending) if pending else []
        return [token for token in found if token not in no_text]

    def _ids(self, text: bytes) -> list[int]:
        try:
            return self._worker.engine.tokenize(text.decode())
        except UnicodeDecodeError:  # a part of a character
            return []


def taken_back(ids: Sequence[int], token_bytes: Sequence[bytes], control_ids: Collection[int]) -> int:
    """How many tokens at the end hold the last word and the blank before it, or the last blanks; 0 for anything else.

    Of a word that is longer than MOST_BYTES, the tokens that lie within that many.
    """
    count, text = 0, b""
    for token in reversed(ids):
        longer = token_bytes[token] + text
        if token in control_ids or len(longer) > MOST_BYTES:
            break
        word = _LAST_WORD.search(longer)
        if word is None or len(word[0]) <= len(text):
            break
        count, text = count + 1, longer
        if word.start() > 0:
            break
    return count
