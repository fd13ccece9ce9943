"""What the target's token ids mean, read from GGUF metadata or from a folder's tokenizer files.

Only what both ends compare in the handshake, and which ids end a generation. Text is never tokenised here: contexts
arrive as ids. The rules from texts to bytes are `speculation.vocabulary`'s.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from speculation.vocabulary import (
    SPECIAL_TEXTS,
    TextKind,
    VocabularyIdentity,
    identify,
    special_ids,
    token_bytes,
)
from verifier.errors import ModelUnusable

if TYPE_CHECKING:  # the seam to the engines must import without the `verifier` extra
    from verifier.model.gguf_file import GgufFile

DECLARED = (
    "bos",
    "eos",
    "eot",
    "pad",
    "sep",
    "fim_pre",
    "fim_suf",
    "fim_mid",
    "fim_pad",
    "fim_rep",
    "fim_sep",
)
"""Special ids a model file can name itself."""

_GGUF_KEYS = {
    "pad": ("padding",),
    "sep": ("seperator",),  # GGUF's own spelling
    "fim_pre": ("fim_pre", "prefix"),
    "fim_suf": ("fim_suf", "suffix"),
    "fim_mid": ("fim_mid", "middle"),
}
"""Special name -> X of the metadata key `tokenizer.ggml.X_token_id`, where it is another; the first found counts."""

_ENDS_GENERATION = frozenset(SPECIAL_TEXTS["eot"]) | {"<|eom_id|>", "<|return|>", "<|call|>"}


@dataclass(frozen=True, slots=True)
class TargetVocabulary:
    """The identity both ends compare, and the ids that end a generation."""

    identity: VocabularyIdentity
    stop_ids: frozenset[int]

    @property
    def n_vocab(self) -> int:
        return self.identity.n_vocab


def build(texts: Sequence[str], kind: TextKind, declared: Mapping[str, int]) -> TargetVocabulary:
    """A vocabulary from its entries' texts and the special ids its file declares by name."""
    id_of: dict[str, int] = {}
    for token, text in enumerate(texts):
        id_of.setdefault(text, token)
    special = special_ids(texts, declared)
    ends = {id_of[text] for text in _ENDS_GENERATION if text in id_of}
    ends |= {special[name] for name in ("eos", "eot", "fim_pad", "fim_rep", "fim_sep") if name in special}
    return TargetVocabulary(
        identify([token_bytes(text, kind=kind) for text in texts], special), frozenset(ends)
    )


def from_gguf(file: GgufFile) -> TargetVocabulary:
    """The vocabulary in a GGUF file's metadata. Raises ModelUnusable if it has none or of an unknown kind."""
    kinds: dict[object, TextKind] = {"gpt2": "bytelevel", "llama": "sentencepiece"}
    model, texts = file.field("tokenizer.ggml.model"), file.field("tokenizer.ggml.tokens")
    if model not in kinds or not isinstance(texts, list):
        raise ModelUnusable(
            f"the model's tokenizer is of kind {model!r}: the engine knows {', '.join(map(str, kinds))}"
        )
    declared: dict[str, int] = {}
    for name in DECLARED:
        for key in _GGUF_KEYS.get(name, (name,)):
            token = file.field(f"tokenizer.ggml.{key}_token_id")
            if isinstance(token, int):
                declared.setdefault(name, token)
    return build([str(text) for text in texts], kinds[model], declared)


def from_folder(folder: Path, n_vocab: int) -> TargetVocabulary:
    """The vocabulary in `tokenizer.json` and the files beside it; ids without an entry are named as GGUF names them."""
    tokenizer = _json(folder / "tokenizer.json")
    model = _mapping(tokenizer.get("model"))
    id_of = _ids(_mapping(model.get("vocab")).items())
    added = tokenizer.get("added_tokens")
    id_of |= (
        _ids((t.get("content"), t.get("id")) for t in added if isinstance(t, dict))
        if isinstance(added, list)
        else {}
    )
    texts = [f"[PAD{token}]" for token in range(n_vocab)]
    for text, token in id_of.items():
        if not 0 <= token < n_vocab:
            raise ModelUnusable(
                f"tokenizer.json has an id {token}, the model only {n_vocab}: the folder mixes two models"
            )
        texts[token] = text
    kind: TextKind = "sentencepiece" if model.get("byte_fallback") else "bytelevel"
    return build(texts, kind, _declared_in_folder(folder, id_of))


def _ids(entries: Iterable[tuple[object, object]]) -> dict[str, int]:
    """The entries that are a text and an id."""
    return {text: token for text, token in entries if isinstance(text, str) and isinstance(token, int)}


def _declared_in_folder(folder: Path, id_of: Mapping[str, int]) -> dict[str, int]:
    """Special ids by text from `tokenizer_config.json`, else by id from the (generation) configuration."""
    by_text = _json(folder / "tokenizer_config.json")
    by_id = {**_json(folder / "config.json"), **_json(folder / "generation_config.json")}
    declared: dict[str, int] = {}
    for name in DECLARED:
        text = by_text.get(f"{name}_token")
        text = text.get("content") if isinstance(text, dict) else text
        token = by_id.get(f"{name}_token_id")
        token = token[0] if isinstance(token, list) and token else token
        if isinstance(text, str) and text in id_of:
            declared[name] = id_of[text]
        elif isinstance(token, int):
            declared[name] = token
    return declared


def _json(path: Path) -> dict[str, object]:
    """A JSON object; empty if the file does not exist."""
    try:
        return _mapping(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelUnusable(f"{path} can't be read ({error}): fetch the model again") from error


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
