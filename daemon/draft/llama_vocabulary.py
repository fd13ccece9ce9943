"""The vocabulary of a loaded GGUF model, read through llama.cpp.

Its fingerprint must equal what the verifier computes from the same model's files. So the special ids are those
that the file declares or `speculation.vocabulary` knows by text; llama.cpp's own guesses (the first it meets in a
hash table) only add to `stop_ids` and `control_ids`, which are the daemon's business alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from daemon.draft.engine import EngineFailed, Vocabulary
from daemon.draft.gguf_file import GgufInvalid, check_gguf
from daemon.draft.llama_library import llama, loading, metadata_value, why
from speculation.vocabulary import TextKind, fingerprint, special_ids, token_bytes

_KINDS: dict[int, TextKind] = {
    llama.LLAMA_VOCAB_TYPE_BPE: "bytelevel",
    llama.LLAMA_VOCAB_TYPE_SPM: "sentencepiece",
}
_DECLARED_KEYS = {
    "bos": ("bos",),
    "eos": ("eos",),
    "eot": ("eot",),
    "pad": ("padding",),
    "sep": ("seperator",),  # spelled so in the GGUF specification
    "fim_pre": ("fim_pre", "prefix"),
    "fim_suf": ("fim_suf", "suffix"),
    "fim_mid": ("fim_mid", "middle"),
    "fim_pad": ("fim_pad",),
    "fim_rep": ("fim_rep",),
    "fim_sep": ("fim_sep",),
}
"""Special name -> X of the metadata key `tokenizer.ggml.X_token_id`; the first that the file has counts."""
_NEVER_TEXT: int = (
    llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_UNKNOWN | llama.LLAMA_TOKEN_ATTR_UNUSED
)


def read_vocabulary(model: Any) -> Vocabulary:
    """The vocabulary of a llama_model; about 0.2 s for 49,152 tokens.

    Raises EngineFailed for a kind of vocabulary whose tokens are no byte strings.
    """
    vocab = llama.llama_model_get_vocab(model)
    kind = _KINDS.get(llama.llama_vocab_type(vocab))
    if kind is None:
        raise EngineFailed(
            "the model's tokenizer is neither byte-level BPE nor SentencePiece: choose another draft model"
        )
    ids = range(llama.llama_vocab_n_tokens(vocab))
    texts = [llama.llama_vocab_get_text(vocab, i).decode(errors="replace") for i in ids]
    pieces = [token_bytes(text, kind=kind) for text in texts]
    special = special_ids(texts, _declared(model))
    stop_ids = frozenset(i for i in ids if llama.llama_vocab_is_eog(vocab, i))
    never_text = frozenset(i for i in ids if llama.llama_vocab_get_attr(vocab, i) & _NEVER_TEXT)
    return Vocabulary(
        fingerprint=fingerprint(pieces, special),
        token_bytes=pieces,
        special_ids=special,
        control_ids=never_text | stop_ids | frozenset(special.values()),
        stop_ids=stop_ids,
        architecture=metadata_value(model, "general.architecture") or "",
    )


def read_vocabulary_of_file(path: Path) -> Vocabulary:
    """The vocabulary of a GGUF file, without its weights. Raises EngineFailed."""
    try:
        check_gguf(path)
    except GgufInvalid as invalid:
        raise EngineFailed(str(invalid)) from invalid
    params = llama.llama_model_default_params()
    params.vocab_only = True
    with loading() as errors:
        model = llama.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise EngineFailed(f"llama.cpp can't load {path} ({why(errors)}): fetch it again")
    try:
        return read_vocabulary(model)
    finally:
        llama.llama_model_free(model)


def _declared(model: Any) -> dict[str, int]:
    declared: dict[str, int] = {}
    for name, keys in _DECLARED_KEYS.items():
        values = (metadata_value(model, f"tokenizer.ggml.{key}_token_id") for key in keys)
        ids = [int(value) for value in values if value is not None and value.isdigit()]
        declared.update({name: ids[0]} if ids else {})
    return declared
