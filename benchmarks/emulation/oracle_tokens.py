"""The tokens of a GGUF model for an oracle: its vocabulary and tokeniser, without its weights."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.emulation.oracle_target import Tokens
from daemon.draft.llama_library import llama, loading, why
from daemon.draft.llama_vocabulary import read_vocabulary
from speculation.vocabulary import VocabularyIdentity
from verifier.errors import ModelUnusable
from verifier.model.vocabulary import TargetVocabulary


def gguf_tokens(path: Path) -> Tokens:
    """What the file says of its tokens; it is kept open for as long as the process lives. Raises ModelUnusable."""
    params = llama.llama_model_default_params()
    params.vocab_only = True
    with loading() as errors:
        model = llama.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise ModelUnusable(f"llama.cpp can't load {path} ({why(errors)}): give a GGUF file")
    vocabulary = read_vocabulary(model)
    native = llama.llama_model_get_vocab(model)

    def tokenize(text: str) -> list[int]:
        data = text.encode()
        ids = np.empty(len(data) + 8, np.int32)
        pointer = ids.ctypes.data_as(llama.llama_token_p)
        count = llama.llama_tokenize(native, data, len(data), pointer, len(ids), False, False)
        if count < 0:
            raise ModelUnusable(f"the tokeniser of {path} makes more tokens of a text than it has bytes")
        return [int(token) for token in ids[:count]]

    identity = VocabularyIdentity(vocabulary.fingerprint, vocabulary.n_vocab, vocabulary.special_ids)
    return Tokens(
        TargetVocabulary(identity, vocabulary.stop_ids),
        vocabulary.token_bytes,
        vocabulary.control_ids,
        tokenize,
    )
