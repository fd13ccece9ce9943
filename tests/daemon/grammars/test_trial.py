"""The real compiler and engine in a process of their own: ordinary grammars pass, hostile ones are refused."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from daemon.documents import Document
from daemon.draft.engine import Vocabulary
from daemon.grammars.cache import GrammarCache, cache_key
from daemon.grammars.exercise import byte_table
from daemon.grammars.lookout import Lookout
from daemon.grammars.places import built_in_folder, grammars_in, read_grammar
from daemon.grammars.runner import GrammarRunner, Outcome
from daemon.grammars.store import GrammarStore
from daemon.grammars.trial import TrialRequest, _tried
from daemon.settings.config import parse_config
from grammars.engine import load
from tests.fakes.processes import processes_of

pytestmark = pytest.mark.asyncio

WORDS = '<list> ::= <word> | <list> "," <word>\n<word> ::= <letter> | <word> <letter>\n<letter> ::= "a" | "b" | "c"\n'


async def outcome_of(folder: Path, name: str, text: str) -> Outcome:
    """`folder`: an argument that the trial does not look at, so that a process left behind is found."""
    runner = GrammarRunner([sys.executable, "-m", "daemon.grammars.trial", str(folder)])
    schema = name.removesuffix(".schema.json") if name.endswith(".json") else ""
    outcome = await runner.run(text, name, schema=schema)
    assert processes_of(folder) == []
    return outcome


async def test_an_ordinary_grammar_passes_and_its_errors_have_places(tmp_path: Path) -> None:
    good = await outcome_of(tmp_path, "words.bnf", WORDS)
    assert good.compiled is not None
    assert (good.compiled.name, good.compiled.dialect, good.compiled.rules) == ("words", "bnf", 3)
    bad = await outcome_of(tmp_path, "words.bnf", WORDS + "<b> ::= <absent>\n")
    assert any(one.span is not None and one.span.line == 4 for one in bad.diagnostics)
    assert "absent" in bad.why


def doubling(levels: int) -> str:
    """A schema that is written in a few lines and means two to the power of `levels`."""
    definitions = ",".join(
        f'"a{n}":{{"anyOf":[{{"$ref":"#/$defs/a{n + 1}"}},'
        f'{{"type":"array","items":{{"$ref":"#/$defs/a{n + 1}"}}}}]}}'
        for n in range(levels)
    )
    return f'{{"$ref":"#/$defs/a0","$defs":{{{definitions},"a{levels}":{{"type":"string","pattern":"^(a+)+$"}}}}}}'


HOSTILE = {
    "nested.gbnf": 'root ::= (("a"{1,300}){1,300}){1,300}\n',
    "count.gbnf": 'root ::= "a"{1,100000000}\n',
    "deep.lark": "start: " + "(" * 3000 + '"a"' + ")" * 3000 + "\n",
    "deeper.gbnf": "root ::= " + "(" * 100_000 + '"a"' + ")" * 100_000 + "\n",
    "itself.bnf": "<a> ::= <a>\n",
    "doubling.lark": "start: A0\n" + "".join(f"A{n}: A{n + 1} A{n + 1}\n" for n in range(60)) + 'A60: "x"\n',
    "comment.ebnf": "(* " * 300_000,
    "slashes.lark": "/" * 900_000,
    "literal.bnf": '<a> ::= "' + "b" * 900_000 + '"\n',
    "rules.bnf": "".join(f'<a{n}> ::= "x" <a{n * 7 % 20_000}> | "z"\n' for n in range(20_000)),
    "other.lark": "%import ..etc.passwd\nstart: passwd\n",
    "nul.bnf": "\0" * 1000,
    "lists.schema.json": "[" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_grammars_are_refused_for_a_reason_of_their_own(tmp_path: Path, name: str) -> None:
    outcome = await outcome_of(tmp_path, name, HOSTILE[name])
    assert outcome.compiled is None
    assert not outcome.passing
    assert outcome.diagnostics[0].code not in ("compiler-failed", "compiler-crash")
    assert len(outcome.why) > 20
    assert len(outcome.why) < 1000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ambiguous.lark", 'start: e\ne: e "+" e | e "*" e | e e | "x" | "(" e ")"\n'),
        ("ambiguous.bnf", '<s> ::= <s> <s> <s> | <s> <s> | "a" | ""\n'),
        ("distance.lark", "start: /(.*a.{300}b.{300}c.*)/\n"),
        ("doubling.schema.json", doubling(60)),
    ],
)
async def test_what_looks_hostile_is_compiled_or_refused(tmp_path: Path, name: str, text: str) -> None:
    outcome = await outcome_of(tmp_path, name, text)
    assert outcome.compiled is not None or outcome.why
    assert not outcome.passing
    assert "compiler-" not in "".join(one.code for one in outcome.diagnostics)


async def test_every_built_in_grammar_passes_with_its_examples_and_loads_from_the_cache_at_once(
    tmp_path: Path,
) -> None:
    runner, cache, table = GrammarRunner(), GrammarCache(tmp_path), byte_table()
    for file in grammars_in(built_in_folder(), "built in"):
        samples = [path.read_text(encoding="utf-8")[:4000] for path in file.examples[:3]]
        outcome = await runner.run(read_grammar(file.path), file.called, samples=samples, patience=10)
        assert outcome.compiled is not None, f"{file.called}: {outcome.why}"
        cache.put(cache_key(file.called), outcome.compiled)
        started = time.thread_time()
        kept = cache.get(cache_key(file.called))
        assert kept == outcome.compiled
        load(kept, table)
        assert time.thread_time() - started < 0.2  # 50 ms on a quiet machine


async def test_from_a_file_in_a_folder_to_what_may_come_next(tmp_path: Path) -> None:
    folder = tmp_path / "settings" / "grammars"
    folder.mkdir(parents=True)
    (folder / "words.bnf").write_text(f"; @files *.words\n{WORDS}", encoding="utf-8")
    config = parse_config('draft.cache_dir = "cache"', tmp_path / "settings" / "config.toml")
    changed = asyncio.Event()
    store = GrammarStore(
        config, lambda names: changed.set(), lookout=Lookout(config, tmp_path / "none", tmp_path)
    )
    words = [bytes([byte]) for byte in range(256)]
    store.vocabulary_known(Vocabulary("f", [*words, b"<end>"], {}, frozenset(), frozenset({256})))
    document = Document((tmp_path / "a.words").as_uri(), "plaintext", 1, "")
    try:
        store.of(document)
        await store.idle()
        assert changed.is_set()
        found = store.of(document)
        assert found.line == "masked by words"
        assert found.whole is not None
        state = found.whole.template.copy()
        assert state.consume(list(b"ab, c;")) == 5
        assert bytes(state.mask().nonzero()[0].tolist()) == b"\t\n\r ,abc"
        assert len(list((tmp_path / "settings" / "cache" / "grammars").iterdir())) == 1
    finally:
        await store.close()


async def test_what_goes_wrong_is_told_by_the_trial_itself() -> None:
    assert _tried(TrialRequest(WORDS, "w.bnf")).compiled
    assert _tried(TrialRequest('{"type": "boolean"}', "b.schema.json", schema="b")).compiled
    refused = _tried(TrialRequest("<a> ::= <b>\n", "w.bnf"))
    assert (refused.compiled, refused.diagnostics[0].severity) == ("", "error")
