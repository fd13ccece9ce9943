"""`draftwire/status` and `draftwire/stats`, as requests of the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from daemon.api.errors import ApiError
from daemon.api.reasons import in_words

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

REQUEST_FAILED = -32803
"""LSP 3.17: a well-formed request that can't be carried out."""


def register(server: BridgeServer) -> None:
    @server.feature("draftwire/status")
    async def status(_: Any) -> dict[str, Any]:
        try:
            if (now := await server.session.status()) is not None:
                server.note_status(now)
        except ApiError:
            pass  # lost while asking: the session's own state says so
        return server.status()

    @server.feature("draftwire/stats")
    async def stats(_: Any) -> dict[str, Any]:
        try:
            values = await server.session.stats()
        except ApiError as error:
            raise JsonRpcException(str(error), REQUEST_FAILED) from error
        if values is None:
            raise JsonRpcException(server.status()["message"] or "no daemon is running", REQUEST_FAILED)
        for request in values.get("last_requests", ()):
            request["why"] = in_words(request["reason"]) if request["reason"] else ""
        return values
