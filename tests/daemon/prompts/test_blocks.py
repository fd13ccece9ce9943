"""Blocks: their ids are ids of the whole, and text added at the end moves none."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.prompts.blocks import Blocks
from tests.fakes.split_tokenizer import CODE, GPT2, LLAMA3, ONE_BLOCK, Tokenizer

words = st.sampled_from(
    ["a", "self", "don't", "x_1", "123456", "你好，世界", "é", "🤗", "_", "(", ");", "'s", "\u0301"]
)
spaces = st.sampled_from(["", " ", "  ", "\n", "\n\n", "\n    ", "\t", "\r\n", " \n", "\u3000"])
code = st.lists(st.tuples(words, spaces), max_size=60).map(lambda parts: "".join(itertools.chain(*parts)))


@given(code, st.sampled_from([GPT2, LLAMA3]))
def test_ids_are_those_of_the_whole_text(text: str, pattern: re.Pattern[str]) -> None:
    """For texts that have a place to cut within every block's length."""
    tokenizer = Tokenizer(pattern)
    assert Blocks(tokenizer, 4000).ids(text) == tokenizer.whole(text)


@given(code, code)
def test_text_added_at_the_end_moves_no_cut(text: str, more: str) -> None:
    """But for the last block, which may go on."""
    blocks = Blocks(Tokenizer(), 64)
    before, after = blocks.split(text), blocks.split(text + more)
    assert "".join(after) == text + more
    assert after[: len(before[:-1])] == before[:-1]


@pytest.mark.parametrize("text", [CODE, ONE_BLOCK, "x" * 3000, "a, " * 900, "你好" * 900])
def test_no_block_is_longer_than_an_eighth_of_the_room(text: str) -> None:
    assert max(map(len, Blocks(Tokenizer(), 400).split(text[:9000]))) <= 50
    assert max(map(len, Blocks(Tokenizer(), 8).split(text[:9000]))) <= 16


def test_what_was_tokenised_is_remembered_until_it_is_no_longer_there() -> None:
    tokenizer = Tokenizer()
    blocks = Blocks(tokenizer, 400)
    blocks.ids("a = b\nc = d\n")
    assert tokenizer.calls == len(set(blocks.split("a = b\nc = d\n")))
    blocks.ids("a = b\nc = d\n")
    blocks.ids("a = b\n")
    calls = tokenizer.calls
    blocks.ids("a = b\nc = d\n")
    assert tokenizer.calls > calls


def test_no_text_has_no_blocks() -> None:
    assert Blocks(Tokenizer(), 400).split("") == []
    assert Blocks(Tokenizer(), 400).ids("") == []
