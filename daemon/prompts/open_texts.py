"""The texts that a user has around, and where in them the user was. State only; it reads no file.

Drafts are sought in them that need no model, and prompts show pieces of them (`cross_file.py`).

And how well such drafts did, by language.

Around a place are, in the order in which they are preferred: the text before it; what was lately taken out of a
document (cut code is written again elsewhere); the text after it; the client's other documents, the last visited first,
each in two, since what stands after a cursor is seldom how the text before it goes on.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from daemon.api.messages import Edit
from daemon.documents import Document, Place, without_last_word
from daemon.draft.match_trust import MatchTrust

BEFORE: Final = 65_536
"""Characters that are looked at before the cursor ..."""
AFTER: Final = 32_768
"""... after it ..."""
OF_OTHERS: Final = 32_768
"""... and of each other document, around where the user was in it."""
MOST_OTHERS: Final = 4
MOST_REMOVED: Final = 8
SHORTEST_REMOVED: Final = 16
"""Characters: what backspaces take away is no text to write again."""
LONGEST_REMOVED: Final = 8_192
MOST_SPOTS: Final = 4
"""Places in a document where the user was lately ..."""
SPOT_REACH: Final = 1500
"""... in characters: places that are no further apart are one."""


@dataclass(frozen=True, slots=True)
class OpenText:
    """What is around a place of a document where the user was."""

    document: Document
    start: int
    """Where the text begins in the document ..."""
    text: str
    spots: tuple[int, ...]
    """... and where in the text the user was lately, in code points."""


class OpenTexts:
    """One client's. A document that must not be read from is never told of here."""

    def __init__(self) -> None:
        self._visited: OrderedDict[str, Place] = OrderedDict()
        """By document, where the user was in it; the last visited at the end."""
        self._removed: deque[str] = deque(maxlen=MOST_REMOVED)
        self._spots: dict[str, list[int]] = {}
        """By document, where the user was lately; the last place at the end."""
        self.moves = 0
        """How often the user went to another place."""
        self._trusts: dict[str, MatchTrust] = {}

    def trust(self, language: str) -> MatchTrust:
        """What is known of matches in this language."""
        return self._trusts.setdefault(language, MatchTrust())

    def visited(self, place: Place) -> None:
        """The user is there now."""
        name = place.document.name
        spots = self._spots.setdefault(name, [])
        is_near = bool(spots) and abs(spots[-1] - place.offset) <= SPOT_REACH
        self.moves += not is_near or next(reversed(self._visited), name) != name
        if is_near:
            spots.pop()
        self._spots[name] = [*spots, place.offset][-MOST_SPOTS:]
        self._visited[name] = place
        self._visited.move_to_end(name)

    def edited(self, before: Document, edits: Sequence[Edit]) -> None:
        """`before` is about to change so: remember what one edit takes away."""
        spots = self._spots.get(before.name, [])
        for edit in edits:
            spots = [_moved(spot, edit) for spot in spots]
        self._spots[before.name] = spots
        if len(edits) == 1:
            removed = before.text[edits[0].start : edits[0].end]
            if len(removed) - len(edits[0].text) >= SHORTEST_REMOVED:
                self._removed.append(removed[:LONGEST_REMOVED])

    def closed(self, name: str) -> None:
        self._visited.pop(name, None)
        self._spots.pop(name, None)

    def around(self, place: Place) -> list[str]:
        """The texts, the most preferred first."""
        text, offset = place.document.text, place.offset
        others = [there for name, there in reversed(self._visited.items()) if name != place.document.name]
        return [
            text[max(0, offset - BEFORE) : offset],
            *reversed(self._removed),
            text[offset : offset + AFTER],
            *(part for there in others[:MOST_OTHERS] for part in _near(there)),
        ]

    def beside(self, name: str) -> list[OpenText]:
        """What is around the places of the other documents, the last visited first."""
        others = [there for other, there in reversed(self._visited.items()) if other != name]
        return [self._around(there) for there in others[:MOST_OTHERS]]

    def _around(self, there: Place) -> OpenText:
        text = there.document.text
        start = text.rfind("\n", 0, max(0, there.offset - OF_OTHERS // 2)) + 1
        end = start + OF_OTHERS
        spots = [spot - start for spot in self._spots[there.document.name] if start <= spot < end]
        return OpenText(there.document, start, text[start:end], tuple(spots))


def _moved(spot: int, edit: Edit) -> int:
    """Where a place is after an edit."""
    if spot < edit.end:
        return min(spot, edit.start)
    return spot + len(edit.text) - (edit.end - edit.start)


def _near(place: Place) -> tuple[str, str]:
    """What stands before the place, without the word that is being typed there, and what after it."""
    text, offset = place.document.text, place.offset
    start = max(0, offset - OF_OTHERS // 2)
    return without_last_word(text[start:offset]), text[offset : start + OF_OTHERS]
