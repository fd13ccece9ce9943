"""Vocabularies as the daemon reads them equal what the verifier reads from the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.draft.engine import EngineFailed, Vocabulary
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.llama_library import llama
from daemon.draft.llama_vocabulary import read_vocabulary_of_file
from speculation.vocabulary import fingerprint, special_ids
from tests.fakes.tiny_gguf import (
    CODE_LLAMA,
    FIRST_SPECIAL,
    QWEN_CODER,
    SPECIAL_TOKENS,
    WITHOUT_FIM,
    Value,
    byte_level_tokens,
    tiny_llama,
)

PAD_KEY = "tokenizer.ggml.padding_token_id"
EOT_KEY = "tokenizer.ggml.eot_token_id"
FIM_KEY = "tokenizer.ggml.fim_pre_token_id"
OLD_FIM_KEY = "tokenizer.ggml.prefix_token_id"


def vocabulary_of(path: Path) -> Vocabulary:
    with LlamaEngine(path, n_context=64, n_sequences=1) as engine:
        return engine.vocabulary


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {EOT_KEY: None},
        {PAD_KEY: 3},
        {PAD_KEY: 9999},
        {FIM_KEY: 5},
        {OLD_FIM_KEY: 6},
        {OLD_FIM_KEY: 6, FIM_KEY: 5},
    ],
    ids=[
        "as written",
        "undeclared eot",
        "declared pad",
        "id out of range",
        "declared fim",
        "declared fim by its older key",
        "declared fim by both keys",
    ],
)
@pytest.mark.parametrize(
    "specials",
    [SPECIAL_TOKENS, WITHOUT_FIM, QWEN_CODER, CODE_LLAMA],
    ids=["fim", "no fim", "qwen coder", "code llama"],
)
def test_both_ends_agree(
    tmp_path: Path, metadata: dict[str, Value | None], specials: tuple[str, ...]
) -> None:
    verifier_files = pytest.importorskip("verifier.model.gguf_file", exc_type=ImportError)
    verifier_vocabulary = pytest.importorskip("verifier.model.vocabulary", exc_type=ImportError)
    path = tiny_llama(tmp_path / "tiny.gguf", specials=specials, overrides=metadata)
    ours = vocabulary_of(path)
    theirs = verifier_vocabulary.from_gguf(verifier_files.GgufFile(path))
    assert ours.special_ids == dict(theirs.identity.special_ids)
    assert ours.fingerprint == theirs.identity.fingerprint
    assert ours.stop_ids == theirs.stop_ids


def test_the_fingerprint_is_of_the_fields(tmp_path: Path) -> None:
    vocabulary = vocabulary_of(tiny_llama(tmp_path / "tiny.gguf"))
    assert vocabulary.fingerprint == fingerprint(vocabulary.token_bytes, vocabulary.special_ids)


def test_a_model_without_fim_has_no_fim_ids(tmp_path: Path) -> None:
    special = vocabulary_of(tiny_llama(tmp_path / "tiny.gguf", specials=WITHOUT_FIM)).special_ids
    assert special == {"bos": FIRST_SPECIAL, "eos": FIRST_SPECIAL, "eot": FIRST_SPECIAL + 1}


def test_fim_ids_have_two_keys(tmp_path: Path) -> None:
    """The newer one counts where a file has both."""
    older: dict[str, Value | None] = {OLD_FIM_KEY: 6, "tokenizer.ggml.suffix_token_id": 7}
    path = tiny_llama(tmp_path / "old.gguf", specials=WITHOUT_FIM, overrides=older)
    special = vocabulary_of(path).special_ids
    assert (special["fim_pre"], special["fim_suf"]) == (6, 7)
    assert "fim_mid" not in special
    both = tiny_llama(tmp_path / "both.gguf", specials=WITHOUT_FIM, overrides={**older, FIM_KEY: 5})
    assert vocabulary_of(both).special_ids["fim_pre"] == 5


def test_what_follows_a_filled_in_middle_ends_it(tmp_path: Path) -> None:
    """Padding, and another file or repository: all are stops, and none of the marks is ever text."""
    vocabulary = vocabulary_of(tiny_llama(tmp_path / "tiny.gguf", specials=QWEN_CODER))
    special = vocabulary.special_ids
    assert {special[name] for name in ("eos", "eot", "fim_pad", "fim_rep", "fim_sep")} == vocabulary.stop_ids
    assert set(special.values()) <= vocabulary.control_ids


def test_the_architecture_is_what_the_file_says(tmp_path: Path) -> None:
    assert vocabulary_of(tiny_llama(tmp_path / "tiny.gguf")).architecture == "llama"


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
