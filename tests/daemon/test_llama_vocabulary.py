"""Vocabularies as the daemon reads them equal what the verifier reads from the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.engine import EngineFailed, Vocabulary
from daemon.llama_engine import LlamaEngine
from daemon.llama_library import llama
from daemon.llama_vocabulary import read_vocabulary_of_file
from speculation.vocabulary import fingerprint, special_ids
from tests.fakes.tiny_gguf import FIRST_SPECIAL, Value, byte_level_tokens, tiny_llama

PAD_KEY = "tokenizer.ggml.padding_token_id"
EOT_KEY = "tokenizer.ggml.eot_token_id"


def vocabulary_of(path: Path) -> Vocabulary:
    with LlamaEngine(path, n_context=64, n_sequences=1) as engine:
        return engine.vocabulary


@pytest.mark.parametrize(
    "metadata",
    [{}, {EOT_KEY: None}, {PAD_KEY: 3}, {PAD_KEY: 9999}, {"tokenizer.ggml.fim_pre_token_id": 5}],
    ids=["as written", "undeclared eot", "declared pad", "id out of range", "declared fim"],
)
@pytest.mark.parametrize("fim", [True, False])
def test_both_ends_agree(tmp_path: Path, metadata: dict[str, Value | None], fim: bool) -> None:
    verifier_files = pytest.importorskip("verifier.model.gguf_file", exc_type=ImportError)
    verifier_vocabulary = pytest.importorskip("verifier.model.vocabulary", exc_type=ImportError)
    path = tiny_llama(tmp_path / "tiny.gguf", fim=fim, overrides=metadata)
    ours = vocabulary_of(path)
    theirs = verifier_vocabulary.from_gguf(verifier_files.GgufFile(path))
    assert ours.special_ids == dict(theirs.identity.special_ids)
    assert ours.fingerprint == theirs.identity.fingerprint
    assert ours.stop_ids == theirs.stop_ids


def test_the_fingerprint_is_of_the_fields(tmp_path: Path) -> None:
    vocabulary = vocabulary_of(tiny_llama(tmp_path / "tiny.gguf"))
    assert vocabulary.fingerprint == fingerprint(vocabulary.token_bytes, vocabulary.special_ids)


def test_a_model_without_fim_has_no_fim_ids(tmp_path: Path) -> None:
    special = vocabulary_of(tiny_llama(tmp_path / "tiny.gguf", fim=False)).special_ids
    assert special == {"bos": FIRST_SPECIAL, "eos": FIRST_SPECIAL, "eot": FIRST_SPECIAL + 1}


def test_a_vocabulary_can_be_read_without_the_weights(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf")
    assert read_vocabulary_of_file(path) == vocabulary_of(path)


@pytest.mark.parametrize("content", [None, b"no model", b"GGUF\3\0\0\0" + b"\1" + b"\0" * 15 + b"x" * 99])
def test_what_is_no_model_has_no_vocabulary(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EngineFailed, match=r"x\.gguf"):
        read_vocabulary_of_file(path)


def test_a_vocabulary_of_another_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf")
    monkeypatch.setattr(llama, "llama_vocab_type", lambda vocab: llama.LLAMA_VOCAB_TYPE_WPM)
    with pytest.raises(EngineFailed, match="choose another draft model"):
        LlamaEngine(path)


@pytest.mark.parametrize(
    ("texts", "declared", "expected"),
    [
        (["a", "<|im_end|>", "<|endoftext|>"], {}, {"eot": 1}),
        (["<|endoftext|>", "<|im_end|>"], {}, {"eot": 0}),
        (["<|endoftext|>", "<|im_end|>"], {"eot": 1}, {"eot": 1}),
        (["<PRE>", "<PRE>"], {}, {"fim_pre": 0}),
        (["a"], {"bos": 7, "eos": 0}, {"eos": 0}),
        ([], {}, {}),
    ],
)
def test_special_ids_by_declaration_then_by_text(
    texts: list[str], declared: dict[str, int], expected: dict[str, int]
) -> None:
    assert special_ids(texts, declared) == expected


def test_the_tiny_vocabulary_has_every_byte_once() -> None:
    assert len(set(byte_level_tokens())) == len(byte_level_tokens())
