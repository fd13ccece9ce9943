"""What token ids mean, so that two ends can tell whether the same id means the same bytes to both.

Each end names its vocabulary by a fingerprint over every token's bytes and the special ids. Sources differ
(a GGUF file, llama.cpp, a tokenizer.json), the rules from a token's text to its bytes are here and nowhere
else. How to read those sources, this module does not know.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

SPECIAL_NAMES = (
    "bos",
    "eos",
    "eot",
    "unk",
    "pad",
    "sep",
    "fim_pre",
    "fim_suf",
    "fim_mid",
    "fim_pad",
    "fim_rep",
    "fim_sep",
)
"""The only names of special ids; a vocabulary lists those it has."""

SPECIAL_TEXTS: dict[str, tuple[str, ...]] = {
    "eot": (
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<EOT>", "_<EOT>",
        "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>",
    ),
    "fim_pre": (
        "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<|fim_begin|>", "<PRE>", "▁<PRE>", "<｜fim▁begin｜>",
        "<|code_prefix|>", "<|prefix|>",
    ),
    "fim_suf": (
        "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<|fim_hole|>", "<SUF>", "▁<SUF>", "<｜fim▁hole｜>",
        "<|code_suffix|>", "<|suffix|>",
    ),
    "fim_mid": (
        "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<|fim_end|>", "<MID>", "▁<MID>", "<｜fim▁end｜>",
        "<|code_middle|>", "<|middle|>",
    ),
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}  # fmt: skip
"""Texts by which a token that the model's files do not declare special is known to be."""

TextKind = Literal["bytelevel", "sentencepiece"]


class VocabularyMismatch(Exception):
    """The two ends' token ids do not mean the same bytes; the text names the first difference."""


@dataclass(frozen=True, slots=True)
class VocabularyIdentity:
    """What the handshake compares."""

    fingerprint: str
    n_vocab: int
    special_ids: Mapping[str, int]


def identify(token_bytes: Sequence[bytes], special_ids: Mapping[str, int]) -> VocabularyIdentity:
    """The identity of a vocabulary; errors as in `fingerprint`."""
    return VocabularyIdentity(fingerprint(token_bytes, special_ids), len(token_bytes), dict(special_ids))


def fingerprint(token_bytes: Sequence[bytes], special_ids: Mapping[str, int]) -> str:
    """ "sha256:<hex>" over the number of tokens, each token's bytes with their length, and the special ids
    by name.

    Raises ValueError on an unknown special name or an id outside the vocabulary.
    """
    for name, token in special_ids.items():
        if name not in SPECIAL_NAMES:
            raise ValueError(f"unknown special name {name!r}; known: {', '.join(SPECIAL_NAMES)}")
        if not 0 <= token < len(token_bytes):
            raise ValueError(
                f"special id {name}={token} is outside the vocabulary of {len(token_bytes)} tokens"
            )
    digest = hashlib.sha256(b"draftwire vocabulary 1\0" + _u32(len(token_bytes)))
    for piece in token_bytes:
        digest.update(_u32(len(piece)) + piece)
    digest.update(_u32(len(special_ids)))
    for name in sorted(special_ids):
        digest.update(_u32(len(name)) + name.encode("ascii") + _u32(special_ids[name]))
    return f"sha256:{digest.hexdigest()}"


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def special_ids(texts: Sequence[str], declared: Mapping[str, int]) -> dict[str, int]:
    """The special ids of a vocabulary: those its files declare, then those known by their text.

    `texts` has shape [n_vocab]. The lowest id stands where several texts are known for one name; declared ids
    outside the vocabulary are left out.
    """
    special = {name: token for name, token in declared.items() if 0 <= token < len(texts)}
    id_of: dict[str, int] = {}
    for token, text in enumerate(texts):
        id_of.setdefault(text, token)
    for name, known in SPECIAL_TEXTS.items():
        found = [id_of[text] for text in known if text in id_of]
        if name not in special and found:
            special[name] = min(found)
    return special


def token_bytes(text: str, *, kind: TextKind) -> bytes:
    """The bytes that a vocabulary entry's text stands for.

    "bytelevel" (GPT-2): each character names a byte; a text with any other character (an added token, such as
    a run of spaces) is its own UTF-8. "sentencepiece": U+2581 is a space, <0xNN> is that byte, the rest
    UTF-8. Lone surrogates are kept as the three bytes they would take, so that no text is an error.
    """
    if kind == "bytelevel":
        try:
            return bytes(_BYTE_OF[character] for character in text)
        except KeyError:
            return text.encode("utf-8", "surrogatepass")
    byte = _BYTE_TOKEN.fullmatch(text)
    if byte is not None:
        return bytes([int(byte[1], 16)])
    return text.replace("\u2581", " ").encode("utf-8", "surrogatepass")


_BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f]{2})>")


def _byte_level_alphabet() -> dict[str, int]:
    """GPT-2's bytes: printable Latin-1 characters stand for themselves, the other bytes for U+0100 and on."""
    itself = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in itself]
    alphabet = {chr(byte): byte for byte in itself}
    alphabet.update({chr(0x100 + index): byte for index, byte in enumerate(others)})
    return alphabet


_BYTE_OF = _byte_level_alphabet()


def describe_mismatch(theirs: VocabularyIdentity, ours: VocabularyIdentity) -> str | None:
    """What differs, in words a person can act on; None if the two are the same vocabulary."""
    if theirs.n_vocab != ours.n_vocab:
        return f"the draft model has {theirs.n_vocab} tokens, the target model {ours.n_vocab}"
    for name in SPECIAL_NAMES:
        draft, target = theirs.special_ids.get(name), ours.special_ids.get(name)
        if draft != target:
            return (
                f"special id {name} is {_id(draft)} in the draft model and {_id(target)} in the target model"
            )
    if theirs.fingerprint != ours.fingerprint:
        return (
            f"same number of tokens and same special ids, but some tokens stand for other bytes "
            f"(draft model {theirs.fingerprint}, target model {ours.fingerprint})"
        )
    return None


def _id(token: int | None) -> str:
    return "missing" if token is None else str(token)
