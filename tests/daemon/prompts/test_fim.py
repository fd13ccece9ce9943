"""Fill-in-the-middle layouts: which one a model is given, and where its texts go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest

from daemon.draft.engine import Vocabulary
from daemon.prompts.fim import Layout, layout_of
from daemon.settings.config_sections import Fim

PRE, SUF, MID = 1, 2, 3
PREFIX, SUFFIX = [10, 11], [20, 21, 22]

PREFIX_FIRST = [PRE, 10, 11, SUF, 20, 21, 22, MID]
SUFFIX_FIRST = [SUF, 20, 21, 22, PRE, 10, 11, MID]
JOINED = [PRE, SUF, 20, 21, 22, MID, 10, 11]
WITHOUT_MIDDLE = [SUF, 20, 21, 22, PRE, 10, 11]


def vocabulary(
    prefix_token: str, architecture: str = "llama", names: Sequence[str] = ("fim_pre", "fim_suf", "fim_mid")
) -> Vocabulary:
    special = {
        name: token for token, name in enumerate(("fim_pre", "fim_suf", "fim_mid"), 1) if name in names
    }
    texts = [b"a", prefix_token.encode(), b"<s>", b"<m>", *(b"x" for _ in range(30))]
    return Vocabulary("", texts, special, frozenset(), frozenset(), architecture)


def prompt(layout: Layout | None) -> list[int] | None:
    return None if layout is None else layout.arrange(PREFIX, SUFFIX)


QWEN = vocabulary("<|fim_prefix|>", "qwen2")
DEEPSEEK = vocabulary("<｜fim▁begin｜>")
STARCODER2 = vocabulary("<fim_prefix>", "starcoder2")
CODE_LLAMA = vocabulary(" <PRE>")
CODESTRAL = vocabulary("[PREFIX]", names=("fim_pre", "fim_suf"))
SEED_CODER = vocabulary("<[fim-prefix]>")
NO_MIDDLE = vocabulary("<|fim_prefix|>", names=("fim_pre", "fim_suf"))
NONE = vocabulary("<|fim_prefix|>", names=())


@pytest.mark.parametrize(
    ("model", "auto", "psm", "spm"),
    [
        (QWEN, PREFIX_FIRST, PREFIX_FIRST, SUFFIX_FIRST),
        (DEEPSEEK, PREFIX_FIRST, PREFIX_FIRST, SUFFIX_FIRST),
        (STARCODER2, JOINED, PREFIX_FIRST, JOINED),
        (CODE_LLAMA, JOINED, PREFIX_FIRST, JOINED),
        (CODESTRAL, WITHOUT_MIDDLE, WITHOUT_MIDDLE, WITHOUT_MIDDLE),
        (SEED_CODER, SUFFIX_FIRST, PREFIX_FIRST, SUFFIX_FIRST),
        (NO_MIDDLE, None, None, None),
        (NONE, None, None, None),
    ],
    ids=[
        "qwen",
        "deepseek",
        "starcoder2",
        "code llama",
        "codestral",
        "seed-coder",
        "no middle token",
        "no tokens",
    ],
)
def test_each_model_is_read_as_it_was_trained(
    model: Vocabulary, auto: list[int] | None, psm: list[int] | None, spm: list[int] | None
) -> None:
    """A wanted order that a model lacks the tokens for gives way to its own."""
    wanted = {"auto": auto, "psm": psm, "spm": spm, "off": None}
    assert set(wanted) == set(get_args(Fim))
    for fim, expected in wanted.items():
        assert prompt(layout_of(model, fim)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("model", "marks"), [(QWEN, 3), (CODE_LLAMA, 3), (CODESTRAL, 2)])
def test_marks_are_counted(model: Vocabulary, marks: int) -> None:
    layout = layout_of(model, "auto")
    assert layout is not None
    assert layout.n_marks == marks == len(layout.arrange([], []))


def test_a_suffix_that_is_read_again_for_every_key_is_short() -> None:
    psm, spm = layout_of(QWEN, "psm"), layout_of(QWEN, "spm")
    assert psm is not None
    assert spm is not None
    assert [psm.suffix_room(room) for room in (64, 1024, 4096)] == [16, 64, 64]
    assert [spm.suffix_room(room) for room in (64, 1024, 4096)] == [16, 256, 1024]
