"""Characters whose first byte is also that of what may follow."""

from __future__ import annotations

import pytest

from grammars.emit import emit
from grammars.form import (
    EMPTY,
    CharacterSet,
    Exclusion,
    Expression,
    Literal,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from grammars.passes.blanks import Spacing
from grammars.passes.lead_bytes import split_lead_bytes
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.small_grammars import grammar_of

HAN = CharacterSet(properties=("Han",))
N = Reference("N")
WRITTEN = Spacing(None, written_out=True)


def split(name: Expression, after: Expression, **more: Expression) -> ByteEngine:
    rules = {"start": sequence([N, after]), "N": name, **more}
    grammar = grammar_of(rules, lexical={"start": False, **dict.fromkeys(["N", *more], True)})
    made = split_lead_bytes(grammar, WRITTEN)
    assert made.pieces
    return ByteEngine(emit(made.grammar).text)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (Repeat(HAN, 1, None), ["甲", "甲乙", "豈々甲", "甲豈"]),
        (Repeat(HAN, 2, None), ["甲乙", "甲豈乙"]),
        (sequence([Literal("$"), Repeat(HAN, 0, None)]), ["$", "$甲", "$豈"]),
        (sequence([Literal("$"), Repeat(HAN, 1, None)]), ["$甲", "$豈甲"]),
        (sequence([HAN, Repeat(choice([Reference("H"), Literal("_")]), 0, None)]), ["甲", "甲_乙", "甲豈_"]),
        (Reference("W"), ["甲乙", "甲豈"]),
        (Exclusion(Reference("W"), choice([Literal("如果"), Literal("那么")])), ["甲", "如果果", "如豈"]),
    ],
)
@pytest.mark.parametrize("after", ["：", "。", "“"])
def test_words_before_punctuation(name: Expression, words: list[str], after: str) -> None:
    """Common and rare characters, each before punctuation that begins with the same byte as the rare ones."""
    engine = split(name, Literal(after), H=HAN, W=Repeat(HAN, 1, None))
    assert [word for word in words if not engine.accepts(word + after)] == []
    assert engine.rejected(after)
    assert engine.rejected("a" + after)


def test_reserved_words_stay_out() -> None:
    """The begin of a name is no keyword."""
    engine = split(Exclusion(Repeat(HAN, 1, None), Literal("如果")), Literal("："))
    assert engine.rejected("如果：")


@pytest.mark.parametrize(
    "after",
    [
        CharacterSet(((0xFF1A, 0xFF1B),)),
        choice([Literal("："), Literal("x")]),
        sequence([optional(Literal("x")), Literal("：")]),
        sequence([Reference("P"), Literal("x")]),
        sequence([optional(Literal("：")), optional(Literal("x"))]),
        choice([Literal("："), EMPTY, Literal("")]),
    ],
)
def test_what_may_follow(after: Expression) -> None:
    """Found through every shape."""
    engine = split(Repeat(HAN, 1, None), Reference("A"), A=after, P=Exclusion(Literal("："), Literal("y")))
    assert engine.accepts("甲：x") or engine.accepts("甲：")


def test_nothing_to_do() -> None:
    """ASCII grammars, names whose own characters follow, and terminals of other shapes stay as they are."""
    letters = CharacterSet(((97, 122),))
    for name, after in (
        (Repeat(letters, 1, None), Literal(":")),
        (Repeat(letters, 1, None), Literal("：")),
        (Repeat(HAN, 1, None), CharacterSet(((0x4E00, 0x9FFF),))),
        (sequence([HAN, HAN]), Literal("：")),
        (Repeat(HAN, 1, None), CharacterSet(((0xFF1A, 0xFF1A),), negated=True)),
        (Repeat(CharacterSet(((0x4E00, 0x9FFF), (0xFF1A, 0xFF1A))), 1, None), Literal("：")),
    ):
        rules = {"start": sequence([N, Reference("A"), Literal("")]), "N": name, "A": after}
        grammar = grammar_of(rules, lexical={"start": False, "N": True, "A": True})
        assert split_lead_bytes(grammar, WRITTEN).grammar == grammar


def test_blanks_follow_everything() -> None:
    """A full-width blank begins with the byte of `々`."""
    grammar = grammar_of(
        {"start": sequence([N, N]), "N": Repeat(HAN, 1, None)}, lexical={"start": False, "N": True}
    )
    ignored = CharacterSet(((32, 32), (0x3000, 0x3000)))
    made = split_lead_bytes(grammar, Spacing(ignored, written_out=False))
    engine = ByteEngine(emit(made.grammar, ignored).text)
    assert engine.accepts("甲\u3000乙")
    assert engine.accepts("甲々\u3000 々")


def test_keywords_are_cut_as_names_are() -> None:
    """Hiragana share a lead byte with the full stop: a keyword must not be longer than the piece of a name."""
    kana = Repeat(CharacterSet(properties=("Hiragana", "Han")), 1, None)
    statement = choice([sequence([Literal("もしかして"), N]), sequence([N, Literal("は"), N]), Literal("！")])
    grammar = grammar_of(
        {"start": Repeat(sequence([statement, Literal("。")]), 1, None), "N": kana},
        lexical={"start": False, "N": True},
    )
    ignored = CharacterSet(((32, 32),))
    engine = ByteEngine(
        emit(split_lead_bytes(grammar, Spacing(ignored, written_out=False)).grammar, ignored).text
    )
    texts = [
        "もしかして あ。",
        "もしか は 甲。",
        "もしかして は もし。",
        "もしかしてる は 々。",
        "も は し。",
        "！。",
    ]
    assert [text for text in texts if not engine.accepts(text)] == []
    assert engine.rejected("もしか 甲。")


def test_a_name_in_han_before_keywords_and_full_width_signs() -> None:
    """Keywords are no punctuation: their characters stay in the pieces of the name."""
    statement = choice(
        [sequence([Literal("等待"), N]), sequence([N, Literal("＝"), N]), sequence([N, Literal("的"), N])]
    )
    grammar = grammar_of(
        {"start": Repeat(sequence([statement, Literal("；")]), 1, None), "N": Repeat(HAN, 1, None)},
        lexical={"start": False, "N": True},
    )
    ignored = CharacterSet(((32, 32), (0x3000, 0x3000)))
    engine = ByteEngine(
        emit(split_lead_bytes(grammar, Spacing(ignored, written_out=False)).grammar, ignored).text
    )
    texts = ["等待时限 ＝ 甲；", "等待时限＝甲；", "等待 时限；", "等待时限 的 等待；"]
    assert [text for text in texts if not engine.accepts(text)] == []
