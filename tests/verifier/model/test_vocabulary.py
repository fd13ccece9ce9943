"""What a model's files say about its tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from speculation.vocabulary import identify
from verifier.model.vocabulary import build, from_folder


def write(folder: Path, **files: object) -> Path:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return folder


def test_declared_ids_come_first_then_known_texts() -> None:
    vocabulary = build(
        ["a", "<|im_end|>", "<|endoftext|>", "<|fim_prefix|>"], "bytelevel", {"eos": 1, "pad": 77}
    )
    assert vocabulary.identity.special_ids == {"eos": 1, "eot": 1, "fim_pre": 3}
    assert vocabulary.stop_ids == {1, 2}


def test_a_folder_names_its_special_tokens_by_text_or_by_id(tmp_path: Path) -> None:
    vocab = {"a": 0, "Ġb": 1, "<s>": 2, "</s>": 3}
    write(
        tmp_path,
        tokenizer={"model": {"vocab": vocab}, "added_tokens": [{"content": "<x>", "id": 4}]},
        tokenizer_config={"bos_token": {"content": "<s>"}},
        config={"bos_token_id": 0, "eos_token_id": [3, 0]},
    )
    vocabulary = from_folder(tmp_path, 6)
    expected = identify([b"a", b" b", b"<s>", b"</s>", b"<x>", b"[PAD5]"], {"bos": 2, "eos": 3})
    assert vocabulary.identity == expected
    assert (vocabulary.stop_ids, vocabulary.n_vocab) == ({3}, 6)


def test_byte_fallback_means_sentencepiece(tmp_path: Path) -> None:
    write(tmp_path, tokenizer={"model": {"byte_fallback": True, "vocab": {"▁a": 0, "<0x0A>": 1}}})
    assert from_folder(tmp_path, 2).identity == identify([b" a", b"\n"], {})


@pytest.mark.model
def test_the_bundled_models_vocabulary_is_the_drafts(tmp_path: Path) -> None:
    """The daemon reads the same file through llama.cpp; both must come to one fingerprint."""
    from daemon.draft.llama_engine import LlamaEngine
    from verifier.bundled import bundled_model
    from verifier.model.gguf_file import GgufFile
    from verifier.model.vocabulary import from_gguf

    engine = LlamaEngine(bundled_model(), n_context=64, n_sequences=1, threads=1)
    try:
        ours = from_gguf(GgufFile(bundled_model())).identity
        assert ours.fingerprint == engine.vocabulary.fingerprint
        assert dict(ours.special_ids) == engine.vocabulary.special_ids
    finally:
        engine.close()
