"""A user types in a real VS Code: what is drawn, and what stands in the file afterwards. The daemon is scripted."""

from __future__ import annotations

import pytest

from tests.editors.vscode.workbench import Window
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def rules() -> Rules:
    return [
        {"before": "def add", "suggestions": [{"text": "(a, b):\n    return a + b", "verified": 7}]},
        {"before": "hello ", "suggestions": [{"text": "ghost world, again"}]},
        {"before": "name = ", "suggestions": [{"text": "value + other"}]},
        {"before": "aé😀 ", "suggestions": [{"text": "ünïcode 你好🤗!"}]},
        {"before": "你好，", "suggestions": [{"text": "世界。"}]},
        {"before": "if x:", "suggestions": [{"text": "\n    first()\n    second()"}]},
        {"before": "call(", "suggestions": [{"text": "one, two"}]},
        {"before": "choose ", "suggestions": [{"text": "alpha"}, {"text": "beta"}, {"text": "gamma"}]},
        {
            "before": "grow ",
            "suggestions": [{"text": "first", "complete": False}],
            "updates": [
                {
                    "kind": "extended",
                    "text": "first line\nsecond line",
                    "verified": 10,
                    "complete": True,
                    "after_ms": 300,
                }
            ],
        },
    ]


def test_text_of_several_lines_is_drawn_and_taken_by_tab(window: Window) -> None:
    """ux-9, ux-29: Tab takes what is drawn, both lines of it."""
    file = window.new_file("several.py", "x = 1\n")
    window.type("def add")
    window.wait_ghost("(a, b):", ["    return a + b"])
    window.screenshot("ghost")
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "x = 1\ndef add(a, b):\n    return a + b")
