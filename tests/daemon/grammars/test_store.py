"""The grammars of open documents: found, brought in, replaced while they stay open. Real files, a compiler of paper."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from daemon.documents import Document
from daemon.draft.engine import Vocabulary
from daemon.grammars import store as grammar_store
from daemon.grammars import workshop as grammar_workshop
from daemon.grammars.cache import GrammarCache
from daemon.grammars.document_grammar import LoadedGrammar
from daemon.grammars.lookout import Lookout
from daemon.grammars.places import Origin, Unreadable, read_grammar
from daemon.grammars.runner import GrammarRunner, Outcome
from daemon.grammars.store import GrammarStore
from daemon.settings.config import parse_config
from daemon.settings.config_sections import GrammarsConfig
from grammars.compiled import CompiledGrammar
from grammars.diagnostics import Diagnostic, GrammarError
from grammars.emit import HEADER
from grammars.islands import Island

pytestmark = pytest.mark.asyncio

VOCABULARY = Vocabulary(
    "f", [bytes([byte]) for byte in range(256)] + [b"<end>"], {}, frozenset(), frozenset({256})
)
BAD = Diagnostic("error", "bad", "it is bad", "make it good")


class PaperRunner(GrammarRunner):
    """Compiles any text to the same, but for texts that hold a word of `outcomes`; keeps the names it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []
        self.samples: list[Sequence[str]] = []
        self.patience: list[float] = []
        self.outcomes: dict[str, Outcome] = {"bad": Outcome(None, (BAD,))}
        self.held = asyncio.Event()
        self.held.set()
        self.fails = False

    async def run(
        self,
        text: str,
        file_name: str,
        *,
        schema: str = "",
        dialect: str = "",
        samples: Sequence[str] = (),
        patience: float = 1.0,
    ) -> Outcome:
        self.patience.append(patience)
        self.ran.append(schema or file_name)
        self.samples.append(samples)
        await self.held.wait()
        if self.fails:
            raise ZeroDivisionError
        for word, outcome in self.outcomes.items():
            if word in text:
                return outcome
        compiled = CompiledGrammar(file_name, "bnf", f'{HEADER}\nstart: "a" start?\n', 1)
        return Outcome(compiled, ())


class World:
    """A store over folders of its own, with a clock that is moved by hand."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder = folder
        self.now = 0.0
        self.ticks = 0
        self.told: list[str] = []
        self.runner = PaperRunner()
        for name in ("built in", "home/work"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.config = parse_config(settings, folder / "settings" / "config.toml")
        self.cache = GrammarCache(folder / "cache")
        self.store = GrammarStore(
            self.config,
            self._changed,
            clock=lambda: self.now,
            lookout=Lookout(self.config, folder / "built in", folder / "home"),
            runner=self.runner,
            cache=self.cache,
        )

    def _changed(self, names: Iterable[str]) -> None:
        self.told += names

    def write(self, name: str, text: str) -> Path:
        """A file in the user's folder, or elsewhere; each write is of another time."""
        path = self.folder / ("" if "/" in name else "settings/grammars") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.ticks += 1
        os.utime(path, ns=(self.ticks, self.ticks))
        return path

    def document(self, name: str = "a.x", language: str = "") -> Document:
        return Document((self.folder / "home" / "work" / name).as_uri(), language, 1, "text")

    async def line(self, name: str = "a.x", language: str = "", config: GrammarsConfig | None = None) -> str:
        """What is answered for a document once all that has changed is known."""
        self.store.of(self.document(name, language), config)
        await self.store.idle()
        self.now += 1
        self.store.of(self.document(name, language), config)
        await self.store.idle()
        return self.store.of(self.document(name, language), config).line


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path)
    yield made
    await made.store.close()


async def test_a_grammar_is_found_compiled_and_loaded_while_nobody_waits(world: World) -> None:
    world.write("x.bnf", "; @files *.x")
    world.write("x.examples/1.x", "an example")
    world.write("settings/grammars/x.examples/1.x", "an example")
    world.store.vocabulary_known(VOCABULARY)
    first = world.store.of(world.document())
    assert (first.whole, first.line, first.expected) == (None, "looking for grammars", False)
    assert first.lack == "looking for grammars"
    await world.store.idle()
    found = world.store.of(world.document())
    assert found.whole is not None
    assert (found.line, found.reason, found.lack, found.expected) == ("masked by x", "", "", True)
    assert found.whole.file == world.folder / "settings" / "grammars" / "x.bnf"
    assert found.whole.template.copy().consume([97, 97, 98]) == 2
    assert [path.name for path in found.whole.examples] == ["1.x"]
    assert world.runner.samples == [["an example"]]
    assert set(world.told) == {world.document().name}
    assert world.store.overview()[0].endswith("x.bnf): in use")
    assert world.store.of(world.document()) is found


