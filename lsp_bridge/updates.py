"""A daemon's change to a suggestion -> the parameters of `draftwire/suggestion`, for the document as it is
now."""

from __future__ import annotations

from typing import Any

from daemon.api.messages import SuggestionUpdate
from lsp_bridge.documents import Cursor, Document
from lsp_bridge.items import verified_units, with_eol
from lsp_bridge.recall import Offer, Recall


def suggestion_params(update: SuggestionUpdate, document: Document, recall: Recall) -> dict[str, Any] | None:
    """Take the update into `recall`; what to tell the editor, or None if the buffer has gone another way."""
    current = document.version == update.version
    if not recall.update(update) and current and update.kind != "withdrawn":
        recall.remember(document.cursor_at(update.offset), [update.suggestion])
    cursor = document.cursor_at(update.offset if current else document.last_edit_end)
    offer = next(
        (o for o in recall.offers(document, cursor) if o.suggestion.id == update.suggestion.id), None
    )
    if update.kind == "withdrawn":
        return _params(update, cursor, document, text="", verified_length=0)
    if offer is None:
        return None
    return _params(
        update,
        cursor,
        document,
        text=with_eol(offer.text, cursor.eol),
        verified_length=_verified(offer, cursor, document),
    )


def _verified(offer: Offer, cursor: Cursor, document: Document) -> int:
    return verified_units(offer, cursor.eol, document.encoding)


def _params(
    update: SuggestionUpdate, cursor: Cursor, document: Document, *, text: str, verified_length: int
) -> dict[str, Any]:
    return {
        "uri": document.uri,
        "version": document.version,
        "position": {"line": cursor.line, "character": cursor.character},
        "kind": update.kind,
        "id": update.suggestion.id,
        "text": text,
        "verifiedLength": verified_length,
        "complete": update.suggestion.complete,
        "surroundings": cursor.surroundings,
    }
