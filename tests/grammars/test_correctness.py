"""Masks against a judge that knows nothing of them: all sentences of small grammars, by brute force.

A text may go on by a token exactly if some sentence begins with both. A mask may allow more than that only in the ways
that are listed here; it never allows less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from grammars.compiler import compile_grammar
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from grammars.form import (
    Annotations,
    CharacterSet,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Rule,
    choice,
    mapped,
    sequence,
    walk,
)
from tests.fakes.sentences import TooMany, beginnings

CHARACTERS: Final = "abc+é中"
LONGEST: Final = 5
"""Characters of a sentence that the judge looks at; a position and the token after it lie within them."""

WORDS: Final = (
    "a",
    "b",
    "c",
    "+",
    "ab",
    "ba",
    "aa",
    "a+",
    "+b",
    "中",
    "é",
    "a中",
    "中中",
    "é+",
    " ",
    " a",
    "b ",
)
PIECES: Final = ("e4", "b8", "ad", "e4b8", "b8ad", "61e4", "ade4", "ade6", "c3", "a9", "a9c3", "ad62")
"""Of characters of two and three bytes, some with the neighbour's."""
TOKENS: Final = (*(word.encode() for word in WORDS), *map(bytes.fromhex, PIECES))
TABLE: Final = TokenTable([*TOKENS, b"<end>"], control_ids=(), stop_ids=(len(TOKENS),))

ANYWHERE: Final = Annotations(blanks="all", rules=("S", "A", "B", "C"))
"""Blanks between any two literals; no rule is taken for a terminal because it spells one out."""
LETTERS: Final = ("a", "b", "+", "ab", "ba", "中", "é", "中a")
SETS: Final = (
    CharacterSet(((97, 98),)),
    CharacterSet(((0x4E00, 0x9FFF),)),
    CharacterSet(((97, 97), (0xE9, 0xE9))),
    CharacterSet(((43, 43),), negated=True),
)
COUNTS: Final = ((0, 1), (0, None), (1, None), (2, 3), (2, None))


def expressions(names: tuple[str, ...], leaves: tuple[Expression, ...]) -> st.SearchStrategy[Expression]:
    """Of a few parts."""
    return st.recursive(
        st.sampled_from([*leaves, *map(Reference, names)]),
        lambda parts: st.one_of(
            st.lists(parts, min_size=1, max_size=3).map(sequence),
            st.lists(parts, min_size=2, max_size=3).map(choice),
            st.tuples(parts, st.sampled_from(COUNTS)).map(lambda pair: Repeat(pair[0], *pair[1])),
        ),
        max_leaves=6,
    )


def grammars(leaves: tuple[Expression, ...]) -> st.SearchStrategy[Grammar]:
    """Three rules that may refer to each other in any way; each can end."""
    return st.tuples(*(expressions(("A", "B", "C"), leaves) for _ in "ABC")).map(
        lambda bodies: Grammar(
            "test",
            {
                "S": Rule("S", choice([Reference("A"), Literal("c")])),
                **{
                    name: Rule(name, choice([body, Literal("c")]))
                    for name, body in zip("ABC", bodies, strict=True)
                },
            },
            "S",
            Annotations(blanks="none"),
        )
    )


@dataclass(frozen=True)
class Judge:
    """The sentences of a grammar, and what they begin with, in bytes."""

    beginnings: frozenset[bytes]
    sentences: frozenset[bytes]

    @classmethod
    def of(cls, grammar: Grammar) -> Judge:
        try:
            texts = beginnings(grammar.rules, grammar.start, LONGEST, CHARACTERS)
        except TooMany:
            reject()
        encoded = [text.encode() for text in texts]
        return cls(
            frozenset(one[:end] for one in encoded for end in range(len(one) + 1)),
            frozenset(text.encode() for text in texts if len(text) < LONGEST),
        )

    def knows(self, text: bytes) -> bool:
        """Whether the text is short enough to be judged, the longest token after it included."""
        return len(text.decode(errors="ignore")) <= LONGEST - 2


def is_judged(text: bytes) -> bool:
    """Whether the text is made of the judge's characters: a negated set has others, too."""
    known, rest = text.decode(errors="ignore"), text[len(text.decode(errors="ignore").encode()) :]
    return set(known) <= set(CHARACTERS) and any(one.encode().startswith(rest) for one in CHARACTERS)


def fresh(grammar: Grammar) -> LlguidanceRecogniser:
    return load(compile_grammar(grammar, name="small"), TABLE)


def walked(judge: Judge, data: st.DataObject) -> bytes:
    """A random beginning of a sentence, at any byte."""
    candidates = sorted(one for one in judge.beginnings if judge.knows(one))
    return data.draw(st.sampled_from(candidates))


def check(grammar: Grammar, template: LlguidanceRecogniser, data: st.DataObject) -> None:
    """Every token of the vocabulary, at random places in random sentences."""
    judge = Judge.of(grammar)
    for _ in range(4):
        text = walked(judge, data)
        recogniser = template.copy()
        tokens = TABLE.greedy(text)
        assert recogniser.consume(tokens) == len(tokens), text
        mask = recogniser.mask()
        for token, piece in enumerate(TOKENS):
            if is_judged(text + piece):
                assert mask[token] == (text + piece in judge.beginnings), (text, piece)
        assert recogniser.accepting() == (text in judge.sentences)


