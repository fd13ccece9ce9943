"""`textDocument/completion`, for clients without inline completion; only advertised to those that ask for
it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from daemon.api.messages import Trigger
from lsp_bridge.list_items import list_item
from lsp_bridge.offering import offers_at

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

TRIGGER_CHARACTERS = (".", ":", "(", ",", "=", " ")


def register(server: BridgeServer) -> None:
    options = types.CompletionOptions(trigger_characters=TRIGGER_CHARACTERS)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: types.CompletionParams) -> types.CompletionList:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return types.CompletionList(is_incomplete=False, items=[])
        asked = document.cursor(params.position.line, params.position.character)
        cursor, offers = await offers_at(server, asked, _trigger(params))
        if cursor.offset != asked.offset:
            offers = []  # a list belongs to where it was asked for
        encoding, language = server.documents.encoding, document.language
        items = [list_item(one, cursor, encoding, language) for one in offers]
        return types.CompletionList(is_incomplete=True, items=items)


def _trigger(params: types.CompletionParams) -> Trigger:
    """`Invoked` is also what clients send on each typed letter, so it asks for nothing special here."""
    return "automatic"
