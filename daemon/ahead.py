"""Going ahead: the place behind a suggestion, where its user will be after accepting all of it. Pure.

A run begins there while the suggestion is on the screen, on a document that does not exist yet. Once the edit arrives
that makes it exist, the run fits as any other that is recalled (`daemon/recall.py`).
"""

from __future__ import annotations

from dataclasses import replace

from daemon.documents import Place, utf8_length
from daemon.recall import typed_since
from daemon.screen.shaping import splits_word


def place_behind(place: Place, text: str) -> Place | None:
    """The cursor after `text` has been put in at `place`; None where nothing could be shown then."""
    document, offset = place.document, place.offset
    accepted = replace(
        document,
        text="".join((document.text[:offset], text, document.text[offset:])),
        n_bytes=document.n_bytes + utf8_length(text),
    )
    behind = Place(accepted, offset + len(text))
    return None if not text or splits_word(behind) else behind


def leads_to(place: Place, behind: Place, text: str | None = None) -> bool:
    """Whether typing at `place` (this text; None: any) gets the user to `behind`."""
    typed = typed_since(place, behind)
    return typed is not None and text in (None, typed)
