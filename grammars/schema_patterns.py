"""A JSON schema's `pattern` as a regular expression for a JSON string, where both mean the same.

Followed are patterns that are anchored at both ends and match ASCII characters alone which a JSON string holds as they
are. Knows no schema and no grammar.
"""

from __future__ import annotations

import re
from typing import Final

_CLASS_ITEM: Final = r"(?:\\[dwDW.\-+*/^$(){}\[\]|]|[A-Za-z0-9_ .,:;@#%&=~+*/()?!$'<>{}|`-])"
_TOKEN: Final = re.compile(
    rf"(?P<set>\[{_CLASS_ITEM}+\])"
    r"|(?P<escape>\\[dw.\-+*?/^$(){}\[\]|])"
    r"|(?P<plain>[A-Za-z0-9_ ,:;@#%&=~/!'<>`-])"
    r"|(?P<open>\((?!\?)|\(\?:)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<times>[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})"
)
_SETS: Final = {r"\d": "0-9", r"\w": "A-Za-z0-9_"}


def string_pattern(pattern: str | None) -> str | None:
    """A regular expression for the whole string, quotes included; None: the pattern can't be followed."""
    if pattern is None or not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    body = pattern[1:-1]
    out, at, depth, before = ['"'], 0, 0, "open"
    while at < len(body):
        token = _TOKEN.match(body, at)
        if token is None or not _follows(token, before) or (token["bar"] and not depth):
            return None
        before = f"lazy {before}" if token[0] == "?" else str(token.lastgroup)
        depth += bool(token["open"]) - bool(token["close"])
        if depth < 0:
            return None
        out.append(_written(token))
        at = token.end()
    text = "".join([*out, '"'])
    return text if not depth and _compiles(text) else None


def _follows(token: re.Match[str], before: str) -> bool:
    """Whether we know what the token means after one of that kind."""
    if token["times"]:
        lazy = token[0] == "?" and before == "times"
        return lazy or before in ("set", "escape", "plain", "close")
    return not token["set"] or not re.search(r"--|\\[DW]", token[0])


def _written(token: re.Match[str]) -> str:
    if token["set"]:
        inner = re.sub(r"\\[dw]", lambda one: _SETS[one[0]], token["set"][1:-1])
        return (
            "["
            + re.sub(r"\\.|[\[&~|]", lambda one: one[0] if one[0][0] == "\\" else f"\\{one[0]}", inner)
            + "]"
        )
    if token["escape"] in _SETS:
        return f"[{_SETS[token['escape']]}]"
    return "(" if token["open"] else token[0]


def _compiles(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