async def test_the_states_on_the_way_are_told(world: World) -> None:
    world.write("x.bnf", "; @files *.x")
    world.runner.held.clear()
    world.store.of(world.document())
    while not world.runner.ran:
        await asyncio.sleep(0)
    compiling = world.store.of(world.document())
    assert (compiling.line, compiling.lack, compiling.expected) == (
        "compiling x.bnf",
        "compiling x.bnf",
        True,
    )
    world.runner.held.set()
    waiting = "x.bnf waits for the draft model to be loaded"
    assert await world.line() == world.store.of(world.document()).lack == waiting
    world.store.vocabulary_known(VOCABULARY)
    assert await world.line() == "masked by x"
    assert world.runner.ran == ["x.bnf"]


async def test_without_a_grammar_nothing_is_compiled(world: World) -> None:
    world.write("y.bnf", "; @files *.y")
    assert await world.line() == "no grammar for this file"
    assert await world.line("b.x") == "no grammar for this file"
    assert world.store.of(world.document()).lack == ""
    assert world.runner.ran == []
    assert world.store.overview() == [
        f"y (user, {world.folder / 'settings' / 'grammars' / 'y.bnf'}): not needed so far"
    ]
    untitled = Document("untitled:1", "", 1, "")
    world.store.of(untitled)
    await world.store.idle()
    assert world.store.of(untitled).line == "no grammar for this file"


