"""Which paths git ignores, by the text of its ignore files (gitignore(5)). Pure.

Git itself is not asked: it may be absent, and a repository's own configuration can make it start programs. Patterns
are case-sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_COMPONENT_CLASS: Final = re.compile(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    path: re.Pattern[str]
    """Matched against a path relative to the file's folder, / between its parts."""
    folders_only: bool
    negated: bool
    """Such a path is not ignored after all."""


def parse(text: str) -> tuple[Rule, ...]:
    """The rules of an ignore file, in order. A line that says nothing, or is broken, gives none, as with git."""
    rules = (_rule(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple(rule for rule in rules if rule is not None)


def verdict(rules: Sequence[Rule], path: str, *, is_folder: bool) -> bool | None:
    """Whether `path` (relative to the rules' folder) is ignored: the last rule that fits decides; None if none does."""
    for rule in reversed(rules):
        if (is_folder or not rule.folders_only) and rule.path.fullmatch(path):
            return not rule.negated
    return None


def _rule(line: str) -> Rule | None:
    pattern = re.sub(r"(?<!\\) +$", "", line)
    if not pattern or pattern.startswith("#"):
        return None
    negated = pattern.startswith("!")
    pattern = pattern[negated:]
    folders_only = pattern.endswith("/")
    pattern = pattern[:-1] if folders_only else pattern
    if not pattern:
        return None
    anchored = "/" in pattern
    expression = _expression(pattern.removeprefix("/"))
    try:
        path = re.compile(expression if anchored else f"(?:.*/)?{expression}", re.DOTALL)
    except re.error:
        return None
    return Rule(path, folders_only, negated)


def _expression(pattern: str) -> str:
    """The regular expression of a pattern without its leading /."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        found, length = _piece(pattern, at)
        parts.append(found)
        at += length
    return "".join(parts)


def _piece(pattern: str, at: int) -> tuple[str, int]:
    """The expression of what stands at `at`, and how many characters that is."""
    rest = pattern[at:]
    starts_part = at == 0 or pattern[at - 1] == "/"
    if starts_part and rest.startswith("**/"):
        return "(?:.*/)?", 3
    if starts_part and rest == "**":
        return ".+", 2
    if rest[0] == "*":
        return "[^/]*", len(rest) - len(rest.lstrip("*"))
    if rest[0] == "?":
        return "[^/]", 1
    if rest[0] == "\\" and len(rest) > 1:
        return re.escape(rest[1]), 2
    found = _COMPONENT_CLASS.match(rest)
    if found:
        return f"(?!/)[{'^' if found[1] else ''}{_class_body(found[2])}]", found.end()
    return "(?!)" if rest[0] == "[" else re.escape(rest[0]), 1


def _class_body(body: str) -> str:
    """The inside of a bracket in Python's syntax: what is escaped, or what only Python reads specially, is escaped."""
    return re.sub(r"\\.|[\[\]&~|^]", lambda found: re.escape(found[0][-1]), body, flags=re.DOTALL)
