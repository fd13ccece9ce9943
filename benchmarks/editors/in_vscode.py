"""Typing in a real VS Code, timed by its page: from the key down event to the end of the frame that shows the text.

`tests/editors/vscode/recorder.mjs` notes both in the page. Two clocks would not do: this process and the browser take
turns on the processor.
"""

from __future__ import annotations

import contextlib
import json
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.editors.frames import Frame, Key
from benchmarks.editors.host_profile import stretches_of
from benchmarks.editors.visits import Recording, Stretch, Visit, WrongText, check
from benchmarks.editors.workbench import WITHIN_S, Window, workbench

SETTINGS: Final[Mapping[str, Any]] = {
    # The file is to be what is typed and no more.
    "editor.autoIndent": "none",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.autoClosingComments": "never",
    "html.autoClosingTags": False,
    "javascript.autoClosingTags": False,
    # A list of completions hides suggestions.
    "editor.suggestOnTriggerCharacters": False,
    "editor.parameterHints.enabled": False,
    # A line is one line of the screen.
    "editor.wordWrap": "off",
    # Languages that come with settings of their own.
    "[markdown]": {"editor.wordWrap": "off"},
    "[yaml]": {"editor.autoIndent": "none"},
}
PROFILER: Final = Path(__file__).parent / "profiler"
PROFILE_VARIABLE: Final = "DRAFTWIRE_HOST_PROFILE"
EXTENSION: Final = "/draftwire.draftwire-"
"""In the paths of our extension's code, as it is installed."""
MODEL_S: Final = 240.0
"""The first start on a machine measures how many threads are best."""


class VsCode:
    """One window, with a daemon that is ready."""

    def __init__(self, window: Window, profile: Path, pause_s: float) -> None:
        """`pause_s`: before the first key in a file and behind the last."""
        self.long_tasks_ms: list[float] = []
        """Tasks of the page's thread that took 50 ms or more, whosesoever they are."""
        self._window = window
        self._profile = profile
        self._pause_s = pause_s

    @property
    def projects(self) -> Path:
        return self._window.folder

    def type(self, visit: Visit) -> Recording:
        window = self._window
        window.open_file(visit.path)
        window.go_to(*visit.place)
        time.sleep(self._pause_s)
        window.ask("record")
        window.ask("play", strokes=[[1000 * stroke.wait_s, stroke.text] for stroke in visit.strokes])
        time.sleep(self._pause_s)
        recorded = window.ask("recorded")
        self.long_tasks_ms += recorded["longTasks"]
        recording = recording_of(visit, recorded)
        check(visit, recording.frames)
        return recording

    def host_stretches(self, visit: Visit) -> list[Stretch]:
        """Type this, and say how long our code held the extension host's thread."""
        window, begun = self._window, self._profile.with_name(f"{self._profile.name}.begun")
        window.press("Control+Alt+b")
        window.wait("the profile's begin", lambda _: begun.exists())
        self.type(visit)
        window.press("Control+Alt+e")
        window.wait("the profile", lambda _: self._profile.exists(), 2 * WITHIN_S)
        return stretches_of(json.loads(self._profile.read_bytes()), EXTENSION)


def recording_of(visit: Visit, recorded: Mapping[str, Any]) -> Recording:
    """What the page noted. WrongText if it has not one key down event for each key; all else is put in as text."""
    pressed = [stroke.text[0].isascii() for stroke in visit.strokes]
    if len(recorded["keys"]) != sum(pressed):
        raise WrongText(f"{visit.path.name}: {sum(pressed)} keys, {len(recorded['keys'])} at the page")
    moments = iter(recorded["keys"])
    keys = []
    for stroke, is_pressed in zip(visit.strokes, pressed, strict=True):
        at_ms = next(moments)["at"] if is_pressed else None
        keys.append(Key(at_ms if stroke.is_one_event else None, stroke.text, stroke.line))
    frames = [Frame(one["at"], one["line"], one["ghost"].rstrip("\n")) for one in recorded["frames"]]
    return Recording(keys, frames)


@contextlib.contextmanager
def vscode(folder: Path, program: Path, environment: Mapping[str, str], pause_s: float) -> Iterator[VsCode]:
    """A VS Code with our packaged extension, which uses `program`; it is gone when the block ends."""
    folder.mkdir(parents=True)
    packaged, profile = folder / "profiler.vsix", folder / "host.cpuprofile"
    with zipfile.ZipFile(packaged, "w") as archive:
        for file in _files(PROFILER):
            archive.write(file, f"extension/{file.name}")
    settings = {**SETTINGS, "draftwire.path": str(program)}
    with workbench(
        folder / "bench", settings, {**environment, PROFILE_VARIABLE: str(profile)}, extensions=(packaged,)
    ) as bench:
        window = bench.open_window()
        window.wait("the model", lambda screen: "codicon-sparkle" in screen["statusIcons"], MODEL_S)
        yield VsCode(window, profile, pause_s)


def _files(folder: Path) -> Sequence[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file())
