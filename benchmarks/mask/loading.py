"""Part of `benchmarks.masks`: loading grammars and vocabularies, in time and memory, beside lark's parsers."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lark

from benchmarks.dsl.files import generated
from benchmarks.mask.vocabularies import MeasuredVocabulary
from daemon.grammars.places import built_in_folder
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.document import GrammarDocument
from grammars.engine import TokenTable, load

LARK_BYTES = 2_000
"""Of the text that lark's parsers get: Earley takes seconds for ten times as much."""


def cpu_ms(call: Callable[[], object], *, times: int = 3) -> float:
    """The least of some runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time_ns()
        call()
        best = min(best, (time.process_time_ns() - start) / 1e6)
    return best


def grammar_of(rules: int) -> str:
    """A classic BNF of so many rules: statements of many forms over expressions, letters spelled out."""
    letters = " | ".join(f'"{chr(97 + n)}"' for n in range(26))
    digits = " | ".join(f'"{n}"' for n in range(10))
    head = [
        "<file> ::= <statement> | <file> <statement>",
        '<expression> ::= <term> | <expression> "+" <term>',
        '<term> ::= <name> | <number> | "(" <expression> ")"',
        "<name> ::= <letter> | <name> <letter>",
        "<number> ::= <digit> | <number> <digit>",
        f"<letter> ::= {letters}",
        f"<digit> ::= {digits}",
    ]
    count = rules - len(head) - 1
    forms = [
        f'<form{n}> ::= "DO{n}" <name> "WITH" <expression> ";" | "END{n}" <name> "{{" <form{(n * 7 + 1) % count}> "}}"'
        for n in range(count)
    ]
    statement = "<statement> ::= " + " | ".join(f"<form{n}>" for n in range(count))
    return "\n".join([head[0], statement, *head[1:], *forms]) + "\n"


def load_ms(table: TokenTable) -> dict[str, float]:
    """From the text of a grammar file to a loaded grammar, and from the cache's form of it."""
    small, large = grammar_of(100), grammar_of(1000)
    cached = compile_text(small, dialect="bnf").to_json()
    return {
        "load_100_rules_ms": cpu_ms(lambda: load(compile_text(small, dialect="bnf"), table)),
        "load_1000_rules_ms": cpu_ms(lambda: load(compile_text(large, dialect="bnf"), table), times=1),
        "load_cached_ms": cpu_ms(lambda: load(CompiledGrammar.from_json(cached), table)),
    }


def memory_mb(vocabulary: MeasuredVocabulary) -> tuple[float, TokenTable]:
    """Growth of the process by a vocabulary's table, as the system counts it; and the table."""
    gc.collect()
    before = resident_mb()
    table = vocabulary.table()
    return resident_mb() - before, table


def resident_mb() -> float:
    """Memory of this process; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def beside_lark(table: TokenTable, seed: int) -> dict[str, Any]:
    """Milliseconds to follow a GraphQL file of 2 kB: ours, and lark's parsers of the same grammar file.

    Only following is compared: lark has no masks, and after a key it begins again.
    """
    source = (built_in_folder() / "graphql" / "grammar.lark").read_text(encoding="utf-8")
    text = generated("graphql", LARK_BYTES, seed)
    compiled = compile_text(source, dialect="lark")
    template = load(compiled, table)
    found: dict[str, Any] = {
        "ours_ms": round(cpu_ms(lambda: GrammarDocument(template, compiled, table).at(text, len(text))), 3)
    }
    for parser in ("earley", "lalr"):
        try:
            reference = lark.Lark(source, parser=parser, start="document")
            found[f"lark_{parser}_ms"] = round(cpu_ms(lambda: reference.parse(text)), 3)  # noqa: B023
        except lark.exceptions.LarkError as error:
            found[f"lark_{parser}_refuses"] = str(error).partition("\n")[0][:120]
    return found
