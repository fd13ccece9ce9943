"""Keywords kept apart from the words after them, and everything else let be."""

from __future__ import annotations

import random

import pytest

from grammars import compiler
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.form import Grammar
from grammars.passes.blanks import Spacing
from grammars.passes.separation import Separated
from tests.fakes.byte_engine import ByteEngine

LEXER = """
NAME : [a-z]+ ;  NUM : [0-9]+ ;
WS : [ \\t\\n]+ -> skip ;  LINE : '--' ~[\\n]* -> skip ;  BLOCK : '/*' .*? '*/' -> skip ;
"""
STATEMENTS = "s : stmt* EOF ; stmt : 'charge' NAME ';' | 'end' 'if' ';' | 'const' NAME '=' NUM ';' ;"
TABLES = [
    (
        "words that run together",
        STATEMENTS,
        ["charge x;", "charge  x;", "charge\n\nx;", "end if;", "const x=1;", "charge charge;"],
        ["charged;", "endif;", "constx=1;", "charge;", "charge"],
    ),
    (
        "comments separate as blanks do",
        STATEMENTS,
        [
            "charge--a\nx;",
            "charge /* a */ x;",
            "charge/*a*//*b*/x;",
            "charge--a\n--b\n\n  --c\nx;",
            "end/**/if;",
        ],
        ["charge--a;", "charge/*a*/;", "charge-x;"],
    ),
    (
        "what may end otherwise, at another place",
        "s : ('end' 'if' ';' | 'end' ';' | 'end' EOF)* ;",
        ["end if;", "end;", "end ;", "end--a\n;", "end/*a*/if;end;end", "end;end", "end --a"],
        ["endif;"],
    ),
    (
        "literals of digits and signs",
        "s : ('@at' NAME ';' | 'T' NUM ';' | '+' NAME ';' | 'to' '(' NAME ')' ';')* EOF ;",
        ["@at x;", "T 5;", "+x;", "to(x);", "to (x);"],
        ["@atx;", "T5;"],
    ),
    (
        "optional words before a word",
        "s : ('set' 'global'? NAME ';' | 'drop' ('if' 'exists')* NAME ';')* EOF ;",
        ["set x;", "set global x;", "drop x;", "drop if exists if exists x;"],
        ["setx;", "dropx;", "dropif exists x;", "drop ifexists x;"],
    ),
    (
        "left: a name may stand in its place",
        "s : ('charge' NUM ';' | NAME '=' ';')* EOF ;",
        ["charge 5;", "charge = ;", "charge=;", "charge5;"],
        ["5;"],
    ),
    (
        "left: a name may stand in its place, after what is a name as well",
        "s : ('a' 'charge' NAME ';' | NAME NAME '=' NUM ';')* EOF ;",
        ["a charge x;", "a charge = 5;", "b charge = 5;"],
        ["5;"],
    ),
    (
        "left: other things may follow there",
        "s : ('of' ('(' NAME ')' | NAME) ';')* EOF ;",
        ["of x;", "of(x);", "of (x);", "ofx;"],
        ["of;"],
    ),
    (
        "left: what may follow begins like a comment",
        "s : ('of' NAME ';' | 'of' '-' NUM ';')* EOF ;",
        ["of x;", "of -5;", "of-5;", "ofx;", "of--a\n-5;"],
        ["of;"],
    ),
    (
        "left: another literal has it with a blank",
        "s : ('group' NAME ';' | 'group by' NUM ';')* EOF ;",
        ["groupx;", "group by 5;"],
        ["group;"],
    ),
]


@pytest.mark.parametrize(
    ("rules", "accepted", "rejected"), [table[1:] for table in TABLES], ids=[table[0] for table in TABLES]
)
def test_tables(rules: str, accepted: list[str], rejected: list[str]) -> None:
    """Texts that are legal and that are not."""
    engine = ByteEngine(_compiled(rules).text)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


