"""Completing in islands, end to end: SQL in a Python string, a fence in Markdown, tags in a template."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest

from daemon.api.client import DaemonClient
from daemon.api.messages import ChangeDocument, Edit, OpenDocument
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.documents import Place
from daemon.grammars.document_grammar import DocumentGrammar, LoadedGrammar
from daemon.settings.config import Config, parse_config
from grammars.compiler import compile_text
from grammars.engine import load
from grammars.islands import Island
from tests.fakes.completion import Bench, bench, only
from tests.fakes.engine import FakeEngine
from tests.fakes.grammars import table_of
from tests.fakes.running_daemon import client_of, running_daemon

LIBRARY = Path(__file__).resolve().parents[2] / "grammars" / "library"
TAGS = """
; @skip blank
; @start tag
<tag>   ::= "if" <name> | "endif" | "for" <name> "in" <name> | "endfor"
<name>  ::= <letter> | <name> <letter>
<letter> ::= "a" | "b" | "i" | "t" | "e" | "m" | "s" | "x"
<blank> ::= " "
"""
TOKENS = (b'"""', b'""")', b";\n", b"```", b"\n```\n", b" FROM", b" WHERE", b" %}", b"%}", b"endif")


@cache
def loaded(text: str, file_name: str) -> LoadedGrammar:
    compiled = compile_text(text, file_name=file_name)
    table = table_of(TOKENS)
    return LoadedGrammar(compiled.name, Path(file_name), compiled, load(compiled, table), table, ())


def grammar(open_: str, close: str) -> DocumentGrammar:
    text, name = (LIBRARY / "sql" / "grammar.bnf").read_text(encoding="utf-8"), "sql.bnf"
    if "%" in open_:
        text, name = TAGS, "tags.bnf"
    return DocumentGrammar(None, ((Island(open_, close, name), loaded(text, name)),), expected=False)


PYTHON = grammar('sql\\("""', '"""')
MARKDOWN = grammar("^```sql\n", "^```")
TEMPLATE = grammar("\\{%", "%\\}")


def scripted(says: str, knows: str) -> FakeEngine:
    """A model that goes on with `says` as long as it may, and has `knows` as next best."""

    def rest(text: str, prefix: bytes) -> bytes:
        return text.encode()[len(prefix) :] if text.encode().startswith(prefix) else b""

    return FakeEngine(
        lambda prefix: rest(says, prefix) or rest(knows, prefix),
        alternatives=lambda prefix: [more] if (more := rest(knows, prefix)) else [],
        extra_tokens=TOKENS,
    )


def place(b: Bench, marked: str, language: str) -> Place:
    """Open the text with the cursor at `|`."""
    before, _, after = marked.partition("|")
    b.open(before + after, language=language)
    return Place(b.document, len(before))


CASES = {
    "illegal in the island": (
        PYTHON, 'x = sql("""SELECT a FROM |', "= b WHERE", "b WHERE c = 1;", "b WHERE c = 1;",
    ),
    "the draft closes the island and goes on in the host": (
        PYTHON, 'x = sql("""SELECT a FROM |', 'b;""")\ny = = 1', "", 'b;""")\ny = = 1',
    ),
    "no close in the middle of a statement": (
        PYTHON, 'x = sql("""SELECT a FROM |', '""")\ny = = 1', "b;", "b;",
    ),
    "the close is there already": (
        PYTHON, 'x = sql("""SELECT a FROM |""")\n', 'b;""")\ny = = 1', "", "b;",
    ),
    "and text before it, which is to follow": (
        PYTHON, 'x = sql("""SELECT a FROM | WHERE c = 1;""")\n', 'b, d;""")\n', "", "b, d",
    ),
    "what follows up to the next close is no text of the island": (
        PYTHON, 'x = sql("""SELECT a FROM |\n\ndef f():\n    """Say so."""\n', 'b;""")', "", 'b;""")',
    ),
    "outside there is no grammar": (PYTHON, 'x = sql("""SELECT a;""") + |', "= =", "", "= ="),
    "a fence": (MARKDOWN, "# T\n\n```sql\nSELECT a\n|", "FROM b;\n```\n\n= =", "", "FROM b;\n```\n\n= ="),
    "a fence that is closed": (
        MARKDOWN, "# T\n\n```sql\nSELECT a FROM |\n```\n\nMore.\n", "b;\n```\n\n= =", "", "b;",
    ),
    "a fence, and what is illegal in it": (
        MARKDOWN, "```sql\nSELECT a FROM |", ";\n```\n", "b;\n```\n", "b;\n```",
    ),
    "a tag": (TEMPLATE, "Dear {% |", "for x in = %}", "for x in items %}!", "for x in items %}!"),
    "a tag that is closed": (TEMPLATE, "Dear {% if |%} x", "a %}", "", "a "),
    "a tag that can't be closed yet": (TEMPLATE, "{% for x |", "%} Dear", "in b %} Dear", "in b %} Dear"),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(("grammar", "marked", "says", "knows", "shown"), CASES.values(), ids=CASES)
async def test_islands(grammar: DocumentGrammar, marked: str, says: str, knows: str, shown: str) -> None:
    """The model's best is `says`, its next best `knows`."""
    before = marked.partition("|")[0]
    async with bench(engine=scripted(before + says, before + knows), grammar=grammar) as b:
        answer = await b.ask(
            place(b, marked, "markdown" if grammar is MARKDOWN else "python"), wait="verified"
        )
        assert only(answer) == shown


# --- through a daemon

SETTINGS = """
[draft]
cache_dir = "cache"
[display]
first_ghost_ms = 0
[[grammars.islands]]
host = "*.html"
open = '\\{%'
close = '%\\}'
grammar = "tags"
"""


@asynccontextmanager
async def daemon(config: Config, paths: RuntimePaths, engine: FakeEngine) -> AsyncIterator[DaemonClient]:
    """A running daemon in this process, and a client of it."""
    async with running_daemon(paths, engine, config=config) as running:
        async with asyncio.timeout(20):
            client = await client_of(paths, running)
            while (await client.status()).draft == "loading":
                await asyncio.sleep(0.01)
        yield client
        await client.close()


@pytest.mark.asyncio
async def test_the_islands_of_the_configuration_through_a_real_daemon(tmp_path: Path) -> None:
    """Found, compiled in a process of its own, loaded, and in force at the next request; the host stays as it is."""
    (tmp_path / "grammars").mkdir()
    (tmp_path / "grammars" / "tags.bnf").write_text(TAGS, encoding="utf-8")
    config = parse_config(SETTINGS, tmp_path / "config.toml")
    before = "Dear {% for "
    engine = scripted(f"{before}= = =", f"{before}a in b %}} and {{% = %}}")
    name = (tmp_path / "a.html").as_uri()
    async with daemon(config, runtime_paths(tmp_path / "run", transport="unix"), engine) as client:
        client.send(OpenDocument(name, "html", 1, before))
        async with asyncio.timeout(60):
            while not (await client.stats())["grammar"]["searches"]:
                answer = await client.complete(name, 1, len(before), wait="settled")
        assert [one.text for one in answer.suggestions] == ["a in b %} and {% = %}"]
        requests = (await client.stats())["grammar"]["requests"]
        assert list(requests) == ["unmasked: outside the island"]
        client.send(ChangeDocument(name, 2, [Edit(5, len(before), "")]))
        await client.complete(name, 2, 5, wait="settled")
        assert (await client.stats())["grammar"]["requests"] == requests
