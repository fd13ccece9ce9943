"""From the text of a grammar file to what the engine loads: one list of passes, in this order.

    annotations, dialect, reading       the author's text as a form
    checks                              what can't be a grammar is refused, with its place
    recursion, loops, lazies            the same language in the shape that the engine is fast on
    terminals, white space, keywords    what the dialect does not say is found out
    word lists                          long ones become terminals
    tails, indentation                  what the engine's lexer can't do is rewritten
    separation                          keywords are kept apart from words after them
    emission                            the engine's own language

No pass takes a text away from the language; where one must approximate it allows more, since a mask that allows too
much costs a little and one that forbids what is right hides it. Nothing here loads the engine: `grammars/engine.py`
does, and raises GrammarError for what it can't take.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from grammars import dialects
from grammars.annotations import read_annotations
from grammars.compiled import CompiledGrammar, Terminal
from grammars.diagnostics import Diagnostic
from grammars.emit import Emitted, emit, literals
from grammars.form import Grammar
from grammars.passes.alike import ambiguous_terminals
from grammars.passes.annotate import apply_annotations
from grammars.passes.blanks import without_returns
from grammars.passes.boundaries import boundaries, line_comments
from grammars.passes.check import check_chain, check_limits, check_rules, pruned
from grammars.passes.indentation import GIVEN, unrolled_indentation
from grammars.passes.lazies import without_laziness
from grammars.passes.lead_bytes import split_lead_bytes
from grammars.passes.lexical import lexed
from grammars.passes.loops import without_empty_loops
from grammars.passes.patterns import read_patterns
from grammars.passes.recursion import unrolled
from grammars.passes.reserved import reserve
from grammars.passes.separation import separate
from grammars.passes.sets import gathered
from grammars.passes.tails import split_tails
from grammars.passes.word_lists import word_lists


def compile_text(text: str, *, file_name: str = "", dialect: str = "") -> CompiledGrammar:
    """The grammar in a file. `dialect`: by name, instead of finding it out. Raises GrammarError."""
    annotations = read_annotations(text)
    if dialect:
        chosen, reading = dialect, dialects.read(text, dialect, annotations)
    else:
        chosen, reading = dialects.read_detected(text, file_name, annotations)
    name = annotations.name or _stem(file_name) or chosen
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
    given = GIVEN if grammar.annotations.indent else frozenset[str]()
    warnings = check_rules(grammar, given)
    grammar = pruned(without_returns(grammar))
    grammar, loop_notes = without_empty_loops(unrolled(grammar))
    lex = lexed(without_laziness(grammar))
    marked = gathered(lex.grammar)
    marked = reserve(marked) if marked.annotations.reserved else marked
    lists = word_lists(marked)
    flat = unrolled_indentation(lists.grammar, lex.spacing)
    led = split_lead_bytes(flat.grammar, flat.spacing)
    split = split_tails(led.grammar, flat.spacing)
    apart = separate(split.grammar, flat.spacing)
    check_chain(apart.grammar)
    emitted = emit(apart.grammar, flat.spacing.ignored)
    origins = {**lists.origins, **apart.literals}
    return CompiledGrammar(
        name=name,
        dialect=grammar.dialect,
        text=emitted.text,
        rules=written,
        terminals=_terminals(
            split.grammar, emitted, lex.inferred | lists.origins.keys(), flat.made, lists.origins
        ),
        names={
            short: origins.get(full) or _called(full, split.grammar) for short, full in emitted.names.items()
        },
        boundaries=boundaries(marked),
        line_comments=line_comments(marked),
        languages=grammar.annotations.languages,
        globs=grammar.annotations.globs,
        diagnostics=(
            *diagnostics,
            *warnings,
            *loop_notes,
            *lex.diagnostics,
            *ambiguous_terminals(flat.grammar, lex.inferred | lists.origins.keys() | flat.made),
            *split.diagnostics,
        ),
    )


def _stem(file_name: str) -> str:
    """The name of the file without folders and without its extension."""
    return file_name.replace("\\", "/").rpartition("/")[2].rsplit(".", 1)[0]


def _called(name: str, grammar: Grammar) -> str:
    """The author's rule that a rule was made of, or is."""
    rule = grammar.rules.get(name)
    return name if rule is None or rule.of in ("", name) else _called(rule.of, grammar)


def _terminals(
    grammar: Grammar,
    emitted: Emitted,
    inferred: Collection[str],
    made: Collection[str],
    origins: Mapping[str, str],
) -> tuple[Terminal, ...]:
    """The author's, one that was split once for each of its pieces, and literals; none of `made`."""
    found = {
        short: (name, origins.get(name) or _called(name, grammar))
        for short, name in emitted.names.items()
        if name in grammar.rules and grammar.rules[name].lexical
    }
    named = [
        Terminal(called, short, called in inferred or name in inferred)
        for short, (name, called) in found.items()
        if (called in grammar.rules or name in origins) and called not in made
    ]
    return (*named, *(Terminal(f'"{one.text}"', "", inferred=False) for one in literals(grammar)))
