"""ISO 14977 files in which a rule does not end with ';': what they lack is said, before they are taken for ABNF.

Without its ';' many a rule is one of ABNF, too, and ABNF's literals match in any case: a file must not change its
meaning by a slip. A ';' with nothing after it on its line, an empty comment in ABNF, is a sign of ISO 14977.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from grammars.diagnostics import Diagnostic, GrammarError
from grammars.dialects import iso14977
from grammars.dialects.reading import Reading, prepared, span_at
from grammars.form import Annotations

_HEAD: Final = re.compile(r"^[^\S\n]*([^\W\d](?:[\w \t-]*\w)?)\s*(?:::|:)?=", re.MULTILINE)
_BARE_END: Final = re.compile(r"[^\s;][^\S\n]*;[^\S\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unended:
    """A file that is one of ISO 14977 but for its missing ';'."""

    reading: Reading
    """As if they were there."""
    is_ended_somewhere: bool
    """Some line of it ends with ';'."""
    error: GrammarError


def unended(text: str, annotations: Annotations) -> Unended | None:
    """What the file lacks, if that is nothing but ';' at the ends of rules."""
    try:
        plain, _ = iso14977.without_comments(prepared(text))
        missing = list(_missing(plain))
        pieces = [plain[begin:end] for begin, end in pairwise((0, *missing, len(plain)))]
        reading = iso14977.read(";".join(pieces), annotations) if missing else None
    except GrammarError:
        return None
    if reading is None:
        return None
    first = missing[0]
    message = "EBNF: a rule ends here without ';'" + (f" (one of {len(missing)})" if len(missing) > 1 else "")
    advice = "end every rule with ';'; if the file is no EBNF of ISO 14977, name its dialect: @dialect NAME"
    error = GrammarError([Diagnostic("error", "syntax", message, advice, span_at(plain, first - 1, first))])
    return Unended(reading, _BARE_END.search(plain) is not None, error)


def _missing(text: str) -> Iterator[int]:
    """Where a rule ends without ';' or '.': behind its last character."""
    begins = [found.start(1) for found in _HEAD.finditer(text)]
    for begin, end in pairwise((*begins, len(text))):
        body = text[begin:end].rstrip()
        if not body.endswith((";", ".")):
            yield begin + len(body)
