"""`workspace/didChangeConfiguration`: this client's settings, on to the daemon without a restart (ux-33,
ux-46)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_bridge.options import settings_from

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer


def register(server: BridgeServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if params.settings is not None:  # null asks servers to fetch; ours come with the notification
            server.session.configure(settings_from(params.settings))
            server.grammar_checks.all_anew(server.documents)  # they may have been switched on or off
