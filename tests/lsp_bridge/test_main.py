"""The bridge as a process: on real pipes, with a real client library, and its ends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import make_test_lsp_client

from daemon.api.paths import RuntimePaths, runtime_paths
from lsp_bridge.positions import units_of
from tests.fakes.daemon import ScriptedDaemon
from tests.fakes.lsp_editor import BRIDGE_COMMAND, URI, ProcessEditor, replace
from tests.fakes.processes import end_processes_of

pytestmark = pytest.mark.asyncio
ROOT = Path(__file__).resolve().parents[2]
FAKE_DAEMON = ROOT / "tests" / "fakes" / "daemon.py"
REAL_DAEMON = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('tests.fakes.daemon_process', run_name='__main__')"
)
"""With a model of paper."""
SCRIPT = '{"rules": [{"before": "def add", "suggestions": [{"text": "(a, b):\\n    return a + b"}]}]}'
START = (
    "import sys; from pathlib import Path; from daemon.api.paths import runtime_paths; "
    "from lsp_bridge.main import run; "
    "sys.exit(run(runtime_paths(Path(sys.argv[1])), version='test', daemon_command=sys.argv[2:]))"
)


@pytest.fixture
def started_by_bridge(tmp_path: Path) -> list[str]:
    """The bridge's command line: its daemon, which does not run yet, is the scripted one."""
    (tmp_path / "script.json").write_text(SCRIPT)
    daemon = [sys.executable, "-P", str(FAKE_DAEMON), "--script", str(tmp_path / "script.json")]
    return [sys.executable, "-c", START, str(tmp_path / "run"), *daemon]


@pytest_asyncio.fixture
async def paths(tmp_path: Path) -> AsyncIterator[RuntimePaths]:
    """The runtime directory of a bridge; a daemon it started there is ended."""
    paths = runtime_paths(tmp_path / "run")
    yield paths
    await asyncio.to_thread(end_processes_of, tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_session_with_a_client_library(
    paths: RuntimePaths, started_by_bridge: list[str], encoding: str
) -> None:
    """pytest-lsp's client: the daemon is started, and text typed behind wide characters is completed (ux-10)."""
    client = make_test_lsp_client()
    ready = asyncio.Event()

    @client.feature("draftwire/status")  # type: ignore[untyped-decorator]
    def status(params: Any) -> None:
        if params.daemon == "connected" and params.draft == "ready":
            ready.set()

    await client.start_io(*started_by_bridge)
    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)])
    result = await client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(general=general), process_id=os.getpid())
    )
    assert result.capabilities.position_encoding == encoding
    assert result.capabilities.inline_completion_provider == types.InlineCompletionOptions()
    await ready.wait()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, "python", 1, "x\r\né你🤗🇨🇳 \r\n"))
    )
    end = units_of("é你🤗🇨🇳 ", encoding)  # type: ignore[arg-type]
    place = types.Position(1, end)
    typed = types.TextDocumentContentChangePartial(types.Range(place, place), "def add")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version=2, uri=URI), [typed])
    )
    answer = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(
            types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
            types.TextDocumentIdentifier(URI),
            types.Position(1, end + len("def add")),
        )
    )
    assert isinstance(answer, types.InlineCompletionList)
    (item,) = answer.items
    assert isinstance(item.command, types.Command)
    assert item.insert_text == "(a, b):\r\n    return a + b"
    command = types.ExecuteCommandParams(item.command.command, item.command.arguments)
    assert await client.workspace_execute_command_async(command) is None
    await client.shutdown_session()


def bridge(paths: RuntimePaths) -> ProcessEditor:
    return ProcessEditor(BRIDGE_COMMAND, {**os.environ, **paths.environment()})


async def test_exit_after_shutdown(paths: RuntimePaths) -> None:
    """Ends with 0, at once, with its input still open; nothing but the protocol was on standard output."""
    async with ScriptedDaemon(paths) as daemon, bridge(paths) as editor:
        await editor.initialize()
        await editor.connected()
        await editor.request("shutdown")
        editor.notify("exit")
        assert await editor.exit_code() == 0
        await daemon.wait_connections(0)


async def test_exit_without_shutdown(paths: RuntimePaths) -> None:
    """Ends with 1, as LSP has it; also before initialize."""
    async with bridge(paths) as editor:
        editor.notify("exit")
        assert await editor.exit_code() == 1


