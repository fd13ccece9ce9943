"""The longest stretches of one extension's code in a CPU profile of VS Code's extension host. Pure.

The profile is V8's (`Profiler.stop` of the DevTools protocol): a tree of functions, and which of them ran at each
sample. A stretch is as many samples in a row as have the extension on the stack; garbage collection in between counts.
Two calls between which no sample fell are taken for one: the longest one is not longer than it says, but for a sample's
interval at each end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

GARBAGE: Final = "(garbage collector)"


def stretches_ms(profile: Mapping[str, Any], extension: str) -> list[float]:
    """Milliseconds of each stretch; `extension` is a part of its files' URL."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    ours = _ours(nodes, profile["nodes"][0]["id"], extension)
    found: list[float] = []
    running_us = 0
    for sample, until_next_us in _samples(profile):
        is_garbage = nodes[sample]["callFrame"]["functionName"] == GARBAGE
        if sample in ours or (running_us and is_garbage):
            running_us += until_next_us
        elif running_us:
            found.append(running_us / 1000)
            running_us = 0
    return [*found, running_us / 1000] if running_us else found


def _samples(profile: Mapping[str, Any]) -> Sequence[tuple[int, int]]:
    """Each sample with the microseconds until the next one."""
    return list(zip(profile["samples"], [*profile["timeDeltas"][1:], 0], strict=True))


def _ours(nodes: Mapping[int, Any], root: int, extension: str) -> set[int]:
    """The functions of the extension, and what they call."""
    ours: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        identity, inside = waiting.pop()
        inside = inside or extension in nodes[identity]["callFrame"]["url"]
        if inside:
            ours.add(identity)
        waiting.extend((child, inside) for child in nodes[identity].get("children", ()))
    return ours
