"""Strings that look like keys, passwords or tokens: masked in text of other files before it is read by a model. Pure.

A shape is all there is to go by: what looks like a secret is masked even if it is none, and a secret that looks like
a word is not found.
"""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "*"
"""Stands for each character: offsets and lines stay what they were."""

_BLOCK: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|CERTIFICATE)[A-Z0-9 ]*-----.*?(?:-----END [A-Z0-9 -]*-----|\Z)",
    re.DOTALL,
)
_ISSUED: Final = re.compile(
    r"(?<![\w-])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}"  # Amazon
    r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # GitHub, GitLab
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}"  # Slack, Google
    r"|[sr]k[-_](?=[\w-]*[0-9])(?=[\w-]*[A-Z])[\w-]{16,}"  # OpenAI, Stripe and others
    r"|npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}"  # registries
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # JSON web tokens
    r")"
)
"""Tokens that say by their beginning who issued them."""
_NAMED: Final = re.compile(
    r"((?:api_?key|access_?key|private_?key|secret|passwo?r?d|token(?!iz|is)|credentials?)\w{0,32}[\"']?\s*(?::=|=>|[:=])\s*"
    r"[bru]?[\"'`])([^\s\"'`]{8,})(?=[\"'`])",
    re.IGNORECASE,
)
"""A literal of one word that is given a name which says what it is."""
_IN_ADDRESS: Final = re.compile(
    r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"']*:)([^\s/@\"']+)(?=@)", re.IGNORECASE
)
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{32,}={0,2}")
_CHANGE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
"""Between small letters, capitals and digits; not the one within a capitalised word."""
_RANDOM_FROM: Final = 4
"""Characters for each change: fewer are chance, names and paths have more."""


def masked(text: str) -> str:
    """The text with MASK for every character of such a string; line ends stay."""
    text = _BLOCK.sub(lambda found: _masked(found[0]), text)
    text = _ISSUED.sub(lambda found: _masked(found[0]), text)
    for named in (_NAMED, _IN_ADDRESS):
        text = named.sub(lambda found: found[1] + _masked(found[2]), text)
    return _LONG_RUN.sub(lambda found: _masked(found[0]) if _is_random(found[0]) else found[0], text)


def _masked(secret: str) -> str:
    return "".join("\n" if character == "\n" else MASK for character in secret)


def _is_random(run: str) -> bool:
    """Whether letters and digits of a long run are mixed as in a key, and not as in a name or a path."""
    return len(_CHANGE.findall(run)) * _RANDOM_FROM >= len(run)
