"""The field that is wrong is named, its value is not repeated."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_bridge.malformed import malformed_parameters
from lsp_bridge.protocol import converter

DOCUMENT = {"uri": "u"}
PLACE = {"line": 0, "character": 0}
CONTEXT = {"triggerKind": 1}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"position": PLACE, "context": CONTEXT}, "textDocument is missing"),
        ({"textDocument": {}, "position": PLACE, "context": CONTEXT}, "textDocument.uri is missing"),
        (
            {"textDocument": DOCUMENT, "position": {"line": "secret", "character": 0}, "context": CONTEXT},
            "position.line is not valid (TypeError)",
        ),
        (
            {
                "textDocument": DOCUMENT,
                "position": PLACE,
                "context": {**CONTEXT, "selectedCompletionInfo": {}},
            },
            "context.selectedCompletionInfo.range is missing",
        ),
        (None, "params is not valid (TypeError)"),
    ],
)
def test_requests(params: Any, said: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "textDocument/inlineCompletion", "params": params}
    with pytest.raises(Exception) as caught:
        converter().structure(message, types.InlineCompletionRequest)
    assert malformed_parameters(caught.value) == f"malformed parameters: {said}"


def test_elements_of_a_list_are_numbered() -> None:
    params = {"textDocument": {**DOCUMENT, "version": 1}, "contentChanges": [{"text": "a"}, {"text": 3}]}
    message = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}
    with pytest.raises(Exception) as caught:
        converter().structure(message, types.DidChangeTextDocumentNotification)
    said = malformed_parameters(caught.value)
    assert said == "malformed parameters: contentChanges[1].text is not valid (TypeError)"


def test_an_error_without_a_place_is_of_the_parameters_as_a_whole() -> None:
    assert (
        malformed_parameters(ValueError("secret")) == "malformed parameters: params is not valid (ValueError)"
    )