@settings(max_examples=150)
@given(grammars(tuple(map(Literal, LETTERS))), st.data())
def test_without_sets_a_mask_is_exact(grammar: Grammar, data: st.DataObject) -> None:
    """Rules of literals, blanks written out: neither too much nor too little."""
    check(grammar, fresh(grammar), data)


@settings(max_examples=150)
@given(grammars((*map(Literal, LETTERS), *SETS)), st.data())
def test_with_sets_it_is_exact_unless_the_author_was_warned(grammar: Grammar, data: st.DataObject) -> None:
    """The lexer takes the longest text: where a terminal may be read over what follows, that is said."""
    compiled = compile_grammar(grammar, name="small")
    if "lexer-backtrack" not in {one.code for one in compiled.diagnostics}:
        check(grammar, load(compiled, TABLE), data)


def spaced(grammar: Grammar, *, least: int) -> Grammar:
    """The grammar with at least so many blanks after every literal, written out."""
    blanks = Repeat(Literal(" "), least, None)

    def followed(one: Expression) -> Expression:
        return sequence([one, blanks]) if isinstance(one, Literal) and one.text else one

    rules = {
        name: replace(rule, expression=mapped(rule.expression, followed))
        for name, rule in grammar.rules.items()
    }
    rules["S"] = replace(
        rules["S"], expression=sequence([Repeat(Literal(" "), 0, None), rules["S"].expression])
    )
    return grammar.with_rules(rules)


@settings(max_examples=150)
@given(grammars(tuple(map(Literal, LETTERS))), st.data())
def test_with_blanks_anywhere_nothing_legal_is_refused(grammar: Grammar, data: st.DataObject) -> None:
    """Texts with a blank after every literal. Without blanks the longest literal is what counts, by design."""
    judge = Judge.of(spaced(grammar, least=1))
    recogniser = fresh(replace(grammar, annotations=ANYWHERE))
    for _ in range(4):
        text = walked(judge, data)
        after = recogniser.copy()
        tokens = TABLE.greedy(text)
        assert after.consume(tokens) == len(tokens), text
        mask = after.mask()
        missing = [
            piece
            for token, piece in enumerate(TOKENS)
            if text + piece in judge.beginnings and not mask[token]
        ]
        assert missing == [], text


@settings(max_examples=150)
@given(grammars(tuple(map(Literal, LETTERS))), st.data())
def test_with_blanks_anywhere_nothing_else_is_allowed(grammar: Grammar, data: st.DataObject) -> None:
    """Unless a literal was split: blanks are then allowed between its parts. That is the one way to be too wide."""
    compiled = compile_grammar(replace(grammar, annotations=ANYWHERE), name="small")
    literals = {one.name.strip('"') for one in compiled.terminals}
    written = {
        one.text
        for rule in grammar.rules.values()
        for one in walk(rule.expression)
        if isinstance(one, Literal) and one.text
    }
    judge = Judge.of(spaced(grammar, least=0))
    recogniser = load(compiled, TABLE)
    for _ in range(4):
        text = walked(judge, data)
        after = recogniser.copy()
        tokens = TABLE.greedy(text)
        if after.consume(tokens) == len(tokens) and literals <= written:
            mask = after.mask()
            wrong = [
                piece
                for token, piece in enumerate(TOKENS)
                if mask[token] and text + piece not in judge.beginnings
            ]
            assert wrong == [], text


@settings(max_examples=100)
@given(grammars((*map(Literal, LETTERS), *SETS)), st.data())
def test_masks_are_the_same_byte_by_byte(grammar: Grammar, data: st.DataObject) -> None:
    """In one piece, in random tokens, and byte by byte, through characters that are split."""
    judge = Judge.of(grammar)
    template = fresh(grammar)
    text = walked(judge, data)
    whole, single, cut = template.copy(), template.copy(), template.copy()
    whole.consume(TABLE.greedy(text))
    single.consume([TABLE.byte_tokens[byte] for byte in text])
    rest = text
    while rest:
        fitting = [token for token, piece in enumerate(TOKENS) if rest.startswith(piece)]
        token = data.draw(st.sampled_from([*fitting, TABLE.byte_tokens[rest[0]]]))
        cut.consume([token])
        rest = rest[TABLE.length(token) :]
    assert (whole.mask() == single.mask()).all()
    assert (whole.mask() == cut.mask()).all()
    assert whole.accepting() == single.accepting() == cut.accepting()


@settings(max_examples=100)
@given(grammars((*map(Literal, LETTERS), *SETS)), st.data())
def test_what_is_forced_is_all_that_there_is(grammar: Grammar, data: st.DataObject) -> None:
    """Where one byte only is allowed and the text may not end, every sentence goes on by it."""
    judge = Judge.of(grammar)
    text = walked(judge, data)
    recogniser = fresh(grammar)
    recogniser.consume([TABLE.byte_tokens[byte] for byte in text])
    while judge.knows(text) and not recogniser.accepting():
        allowed = [byte for byte in range(256) if recogniser.valid([TABLE.byte_tokens[byte]])]
        if len(allowed) != 1:
            return
        longer = [one for one in judge.beginnings if one.startswith(text) and len(one) > len(text)]
        assert {one[len(text)] for one in longer} == set(allowed)
        recogniser.consume([TABLE.byte_tokens[allowed[0]]])
        text += bytes(allowed)
