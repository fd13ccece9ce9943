"""`textDocument/didOpen`, `didChange`, `didClose`: into our store and on to the daemon at once (ux-2,
ux-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from daemon.api.messages import Accepted, ChangeDocument, CloseDocument
from lsp_bridge.documents import Change, Document
from lsp_bridge.edits import joined
from lsp_bridge.positions import clean

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

MAX_URI = 8192
"""`daemon.api.messages.DocumentId`."""


def register(server: BridgeServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = take(server, params.text_document)
        if document is not None:
            server.send(document.opening())
            server.grammar_checks.opened(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        edit(server, params.text_document.uri, params.text_document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        known = server.documents.get(params.text_document.uri) is not None
        drop(server, params.text_document.uri)
        if known:
            forget(server, params.text_document.uri)


def take(server: BridgeServer, item: types.TextDocumentItem) -> Document | None:
    """A document into our store, which the daemon is then to be told of; None if it can't be used."""
    if len(item.uri) > MAX_URI or clean(item.uri) != item.uri:
        server.refuse_document(item.uri, "bad_uri")
        return None
    known = server.documents.get(item.uri) is not None
    document = server.documents.open(item.uri, clean(item.language_id), item.version, item.text)
    server.recalls.pop(item.uri, None)
    if document is None and known:
        forget(server, item.uri)
    return document


def edit(
    server: BridgeServer, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
) -> None:
    """Changes of a document's text, in their order."""
    if server.documents.get(uri) is None:
        return
    changed = server.documents.change(uri, version, [_change(one) for one in changes])
    if changed is None:
        forget(server, uri)
        return
    document, edits = changed[0], joined(changed[1])
    server.send(ChangeDocument(uri, document.version, edits))
    if (taken := server.taken.seen(document, edits)) is not None:
        server.session.send(Accepted(taken.suggestion, taken.length))
    server.grammar_checks.changed(document)


def drop(server: BridgeServer, uri: str) -> None:
    """A document out of our store; a request under way for it is answered empty."""
    server.newest.supersede(uri)
    server.recalls.pop(uri, None)
    server.taken.forget(uri)
    server.documents.close(uri)


def forget(server: BridgeServer, uri: str) -> None:
    """Close a document that the daemon has and our store no longer; a request under way is answered empty."""
    server.newest.supersede(uri)
    server.recalls.pop(uri, None)
    server.taken.forget(uri)
    server.send(CloseDocument(uri))


def _change(event: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(event, types.TextDocumentContentChangeWholeDocument):
        return Change(event.text)
    start, end = event.range.start, event.range.end
    return Change(event.text, (start.line, start.character), (end.line, end.character))
