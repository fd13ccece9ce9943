"""From a request at a cursor to what to show there: memory first, then the daemon, never for a text that is
gone.

Shared by `textDocument/inlineCompletion` and `textDocument/completion`; knows neither's shape.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from daemon.api.messages import Completions, Trigger
from lsp_bridge.documents import Cursor
from lsp_bridge.recall import Offer, Recall

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

log = logging.getLogger(__name__)

Offers = tuple[Cursor, list[Offer]]


async def offers_at(server: BridgeServer, cursor: Cursor, trigger: Trigger, selected: str = "") -> Offers:
    """What to show, and where: at `cursor`, or further on if the user has typed along in the meantime.

    One offer for an automatic request, and only offers that go on from `selected` (LF text), which an entry of the
    editor's own list would add. The first is on the screen from now on, until the editor says that another is.

    Empty if there is nothing, the document has left the version otherwise, or a newer request has overtaken
    this one.
    """
    where, found = await _found(server, cursor, trigger)
    offers = [one for one in found if one.text.startswith(selected)]
    if trigger == "automatic":
        del offers[1:]
    if offers:
        server.recalls[cursor.document].show(offers[0].suggestion.id)
    server.taken.give(where, offers)
    return where, offers


async def _found(server: BridgeServer, cursor: Cursor, trigger: Trigger) -> Offers:
    if trigger == "automatic" and (known := _remembered(server, cursor)):
        server.newest.supersede(cursor.document)
        return cursor, known
    answer = await server.newest.run(
        cursor.document,
        server.complete(cursor, trigger),
    )
    if answer is None and trigger == "invoked":
        return cursor, _remembered(server, cursor)  # what is on the screen stays in the list
    if answer is None or not _answers(server, answer, cursor):
        return cursor, []
    recall = server.recalls.setdefault(cursor.document, Recall())
    recall.remember(cursor, [one for one in answer.suggestions if one.text])
    return _offers_now(server, cursor)


def _remembered(server: BridgeServer, cursor: Cursor) -> list[Offer]:
    document, recall = server.documents.get(cursor.document), server.recalls.get(cursor.document)
    return recall.offers(document, cursor) if document and recall else []


def _answers(server: BridgeServer, answer: Completions, cursor: Cursor) -> bool:
    """Whether the daemon has answered for the very text that was asked about (ux-8)."""
    if not answer.suggestions:
        log.debug("nothing to show: %s", answer.reason)
        return False
    if answer.surroundings == cursor.surroundings and answer.offset == cursor.offset:
        return True
    document = server.documents.get(cursor.document)
    if document is not None and document.version == cursor.version:
        log.warning("the daemon's copy of a document differs from the editor's; sending it again")
        server.send(document.opening())
    return False


def _offers_now(server: BridgeServer, cursor: Cursor) -> Offers:
    """What the document as it is now makes of the answer just remembered."""
    document = server.documents.get(cursor.document)
    if document is None:
        return cursor, []
    now = cursor if document.version == cursor.version else document.cursor_at(document.last_edit_end)
    if now.offset < cursor.offset:
        return cursor, []
    return now, server.recalls[cursor.document].offers(document, now)
