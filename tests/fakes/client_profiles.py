"""LSP clients that can't be installed here, after their sources: what each says of itself and how it goes on.

Of their capabilities stands here what a server of suggestions could go by. Emacs' and Neovim's are the recordings that
pytest-lsp brings. The options of `initialize` are those of docs/other-editors.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import pytest_lsp

from tests.fakes.lsp_editor import Json

ROOT: Final = "file:///work"
RECORDED: Final = Path(pytest_lsp.__file__).parent / "clients"

Accepting = Literal["one edit", "two edits", "by what was shown"]
"""How the text of an item comes into the document: at once; the word out, then the text in; or as eglot does it: what
the list showed in and out again, the word out, the text in."""


def recorded(file: str) -> Json:
    """The capabilities of a client that pytest-lsp has recorded."""
    capabilities: Json = json.loads((RECORDED / file).read_text(encoding="utf-8"))["capabilities"]
    return capabilities


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """One client."""

    name: str
    initialize: Json
    """What it sends; the options are added."""
    asks: Literal["textDocument/inlineCompletion", "textDocument/completion"]
    encoding: Literal["utf-8", "utf-16", "utf-32"] = "utf-16"
    """What must come of the encodings it offers."""
    next: tuple[tuple[str, Any], ...] = (("initialized", {}),)
    """What it says when `initialize` is answered, and, with None for them, its options once more."""
    context: Json = field(default_factory=lambda: {"triggerKind": 2})
    more: Json = field(default_factory=dict)
    """What else its requests say."""
    eol: str = "\n"
    """What it sends for the line ends of a file with CRLF."""
    whole_texts: bool = False
    versions: bool = True
    accepting: Accepting = "one edit"
    runs_commands: bool = True


def text_document(completion: Json, **more: Any) -> Json:
    return {"textDocument": {"completion": completion, **more}}


CLIENTS: Final = (
    # helix-lsp/src/client.rs; helix-term sends the options again as settings once it is initialised, and executes no
    # command of a completion item (helix-term/src/ui/completion.rs).
    ClientProfile(
        "Helix",
        {
            "clientInfo": {"name": "helix", "version": "25.07.1"},
            "rootUri": ROOT,
            "rootPath": "/work",
            "workspaceFolders": [{"name": "work", "uri": ROOT}],
            "capabilities": {
                **text_document(
                    {
                        "completionItem": {
                            "snippetSupport": True,
                            "resolveSupport": {
                                "properties": ["documentation", "detail", "additionalTextEdits"]
                            },
                            "insertReplaceSupport": True,
                        },
                        "completionItemKind": {},
                    }
                ),
                "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
                "window": {"workDoneProgress": True},
                "workspace": {
                    "configuration": True,
                    "didChangeConfiguration": {"dynamicRegistration": False},
                },
            },
        },
        "textDocument/completion",
        encoding="utf-8",
        next=(("initialized", {}), ("workspace/didChangeConfiguration", None)),
        context={"triggerKind": 1},
        eol="\r\n",
        runs_commands=False,
    ),
    # lisp/progmodes/eglot.el of Emacs 29.
    ClientProfile(
        "Emacs with eglot",
        {"rootUri": ROOT, "rootPath": "/work/", "capabilities": recorded("emacs_v29.1.json")},
        "textDocument/completion",
        encoding="utf-32",
        next=(("initialized", {}), ("workspace/didChangeConfiguration", {"settings": {}})),
        context={"triggerKind": 1},
        accepting="by what was shown",
        runs_commands=False,
    ),
    # lsp-mode.el and lsp-inline-completion.el of 2026: the capability is null (emacs-lsp/lsp-mode#5081), and so are the
    # parameters of `shutdown`.
    ClientProfile(
        "Emacs with lsp-mode",
        {
            "clientInfo": {"name": "emacs", "version": "GNU Emacs 30.2"},
            "rootPath": "/work",
            "rootUri": ROOT,
            "workDoneToken": "1",
            "workspaceFolders": [{"uri": ROOT, "name": "work"}],
            "capabilities": {
                **text_document(
                    {
                        "completionItem": {
                            "snippetSupport": False,
                            "insertTextModeSupport": {"valueSet": [1, 2]},
                        },
                        "contextSupport": True,
                        "dynamicRegistration": True,
                    },
                    inlineCompletion=None,
                ),
                "general": {"positionEncodings": ["utf-32", "utf-16"]},
                "workspace": {"configuration": True, "workspaceFolders": True},
            },
        },
        "textDocument/inlineCompletion",
        encoding="utf-32",
    ),
    # copilot.el of 2026 (doc/design.md): none of general, window or workspace/configuration.
    ClientProfile(
        "Emacs with copilot.el",
        {
            "rootUri": ROOT,
            "workspaceFolders": [{"uri": ROOT, "name": "work"}],
            "capabilities": {
                "workspace": {"workspaceFolders": True},
                "textDocument": {"inlineCompletion": {"dynamicRegistration": False}},
            },
            "initializationOptions": {
                "editorInfo": {"name": "Emacs", "version": "30.2"},
                "editorPluginInfo": {"name": "copilot.el", "version": "0.5.0"},
            },
        },
        "textDocument/inlineCompletion",
        next=(("initialized", {}), ("workspace/didChangeConfiguration", {"settings": {}})),
        more={"formattingOptions": {"tabSize": 4, "insertSpaces": True}},
    ),
    # plugin/core/sessions.py, plugin/completion.py: no encodings, AdjustIndentation alone, and `\r` is taken out.
    ClientProfile(
        "Sublime Text",
        {
            "clientInfo": {"name": "Sublime Text LSP", "version": "2.4.0"},
            "rootUri": None,
            "rootPath": None,
            "workspaceFolders": None,
            "capabilities": {
                **text_document(
                    {
                        "dynamicRegistration": True,
                        "completionItem": {
                            "snippetSupport": True,
                            "insertTextModeSupport": {"valueSet": [2]},
                        },
                        "insertTextMode": 2,
                        "completionList": {"itemDefaults": ["editRange", "insertTextFormat", "data"]},
                    }
                ),
                "general": {"regularExpressions": {"engine": "ECMAScript"}},
                "window": {"showDocument": {"support": True}, "workDoneProgress": True},
            },
        },
        "textDocument/completion",
        context={"triggerKind": 1},
        accepting="two edits",
    ),
    # LSP4IJ (LSPInlineCompletionProvider.kt): UTF-16 and LF, and the command of an item is left alone.
    ClientProfile(
        "JetBrains IDEs",
        {
            "clientInfo": {"name": "IntelliJ IDEA", "version": "2026.1 (build IU-261)"},
            "rootUri": ROOT,
            "capabilities": text_document(
                {"completionItem": {"snippetSupport": True}}, inlineCompletion={"dynamicRegistration": True}
            ),
        },
        "textDocument/inlineCompletion",
        runs_commands=False,
    ),
    # src/language-client/inlineCompletion.ts
    ClientProfile(
        "Vim with coc.nvim",
        {
            "clientInfo": {"name": "coc.nvim", "version": "0.0.82"},
            "rootUri": ROOT,
            "rootPath": "/work",
            "trace": "off",
            "capabilities": text_document({}, inlineCompletion={"dynamicRegistration": True})
            | {"general": {"positionEncodings": ["utf-16"]}},
        },
        "textDocument/inlineCompletion",
    ),
    # src/capabilities.rs, src/text_sync.rs: clangd's way to offer encodings, and the whole text each time.
    ClientProfile(
        "Kakoune",
        {
            "clientInfo": {"name": "kakoune-lsp", "version": "18.2.0"},
            "rootUri": ROOT,
            "capabilities": text_document(
                {"contextSupport": False, "completionItem": {"snippetSupport": False}}
            )
            | {"offsetEncoding": ["utf-8", "utf-16"], "window": {"workDoneProgress": True}},
        },
        "textDocument/completion",
        context={},
        whole_texts=True,
        runs_commands=False,
    ),
    # runtime/lua/vim/lsp/inline_completion.lua of Neovim 0.12.
    ClientProfile(
        "Neovim 0.12",
        {"clientInfo": {"name": "Neovim", "version": "0.12.4"}, "rootUri": None, "workspaceFolders": None}
        | {"capabilities": recorded("neovim_v0.11.0.json")},
        "textDocument/inlineCompletion",
        encoding="utf-8",
        eol="\r\n",
    ),
    ClientProfile(
        "a client that knows UTF-8 alone",
        {"rootUri": None, "capabilities": {"general": {"positionEncodings": ["utf-8"]}}},
        "textDocument/inlineCompletion",
        encoding="utf-8",
        eol="\r\n",
    ),
    ClientProfile(
        "a client of 2017",
        {"rootPath": None, "rootUri": None, "capabilities": {}},
        "textDocument/completion",
        next=(("initialized", None),),
        context={},
        eol="\r\n",
        whole_texts=True,
        versions=False,
        runs_commands=False,
    ),
)