def _compiled(rules: str, lexer: str = LEXER) -> CompiledGrammar:
    return compile_text(f"grammar t; {rules} {lexer}", file_name="t.g4")


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        (
            "(* @reserved *) s = { a } ; a = 'of', n, ';' | n, '=', ';' ;",
            ["of x;", "ofx=;", "of\n\nx;"],
            ["of=;"],
        ),
        ("(* @reserved *) s = { a } ; a = 'of', n, ';' | n, ';' ;", ["of x;", "ofx;"], ["of;"]),
        (
            "(* @token m kw *) s = { 'of', m, ';' | m, '=', ';' } ; m = n - kw ; kw = 'of' | 'in' ;",
            ["of x;", "ofx=;"],
            ["of=;"],
        ),
        (
            "(* @token m kw *) s = { 'of', m | m, '=' } ; m = n - kw ; kw = 'on' | 'in' ;",
            ["of x", "of ="],
            ["on="],
        ),
        ("(* @blanks none *) s = { 'of', n, ';' } ;", ["ofx;"], ["of x;"]),
        (
            "(* @blanks line *) s = { 'of', n, nl } ; nl = ? new line ? ;",
            ["of x\n", "of\t x\n"],
            ["ofx\n", "of\nx\n"],
        ),
        ("s = { '若', n, ';' } ;", ["若 x;", "若x;"], ["若;"]),
        ("s = { 'if', han, ';' } ; han = ? /\\p{Han}+/ ? ;", ["if 若;", "if若;"], ["if;"]),
        ("s = { 'if', n, ';' | '若' } ;", ["if　x;若"], ["ifx;"]),
        ("(* @ignorecase *) s = { 'if', n, ';' } ;", ["IF x;", "if\nx;"], ["ifx;", "IFx;"]),
        (
            "s = { 'if', n, ';' | 'if' , ':' | w, '=' } ; w = ? /[Ii][Ff]/ ? ;",
            ["if x;", "if =", "ifx;", "if:"],
            ["if;"],
        ),
    ],
)
def test_other_dialects_and_annotations(source: str, accepted: list[str], rejected: list[str]) -> None:
    engine = ByteEngine(compile_text(source + " n = ? /[a-z]+/ ? ;", dialect="ebnf").text)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize("skipped", ["", "C : '--' ~[\\n]* -> skip ;", "W : [ ]* -> skip ;"])
def test_where_no_blank_is_skipped(skipped: str) -> None:
    """Nothing is separated where a blank may not stand, or where what is skipped may be nothing."""
    compiled = _compiled("s : 'of' NAME EOF ;", f"NAME : [a-z]+ ; {skipped}")
    assert ByteEngine(compiled.text).accepts("ofx")


def test_users_see_the_literal() -> None:
    """It is one literal among the others, under its own name."""
    compiled = _compiled(STATEMENTS)
    apart = [short for short, name in compiled.names.items() if name == '"charge"']
    assert len(apart) == 1
    assert [(one.emitted, one.inferred) for one in compiled.terminals if one.name == '"charge"'] == [
        ("", False)
    ]
    assert not any("apart" in one.name for one in compiled.terminals)


def test_nothing_that_was_legal_with_blanks_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random grammars: with a blank or a comment after every word, separated or not, the same texts are legal."""
    chance = random.Random(7)
    told_apart = 0
    for _ in range(60):
        rules = _random_rules(chance)
        apart = ByteEngine(_compiled(rules).text)
        with monkeypatch.context() as patch:
            patch.setattr(compiler, "separate", _not_separated)
            together = ByteEngine(_compiled(rules).text)
        for _ in range(12):
            words = chance.choices(["a", "kk", "b", "x", "5", ";", "(", "-"], k=chance.randint(1, 6))
            text = "".join(word + chance.choice([" ", "\n ", "--c\n", " /*c*/", " --c\n"]) for word in words)
            assert apart.accepts(text) == together.accepts(text), (rules, text)
        told_apart += "_APART" in _compiled(rules).text
    assert told_apart > 10


def _not_separated(grammar: Grammar, spacing: Spacing) -> Separated:
    return Separated(grammar)


def _random_rules(chance: random.Random) -> str:
    def row(depth: int) -> str:
        return " ".join(part(depth) for _ in range(chance.randint(1, 3)))

    def part(depth: int) -> str:
        kind = chance.random()
        if depth and kind < 0.25:
            return f"({row(depth - 1)} | {row(depth - 1)})"
        if depth and kind < 0.4:
            return f"({row(depth - 1)}){chance.choice('?*+')}"
        return chance.choice(["'a'", "'kk'", "'b'", "NAME", "NUM", "';'", "'('", "'-'", "r", "t"])

    return f"s : ({row(2)} ';')* EOF ; r : {row(1)} 'a' | 'kk' {chance.choice(['NAME', 'NUM', 't'])} ; t : NUM | 'b' ;"