async def test_an_editor_that_is_killed(paths: RuntimePaths) -> None:
    """Its end of the pipe closes; the bridge goes, and lets go of the daemon (ux-31)."""
    async with ScriptedDaemon(paths) as daemon, bridge(paths) as editor:
        await editor.initialize()
        await editor.connected()
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        assert await editor.exit_code() == 1
        await daemon.wait_connections(0)


async def test_a_parent_that_is_gone(paths: RuntimePaths) -> None:
    """Though something else holds the pipe open, the bridge ends."""
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    async with bridge(paths) as editor:
        await editor.initialize(processId=gone.pid)
        assert await editor.exit_code() == 1


async def test_a_broken_configuration_file_is_shown_with_file_and_line(
    paths: RuntimePaths, tmp_path: Path
) -> None:
    """What the real daemon complains of when the bridge starts it reaches the user as it stands (ux-51)."""
    config = tmp_path / "c.toml"
    config.write_text("\n[draft]\nthread = 2\n")
    environment = {**os.environ, **paths.environment(), "DRAFTWIRE_CONFIG": str(config)}
    async with ProcessEditor(BRIDGE_COMMAND, environment) as editor:
        await editor.initialize()
        shown = await editor.wait_for("window/showMessage")
        assert shown["type"] == 2
        assert shown["message"].startswith(
            f'Draftwire can\'t start: {config}:3: unknown setting "draft.thread"; did you mean "threads"?'
        )
        assert "\n" not in shown["message"]
        await editor.request("shutdown")
        editor.notify("exit")
        assert await editor.exit_code() == 0


async def test_no_code_in_the_log(paths: RuntimePaths) -> None:
    """Not even when what holds it is malformed and the log is at its loudest (ux-40)."""
    loud = BRIDGE_COMMAND[2].replace("version='test'", "version='test', log_level='debug'")
    command = (*BRIDGE_COMMAND[:2], loud)
    environment = {**os.environ, **paths.environment()}
    async with ScriptedDaemon(paths) as daemon, ProcessEditor(command, environment) as editor:
        daemon.answer = lambda text, offset: ["SECRET"]
        await editor.initialize()
        await editor.connected()
        editor.open("SECRET = 1")
        await editor.inline(0, 10)
        editor.type(0, 0, "SECRET")
        editor.change({"text": ["SECRET"]})
        editor.notify("textDocument/didShowCompletion", {"item": {"insertText": "SECRET"}})
        editor.notify("workspace/executeCommand", {"command": "SECRET"})
        editor.send_body(b'{"SECRET": \xff')
        await editor.request("shutdown")
        editor.notify("exit")
        assert await editor.exit_code() == 0
        assert b"SECRET" not in editor.log
        assert b"out_of_step" in editor.log


async def test_a_broken_grammar_is_marked_by_a_real_daemon(paths: RuntimePaths, tmp_path: Path) -> None:
    """Three processes, the compiler's own included: an error in UTF-16 behind 你 and 🤗, and none once it is mended."""
    uri = (tmp_path / "工程" / ".draftwire" / "grammars" / "状态机.bnf").as_uri()
    for name in ("config.toml", "known by heart"):
        (tmp_path / name).touch()
    daemon = [sys.executable, "-c", REAL_DAEMON, str(ROOT), str(tmp_path / "known by heart")]
    bridge = [sys.executable, "-c", START, str(tmp_path / "run"), *daemon]
    environment = {**os.environ, "DRAFTWIRE_CONFIG": str(tmp_path / "config.toml")}
    async with ProcessEditor(bridge, environment) as editor:
        await editor.initialize("utf-16")
        await editor.connected()
        editor.open('<状态> ::= "🤗你" <名字>\r\n', uri)
        told = await editor.wait_for("textDocument/publishDiagnostics")
        [error] = [one for one in told["diagnostics"] if one["severity"] == 1]
        start = units_of('<状态> ::= "🤗你" ', "utf-16")
        assert (told["uri"], told["version"]) == (uri, 1)
        assert error["range"] == {
            "start": {"line": 0, "character": start},
            "end": {"line": 0, "character": start + len("<名字>")},
        }
        assert (error["code"], error["source"]) == ("undefined-rule", "draftwire")
        assert "名字" in error["message"]
        editor.change(replace((0, start), (0, start + 4), '"好"'), uri=uri)
        mended = await editor.wait_for("textDocument/publishDiagnostics", lambda one: one["version"] == 2)
        assert mended["diagnostics"] == []
        await editor.request("shutdown")
        editor.notify("exit")
        assert await editor.exit_code() == 0
