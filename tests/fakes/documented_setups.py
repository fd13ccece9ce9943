"""The configurations that docs/other-editors.md gives, and what a client makes of them.

A fence with a name after its language is a file of that name, in the section of its client.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "other-editors.md"
_SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```(\w+) ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LISP: Final = re.compile(r';[^\n]*|"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')
_IN_KAKRC: Final = re.compile(r"lsp_servers %\{\n(.*?)\n    \}", re.DOTALL)

Setup = tuple[list[str], dict[str, Any]]
"""The command line of the server, and the options of `initialize`."""


def sections() -> dict[str, str]:
    """What the document says, by the client's heading."""
    parts = _SECTION.split(DOCUMENT.read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def setups(client: str) -> dict[str, str]:
    """The client's files, by name."""
    return {name: text for _, name, text in _FENCE.findall(sections()[client])}


def setup(client: str, name: str) -> str:
    """One file of the client's; KeyError if the document does not have it."""
    return setups(client)[name]


def understood(client: str) -> Setup:
    """What the client starts and sends, set up as the document says. ValueError or KeyError if it says nothing."""
    files = setups(client)
    match client:
        case "Helix":
            server = tomllib.loads(files["languages.toml"])["language-server"]["draftwire"]
            tomllib.loads(files["config.toml"])
            return [server["command"], *server["args"]], server["config"]
        case "Sublime Text":
            server = json.loads(files["LSP.sublime-settings"])["clients"]["draftwire"]
            return server["command"], server["initializationOptions"]
        case "JetBrains IDEs":
            template = json.loads(files["template.json"])
            return template["programArgs"]["default"].split(), json.loads(files["initializationOptions.json"])
        case "Vim with coc.nvim":
            server = json.loads(files["coc-settings.json"])["languageserver"]["draftwire"]
            return [server["command"], *server["args"]], server["initializationOptions"]
        case "Kakoune":
            (servers,) = _IN_KAKRC.findall(files["kakrc"])
            server = tomllib.loads(servers)["draftwire"]
            return [server["command"], *server["args"]], server["settings"][server["settings_section"]]
        case _:
            return _in_lisp(files["init.el"])


def _in_lisp(text: str) -> Setup:
    tokens = [one for one in _LISP.findall(text) if not one.startswith(";")]
    opened = tokens.count("(")
    if opened != tokens.count(")"):
        raise ValueError("the brackets do not match")
    command = [one.strip('"') for one in tokens if one in ('"draftwire"', '"lsp"')]
    options: dict[str, Any] = {}
    for at, token in enumerate(tokens):
        if token in (":initializationOptions", ":initialization-options"):
            start = tokens.index("(", at) + 1
            plist = tokens[start : tokens.index(")", start)]
            options = {name[1:]: value == "t" for name, value in zip(plist[::2], plist[1::2], strict=True)}
    return command, options
