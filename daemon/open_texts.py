"""The texts that a user has around: where drafts are sought that need no model. State only; it reads no file.

And how well such drafts did, by language.

Around a place are, in the order in which they are preferred: the text before it; what was lately taken out of a
document (cut code is written again elsewhere); the text after it; the client's other documents, the last visited first.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Final

from daemon.api.messages import Edit
from daemon.documents import Document, Place
from daemon.match_trust import MatchTrust

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


class OpenTexts:
    """One client's. A document that must not be read from is never told of here."""

    def __init__(self) -> None:
        self._visited: OrderedDict[str, Place] = OrderedDict()
        """By document, where the user was in it; the last visited at the end."""
        self._removed: deque[str] = deque(maxlen=MOST_REMOVED)
        self._trusts: dict[str, MatchTrust] = {}

    def trust(self, language: str) -> MatchTrust:
        """What is known of matches in this language."""
        return self._trusts.setdefault(language, MatchTrust())

    def visited(self, place: Place) -> None:
        """The user is there now."""
        self._visited[place.document.name] = place
        self._visited.move_to_end(place.document.name)

    def edited(self, before: Document, edits: Sequence[Edit]) -> None:
        """`before` is about to change so: remember what one edit takes away."""
        if len(edits) == 1:
            removed = before.text[edits[0].start : edits[0].end]
            if len(removed) - len(edits[0].text) >= SHORTEST_REMOVED:
                self._removed.append(removed[:LONGEST_REMOVED])

    def closed(self, name: str) -> None:
        self._visited.pop(name, None)

    def around(self, place: Place) -> list[str]:
        """The texts, the most preferred first."""
        text, offset = place.document.text, place.offset
        others = [there for name, there in reversed(self._visited.items()) if name != place.document.name]
        return [
            text[max(0, offset - BEFORE) : offset],
            *reversed(self._removed),
            text[offset : offset + AFTER],
            *(_near(there) for there in others[:MOST_OTHERS]),
        ]


def _near(place: Place) -> str:
    start = max(0, place.offset - OF_OTHERS // 2)
    return place.document.text[start : start + OF_OTHERS]
