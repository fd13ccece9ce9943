"""Offers as the editor gets them: line ends of the file, units of the client, and the command that reports
back.

Pure: knows LSP's shapes and an offer, not where it came from.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_bridge.documents import Cursor
from lsp_bridge.positions import PositionEncoding, units_of
from lsp_bridge.recall import Offer

ACCEPTED_COMMAND = "draftwire.accepted"


def with_eol(text: str, eol: str) -> str:
    """LF text with the line ends of the file (ux-11)."""
    return text if eol == "\n" else text.replace("\n", eol)


def verified_units(offer: Offer, eol: str, encoding: PositionEncoding) -> int:
    """How much of the inserted text is verified, in the client's units."""
    return units_of(with_eol(offer.text[: offer.verified], eol), encoding)


def accepted_command(offer: Offer, cursor: Cursor, encoding: PositionEncoding) -> types.Command:
    """The command an editor runs when the whole item is accepted.

    Arguments: the suggestion's id; the length in code points of the suggestion up to the end of the item; and
    what else an editor may want to know of it: `typed` code points stand before the item already, `version`
    and `surroundings` name the text it is for, `verifiedLength` is in the client's units from the start of
    the item.
    """
    detail: dict[str, Any] = {
        "uri": cursor.document,
        "version": cursor.version,
        "surroundings": cursor.surroundings,
        "typed": offer.typed,
        "verifiedLength": verified_units(offer, cursor.eol, encoding),
        "complete": offer.suggestion.complete,
        "source": offer.suggestion.source,
    }
    return types.Command(
        title="Draftwire: accepted",
        command=ACCEPTED_COMMAND,
        arguments=[offer.suggestion.id, len(offer.suggestion.text), detail],
    )


def inline_item(offer: Offer, cursor: Cursor, encoding: PositionEncoding) -> types.InlineCompletionItem:
    """An item to draw at the cursor: inserted there, replacing nothing."""
    position = types.Position(cursor.line, cursor.character)
    return types.InlineCompletionItem(
        insert_text=with_eol(offer.text, cursor.eol),
        range=types.Range(position, position),
        command=accepted_command(offer, cursor, encoding),
    )
