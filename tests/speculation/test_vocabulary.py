"""Token bytes and fingerprints: both ends must name the same vocabulary alike, and say what differs."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.vocabulary import (
    SPECIAL_NAMES,
    SPECIAL_TEXTS,
    VocabularyIdentity,
    describe_mismatch,
    fingerprint,
    identify,
    special_ids,
    token_bytes,
)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Ġdef", "bytelevel", b" def"),
        ("Ċ", "bytelevel", b"\n"),
        ("ĉ", "bytelevel", b"\t"),
        ("Ã©", "bytelevel", "é".encode()),
        ("ä½ł", "bytelevel", "你".encode()),
        ("Ń", "bytelevel", b"\xad"),
        ("ÿ", "bytelevel", b"\xff"),
        ("<|endoftext|>", "bytelevel", b"<|endoftext|>"),
        ("    ", "bytelevel", b"    "),
        ("<｜begin▁of▁sentence｜>", "bytelevel", "<｜begin▁of▁sentence｜>".encode()),
        ("Ġ ", "bytelevel", "Ġ ".encode()),
        ("", "bytelevel", b""),
        ("\ud800", "bytelevel", b"\xed\xa0\x80"),
        ("▁def", "sentencepiece", b" def"),
        ("▁▁", "sentencepiece", b"  "),
        ("<0x0A>", "sentencepiece", b"\n"),
        ("<0xfF>", "sentencepiece", b"\xff"),
        ("<0x0A>x", "sentencepiece", b"<0x0A>x"),
        ("<0xG0>", "sentencepiece", b"<0xG0>"),
        ("é", "sentencepiece", "é".encode()),
        ("</s>", "sentencepiece", b"</s>"),
        ("\ud800", "sentencepiece", b"\xed\xa0\x80"),
    ],
)
def test_token_bytes(text: str, kind: str, expected: bytes) -> None:
    assert token_bytes(text, kind=kind) == expected  # type: ignore[arg-type]


def test_the_byte_level_alphabet_names_every_byte_once() -> None:
    """GPT-2: printable Latin-1 stands for itself, the 68 other bytes for U+0100 to U+0143 in order."""
    itself = [chr(b) for b in range(256) if 0x21 <= b <= 0x7E or (b >= 0xA1 and b != 0xAD)]
    others = [chr(c) for c in range(0x100, 0x144)]
    seen = [token_bytes(c, kind="bytelevel") for c in [*itself, *others]]
    assert sorted(seen) == [bytes([b]) for b in range(256)]
    assert all(token_bytes(c, kind="bytelevel") == bytes([ord(c)]) for c in itself)
    assert [token_bytes(c, kind="bytelevel") for c in others] == sorted(seen[len(itself) :])


@given(st.text(), st.sampled_from(["bytelevel", "sentencepiece"]))
def test_no_text_is_an_error(text: str, kind: str) -> None:
    assert isinstance(token_bytes(text, kind=kind), bytes)  # type: ignore[arg-type]


TOKENS = [b"<s>", b"a", b"b", b"ab"]
SPECIAL = {"bos": 0, "eos": 0}


def test_fingerprint_is_fixed() -> None:
    """Version 1 of what is hashed, spelled out."""
    hashed = (
        b"draftwire vocabulary 1\0\0\0\0\4"
        b"\0\0\0\3<s>\0\0\0\1a\0\0\0\1b\0\0\0\2ab"
        b"\0\0\0\2\0\0\0\3bos\0\0\0\0\0\0\0\3eos\0\0\0\0"
    )
    assert fingerprint(TOKENS, SPECIAL) == "sha256:" + hashlib.sha256(hashed).hexdigest()


@pytest.mark.parametrize(
    ("tokens", "special"),
    [
        ([b"<s>", b"a", b"b", b"ba"], SPECIAL),
        ([b"<s>", b"ab", b"", b"ab"], SPECIAL),
        ([b"<s>", b"a", b"ba", b"b"], SPECIAL),
        ([*TOKENS, b""], SPECIAL),
        (TOKENS, {"bos": 0}),
        (TOKENS, {"bos": 0, "eos": 1}),
        (TOKENS, {"bos": 0, "eot": 0}),
    ],
)
def test_every_difference_changes_the_fingerprint(tokens: list[bytes], special: dict[str, int]) -> None:
    assert fingerprint(tokens, special) != fingerprint(TOKENS, SPECIAL)


def test_order_of_special_ids_does_not_matter() -> None:
    assert fingerprint(TOKENS, {"eos": 0, "bos": 0}) == fingerprint(TOKENS, SPECIAL)


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        ({"cls": 0}, "unknown special name 'cls'"),
        ({"bos": 4}, "bos=4 is outside the vocabulary of 4"),
        ({"bos": -1}, "bos=-1 is outside"),
    ],
)
def test_fingerprint_refuses_impossible_special_ids(special: dict[str, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        fingerprint(TOKENS, special)


@pytest.mark.parametrize(
    ("texts", "declared", "expected"),
    [
        (["a", "b"], {}, {}),
        (["a", "<s>"], {"bos": 1}, {"bos": 1}),
        (["a", "b"], {"bos": 2, "eos": -1, "pad": 0}, {"pad": 0}),
        (["<fim_prefix>", "<fim_suffix>", "x"], {}, {"fim_pre": 0, "fim_suf": 1}),
        (["<|im_end|>", "<|endoftext|>", "<|endoftext|>"], {}, {"eot": 0}),
        (["<|endoftext|>", "<|im_end|>"], {"eot": 1}, {"eot": 1}),
        (["<|endoftext|>", "a"], {"eot": 7}, {"eot": 0}),
    ],
)
def test_special_ids(texts: list[str], declared: dict[str, int], expected: dict[str, int]) -> None:
    """What the files declare comes first, then known texts with the lowest id, whatever the order of texts."""
    assert special_ids(texts, declared) == expected


def test_every_name_known_by_text_is_a_special_name() -> None:
    assert set(SPECIAL_TEXTS) < set(SPECIAL_NAMES)
    texts = [text for known in SPECIAL_TEXTS.values() for text in known]
    assert len(set(texts)) == len(texts)


OURS = identify(TOKENS, SPECIAL)


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (OURS, None),
        (VocabularyIdentity(OURS.fingerprint, 4, {"eos": 0, "bos": 0}), None),
        (identify([*TOKENS, b"c"], SPECIAL), "the draft model has 5 tokens, the target model 4"),
        (
            identify(TOKENS, {"bos": 0}),
            "special id eos is missing in the draft model and 0 in the target model",
        ),
        (
            identify(TOKENS, {**SPECIAL, "pad": 2}),
            "special id pad is 2 in the draft model and missing in the target",
        ),
        (
            identify(TOKENS, {"bos": 1, "eos": 0}),
            "special id bos is 1 in the draft model and 0 in the target model",
        ),
        (identify([b"<s>", b"a", b"b", b"ba"], SPECIAL), "some tokens stand for other bytes"),
    ],
)
def test_describe_mismatch(theirs: VocabularyIdentity, reason: str | None) -> None:
    found = describe_mismatch(theirs, OURS)
    assert found is None if reason is None else reason in str(found)
