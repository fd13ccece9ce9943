"""Edits as nobody types them: never a suggestion at the wrong place (ux-8), and never a session that is stuck.

Bridge and daemon are the real ones, the socket between them too; the engine knows a text by heart. What would be drawn
is checked by version, hash and text (`tests/fakes/checked_editor.py`). In the end of each test an ordinary key is
answered, and the daemon's copy of the document never had to be sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from daemon.api.framing import encode, for_client
from daemon.api.messages import (
    API_VERSION,
    Cancel,
    ChangeDocument,
    ClientMessage,
    Complete,
    Completions,
    Edit,
    GetStatus,
    Hello,
    OpenDocument,
    Status,
)
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.api.text import surroundings_hash
from tests.fakes.checked_editor import CheckedEditor, lf
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import BRIDGE_COMMAND, URI, InProcessEditor, ProcessEditor
from tests.fakes.running_daemon import running_daemon

pytestmark = pytest.mark.asyncio

KNOWN = "".join(
    f"def {name}_{n}(é{n}):\n    值{n} = '{name}😀' + é{n}\n    return 值{n}  # 完{n}\n\n"
    for n, name in enumerate(["alpha", "beta", "gamma", "delta", "missive", "zeta", "eta", "theta"], 1)
)
START = KNOWN[: KNOWN.index("delta")]
NAME = "file:///a.py"
RATE = 500
"""Edits a second, in a storm."""
STORM = 500


def says(before: str) -> str:
    """How the text goes on that the engine knows."""
    return following(KNOWN)(before.encode()).decode(errors="ignore")


@pytest.fixture
def paths(tmp_path: Path) -> RuntimePaths:
    return runtime_paths(tmp_path / "run")


@pytest.fixture(autouse=True)
def _copies_stay_equal(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The daemon has the editor's text all the time."""
    yield
    assert "copy of a document differs" not in caplog.text


@asynccontextmanager
async def desk(
    paths: RuntimePaths, engine: FakeEngine | None = None, *, encoding: str = "utf-16"
) -> AsyncIterator[CheckedEditor]:
    """A daemon and an editor that is connected; in the end an ordinary key is answered rightly."""
    async with (
        running_daemon(paths, engine or FakeEngine(following(KNOWN))),
        editor_of(paths, encoding) as one,
    ):
        yield one
        same_text(one)
        await ordinary_key(one)


@asynccontextmanager
async def editor_of(paths: RuntimePaths, encoding: str = "utf-16") -> AsyncIterator[CheckedEditor]:
    async with InProcessEditor(paths) as editor:
        await editor.initialize(encoding)
        await editor.connected()
        yield CheckedEditor(editor, says, encoding=encoding)


def same_text(editor: CheckedEditor) -> None:
    """The bridge has the editor's text, to the last line end; what it tells the daemon is checked with each answer."""
    assert isinstance(editor.editor, InProcessEditor)
    document = editor.editor.bridge.documents.get(URI)
    assert document is not None
    assert document.raw == editor.text


async def ordinary_key(editor: CheckedEditor) -> None:
    """Whatever was before: a key in a text of which it is known how it goes on is answered with that."""
    editor.replace_all(START)
    editor.type("d")
    assert (await editor.ghost()).startswith("e")


# --- edit storms


def storm(editor: CheckedEditor, seed: int, edits: int) -> None:
    """So many edits, of every kind and anywhere, a request behind most of them, some of which are cancelled."""
    draw = Random(seed)
    for _ in range(edits):
        one_edit(editor, draw)


