"""Keywords that are no identifiers."""

from __future__ import annotations

from grammars.emit import emit
from grammars.form import CharacterSet, Literal, Reference, Repeat, choice, sequence
from grammars.passes.reserved import reserve
from tests.fakes.byte_engine import ByteEngine
from tests.fakes.small_grammars import grammar_of

LETTERS = CharacterSet(((97, 122),))
ID = Repeat(LETTERS, 1, None)


def test_words_are_taken_out_of_identifiers() -> None:
    """Out of what matches most of them and any length; not out of other terminals, nor where it is a part of one."""
    rules = {
        "start": choice(
            [
                sequence([Literal("if", ignore_case=True), Reference("ID"), Literal(";")]),
                sequence([Literal("add"), Literal("do"), Reference("HEX"), Literal(";")]),
                sequence([Literal("@"), Reference("PATH")]),
                sequence([Literal("1x"), Reference("WORDS")]),
            ]
        ),
        "ID": ID,
        "HEX": Repeat(CharacterSet(((97, 102),)), 1, None),
        "PATH": sequence([Reference("ID"), Literal("/"), Reference("ID")]),
        "WORDS": choice([Literal("if"), Literal("add"), Literal("do")]),
    }
    lexical = {name: name != "start" for name in rules}
    engine = ByteEngine(emit(reserve(grammar_of(rules, lexical=lexical)), CharacterSet(((32, 32),))).text)
    for text in ("if x;", "IF ifs;", "add do add;", "@if/do", "1xif"):
        assert engine.accepts(text)
    for text in ("if if;", "if do;", "if IF;"):
        assert engine.rejected(text)


def test_without_words() -> None:
    """Nothing to reserve, nothing that could be one."""
    for start in (Literal("+"), Literal("word")):
        grammar = grammar_of({"start": start}, lexical={"start": False})
        assert reserve(grammar) == grammar