async def test_a_changed_file_takes_effect_and_stays_in_use_until_then(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    assert await world.line() == "masked by x"
    before = world.store.of(world.document()).whole
    world.told.clear()
    world.write("x.bnf", "; @files *.x\n; second")
    world.runner.held.clear()
    world.now += 1
    world.store.of(world.document())
    while len(world.runner.ran) < 2:
        await asyncio.sleep(0)
    assert world.store.of(world.document()).whole is before
    assert world.store.of(world.document()).lack == ""
    world.runner.held.set()
    await world.store.idle()
    after = world.store.of(world.document())
    assert after.whole is not None
    assert after.whole is not before
    assert world.told == [world.document().name]


async def test_files_are_looked_at_once_a_second_at_most(world: World) -> None:
    assert await world.line() == "no grammar for this file"
    world.write("x.bnf", "; @files *.x")
    world.now += 0.5
    world.store.of(world.document())
    await world.store.idle()
    assert world.store.of(world.document()).line == "no grammar for this file"
    world.now += 0.5
    world.store.of(world.document())
    await world.store.idle()
    assert world.store.of(world.document()).line.startswith("x.bnf waits")


async def test_a_new_version_with_errors_leaves_the_old_one_in_use(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    file = world.write("x.bnf", "; @files *.x")
    assert await world.line() == "masked by x"
    assert world.store.diagnostics_of(file) == ()
    world.write("x.bnf", "; @files *.x\n; bad")
    said = "refused: x.bnf: it is bad; make it good"
    assert await world.line() == f"masked by x; the version before is in use, since the new one was {said}"
    assert world.store.of(world.document()).lack == ""
    assert world.store.overview() == [
        f"x (user, {file}): the version before is in use, since the new one was {said}"
    ]
    assert world.store.diagnostics_of(file) == (BAD,)
    world.write("x.bnf", "; @name 1\n; @name 2\n")
    assert "masked by x; the version before is in use, since" in await world.line()
    assert world.store.diagnostics_of(file)[0].code == "malformed-annotation"
    world.write("x.bnf", "; @files *.x\n; good")
    assert await world.line() == "masked by x"
    assert world.runner.ran == ["x.bnf"] * 3


async def test_a_file_that_goes_away_or_comes_is_noticed(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    world.write("built in/base.bnf", "; @files *.x")
    assert await world.line() == "masked by x"
    (world.folder / "settings" / "grammars" / "x.bnf").unlink()
    assert await world.line() == "masked by base"
    world.write("x.bnf", "; @files *.x")
    assert await world.line() == "masked by x"
    assert world.runner.ran == ["x.bnf", "base.bnf"]  # the third time from the cache
    assert world.runner.patience == [2.0, 10.0]  # what a checkout brings gets less: see PATIENCE


async def test_a_look_finds_what_went_away_while_no_document_is_asked_about(world: World) -> None:
    await world.store.look()
    file = world.write("x.bnf", "; @files *.x")
    world.store.vocabulary_known(VOCABULARY)
    await world.line()
    assert world.store.overview(needed=True) == [f"x (user, {file}): in use"]
    file.unlink()
    world.now += 1
    await world.store.look()
    assert world.store.overview(needed=True) == []


async def test_what_was_refused_is_not_tried_again_until_it_changes(world: World) -> None:
    file = world.write("x.bnf", "; @files *.x\n; bad")
    refused = "refused: x.bnf: it is bad; make it good"
    assert await world.line() == refused
    assert await world.line() == world.store.of(world.document()).lack == refused
    assert world.store.overview() == [f"x (user, {file}): {refused}"]
    world.write("x.bnf", "; @files *.x")
    await world.line()
    world.write("x.bnf", "; @files *.x\n; bad")
    assert await world.line() == refused
    assert len(world.runner.ran) == 2


async def test_refusals_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_workshop, "MAX_REFUSALS", 1)
    for text in ("bad 1", "bad 2", "bad 1"):
        world.write("x.bnf", f"; @files *.x\n; {text}")
        assert "bad" in await world.line()
    assert len(world.runner.ran) == 3


async def test_what_this_machine_had_no_time_for_is_tried_again(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    busy = Diagnostic("error", "busy", "no time", "it is tried again")
    world.runner.outcomes["busy"] = Outcome(None, (busy,), passing=True)
    world.write("x.bnf", "; @files *.x\n; busy")
    assert await world.line() == "refused: x.bnf: no time; it is tried again"
    del world.runner.outcomes["busy"]
    assert await world.line() == "refused: x.bnf: no time; it is tried again"
    world.now += grammar_workshop.RETRY_S
    assert await world.line() == "masked by x"


async def test_a_second_store_finds_what_the_first_has_compiled(tmp_path: Path, world: World) -> None:
    world.write("x.bnf", "; @files *.x")
    await world.line()
    other = World(tmp_path)
    other.store.vocabulary_known(VOCABULARY)
    assert await other.line() == "masked by x"
    assert other.runner.ran == []
    next((tmp_path / "cache").iterdir()).write_bytes(b"damaged")
    third = World(tmp_path)
    third.store.vocabulary_known(VOCABULARY)
    assert await third.line() == "masked by x"
    assert third.runner.ran == ["x.bnf"]


async def test_a_cache_that_can_not_be_written_is_done_without(
    tmp_path: Path, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").touch()
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    assert await world.line() == "masked by x"
    assert "compiled grammars can't be kept in" in caplog.text


async def test_a_workspace_has_to_be_trusted(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    world.write("home/work/.draftwire/grammars/x.bnf", "; @files *.x")
    work = world.folder / "home" / "work"
    said = f"not trusted: add {work} to grammars.trusted (draftwire grammar trust {work})"
    assert await world.line() == said
    assert world.store.of(world.document()).expected
    assert world.store.of(world.document()).lack == ""  # a checkout has no say in what is suggested
    assert world.runner.ran == []
    assert world.store.overview()[0].endswith("x.bnf): not trusted")
    assert await world.line(config=GrammarsConfig(trust_workspace=True)) == "masked by x"
    assert await world.line() == said
    world.write("settings/trusted-folders", f"{work}\n")
    assert await world.line() == "masked by x"


async def test_a_client_switches_them_off(world: World) -> None:
    world.write("x.bnf", "; @files *.x")
    assert (
        await world.line(config=GrammarsConfig(enabled=False))
        == "grammars are switched off (grammars.enabled)"
    )


async def test_islands_are_there_when_their_grammars_are(tmp_path: Path) -> None:
    settings = """
        [[grammars.islands]]
        host = "*.x"
        open = "<"
        close = ">"
        grammar = "y"
        [[grammars.islands]]
        host = "*.x"
        open = "{"
        grammar = "y"
        [[grammars.islands]]
        host = "*.x"
        open = "a"
        grammar = "z"
    """
    world = World(tmp_path, settings)
    world.write("y.bnf", "<y>")
    world.write("x.bnf", "; @files *.x")
    absent = "there is no grammar z, which [[grammars.islands]] names; there are: x, y"
    waiting = "waits for the draft model to be loaded"
    assert await world.line() == f"x.bnf {waiting}; y.bnf {waiting}; {absent}"
    world.store.vocabulary_known(VOCABULARY)
    assert await world.line() == f"masked by x; islands of y; {absent}"
    found = world.store.of(world.document())
    assert [
        (island, one.name if isinstance(one, LoadedGrammar) else one) for island, one in found.islands
    ] == [
        (Island("<", ">", "y"), "y"),
        (Island("{", r"\n", "y"), "y"),
        (Island("a", r"\n", "z"), absent),
    ]
    (tmp_path / "settings" / "grammars" / "x.bnf").unlink()
    assert (await world.line()).startswith("no grammar for this file; islands of y")
    await world.store.close()


async def test_schemas_are_compiled_as_such(world: World) -> None:
    world.write("conf.schema.json", '{"x-draftwire-files": ["*.x"]}')
    await world.line()
    assert world.runner.ran == ["conf"]


async def test_a_text_can_be_checked_without_a_file(world: World) -> None:
    assert await world.store.check("bad", "/a/b.bnf") == Outcome(None, (BAD,))
    outcome = await world.store.check("good", "b.bnf")
    assert outcome.compiled is not None
    assert outcome.diagnostics == ()
    await world.store.check("{}", "c.schema.json")
    await world.store.check("{}", "d.json")
    await world.store.check("x", "file:///a%20b/%E7%8A%B6%E6%80%81.bnf")
    await world.store.check("x", "untitled:a/e.bnf")
    assert world.runner.ran == ["b.bnf", "b.bnf", "c", "d", "状态.bnf", "e.bnf"]


async def test_a_checked_text_gets_as_much_time_as_its_file_would(world: World) -> None:
    await world.store.check("x", (world.folder / "settings" / "grammars" / "a.bnf").as_uri())
    await world.store.check("x", "file:///work/.draftwire/grammars/a.bnf")
    origins: list[Origin] = ["user", "workspace"]
    assert world.runner.patience == [grammar_workshop.PATIENCE[origin] for origin in origins]


async def test_what_waits_for_the_user_is_told_apart(tmp_path: Path) -> None:
    """Refused files by their path, however the words change while they are mended; not what is tried again."""
    settings = """
        [grammars.files]
        "*.z" = "z"
        [[grammars.islands]]
        host = "*.x"
        open = "<"
        close = ">"
        grammar = "y"
    """
    world = World(tmp_path, settings)
    worse = Diagnostic("error", "worse", "it is worse")
    busy = Diagnostic("error", "busy", "no time")
    world.runner.outcomes |= {
        "worse": Outcome(None, (worse,)),
        "busy": Outcome(None, (busy,), passing=True),
    }
    file = world.write("x.bnf", "; @files *.x\n; bad")
    await world.line()

    def problems(name: str = "a.x") -> list[tuple[str, str]]:
        return [(one.about, one.text) for one in world.store.of(world.document(name)).problems]

    absent = "there is no grammar y, which [[grammars.islands]] names; there are: x"
    assert problems() == [
        (absent, absent),
        (str(file), "refused: x.bnf: it is bad; make it good"),
    ]
    world.write("x.bnf", "; @files *.x\n; worse")
    island = world.write("y.bnf", "bad")
    await world.line()
    assert problems() == [
        (str(island), "refused: y.bnf: it is bad; make it good"),
        (str(file), "refused: x.bnf: it is worse"),
    ]
    world.write("x.bnf", "; @files *.x\n; busy")
    await world.line()
    assert problems() == [(str(island), "refused: y.bnf: it is bad; make it good")]
    await world.line("a.z")
    absent = 'there is no grammar z, which "*.z" in [grammars.files] names; there are: x, y'
    assert problems("a.z") == [(absent, absent)]
    await world.store.close()


async def test_an_overview_of_what_is_needed_alone(world: World) -> None:
    """What comes with Draftwire and nobody needs is left out; what has to be trusted first is not."""
    file = world.write("x.bnf", "; @files *.x")
    world.write("y.bnf", "; @files *.y")
    untrusted = world.write("home/work/.draftwire/grammars/w.bnf", "; @files *.w")
    await world.line()
    waits = "x.bnf waits for the draft model to be loaded"
    assert world.store.overview(needed=True) == [
        f"w (workspace, {untrusted}): not trusted",
        f"x (user, {file}): {waits}",
    ]
    assert len(world.store.overview()) == 3


async def test_a_grammar_that_the_engine_does_not_take_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise GrammarError([BAD])

    monkeypatch.setattr(grammar_workshop, "load", refuse)
    world.store.vocabulary_known(VOCABULARY)
    file = world.write("x.bnf", "; @files *.x")
    assert await world.line() == "refused: x.bnf: it is bad; make it good"
    assert world.store.diagnostics_of(file) == (BAD,)


async def test_loading_is_not_waited_for_without_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(asyncio, "wait_for", never)
    monkeypatch.setattr(grammar_workshop, "load", lambda *_: None)
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    with pytest.warns(RuntimeWarning):
        assert "takes more than 5 s to load" in await world.line()


async def test_a_fault_of_ours_is_logged_and_told(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.runner.fails = True
    world.write("x.bnf", "; @files *.x")
    assert await world.line() == "refused: x.bnf: an internal error"
    assert "ZeroDivisionError" in caplog.text


async def test_a_fault_while_looking_is_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Lookout, folder: Path | None) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Lookout, "look", fail)
    assert await world.line() == "looking for grammars"
    assert "looking after grammars failed" in caplog.text


async def test_a_file_that_changes_while_it_is_read_is_found_by_the_next_look(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    texts, real = ["; another text"], read_grammar
    monkeypatch.setattr(grammar_workshop, "read_grammar", lambda path: texts.pop() if texts else real(path))
    world.store.of(world.document())
    await world.store.idle()
    assert world.store.of(world.document()).line == "compiling x.bnf"
    world.write("x.bnf", "; @files *.x\n; new")
    assert await world.line() == "masked by x"
    monkeypatch.setattr(grammar_workshop, "read_grammar", real)


async def test_a_file_that_is_as_it_was_again_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path) -> str:
        raise Unreadable("is gone")

    world.write("x.bnf", "; @files *.x")
    with monkeypatch.context() as patched:
        patched.setattr(grammar_workshop, "read_grammar", gone)
        world.store.of(world.document())
        await world.store.idle()
    assert world.store.of(world.document()).line == "compiling x.bnf"
    assert "waits for the draft model" in await world.line()


async def test_what_goes_away_before_its_turn_is_not_compiled(world: World) -> None:
    for name in "xy":
        world.write(f"{name}.bnf", f"; @files *.{name}")
    world.runner.held.clear()
    world.store.of(world.document("a.x"))
    world.store.of(world.document("a.y"))
    while not world.runner.ran:
        await asyncio.sleep(0)
    (world.folder / "settings" / "grammars" / "y.bnf").unlink()
    world.now += 1
    world.store.of(world.document("a.x"))
    while world.store.of(world.document("a.y")).line != "no grammar for this file":
        await asyncio.sleep(0)
    world.runner.held.set()
    await world.store.idle()
    assert world.runner.ran == ["x.bnf"]
    world.store.vocabulary_known(VOCABULARY)
    assert await world.line() == "masked by x"
    world.store.vocabulary_known(VOCABULARY)  # of a piece that is in use already
    assert await world.line() == "masked by x"


async def test_examples_that_are_no_text_are_no_samples(world: World) -> None:
    (world.folder / "settings" / "grammars" / "x.examples").mkdir(parents=True)
    (world.folder / "settings" / "grammars" / "x.examples" / "a").write_bytes(b"\xff")
    world.write("x.bnf", "; @files *.x")
    await world.line()
    assert world.runner.samples == [[]]


async def test_new_examples_come_without_compiling(world: World) -> None:
    world.store.vocabulary_known(VOCABULARY)
    world.write("x.bnf", "; @files *.x")
    await world.line()
    world.write("settings/grammars/x.examples/1.x", "1")
    await world.line()
    found = world.store.of(world.document()).whole
    assert found is not None
    assert len(found.examples) == 1
    assert world.runner.ran == ["x.bnf"]


async def test_the_queue_is_bounded_and_taken_up_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_workshop, "MAX_QUEUE", 1)
    world.store.vocabulary_known(VOCABULARY)
    world.runner.held.clear()
    for name in "xyz":
        world.write(f"{name}.bnf", f"; @files *.{name}")
    for name in "xyz":
        world.store.of(world.document(f"a.{name}"))
    while not world.runner.ran:
        await asyncio.sleep(0)
    world.runner.held.set()
    world.now += grammar_workshop.RETRY_S
    for name in "xyz":
        assert await world.line(f"a.{name}") == f"masked by {name}"


async def test_documents_and_folders_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar_store, "MAX_DOCUMENTS", 2)
    monkeypatch.setattr(grammar_store, "MAX_FOLDERS", 2)
    for name in ("a", "b", "c/a", "d/a"):
        assert await world.line(name) == "no grammar for this file"
    assert (len(world.store._asked), len(world.store._folders)) == (2, 2)


async def test_closing_ends_what_is_under_way(world: World) -> None:
    world.runner.held.clear()
    world.write("x.bnf", "; @files *.x")
    world.store.of(world.document())
    while not world.runner.ran:
        await asyncio.sleep(0)
    world.store.of(world.document("elsewhere/a.x"))
    await world.store.close()
    await world.store.idle()
    assert world.store.of(world.document()).line == "compiling x.bnf"
    await world.store.close()
