"""Strings that look like keys, passwords or tokens: masked in all text before it is read by a model. Pure.

A shape is all there is to go by: what looks like a secret is masked even if it is none, and a secret that looks like
a word is not found. Of all shapes only keys in armour have more than one line.
"""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "*"
"""Stands for each character: offsets and lines stay what they were."""

BLOCK_BEGIN: Final = "-----BEGIN "
BLOCK_END: Final = "-----END "
_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|CERTIFICATE)[A-Z0-9 ]*-----"
    r"(?:(?:(?!-----BEGIN )[^(){}\[\]<>])*?-----END [A-Z0-9 -]*-----"
    r"|(?:(?:\\[nr]|[\s\"'`,+;\\#*])*+"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*|[A-Za-z0-9+/=]+(?=\\[nr]|[\"'`,+;\\]|[ \t]*(?:\n|\Z))))*+)"
)
"""A key in armour. Where its end is not in the text, what follows as its lines do: code that names the armour has no
such lines, and has brackets between the beginning and the end."""
_ISSUED: Final = re.compile(
    r"(?<![\w-])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}"  # Amazon
    r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # GitHub, GitLab
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}"  # Slack, Google
    r"|[sr]k[-_](?=[\w-]*[0-9])(?=[\w-]*[A-Z])[\w-]{16,}"  # OpenAI, Stripe and others
    r"|npm_(?=\w*[0-9])\w{30,}|pypi-(?=[\w-]*[0-9])[\w-]{30,}|hf_(?=\w*[A-Z0-9])\w{20,}"  # registries
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # JSON web tokens
    r")"
)
"""Tokens that say by their beginning who issued them."""
_SURE: Final = r"(?:api_?key|access_?key|private_?key|secret|passwo?r?d)"
_UNSURE: Final = r"(?:token(?!iz|is)|credentials?)"
"""Lexers have tokens too, and most are words."""
_IS: Final = r"\w{0,32}[\"']?[ \t]*(?::=|=>|[:=])\s*[bru]?[\"'`]"
_NAMED: Final = re.compile(
    rf"((?:{_SURE}|{_UNSURE}(?={_IS}[^\s\"'`0-9]*[0-9])){_IS})([^\s\"'`]{{8,}})(?=[\"'`]|[ \t]*(?:\n|\Z))",
    re.IGNORECASE,
)
"""A literal of one word, closed or left open, that is given a name which says what it is."""
_SET_TO: Final = rf"^[\w.\-\t \"']*(?i:{_SURE}|{_UNSURE})\w{{0,32}}[\"']?[ \t]*[:=][ \t]*"
_WORD: Final = (
    r"(?!(?:[A-Z][a-z]+[0-9]*)+(?:[ \t]|$))"  # a type
    r"(?=[^\s0-9]*[0-9])(?=[^\sA-Za-z]*[A-Za-z])[^\s\"'`(){}\[\],;$<>_.]"
)
_SET: Final = re.compile(rf"({_SET_TO})({_WORD}{{8,}})(?=[ \t]*(?:#.*)?$)", re.MULTILINE)
"""A line that sets such a name to one word without quotes, in letters and digits, as in files of settings."""
_USER: Final = r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"']*:"
_IN_ADDRESS: Final = re.compile(rf"({_USER})([^\s/@\"']+)(?=@)", re.IGNORECASE)
_BEGUN: Final = (
    re.compile(
        r"(?<![\w-])(?:(?:AKIA|ASIA)[A-Z0-9]+|gh[pousr]_\w+|github_pat_\w+|glpat-[\w-]+|xox[abeoprs]-[\w-]+"
        r"|AIza[\w-]+|ya29\.[\w-]+|[sr]k[-_](?=[\w-]*[0-9A-Z])[\w-]+|npm_(?=\w*[0-9])\w+"
        r"|pypi-(?=[\w-]*[0-9])[\w-]+|hf_(?=\w*[A-Z0-9])\w+|eyJ[\w-]{4,}(?:\.[\w-]*){0,2})\Z"
    ),
    re.compile(
        rf"(?:{_SURE}|{_UNSURE}(?={_IS}[^\s\"'`0-9]*[0-9])){_IS}(?P<secret>[^\s\"'`]+)\Z", re.IGNORECASE
    ),
    re.compile(rf"{_SET_TO}(?P<secret>{_WORD}+)\Z", re.MULTILINE),
    re.compile(rf"{_USER}(?P<secret>(?!\d{{1,5}}\Z)[^\s/@\"']+)\Z", re.IGNORECASE),  # digits alone: a port
)
"""The same, as far as they can be told while they are written."""
_BEGUN_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}\Z")
LONGEST_BEGUN: Final = 512
"""Characters before a place that are looked at for what is begun there."""
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{32,}={0,2}")
_CHANGE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
"""Between small letters, capitals and digits; not the one within a capitalised word."""
_RANDOM_FROM: Final = 4
"""Characters for each change: fewer are chance, names and paths have more."""


def masked(text: str) -> str:
    """The text with MASK for every character of such a string; line ends stay."""
    return masked_in_line(masked_blocks(text))


def masked_blocks(text: str) -> str:
    """The same for keys in armour alone."""
    return _BLOCK.sub(lambda found: _masked(found[0]), text)


def masked_in_line(text: str) -> str:
    """The same for all that has one line, and for what stands on the line after its name."""
    text = _ISSUED.sub(lambda found: _masked(found[0]), text)
    for named in (_NAMED, _SET, _IN_ADDRESS):
        text = named.sub(lambda found: found[1] + _masked(found[2]), text)
    return _LONG_RUN.sub(lambda found: _masked(found[0]) if _is_random(found[0]) else found[0], text)


def begun(before: str) -> int | None:
    """Where such a string begins that is being written at the text's end; None if none is, as far as can be told."""
    first = max(0, len(before) - LONGEST_BEGUN)
    end = before[first:]
    for shape in _BEGUN:
        found = shape.search(end)
        if found is not None:
            return first + found.start("secret" if "secret" in shape.groupindex else 0)
    run = _BEGUN_RUN.search(end)
    return first + run.start() if run is not None and _is_random(run[0]) else None


def _masked(secret: str) -> str:
    return "".join("\n" if character == "\n" else MASK for character in secret)


def _is_random(run: str) -> bool:
    """Whether letters and digits of a long run are mixed as in a key, and not as in a name or a path."""
    return len(_CHANGE.findall(run)) * _RANDOM_FROM >= len(run)
