"""How long an extension's code ran at a time, by a profile."""

from __future__ import annotations

from typing import Any

from benchmarks.editors.host_profile import stretches_of
from benchmarks.editors.visits import Stretch

OURS = "/ext/draftwire.draftwire-1/"
ROOT, IDLE, VSCODE, ENTRY, CALLED, GARBAGE = 1, 2, 3, 4, 5, 6
NODES = [
    (ROOT, "(root)", "", [IDLE, VSCODE, GARBAGE]),
    (IDLE, "(idle)", "", []),
    (VSCODE, "deliver", "file:///vs/host.js", [ENTRY]),
    (ENTRY, "provide", f"file://{OURS}dist/extension.js", [CALLED]),
    (CALLED, "stringify", "", []),
    (GARBAGE, "(garbage collector)", "", []),
]


def profile(*samples: tuple[int, int]) -> dict[str, Any]:
    """Samples, each with the microseconds since the one before."""
    nodes = [
        {"id": identity, "callFrame": {"functionName": name, "url": url}, "children": children}
        for identity, name, url, children in NODES
    ]
    return {"nodes": nodes, "samples": [node for node, _ in samples], "timeDeltas": [us for _, us in samples]}


def found(*samples: tuple[int, int]) -> list[Stretch]:
    return stretches_of(profile(*samples), "/draftwire.draftwire-")


def test_a_stretch_ends_where_others_run() -> None:
    """What our code calls is ours, what calls it is not."""
    ran = found(
        (IDLE, 0), (VSCODE, 200), (ENTRY, 200), (CALLED, 200), (VSCODE, 200), (ENTRY, 200), (IDLE, 200)
    )
    assert ran == [Stretch(0.4, 0.4), Stretch(0.2, 0.2)]


def test_time_in_which_the_thread_did_not_run_is_no_processor_time() -> None:
    assert found((ENTRY, 0), (ENTRY, 200), (ENTRY, 9000), (IDLE, 200), (IDLE, 200)) == [Stretch(9.4, 0.6)]


def test_garbage_collected_in_between_is_ours() -> None:
    assert found((GARBAGE, 0), (ENTRY, 200), (GARBAGE, 200), (ENTRY, 200), (IDLE, 200)) == [Stretch(0.6, 0.6)]


def test_none_of_ours() -> None:
    assert found((IDLE, 0), (VSCODE, 200)) == []


def test_a_stretch_that_runs_at_the_end() -> None:
    assert found((IDLE, 100), (ENTRY, 300)) == [Stretch(0.0, 0.2)]
