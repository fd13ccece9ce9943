"""A prompt that ends inside a token: what is taken back of it, and how the draft begins then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.completion import Answer
from daemon.documents import Document, Place
from daemon.draft.engine import Vocabulary
from daemon.prompts.healing import before_blank, taken_back
from daemon.run import Run
from grammars.pieces import PieceIndex
from tests.fakes.completion import bench, only
from tests.fakes.engine import FakeEngine, following
from tests.fakes.grammars import whole

SOURCE = "def f():\n    return value\n"


def tokens(*pieces: bytes) -> tuple[list[int], list[bytes]]:
    """Ids of these pieces, and the table they are in."""
    return list(range(len(pieces))), list(pieces)


@pytest.mark.parametrize(
    ("pieces", "count"),
    [
        ((b"def", b" f", b"():", b"\n   ", b" ret"), 1),
        ((b"():", b" r", b"et"), 2),
        ((b"a.", b"b", b"c"), 2),
        ((b"(", b"a.b", b"c"), 2),
        ((b"x", b" =", b" "), 1),
        ((b"x", b" =", b" ", b" "), 2),
        ((b"x", b"("), 0),
        ((b"x", b"\n"), 0),
        ((b" x", b"\n", b"    "), 1),
        ((b"\xe4\xb8", b"\xad"), 2),
        ((b"abcdefgh", b"ijklmnop", b"qr"), 2),
        ((b"abcdefghijklmnopqr",), 0),
        ((), 0),
    ],
)
def test_the_last_word_and_its_blank_are_taken_back(pieces: tuple[bytes, ...], count: int) -> None:
    ids, table = tokens(*pieces)
    assert taken_back(ids, table, ()) == count


@pytest.mark.parametrize(
    ("marked", "before", "pending"),
    [
        ("x = |1", "x =|1", " "),
        ("x =  |\n", "x = |\n", " "),
        ("if x:\n    |", "if x:\n   |", " "),
        ("你 |", "你|", " "),
        ("x =|", "x =|", ""),
        ("x\n|", "x\n|", ""),
        ("{\n\t|", "{\n\t|", ""),
        (" |", " |", ""),
        ("|", "|", ""),
    ],
)
def test_a_blank_before_the_cursor_is_left_to_the_models(marked: str, before: str, pending: str) -> None:
    """Not a tab, which this vocabulary joins to no word, and not the only character there is."""
    offset = marked.index("|")
    document = Document("x", "python", 1, marked.replace("|", ""))
    begin, found = before_blank(Place(document, offset), PieceIndex([b" x", b"\t", b"\t\t"]))
    text = begin.document.text
    assert (text[: begin.offset] + "|" + text[begin.offset :], found) == (before, pending)
    assert begin.document.n_bytes == len(text.encode())


def test_a_token_that_is_no_text_is_not_taken_back() -> None:
    ids, table = tokens(b"bos", b"re", b"t")
    assert taken_back(ids, table, {0}) == 2


def engine_of(text: str, *words: bytes) -> FakeEngine:
    return FakeEngine(following(text), extra_tokens=words)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("def f():\n    ret", (b" return", b" re", b"   ")),
        ("def f():\n    return val", (b" value", b" values")),
        ("def f():\n    return ", (b" value",)),
        ("def f():\n    ret", (b" retu", b" re", b"rn")),
        ("def f():\n    ret", (b" return value",)),
    ],
)
@pytest.mark.asyncio
async def test_the_draft_goes_on_from_the_word_as_the_model_writes_it(
    before: str, words: tuple[bytes, ...]
) -> None:
    """And in its tokens: from the pieces a model would write pieces later on."""
    engine = engine_of(SOURCE, *words)
    token_bytes = engine.vocabulary.token_bytes
    async with bench(engine=engine) as b:
        b.open(before)
        assert only(await b.ask(wait="verified")) == SOURCE[len(before) :].rstrip()
        read = [(ids, b"".join(token_bytes[one] for one in ids).decode()) for _, ids in engine.calls]
        assert any(before.startswith(text) and text != before for _, text in read)
        beyond = [ids for ids, text in read if len(text) > len(before)]
        assert beyond
        assert all(token_bytes.index(words[0]) in ids for ids in beyond)
        assert all(SOURCE.startswith(text) for _, text in read)
        assert b.statistics.drafted_tokens == len(b.completer._runs.active.generation.tail)


@pytest.mark.asyncio
async def test_where_no_token_goes_on_nothing_is_taken_back() -> None:
    engine = engine_of(SOURCE, b"xyz")
    async with bench(engine=engine) as b:
        b.open("def f():\n    ret")
        await b.ask(wait="verified")
        context = b.completer._runs.active.generation.context
        assert all(len(ids) >= len(context) for _, ids in engine.calls)


AFTER = "\n\nprint(1)\n"


async def filled_in(architecture: str) -> tuple[Answer, Vocabulary, list[int], list[list[int]]]:
    """The answer after "ret" with text after it, what the ids mean, the prompt, and what was evaluated."""
    engine = FakeEngine(following(SOURCE), extra_tokens=(b" return", b" re", b"   "), fim=True)
    engine.vocabulary = replace(engine.vocabulary, architecture=architecture)
    before = "def f():\n    ret"
    document = Document("file:///a.py", "python", 1, before + AFTER)
    async with bench(engine=engine) as b:
        b.completer.opened(document, b.completer.settings)
        answer = await b.ask(Place(document, len(before)), wait="verified")
        context = list(b.completer._runs.active.generation.context)
    return answer, engine.vocabulary, context, [ids for _, ids in engine.calls]


@pytest.mark.asyncio
async def test_where_prefix_and_middle_are_one_text_its_last_word_is_taken_back() -> None:
    """The suffix stands before it and stays."""
    answer, vocabulary, context, evaluated = await filled_in("starcoder2")
    assert only(answer) == "urn value"
    prefix_from = context.index(vocabulary.special_ids["fim_mid"]) + 1
    prefix = b"".join(vocabulary.token_bytes[token] for token in context[prefix_from:])
    assert prefix == b"def f():\n    ret"
    taken = [ids for ids in evaluated if len(ids) < len(context)]
    assert taken
    assert all(ids[:prefix_from] == context[:prefix_from] for ids in taken)


@pytest.mark.asyncio
async def test_where_a_mark_stands_behind_the_last_word_nothing_is_taken_back() -> None:
    """The model was trained to go on from there."""
    _, vocabulary, context, evaluated = await filled_in("qwen2")
    assert context[-1] == vocabulary.special_ids["fim_mid"]
    assert all(len(ids) >= len(context) for ids in evaluated)


@pytest.mark.asyncio
async def test_with_a_verifier_the_draft_reads_what_the_target_reads() -> None:
    engine = engine_of(SOURCE, b" return", b" re")
    async with bench(engine=engine, target=SOURCE) as b:
        b.open("def f():\n    ret")
        with b.target_at_work():
            await b.ask(wait="verified")
        context = b.completer._runs.active.generation.context
        assert all(len(ids) >= len(context) for _, ids in engine.calls)


@pytest.mark.parametrize(
    "words",
    [(b" Wert\xc3",), (b" Werte", b" W"), (b" Werte", b" Wer")],
    ids=["ends inside a character", "leads nowhere in three tokens", "ends with the word"],
)
@pytest.mark.asyncio
async def test_what_can_not_be_healed_is_drafted_as_it_stands(words: tuple[bytes, ...]) -> None:
    text = "x =  Wert\u00e9\n"
    engine = FakeEngine(following(text), extra_tokens=words)
    async with bench(engine=engine) as b:
        b.open("x =  Wert")
        assert only(await b.ask(wait="verified")) == "\u00e9"


@pytest.mark.asyncio
async def test_under_a_grammar_the_word_goes_on_as_that_allows() -> None:
    """The model's favourite token goes on with what may not stand there; the next one does not."""
    words = (b" abc =", b" abc;")
    engine = FakeEngine(
        following("let a = abc =\n"), alternatives=lambda prefix: [b" abc;"], extra_tokens=words
    )
    async with bench(engine=engine, grammar=whole(words)) as b:
        b.open("let a = ab")
        assert only(await b.ask(wait="verified")).startswith("c;")
        assert b.statistics.grammar.illegal_target_runs == 0


@pytest.mark.parametrize("missing", ["a token that agrees", "one that the grammar allows"])
@pytest.mark.asyncio
async def test_where_nothing_leads_on_the_prompt_stays_as_it_is(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(engine=engine_of(SOURCE, b" retu", b" re")) as b:
        healing = b.completer._drafting._healing
        if missing == "a token that agrees":
            agreeing = iter([healing._agreeing(b" ret"), []])
            monkeypatch.setattr(healing, "_agreeing", lambda pending: next(agreeing))
        else:

            async def none_of_them(run: Run, texts: list[bytes]) -> int | None:
                return None

            monkeypatch.setattr(healing._legality, "first_text", none_of_them)
        b.open("def f():\n    ret")
        assert only(await b.ask(wait="verified")) == "urn value"
        assert len(b.completer._runs.active.generation.tail) == len("urn value\n") + 1
