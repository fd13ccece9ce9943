"""`notebookDocument/didOpen`, `didChange`, `didClose` (LSP 3.17): each cell is a document in our store, as any other
(ux-37)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_bridge.methods import text_sync
from lsp_bridge.notebooks import MAX_LANGUAGE
from lsp_bridge.positions import clean

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

ALL_NOTEBOOKS = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook(notebook="*")])
"""Every cell of every notebook: what is completed is the daemon's to decide."""


def register(server: BridgeServer) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        if len(uri) > text_sync.MAX_URI - MAX_LANGUAGE - 1 or clean(uri) != uri:
            return
        cells = [cell.document for cell in params.notebook_document.cells]
        _arrange(server, uri, cells, params.cell_text_documents)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        uri, change = params.notebook_document.uri, params.change.cells
        if change is None or not server.notebooks.is_open(uri):
            return
        if change.structure is not None and not _restructure(server, uri, change.structure):
            server.refuse_document(uri, "out_of_step")
            return
        for one in change.text_content or ():
            text_sync.edit(server, one.document.uri, one.document.version, one.changes)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        if server.notebooks.is_open(params.notebook_document.uri):
            close(server, params.notebook_document.uri)


def close(server: BridgeServer, uri: str) -> None:
    """An open notebook, and its cells, out of our store and away from the daemon."""
    for cell in server.notebooks.cells(uri):
        text_sync.drop(server, cell)
    for message in server.notebooks.close(uri):
        server.send(message)


def _restructure(server: BridgeServer, uri: str, change: types.NotebookDocumentCellChangeStructure) -> bool:
    """Cells have come, gone or moved; False if the notebook known here can't be the editor's."""
    cells, array = server.notebooks.cells(uri), change.array
    end = array.start + array.delete_count
    if end > len(cells):
        return False
    cells[array.start : end] = [cell.document for cell in array.cells or ()]
    for closed in change.did_close or ():
        if closed.uri in cells:  # moved, and opened anew
            text_sync.drop(server, closed.uri)
    _arrange(server, uri, cells, change.did_open or ())
    return True


def _arrange(
    server: BridgeServer, uri: str, cells: Sequence[str], opened: Sequence[types.TextDocumentItem] = ()
) -> None:
    """These are the notebook's cells now; those that are not among them any more are closed."""
    for gone in set(server.notebooks.cells(uri)) - set(cells):
        text_sync.drop(server, gone)
    fresh = [item for item in opened if item.uri in cells]
    for item in fresh:
        text_sync.take(server, item)
    for message in server.notebooks.arrange(uri, cells, [item.uri for item in fresh]):
        server.send(message)
