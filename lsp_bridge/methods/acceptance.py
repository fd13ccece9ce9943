"""What the editor did with a suggestion: shown, accepted in part, accepted. Copilot's dialect and our
command.

`textDocument/didShowCompletion {item}`, `textDocument/didPartiallyAcceptCompletion {item, acceptedLength}`
and the command of each item. What is shown comes first in the answers that follow. `textDocument/didFocus`
belongs to the dialect and tells us nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from daemon.api.messages import Accepted, AcceptKind, Offset, Shown, SuggestionId
from lsp_bridge.items import ACCEPTED_COMMAND
from lsp_bridge.lines import with_lf
from lsp_bridge.positions import clean, index_of_units

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

log = logging.getLogger(__name__)


class Detail(msgspec.Struct, frozen=True):
    """The third argument of the command; all of it optional."""

    uri: str = ""
    typed: Offset = 0
    kind: AcceptKind = "all"


class Arguments(msgspec.Struct, frozen=True, array_like=True):
    """The arguments of the command: `lsp_bridge.items.accepted_command`."""

    suggestion: SuggestionId
    length: Offset
    detail: Detail = Detail()


class ItemCommand(msgspec.Struct, frozen=True):
    arguments: Arguments


class Item(msgspec.Struct, frozen=True):
    """Of an inline completion item, what is needed here."""

    command: ItemCommand
    insertText: str = ""  # noqa: N815 - LSP's name


class ItemParams(msgspec.Struct, frozen=True):
    item: Item
    acceptedLength: Offset = 0  # noqa: N815 - Copilot's name
    """UTF-16 code units from the start of the item's text."""


def register(server: BridgeServer) -> None:
    @server.command(ACCEPTED_COMMAND)
    def accepted(*arguments: Any) -> None:
        try:
            given = msgspec.convert(arguments, Arguments)
        except msgspec.ValidationError as error:
            raise JsonRpcInvalidParams(f"{ACCEPTED_COMMAND} takes [id, length, {{...}}]: {error}") from error
        if server.taken.told(given.suggestion):
            server.session.send(Accepted(given.suggestion, given.length, given.detail.kind))

    @server.feature("textDocument/didShowCompletion")
    def did_show(params: Any) -> None:
        if (given := _item(params)) is not None:
            _keep_first(server, given.item.command.arguments)
            server.session.send(Shown(given.item.command.arguments.suggestion))

    @server.feature("textDocument/didPartiallyAcceptCompletion")
    def did_partially_accept(params: Any) -> None:
        if (given := _item(params)) is not None:
            arguments = given.item.command.arguments
            _keep_first(server, arguments)
            length = arguments.detail.typed + _code_points(given)
            kind = "partial" if arguments.detail.kind == "all" else arguments.detail.kind
            if server.taken.told(arguments.suggestion):
                server.session.send(Accepted(arguments.suggestion, length, kind))

    @server.feature("textDocument/didFocus")
    def did_focus(_: Any) -> None:
        """Accepted and of no use here: requests say which document they are for."""


def _keep_first(server: BridgeServer, shown: Arguments) -> None:
    """This one is on the screen, so it is what the next answers begin with."""
    if (recall := server.recalls.get(shown.detail.uri)) is not None:
        recall.show(shown.suggestion)


def _item(params: Any) -> ItemParams | None:
    try:
        return msgspec.convert(params, ItemParams)
    except msgspec.ValidationError as error:
        log.warning("ignored what the editor says of an item that is not ours: %s", error)
        return None


def _code_points(given: ItemParams) -> int:
    """`acceptedLength` in code points of LF text, as the daemon counts."""
    text = clean(given.item.insertText)
    return len(with_lf(text[: index_of_units(text, given.acceptedLength, "utf-16")]))
