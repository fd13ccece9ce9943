"""From the text of a grammar file to what the engine loads: one list of passes, in this order.

    annotations, dialect, reading       the author's text as a form
    checks                              what can't be a grammar is refused, with its place
    recursion, loops, lazies            the same language in the shape that the engine is fast on
    terminals, white space, keywords    what the dialect does not say is found out
    tails, indentation                  what the engine's lexer can't do is rewritten
    emission                            the engine's own language

No pass takes a text away from the language; where one must approximate it allows more, since a mask that allows too
much costs a little and one that forbids what is right hides it. Nothing here loads the engine: `grammars/engine.py`
does, and raises GrammarError for what it can't take.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from grammars import dialects
from grammars.annotations import read_annotations
from grammars.compiled import CompiledGrammar, Terminal
from grammars.diagnostics import Diagnostic
from grammars.emit import Emitted, emit, literals
from grammars.form import Grammar
from grammars.passes.annotate import apply_annotations
from grammars.passes.blanks import without_returns
from grammars.passes.boundaries import boundaries
from grammars.passes.check import check_limits, check_rules, pruned
from grammars.passes.lazies import without_laziness
from grammars.passes.lexical import Lexed, lexed
from grammars.passes.loops import without_empty_loops
from grammars.passes.patterns import read_patterns
from grammars.passes.recursion import unrolled
from grammars.passes.sets import gathered


def compile_text(text: str, *, file_name: str = "", dialect: str = "") -> CompiledGrammar:
    """The grammar in a file. `dialect`: by name, instead of finding it out. Raises GrammarError."""
    annotations = read_annotations(text)
    chosen = dialect or annotations.dialect or dialects.detect(text, file_name)
    reading = dialects.read(text, chosen, annotations)
    name = annotations.name or PurePath(file_name).stem or chosen
    return compile_grammar(reading.grammar, name=name, diagnostics=reading.diagnostics)


def compile_grammar(
    grammar: Grammar, *, name: str, diagnostics: Iterable[Diagnostic] = ()
) -> CompiledGrammar:
    """A grammar that was read, or made by hand. Raises GrammarError, with `diagnostics` among what it holds."""
    written = len(grammar.rules)
    check_limits(grammar)
    grammar = read_patterns(grammar)
    check_limits(grammar)
    grammar = apply_annotations(grammar)
    warnings = check_rules(grammar)
    grammar = pruned(without_returns(grammar))
    grammar, loop_notes = without_empty_loops(unrolled(grammar))
    lex = lexed(without_laziness(grammar))
    lex = replace(lex, grammar=gathered(lex.grammar))
    grammar = lex.grammar
    emitted = emit(grammar, lex.spacing.ignored)
    return CompiledGrammar(
        name=name,
        dialect=grammar.dialect,
        text=emitted.text,
        rules=written,
        terminals=_terminals(lex, emitted),
        names=dict(emitted.names),
        boundaries=boundaries(grammar),
        line_comments=_line_comments(grammar),
        languages=grammar.annotations.languages,
        globs=grammar.annotations.globs,
        diagnostics=(*diagnostics, *warnings, *loop_notes, *lex.diagnostics),
    )


def _terminals(lex: Lexed, emitted: Emitted) -> tuple[Terminal, ...]:
    named = [
        Terminal(name, short, name in lex.inferred)
        for short, name in emitted.names.items()
        if lex.grammar.rules[name].lexical
    ]
    return (*named, *(Terminal(f'"{one.text}"', "", False) for one in literals(lex.grammar)))


def _line_comments(grammar: Grammar) -> tuple[str, ...]:
    return grammar.annotations.line_comments
