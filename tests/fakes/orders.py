"""A tiny language of orders in classic BNF, as a user would write it, with texts that follow it and that do not."""

from __future__ import annotations

from pathlib import Path

GRAMMAR = """; Orders: who buys what.
; @name orders
; @files *.ord
; @comment -- eol
<file> ::= <order> | <file> <order>
<order> ::= "buy" <amount> <name> ";" | "sell" <amount> <name> ";" | "付款" <name> ";"
<amount> ::= <digit> | <amount> <digit>
<digit> ::= "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
<name> ::= <letter> | <name> <letter>
<letter> ::= "a" | "b" | "c" | "d" | "e" | "苹" | "果"
"""
BROKEN = GRAMMAR.replace("<letter> ::=", "<lettre> ::=")

TEXT = "buy 12 bad;\nsell 3 苹果;\n-- 你好\n付款 abe;\n"
WRONG = "buy 12 bad;\nsell 苹果 3;\n"
SHORT = "buy 12 bad;\nsell 3"


def write(folder: Path, grammar: str = GRAMMAR, name: str = "orders.bnf") -> Path:
    """The grammar as a file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(grammar, encoding="utf-8")
    return path
