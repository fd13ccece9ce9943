"""A grammar that has been through every pass: what the engine loads, and what people ask about it. Values only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from grammars.diagnostics import Diagnostic, Span

FORMAT: Final = 1
"""Rises whenever the same grammar file would be compiled into something else: what is cached on disk is then void."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """A lexeme of the grammar, for messages."""

    name: str
    """As the author calls it; a literal in quotes."""
    emitted: str
    """Its name in `CompiledGrammar.text`; empty for a literal that has none."""
    inferred: bool
    """We decided that it is one; the dialect did not say so."""


@dataclass(frozen=True, slots=True)
class CompiledGrammar:
    """A grammar in the engine's own language, with what is known about it."""

    name: str
    dialect: str
    text: str
    """The grammar in llguidance's Lark dialect."""
    rules: int
    """How many rules the author wrote."""
    terminals: tuple[Terminal, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """Emitted name -> the author's."""
    boundaries: tuple[str, ...] = ("\n",)
    """Texts after which a statement may be over: where a lost parser finds its feet again, longest first."""
    line_comments: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and notes; there are no errors in a compiled grammar."""

    def to_json(self) -> str:
        """For the cache on disk."""
        return json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, data: str | bytes) -> CompiledGrammar:
        """What `to_json` wrote. Raises ValueError for anything else, another FORMAT included."""
        try:
            fields: dict[str, Any] = json.loads(data)
            if fields.pop("format") != FORMAT:
                raise ValueError("compiled by another version")
            return cls(
                **{
                    **fields,
                    "terminals": tuple(Terminal(**one) for one in fields["terminals"]),
                    "boundaries": tuple(fields["boundaries"]),
                    "line_comments": tuple(fields["line_comments"]),
                    "languages": tuple(fields["languages"]),
                    "globs": tuple(fields["globs"]),
                    "diagnostics": tuple(_diagnostic(one) for one in fields["diagnostics"]),
                }
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not a compiled grammar of this version: {error}") from error


def _diagnostic(fields: dict[str, Any]) -> Diagnostic:
    span = fields["span"]
    return Diagnostic(**{**fields, "span": None if span is None else Span(**span)})
