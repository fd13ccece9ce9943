"""The LSP language id of a file, by its name: what an editor would send for it."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_BY_SUFFIX: Final = {
    ".bash": "shellscript",
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".cxx": "cpp",
    ".dart": "dart",
    ".diff": "diff",
    ".dot": "dot",
    ".ex": "elixir",
    ".exs": "elixir",
    ".erl": "erlang",
    ".go": "go",
    ".gql": "graphql",
    ".graphql": "graphql",
    ".gv": "dot",
    ".h": "c",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".htm": "html",
    ".html": "html",
    ".ini": "ini",
    ".java": "java",
    ".jl": "julia",
    ".js": "javascript",
    ".json": "json",
    ".jsx": "javascriptreact",
    ".kt": "kotlin",
    ".less": "less",
    ".lua": "lua",
    ".md": "markdown",
    ".mjs": "javascript",
    ".mk": "makefile",
    ".ml": "ocaml",
    ".php": "php",
    ".pl": "perl",
    ".proto": "proto",
    ".ps1": "powershell",
    ".py": "python",
    ".pyi": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".rst": "restructuredtext",
    ".scala": "scala",
    ".scss": "scss",
    ".sh": "shellscript",
    ".sql": "sql",
    ".st": "iecst",
    ".swift": "swift",
    ".tex": "latex",
    ".toml": "toml",
    ".ts": "typescript",
    ".tsx": "typescriptreact",
    ".vue": "vue",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".zig": "zig",
    ".zsh": "shellscript",
}
_BY_NAME: Final = {
    "cmakelists.txt": "cmake",
    "dockerfile": "dockerfile",
    "gnumakefile": "makefile",
    "makefile": "makefile",
}


def language_id(path: PurePath) -> str:
    """The language id; "plaintext" for an unknown name."""
    name = path.name.lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(path.suffix.lower(), "plaintext")
