"""What prompts begin with where other files come before the document: each under its name. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

NamedText = tuple[str, str]
"""A file's name and text."""

_LINE_COMMENTS: Final = {
    "#": "python ruby shellscript perl r yaml toml dockerfile makefile cmake julia elixir powershell nix graphql",
    "//": "c cpp objective-c cuda-cpp csharp java javascript javascriptreact typescript typescriptreact go rust kotlin "
    "swift scala php dart zig fsharp jsonc proto3 proto",
    "--": "lua sql haskell elm ada vhdl",
    ";": "clojure lisp scheme racket ini",
    "%": "latex tex erlang matlab prolog",
}
_BY_LANGUAGE: Final = {
    language: comment for comment, languages in _LINE_COMMENTS.items() for language in languages.split()
}


def line_comment_of(language: str) -> str:
    """How a comment up to the line's end begins in a language (the editor's id); empty where that is not known."""
    return _BY_LANGUAGE.get(language, "")


def heading(line_comment: str) -> str:
    """How the line begins that says which file comes next; empty where there is none."""
    return f"{line_comment} file: " if line_comment else ""


def framed_ids(
    files: Sequence[NamedText],
    document_name: str,
    tokenize: Callable[[str], list[int]],
    *,
    line_comment: str,
    file_separator: int | None,
) -> list[int]:
    """The ids of the files, in their order, and of what tells that the document comes now.

    `line_comment`: how a comment up to the line's end begins in the language; without it the names are left out.
    `file_separator`: the id that the model has seen before each file's name and text, if there is one.
    """
    if file_separator is not None:
        parts = [f"{name}\n{text.rstrip()}\n" for name, text in files] + [f"{document_name}\n"]
        return [token for part in parts for token in (file_separator, *tokenize(part))]
    if not line_comment:
        return tokenize("".join(f"{text.rstrip()}\n\n" for _, text in files))
    named = heading(line_comment)
    before = "".join(f"{named}{name}\n{text.rstrip()}\n\n" for name, text in files)
    return tokenize(f"{before}{named}{document_name}\n")


def opening_ids(
    pieces: Sequence[NamedText],
    document_name: str,
    tokenize: Callable[[str], list[int]],
    *,
    budget: int,
    line_comment: str,
    file_separator: int | None,
) -> list[int]:
    """The ids of as many of the pieces, from the first on, as the budget has tokens for; none if that is none.

    Pieces of one file that follow each other stand under its name once.
    """
    for count in range(len(pieces), 0, -1):
        files = _joined(pieces[:count])
        ids = framed_ids(
            files, document_name, tokenize, line_comment=line_comment, file_separator=file_separator
        )
        if len(ids) <= budget:
            return ids
    return []


def _joined(pieces: Sequence[NamedText]) -> list[NamedText]:
    joined: list[NamedText] = []
    for name, text in pieces:
        if joined and joined[-1][0] == name:
            joined[-1] = (name, f"{joined[-1][1].rstrip()}\n\n{text}")
        else:
            joined.append((name, text))
    return joined
