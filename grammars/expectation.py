"""What could have stood at a place, in the author's words: for messages only, never while drafting.

The engine tells tokens, not terminals. So a second grammar is made of the compiled one in which every terminal and
every literal of a rule may also be one character of its own, from a plane that no text uses: which of these are legal
at a place tells which terminals are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from grammars.compiled import CompiledGrammar
from grammars.diagnostics import GrammarError
from grammars.emit import NEVER
from grammars.engine import TokenTable, load
from grammars.interface import Recogniser, RecogniserFailed

LONGEST_PREFIX: Final = 65_536
"""Bytes before the place; it has to be followed from its start."""
_A_BLANK: Final = ("a blank",)
_FIRST_MARK: Final = 0xF0000
_UNUSED_MARK: Final = chr(_FIRST_MARK - 1)
"""Legal only where nearly every character is, as in a comment: the others tell nothing there."""
_ATOM: Final = re.compile(
    r"""
    (?P<literal> "(?:[^"\\]|\\.)*" i? )
  | (?P<pattern> /(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/ [imslux]* )
  | (?P<name> \b[A-Z_][A-Z0-9_]*\b )
  | \b[a-z]\w*\b | \.\. | \S
    """,
    re.VERBOSE,
)


class Expectations:
    """The terminals that may come at places in texts of a grammar. Loads its grammar when first asked."""

    def __init__(self, compiled: CompiledGrammar, table: TokenTable) -> None:
        self._table = table
        self._compiled = compiled
        self._marks: dict[str, str] = {}
        """Mark -> the author's name."""
        self._template: Recogniser | None = None

    def after(self, prefix: bytes) -> tuple[str, ...]:
        """The names of what may come after `prefix`, in the grammar's order; in the middle of a word, instead of it.

        Right after a keyword that has to be kept apart from what follows: "a blank".

        Empty where that can't be told: in a comment or a string, after a long prefix or one that is not legal.
        """
        if len(prefix) > LONGEST_PREFIX:
            return ()
        try:
            here = self._legal_after(prefix)
            word = re.search(rb"[\w\x80-\xff]+\Z", prefix)
            if here or not word:
                return here
            return _A_BLANK if self._legal_after(prefix + b" ") else self._legal_after(prefix[: word.start()])
        except (RecogniserFailed, GrammarError):
            return ()

    def _legal_after(self, prefix: bytes) -> tuple[str, ...]:
        if self._template is None:
            marked = "\n".join(self._marked_lines(self._compiled))
            self._template = load(replace(self._compiled, text=marked), self._table)
        recogniser = self._template.copy()
        tokens = self._table.greedy(prefix)
        if recogniser.consume(tokens) < len(tokens) or self._is_legal(recogniser, _UNUSED_MARK):
            return ()
        found = (name for mark, name in self._marks.items() if self._is_legal(recogniser, mark))
        return tuple(dict.fromkeys(found))

    def _is_legal(self, recogniser: Recogniser, mark: str) -> bool:
        tokens = self._table.greedy(mark.encode())
        return recogniser.valid(tokens) == len(tokens)

    def _marked_lines(self, compiled: CompiledGrammar) -> list[str]:
        """The grammar with every terminal and literal of a rule's body or its mark."""
        lines, in_rule = [], False
        for line in compiled.text.split("\n"):
            head = re.match(r"\s*(?P<rule>[a-z_]\w*)\s*:|[A-Z_][A-Z0-9_]*\s*:|%", line)
            if head:
                in_rule = head["rule"] is not None
            start = head.end() if head else 0
            body = self._marked(line[start:], compiled) if in_rule else line[start:]
            lines.append(line[:start] + body)
        return lines

    def _marked(self, body: str, compiled: CompiledGrammar) -> str:
        atoms = list(_ATOM.finditer(body))
        parts, end = [], 0
        for before, atom, after in zip([None, *atoms], atoms, [*atoms[1:], None], strict=False):
            parts.append(body[end : atom.start()])
            end = atom.end()
            is_range = any(one is not None and one[0] == ".." for one in (before, after))
            name = self._name(atom, compiled)
            parts.append(f"({atom[0]} | {self._mark(name)})" if name and not is_range else atom[0])
        return "".join(parts) + body[end:]

    def _name(self, atom: re.Match[str], compiled: CompiledGrammar) -> str:
        """The author's name of a terminal or literal; empty for anything else, and for the empty literal."""
        if atom["name"]:
            return "" if atom[0] == NEVER else compiled.names.get(atom[0], atom[0])
        if atom["literal"]:
            return "" if atom[0].startswith('""') else atom[0].removesuffix("i")
        return atom["pattern"] or ""

    def _mark(self, name: str) -> str:
        mark = chr(_FIRST_MARK + len(self._marks))
        self._marks[mark] = name
        return f'"{mark}"'
