"""What file a document's URI names, and which files are grammars, by where they lie and how they are called. Pure.

In a folder of grammars a grammar is `NAME.EXTENSION` or `NAME/grammar.EXTENSION`. Whether there is such a file, and
whether it is any good, this module does not know.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

SCHEMA_EXTENSION: Final = ".schema.json"
EXTENSIONS: Final = (".bnf", ".ebnf", ".abnf", ".gbnf", ".lark", ".g4", ".grammar", SCHEMA_EXTENSION)
"""Of grammars. Where one name has several files, the first of these counts."""

WORKSPACE_FOLDER: Final = (".draftwire", "grammars")
"""Where in a workspace its grammars lie."""

NAME_IN_A_FOLDER: Final = "grammar"
"""What a grammar is called that has a folder of its own."""


def document_path(uri: str) -> Path | None:
    """The file that an editor's URI or a bare path names; None for what is no file of this machine."""
    if Path(uri).is_absolute():
        return Path(os.path.normpath(uri))
    try:
        parts = urlsplit(uri)
        if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = Path(url2pathname(parts.path))
        return Path(os.path.normpath(path)) if path.is_absolute() and "\0" not in str(path) else None
    except ValueError:
        return None


def grammar_name(name: str) -> str:
    """A file's name without the one of EXTENSIONS that it has; empty: it has none of them."""
    extension = grammar_extension(name)
    return name[: -len(extension)] if extension else ""


def grammar_extension(name: str) -> str:
    """The one of EXTENSIONS that a file of this name has, in lower case; empty: none of them."""
    name = name.lower()
    return next((one for one in EXTENSIONS if name.endswith(one) and name != one), "")


def is_grammar_file(path: Path, user_folder: Path | None = None) -> bool:
    """Whether a file there would be taken for a grammar: in any workspace, or in the user's folder of grammars."""
    name = grammar_name(path.name)
    if not name or name.startswith("."):
        return False
    folders = [path.parent]
    if name == NAME_IN_A_FOLDER and not path.parent.name.startswith("."):
        folders.append(path.parent.parent)
    return any(folder == user_folder or folder.parts[-2:] == WORKSPACE_FOLDER for folder in folders)
