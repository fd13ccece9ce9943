"""`textDocument/inlineCompletion` (LSP 3.18): always a list, which may be empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from daemon.api.messages import Trigger
from lsp_bridge.documents import Document
from lsp_bridge.items import inline_item
from lsp_bridge.lines import with_lf
from lsp_bridge.offering import offers_at

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer


def register(server: BridgeServer) -> None:
    # Without options pygls does not advertise the method.
    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    async def inline_completion(params: types.InlineCompletionParams) -> types.InlineCompletionList:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return types.InlineCompletionList(items=[])
        cursor = document.cursor(params.position.line, params.position.character)
        selected = _selected(document, params)
        # An editor shows ghost text beside its completion list only if it goes on from the selected entry.
        cursor, offers = await offers_at(server, cursor, _trigger(params.context), selected)
        items = [inline_item(one, cursor, server.documents.encoding) for one in offers]
        return types.InlineCompletionList(items=items)


def _trigger(context: types.InlineCompletionContext) -> Trigger:
    invoked = context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
    return "invoked" if invoked else "automatic"


def _selected(document: Document, params: types.InlineCompletionParams) -> str:
    """What the selected entry of the editor's completion list would add at the cursor, as LF text."""
    chosen = params.context.selected_completion_info
    if chosen is None:
        return ""
    start = document.cursor(chosen.range.start.line, chosen.range.start.character).offset
    end = document.cursor(params.position.line, params.position.character).offset
    text = with_lf(chosen.text)
    return text.removeprefix(document.slice(start, end))
