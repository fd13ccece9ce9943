"""`initialize` and `initialized`: what the client can do and wants. Nothing here waits for the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_bridge.documents import Documents
from lsp_bridge.options import client_options
from lsp_bridge.positions import PositionEncoding, clean

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer


def register(server: BridgeServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.documents = Documents(_encoding(server))
        server.options = client_options(params.initialization_options)
        if params.client_info is not None:
            server.client_name = clean(
                f"{params.client_info.name} {params.client_info.version or ''}".strip()
            )
        if server.options.completion_list:
            server.offer_completion_list()
        server.session.configure(server.options.settings)
        server.start_session()

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.ready_for_notifications = True
        server.publish_status()


def _encoding(server: BridgeServer) -> PositionEncoding:
    """What pygls has agreed on: the client's first that we know, else UTF-16."""
    agreed = str(getattr(server.workspace.position_encoding, "value", server.workspace.position_encoding))
    if agreed == "utf-8":
        return "utf-8"
    return "utf-32" if agreed == "utf-32" else "utf-16"
