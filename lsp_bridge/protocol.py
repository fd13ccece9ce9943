"""JSON-RPC as the bridge speaks it: pygls' protocol, with an answer for everything that deserves one.

pygls 2.1.1 answers neither malformed parameters nor requests before `initialize` or after `shutdown`, and
keeps a copy of each document; here the first are answered and the second is left to
`lsp_bridge/documents.py`. Knows the protocol's order and its errors, not what any method does.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, LanguageServerProtocol
from pygls.protocol import default_converter as pygls_converter
from pygls.protocol.language_server import lsp_method

from lsp_bridge.documents import NO_VERSION
from lsp_bridge.malformed import malformed_parameters

if TYPE_CHECKING:
    from lsp_bridge.server import BridgeServer

SYNCHRONISING = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
)

Json = dict[str, Any]
log = logging.getLogger(__name__)


class BridgeProtocol(LanguageServerProtocol):
    """One editor's conversation. Give it each body that comes in by `receive`."""

    _server: BridgeServer

    def __init__(self, server: BridgeServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._initialized = False

    def receive(self, body: bytes | None) -> None:
        """Take one JSON body (None: it was too long to read). Never raises for what the editor sent."""
        if body is None:
            self._refuse(None, types.ErrorCodes.InvalidRequest, "the message is too large")
            return
        try:
            message, damaged = _parse(body)
        except (ValueError, RecursionError):
            self._refuse(None, types.ErrorCodes.ParseError, "the message is not JSON")
            return
        if not isinstance(message, dict):
            self._refuse(None, types.ErrorCodes.InvalidRequest, "the message is not a JSON object")
        elif damaged:
            self._reject(message, "the message is not valid UTF-8")
        elif self._in_order(message):
            self._dispatch(message)

    def _in_order(self, message: Json) -> bool:
        """Whether this message may come now; if not it is refused, or ignored where it can't be answered."""
        method, identifier = message.get("method"), message.get("id")
        if message.get("jsonrpc") != self.VERSION or not isinstance(method, str | None):
            self._reject(message, "the message is not JSON-RPC 2.0", types.ErrorCodes.InvalidRequest)
        elif "id" in message and not _is_id(identifier):
            self._refuse(None, types.ErrorCodes.InvalidRequest, "a request's id is a string or an integer")
        elif "id" in message and _is_notification(method):
            self._reject(message, f"{method} is a notification", types.ErrorCodes.InvalidRequest)
        elif method == types.CANCEL_REQUEST and not _is_id(_params_of(message).get("id")):
            self._reject(message, "a request's id is a string or an integer")
        elif not self._initialized and method not in (types.INITIALIZE, types.EXIT):
            self._reject(message, "send initialize first", types.ErrorCodes.ServerNotInitialized)
        elif self._initialized and method == types.INITIALIZE:
            self._reject(message, "initialize comes once", types.ErrorCodes.InvalidRequest)
        elif self._shutdown and method != types.EXIT:
            self._reject(message, "the server is shutting down", types.ErrorCodes.InvalidRequest)
        else:
            return True
        return False

    def _dispatch(self, message: Json) -> None:
        try:
            typed = self._structured(message)
        except Exception as error:  # cattrs, attrs validators, and whatever odd parameters provoke
            self._reject(message, malformed_parameters(error))
            return
        if message.get("method") == types.INITIALIZE:
            self._initialized = True
        try:
            self.handle_message(typed)
        except Exception:
            log.exception("could not handle %s", str(message.get("method"))[:80])
            self._reject(message, "internal error; see the log", types.ErrorCodes.InternalError)

    def _structured(self, message: Json) -> Any:
        try:
            return self.structure_message(message)
        except Exception:
            if message.get("method") != types.INITIALIZE:
                raise
            return self.structure_message(_essential(message))

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[..., Any],
        callback: Callable[[Any], Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls, which keeps a future of each notification for ever: about 2 kB for every key."""

        def over(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, over, args, kwargs)

    def structure_message(self, data: Json) -> Any:
        """As pygls, but methods that LSP does not know keep their parameters as plain JSON."""
        method = data.get("method")
        if method is None or method in types.METHOD_TO_TYPES:
            return super().structure_message(data)
        if "id" in data:
            return JsonRPCRequestMessage(data["id"], method, self.VERSION, data.get("params"))
        return JsonRPCNotification(method, self.VERSION, data.get("params"))

    def _reject(
        self, message: Json, why: str, code: types.ErrorCodes = types.ErrorCodes.InvalidParams
    ) -> None:
        """Answer a request with an error; of a notification, keep its document from going wrong."""
        method = message.get("method")
        if method is not None and "id" in message:
            identifier = message["id"]
            self._refuse(identifier if _is_id(identifier) else None, code, why)
            return
        log.warning("ignored %s from the editor: %s", str(method)[:80], why)
        if self._initialized and method in SYNCHRONISING and (uri := _uri_of(message)) is not None:
            self._server.refuse_document(uri, "out_of_step")

    def _refuse(self, identifier: str | int | None, code: types.ErrorCodes, why: str) -> None:
        error = {"code": int(code), "message": why}
        self._send_data({"jsonrpc": self.VERSION, "id": identifier, "error": error})

    # pygls' own handlers of these keep a copy of the text; ours are features (`lsp_bridge/methods/text_sync.py`).

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(
        self, params: types.DidOpenNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(
        self, params: types.DidCloseNotebookDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        """End the process: 0 after `shutdown`, else 1 (LSP, "exit"). pygls' own would lose the code."""
        self._server.stop(0 if self._shutdown else 1)
        yield from ()


def converter() -> Converter:
    """pygls' converter, made tolerant where real clients are loose and refusing them would lose more.

    And strict where it is loose: `str(["a"])` is no text of a document, `int(1.5)` no line of it.
    """
    made: Converter = pygls_converter()  # type: ignore[no-untyped-call]
    made.register_structure_hook(str, lambda value, _: _of_type(value, str))
    made.register_structure_hook(int, lambda value, _: _of_type(value, int))
    made.register_structure_hook(bool, lambda value, _: bool(value))  # else it would be taken for an int
    made.register_structure_hook(
        types.InlineCompletionTriggerKind,
        lambda value, _: _known(value, types.InlineCompletionTriggerKind.Automatic),
    )
    made.register_structure_hook(
        types.CompletionTriggerKind, lambda value, _: _known(value, types.CompletionTriggerKind.Invoked)
    )
    made.register_structure_hook(
        types.VersionedTextDocumentIdentifier,
        lambda value, _: types.VersionedTextDocumentIdentifier(uri=value["uri"], version=_version(value)),
    )
    made.register_structure_hook(
        types.TextDocumentItem,
        lambda value, _: types.TextDocumentItem(
            uri=value["uri"],
            language_id=value.get("languageId") or "plaintext",
            version=_version(value),
            text=value["text"],
        ),
    )
    return made


def _of_type(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


def _known(value: Any, otherwise: Any) -> Any:
    """The enumeration's member, or a default for a value of a protocol that is newer than this one."""
    try:
        return type(otherwise)(value)
    except ValueError:
        return otherwise


def _version(value: Json) -> Any:
    version = value.get("version")
    return NO_VERSION if version is None else version  # validated by what it is given to


def _parse(body: bytes) -> tuple[Any, bool]:
    """The body as JSON, and whether its bytes were no UTF-8 (then its texts are not to be trusted)."""
    try:
        return json.loads(body.decode()), False
    except UnicodeDecodeError:
        return json.loads(body.decode(errors="replace")), True


def _is_id(identifier: Any) -> bool:
    return isinstance(identifier, str | int) and not isinstance(identifier, bool)


def _is_notification(method: str | None) -> bool:
    """Whether LSP knows the method as one that is never answered."""
    return method in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[method][1] is None


def _params_of(message: Json) -> Json:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _uri_of(message: Json) -> str | None:
    of_notebook = str(message.get("method")).startswith("notebookDocument/")
    try:
        uri = message["params"]["notebookDocument" if of_notebook else "textDocument"]["uri"]
    except (KeyError, TypeError, IndexError):
        return None
    return uri if isinstance(uri, str) else None


def _essential(message: Json) -> Json:
    """An `initialize` request cut down to what the bridge needs, for a client whose full one can't be
    read."""
    params = _params_of(message)
    capabilities = params.get("capabilities")
    general = capabilities.get("general") if isinstance(capabilities, dict) else None
    encodings = general.get("positionEncodings") if isinstance(general, dict) else None
    encodings = [e for e in encodings if isinstance(e, str)] if isinstance(encodings, list) else []
    process, client = params.get("processId"), params.get("clientInfo")
    name = client.get("name") if isinstance(client, dict) else None
    return {
        "jsonrpc": "2.0",
        "id": message["id"],
        "method": types.INITIALIZE,
        "params": {
            "processId": process if isinstance(process, int) and 0 < process < 2**31 else None,
            "clientInfo": {"name": name} if isinstance(name, str) else None,
            "rootUri": None,
            "capabilities": {"general": {"positionEncodings": encodings}} if encodings else {},
            "initializationOptions": params.get("initializationOptions"),
        },
    }
