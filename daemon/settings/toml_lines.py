"""Where each key of a TOML text stands, so that an error can name the line.

`tomllib` gives values without positions. This scanner gives positions without values; it expects a text that
tomllib has already accepted and knows nothing about what the keys mean.
"""

from __future__ import annotations

import re
from typing import Final

KeyPath = tuple[str, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR: Final = re.compile(r"[^,\]}#\n]*")
_STRINGS: Final = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_LAST_CODE_POINT: Final = 0x10FFFF
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def key_lines(text: str) -> dict[KeyPath, int]:
    """The 1-based line on which each key path (tables, keys, keys of inline tables) first stands.

    A table that is an element of an array has its number, from "0", as a part of the path. `text` must be valid
    TOML 1.0; for other texts the result means nothing (it still ends).
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    """A cursor over the text, and the lines found so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self._tables: dict[KeyPath, int] = {}
        """How many tables there are so far in each array of tables written with [[ ]]."""

    def document(self) -> None:
        table: KeyPath = ()
        while self._skip(_BLANK) and self.at < len(self.text):
            start = self.at
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._assignment(table)
            if self.at == start:
                return

    def _header(self) -> KeyPath:
        in_array = self.text.startswith("[[", self.at)
        self._skip(re.compile(r"\[{1,2}"))
        path = self._key(())
        if in_array:
            number = self._tables.get(path, 0)
            self._tables[path] = number + 1
            path = (*path, str(number))
            self._note(path)
        self._skip(re.compile(r"[ \t]*\]{1,2}"))
        return path

    def _assignment(self, table: KeyPath) -> None:
        path = self._key(table)
        self._skip(re.compile(r"[ \t]*=[ \t]*"))
        self._value(path)

    def _key(self, prefix: KeyPath) -> KeyPath:
        """Read a dotted key, and note the line of it and of the tables it names on the way."""
        path = prefix
        while True:
            self._skip(_SPACES)
            path = (*path, self._key_part())
            self._note(path)
            self._skip(_SPACES)
            if not self.text.startswith(".", self.at):
                return path
            self.at += 1
            if path in self._tables:  # a table within the last element of an array
                path = (*path, str(self._tables[path] - 1))

    def _note(self, path: KeyPath) -> None:
        """`path` stands on the line of the cursor."""
        self.lines.setdefault(path, self.text.count("\n", 0, self.at) + 1)

    def _key_part(self) -> str:
        if quoted := self._string():
            body = quoted[1:-1]
            return _ESCAPE.sub(_unescape, body) if quoted[0] == '"' else body
        start = self.at
        self._skip(_BARE_KEY)
        return self.text[start : self.at]

    def _value(self, path: KeyPath) -> None:
        opener = self.text[self.at : self.at + 1]
        if opener == "[":
            self._list("]", path)
        elif opener == "{":
            self._list("}", path)
        elif not self._string():
            self._skip(_SCALAR)

    def _list(self, closer: str, path: KeyPath) -> None:
        """An array's values or an inline table's assignments, brackets included."""
        self.at += 1
        number = 0
        while self._skip(_BLANK) and self.at < len(self.text):
            start = self.at
            if self.text[self.at] == closer:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
            elif closer == "}":
                self._assignment(path)
            else:
                element = (*path, str(number))
                if self.text[self.at] == "{":
                    self._note(element)
                self._value(element)
                number += 1
            if self.at == start:
                return

    def _string(self) -> str:
        """Read a string of any of the four kinds; "" if there is none here."""
        for kind in _STRINGS:
            if match := kind.match(self.text, self.at):
                self.at = match.end()
                return match.group()
        return ""

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Move past `pattern`, which may match nothing. Always true, for use in a loop's head."""
        if match := pattern.match(self.text, self.at):
            self.at = match.end()
        return True


def _unescape(match: re.Match[str]) -> str:
    """The character an escape stands for; one that TOML does not know stays as it is (tomllib refuses the file)."""
    code = match.group(1)
    if len(code) == 1:
        return _ESCAPED.get(code, match.group())
    point = int(code[1:], 16)
    return chr(point) if point <= _LAST_CODE_POINT else match.group()
