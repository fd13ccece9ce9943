"""Keys and passwords in the document itself: none is sent to the verifier, and nothing is suggested in them (ux-39)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.api.messages import Edit
from daemon.documents import Document, Place
from daemon.prompts.key_shapes import MASK
from daemon.prompts.open_texts import OpenTexts
from speculation.messages import Context, Draft
from tests.fakes.completion import Bench, bench, only, settings

KEY = "ghp_" + "wJa1XrUt9FEM7K" * 2
LINE = f'client = connect(key="{KEY}", retries=3)\n'
WRITTEN = 'client = connect(key="", retries=3)\n'


def said_to_the_verifier(b: Bench) -> str:
    """All texts it was sent, one after the other."""
    ids = [token for message in b.sent(Context) for token in message.append]  # type: ignore[attr-defined]
    ids += [token for message in b.sent(Draft) for token in message.ids]  # type: ignore[attr-defined]
    return bytes(token for token in ids if token < 256).decode(errors="replace")


def pieces(secret: str, length: int = 3) -> list[str]:
    """What would give the secret away, behind the part that says who issued it."""
    kept = secret.removeprefix("ghp_")
    return [kept[start : start + length] for start in range(len(kept) - length + 1)]


@pytest.mark.asyncio
async def test_a_document_that_holds_a_key_is_sent_without_it() -> None:
    """What is verified is the target's own for the prompt it was sent."""
    text = f"{LINE}def add(a, b):\n    ret"
    async with bench(target=f"{WRITTEN}def add(a, b):\n    return a + b\n") as b:
        with b.target_at_work():
            b.open(text)
            answer = await b.ask(wait="verified")
        assert only(answer) == "urn a + b"
        assert answer.suggestions[0].verified == len("urn a + b")
        assert LINE.replace(KEY, MASK * len(KEY)) in said_to_the_verifier(b)
        assert not [piece for piece in pieces(KEY) if piece in said_to_the_verifier(b)]


@pytest.mark.parametrize("secret", [KEY, "correct-horse-7"])
@pytest.mark.asyncio
async def test_a_key_that_is_typed_is_never_sent_and_nothing_is_suggested_in_it(secret: str) -> None:
    """Key for key, with the closing quote there already; behind it all goes on."""
    begin = "password = '"
    async with bench(target="x") as b:
        b.open(f"{begin}'\n")
        for index, character in enumerate(secret):
            answer = await b.ask(type_at(b, len(begin) + index, character))
            assert (answer.suggestions, answer.reason) == ([], "secret")
        assert not [piece for piece in pieces(secret) if piece in said_to_the_verifier(b)]
        b.link.sent.clear()  # type: ignore[union-attr]
        await b.ask(b.type("y"))
        sent = said_to_the_verifier(b)
        assert f"password = '{MASK * len(secret)}'\ny" in sent


def type_at(b: Bench, offset: int, text: str) -> Place:
    """A key anywhere in the document."""
    b.document = b.document.edited([Edit(offset, offset, text)], b.document.version + 1)
    b.completer.edited(b.document, offset + len(text))
    return Place(b.document, offset + len(text))


@pytest.mark.parametrize("where", ["before", "after", "other", "removed"])
@pytest.mark.asyncio
async def test_a_draft_copies_no_key_from_the_texts_around(where: str) -> None:
    """It is followed up to the key."""
    texts = OpenTexts()
    if where == "other":
        texts.visited(Place(Document("file:///b.py", "python", 1, LINE), 0))
    if where == "removed":
        document = Document("file:///c.py", "python", 1, LINE)
        texts.edited(document, [Edit(0, len(LINE), "")])
    around = {"before": f"{LINE}{{}}", "after": f"{{}}\n{LINE}"}.get(where, "{}")
    text = around.format("client = connect(")
    async with bench(draft="nothing", target="nothing", texts=texts) as b:
        b.document = Document("file:///a.py", "python", 1, text)
        b.completer.opened(b.document, b.completer.settings)
        offset = text.index("client = connect(\n") + 17 if where == "after" else len(text)
        await b.ask(Place(b.document, offset), wait="settled")
        drafted = bytes(t for m in b.sent(Draft) for t in m.ids if t < 256).decode()  # type: ignore[attr-defined]
        assert drafted.startswith("key=")
        assert not [piece for piece in pieces(KEY) if piece in said_to_the_verifier(b)]


@pytest.mark.asyncio
async def test_a_suggestion_that_looks_like_a_password_may_be_typed_along() -> None:
    """It is the models' own, and none of it is anybody's."""
    async with bench(draft="password = 'hunter2hunter2'\n") as b:
        b.open("password =")
        assert only(await b.ask(wait="settled")).startswith(" 'hunter2hunter2")
        for character in " 'hunter2":
            b.type(character)
        assert only(await b.ask()).startswith("hunter2'")


@pytest.mark.asyncio
async def test_nothing_is_drafted_ahead_in_a_password() -> None:
    """Behind a suggestion that ends in one, say, as it was cut."""
    chosen = settings()
    short = replace(chosen, completion=replace(chosen.completion, max_tokens=6), ahead=True)
    async with bench(draft="password = 'hunter2hunter2'\n", chosen=short) as b:
        b.open("password =")
        assert only(await b.ask(wait="settled")) == " 'hunt"
        assert [run.ahead for run in b.completer._runs._runs] == [False]


@pytest.mark.asyncio
async def test_what_is_read_at_opening_holds_no_key() -> None:
    async with bench(target="x", chosen=settings(ahead=True)) as b:
        b.open(LINE)
        await b.completer._warm_up._task  # type: ignore[misc]
        sent = said_to_the_verifier(b)
        assert sent == LINE.replace(KEY, MASK * len(KEY))
