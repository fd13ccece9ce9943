"""VS Code with the extension, photographed: a suggestion drafted, verified and accepted, and the verifier lost."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.editors.workbench import Window, missing, workbench
from benchmarks.recordings.play import LINES, NAME, READY_WITHIN_S, Play, play, up_to

WIDTH, HEIGHT, SCALE = 640, 320, 2
"""Of the window, and pixels of a picture for each of them."""
COLOURS = 128
FORWARD_MS = 2500.0
"""The target's pace: so slow that a draft stays one while it is photographed."""
SETTINGS = {
    "window.title": "${activeEditorShort}",
    "window.commandCenter": False,
    "window.menuBarVisibility": "hidden",
    "workbench.layoutControl.enabled": False,
    "workbench.activityBar.location": "hidden",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "breadcrumbs.enabled": False,
    "remote.autoForwardPorts": False,
    "editor.fontSize": 16,
    "editor.lineHeight": 20,
    "editor.stickyScroll.enabled": False,
    "editor.autoIndent": "none",
    "editor.cursorBlinking": "solid",
    "editor.overviewRulerLanes": 0,
    "editor.scrollbar.vertical": "hidden",
    "editor.inlineSuggest.syntaxHighlightingEnabled": False,
    "draftwire.maxLines": LINES,  # the extension's default goes before the daemon's configuration
}


def record(folder: Path) -> list[Path]:
    """Write the pictures into this folder. Raises AssertionError if the editor does not come to what the play wants."""
    if why := missing():
        raise SystemExit(why)
    pictures = {name: folder / f"vscode-{name}.png" for name in ("drafted", "verified", "accepted", "alone")}
    asyncio.run(play(lambda stage: _record(stage, pictures), forward_ms=FORWARD_MS))
    return list(pictures.values())


def _record(stage: Play, pictures: Mapping[str, Path]) -> None:
    settings = SETTINGS | {"draftwire.path": str(stage.program)}
    with workbench(stage.folder / "bench", settings, stage.environment) as bench:
        window = bench.open_window()
        window.ask("resize", width=WIDTH, height=HEIGHT)
        window.wait("the verifier", lambda s: "codicon-sparkle" in s["statusIcons"], READY_WITHIN_S)
        window.new_file(NAME, up_to("    if n < 2:\n        return False\n"))
        window.press("Control+b")
        _act(window, stage, pictures)


def _act(window: Window, stage: Play, pictures: Mapping[str, Path]) -> None:
    loop = "if n % i == 0"
    window.insert("    for i")  # at once: a draft for less of it might stay
    window.wait("a draft", lambda s: loop in "".join(s["ghostBelow"]) and _has(s, "circle-outline"))
    _photograph(window, pictures["drafted"])
    window.wait("a verified one", lambda s: loop in "".join(s["ghostBelow"]) and _has(s, "pass-filled"))
    _photograph(window, pictures["verified"])
    window.press("Tab")
    window.wait("it is taken", lambda s: any(loop in line for line in s["lines"]))
    window.wait("the next", lambda s: s["ghost"] != "" or s["ghostBelow"] != [])
    window.press("Escape")
    window.wait_no_ghost()
    _photograph(window, pictures["accepted"])
    stage.lose_verifier()
    window.wait("the loss told", lambda s: _has(s, "warning"))
    window.press("Enter")
    window.type("    return True")
    window.press("Enter", "Enter", "Enter")
    window.insert("if __name__ ==")
    window.wait("a draft", lambda s: "__main__" in s["ghost"] and _has(s, "circle-outline"))
    _photograph(window, pictures["alone"])


def _has(screen: dict[str, Any], icon: str) -> bool:
    return f"codicon-{icon}" in screen["statusIcons"]


def _photograph(window: Window, path: Path) -> None:
    """As small as it can be without a look of it. Raises AssertionError if a notification is in the way."""
    assert window.read()["notifications"] == []
    with tempfile.TemporaryDirectory() as name:
        taken = Path(name) / "taken.png"
        window.ask("photograph", path=str(taken), scale=SCALE)
        with Image.open(taken) as picture:
            picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
