"""The longest stretches of one extension's code in a CPU profile of VS Code's extension host. Pure.

The profile is V8's (`Profiler.stop` of the DevTools protocol): a tree of functions, and which of them ran at each
sample. A stretch is as many samples in a row as have the extension on the stack; garbage collection in between counts.
Two calls between which no sample fell are taken for one: the longest one is not longer than it says, but for a sample's
interval at each end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

from benchmarks.editors.visits import Stretch

GARBAGE: Final = "(garbage collector)"


def stretches_of(profile: Mapping[str, Any], extension: str) -> list[Stretch]:
    """Each stretch; `extension` is a part of its files' URL.

    A thread that does not run is not sampled: so many samples are so many intervals of processor time.
    """
    nodes = {node["id"]: node for node in profile["nodes"]}
    ours = _ours(nodes, profile["nodes"][0]["id"], extension)
    interval_us = median(profile["timeDeltas"])
    found: list[Stretch] = []
    wall_us, samples = 0.0, 0
    for sample, until_next_us in [*_samples(profile), (None, 0)]:
        if sample in ours or (samples and _is_garbage(nodes, sample)):
            wall_us, samples = wall_us + until_next_us, samples + 1
        elif samples:
            found.append(Stretch(wall_us / 1000, samples * interval_us / 1000))
            wall_us, samples = 0.0, 0
    return found


def _is_garbage(nodes: Mapping[int, Any], sample: int | None) -> bool:
    return sample is not None and nodes[sample]["callFrame"]["functionName"] == GARBAGE


def _samples(profile: Mapping[str, Any]) -> Sequence[tuple[int | None, int]]:
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