def one_edit(editor: CheckedEditor, draw: Random) -> None:
    kind, size = draw.random(), len(editor.text)
    if kind < 0.5:
        editor.type(says(lf(editor.text))[:1] or "\n")
    elif kind < 0.65 and size > len(START):
        editor.rub(draw.randint(1, 3))
    elif kind < 0.8:
        start = draw.randint(0, size)
        editor.edit(
            (start, min(size, start + draw.randint(0, 5)), draw.choice(["", "x", "é\n", "😀", "值 = "]))
        )
    elif kind < 0.9:
        editor.edit(*((at, at, "q") for at in sorted(draw.sample(range(size), 3), reverse=True)))
    else:
        editor.replace_all(START + draw.choice(["", "d", "delta_4(", "# 完"]))
    if draw.random() < 0.8:
        editor.ask(draw.choice([None, None, None, draw.randint(0, len(editor.text))]))


async def test_ux_8_an_edit_storm(paths: RuntimePaths) -> None:
    """500 edits a second, through a bridge that is a process: each request has its one answer."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running_daemon(paths, FakeEngine(following(KNOWN))))
        process = await stack.enter_async_context(ProcessEditor(BRIDGE_COMMAND, paths.environment()))
        await process.initialize()
        await process.connected()
        editor = CheckedEditor(process, says)
        editor.open(START)
        draw, clock = Random(1), asyncio.get_running_loop().time
        began = clock()
        for count in range(STORM):
            one_edit(editor, draw)
            await asyncio.sleep(max(0.0, began + count / RATE - clock()))
        await editor.answered()
        await ordinary_key(editor)
        await process.request("shutdown")
        process.notify("exit")
        assert await process.exit_code() == 0


@pytest.mark.parametrize("seed", range(3))
async def test_ux_8_a_storm_while_the_model_is_held(paths: RuntimePaths, seed: int) -> None:
    """Nothing can be drafted meanwhile: what is answered afterwards is for the text as it then is."""
    engine = FakeEngine(following(KNOWN))
    async with desk(paths, engine) as editor:
        editor.open(START)
        engine.hold()
        storm(editor, seed, 100)
        editor.type("d")
        last = editor.ask()
        engine.release()
        await editor.answered()
        assert last.done()


# --- undo and redo


async def test_ux_8_typed_accepted_undone_redone(paths: RuntimePaths) -> None:
    """Undoing brings the suggestion back; after redoing, the text goes on from behind it and is not said again."""
    async with desk(paths) as editor:
        editor.open(START)
        editor.type("de")
        shown = await editor.ghost()
        assert shown.startswith("lta_4")
        at = len(editor.text)
        for _ in range(3):
            editor.edit((at, at, shown))
            behind = await editor.ghost()
            assert says(lf(editor.text)).startswith(behind)
            editor.edit((at, at + len(shown), ""))
            assert (await editor.ghost()).startswith(shown)
        editor.edit((at - 2, at, ""))
        editor.edit((at - 2, at - 2, "de" + shown))
        assert says(lf(editor.text)).startswith(await editor.ghost())


async def test_ux_8_undone_while_the_answer_is_under_way(paths: RuntimePaths) -> None:
    engine = FakeEngine(following(KNOWN))
    async with desk(paths, engine) as editor:
        editor.open(START)
        engine.hold()
        editor.type("delta_4(")
        editor.ask()
        editor.rub(8)
        editor.type("eta")
        engine.release()
        assert await editor.answered() == []


# --- edits elsewhere


async def test_ux_8_an_edit_above_moves_the_place(paths: RuntimePaths) -> None:
    """What is remembered for an offset is not for the text that stands there now, though its beginning was typed."""
    async with desk(paths) as editor:
        before = KNOWN[: KNOWN.index("missive")] + "mis"
        editor.open(before)
        editor.edit((len(before) - 1, len(before), "s"))
        assert (await editor.ghost()).startswith("sive_5")
        editor.edit(
            (0, 0, "#")
        )  # now the "s" before the cursor stands where the suggestion's first was to be
        assert (await editor.ghost()).startswith("sive_5")
        editor.edit((0, 1, ""))
        assert (await editor.ghost()).startswith("sive_5")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_ux_8_the_text_after_the_cursor_changes(paths: RuntimePaths, line_end: str) -> None:
    """What was for a cursor at the end of a text is not shown before other text unasked."""
    async with desk(paths) as editor:
        editor.open(START.replace("\n", line_end) + "de")
        at = len(editor.text)
        assert await editor.ghost()
        for after in (")", f"{line_end}x = 1", "值", ""):
            editor.edit((at, len(editor.text), after))
            await editor.ghost(at)


# --- several cursors


SEVERAL = "甲 = 1😀\r\n乙 = 2é\r\n丙 = 3\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "inserted",
    ["d", "值", "😀", "\n", "", "🇩🇪é"],
    ids=["ascii", "cjk", "emoji", "line end", "nothing", "flag"],
)
async def test_ux_8_one_change_of_several_places(
    paths: RuntimePaths, encoding: str, eol: str, inserted: str
) -> None:
    """Last place first, as editors send them; then first place first: each is in the text of the one before."""
    async with desk(paths, encoding=encoding) as editor:
        editor.open((SEVERAL + START).replace("\r\n", "\n").replace("\n", eol))
        new = inserted.replace("\n", eol)
        places = [editor.text.index(mark) + 1 for mark in ("甲", "乙", "丙", "é1", "😀' + é2")]
        editor.edit(*((at, at, new) for at in reversed(places)))
        for at in places:
            editor.ask(at)
        await editor.answered()
        moved = [at + number * len(new) for number, at in enumerate(places)]
        same_text(editor)
        moved = [at + number for number, at in enumerate(moved)]
        editor.edit(*((at, at, "_") for at in moved))
        editor.edit(*((at, at + 1, "") for at in reversed(moved)))
        editor.type("d")
        assert (await editor.ghost()).startswith("e")


async def test_ux_8_a_change_that_also_undoes_itself(paths: RuntimePaths) -> None:
    """The text is the same after it: what is drawn is still right, for the new version."""
    async with desk(paths) as editor:
        editor.open(START)
        editor.type("de")
        shown = await editor.ghost()
        at = len(editor.text)
        editor.edit((at, at, "x"), (at, at + 1, ""))
        assert (await editor.ghost()).startswith(shown)


# --- a document replaced whole


@pytest.mark.parametrize(
    "new",
    ["", "x", START, START + "delta_4(", START.replace("\n", "\r\n") + "de", KNOWN, "😀" * 500],
    ids=["empty", "short", "the same less a key", "further on", "other line ends", "all of it", "emoji"],
)
async def test_ux_8_replaced_whole_while_the_answer_is_under_way(paths: RuntimePaths, new: str) -> None:
    """The answer that was under way is for a text that is gone: it comes, but nothing wrong is drawn."""
    engine = FakeEngine(following(KNOWN))
    async with desk(paths, engine) as editor:
        editor.open(START)
        editor.type("de")
        engine.hold()
        editor.ask()
        editor.replace_all(new)
        engine.release()
        await editor.answered()
        await editor.ghost()


async def test_ux_8_a_formatter_that_changes_nothing(paths: RuntimePaths) -> None:
    async with desk(paths) as editor:
        editor.open(START)
        editor.type("de")
        shown = await editor.ghost()
        editor.replace_all(editor.text)
        assert (await editor.ghost()).startswith(shown)


# --- two editors on one file


async def test_ux_8_two_editors_with_one_file(paths: RuntimePaths) -> None:
    """Each has its own text and versions of it, and gets what fits these; one that goes does not disturb the other."""
    async with desk(paths) as one:
        async with editor_of(paths) as two:
            one.open(START, version=7)
            two.open("# another\n" + KNOWN[: KNOWN.index("eta_7")], version=3)
            for count in range(40):
                for editor in (one, two):
                    editor.type(says(lf(editor.text))[:1])
                    if count % 5 == 4:
                        editor.rub()
                    editor.ask()
            await asyncio.gather(one.answered(), two.answered())
            assert await one.ghost()
            assert await two.ghost()
            two.close()
            one.type(says(lf(one.text))[:1])
            assert await one.ghost()
            two.open(START)
            pending = one.ask()
        assert await one.answered()
        assert pending.result()["items"]


# --- requests that come too early


async def test_ux_8_a_place_that_is_not_there_yet(paths: RuntimePaths) -> None:
    """Asked ahead of the change that makes it: the answer says which text it is for, and comes at once."""
    async with desk(paths) as editor:
        editor.open(START)
        editor.text += "delta_4("
        request = editor.ask()
        editor.text = START
        await editor.answered()
        assert request.done()
        editor.type("delta_4(")
        assert (await editor.ghost()).startswith("é4):")


async def answers(paths: RuntimePaths, *messages: ClientMessage, count: int) -> list[Completions]:
    """Of a daemon that gets these in one write: its first answers to requests, and none that comes after them."""
    reader, writer = await asyncio.open_unix_connection(str(paths.socket))
    frames, found = for_client(), []
    status = GetStatus(99)
    writer.write(b"".join(map(encode, (Hello(API_VERSION, "raw", 1), *messages))))
    async with asyncio.timeout(20):
        while True:
            message = frames.next_message()
            if message is None:
                frames.feed(await reader.read(1 << 16))
            elif isinstance(message, Completions):
                found.append(message)
                if len(found) == count:
                    writer.write(encode(status))
            elif isinstance(message, Status) and message.request == status.request:
                break
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    return found


@pytest.mark.parametrize(
    ("ask", "after", "reasons"),
    [
        ([Complete(1, NAME, 2, len(START) + 1)], [], ["stale_version"]),
        (
            [Complete(1, NAME, 2, len(START) + 1)],
            [
                ChangeDocument(NAME, 2, [Edit(len(START), len(START), "d")]),
                Complete(2, NAME, 2, len(START) + 1),
            ],
            ["stale_version", None],
        ),
        ([Complete(1, NAME, 1, len(START)), Cancel(1)], [], ["cancelled"]),
        ([Cancel(1), Complete(1, NAME, 1, len(START))], [], [None]),
        ([Complete(1, NAME, 2**31 - 1, 2**31 - 1)], [], ["stale_version"]),
        ([Complete(1, "file:///b.py", 1, 0)], [], ["no_document"]),
    ],
    ids=["never seen", "seen later", "cancelled", "cancelled too early", "far too high", "no such document"],
)
async def test_ux_8_a_version_not_yet_seen_and_a_cancel_before_the_start(
    paths: RuntimePaths, ask: list[ClientMessage], after: list[ClientMessage], reasons: list[str | None]
) -> None:
    """All in one write to the daemon: each request has its one answer, with text or the reason, for its version."""
    async with desk(paths) as editor:
        editor.open(START)
        found = await answers(paths, OpenDocument(NAME, "python", 1, START), *ask, *after, count=len(reasons))
        early = {
            "stale_version",
            "superseded",
        }  # the change may have been read together with the request or not
        expected = [early if reason in early else {reason} for reason in reasons]
        assert all(one.reason in allowed for one, allowed in zip(found, expected, strict=True)), found
        text = {1: START, 2: START + "d"}
        for one in found:
            if one.suggestions:
                assert one.surroundings == surroundings_hash(text[one.version], one.offset)


async def test_ux_8_cancelled_in_the_same_write(paths: RuntimePaths) -> None:
    """`$/cancelRequest` right behind its request, and even before it: one answer each, and the next is answered."""
    async with desk(paths) as editor:
        editor.open(START)
        editor.type("de")
        requests = []
        for _ in range(20):
            requests.append(editor.ask())
            editor.editor.cancel(requests[-1])
        await editor.answered()
        assert editor.cancelled == len(requests)
        editor.editor.notify("$/cancelRequest", {"id": 10_000})
        editor.editor.cancel(requests[0])
        assert (await editor.ghost()).startswith("l")
