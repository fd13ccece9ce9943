"""How many threads a draft model gets by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.draft import cpu_threads
from daemon.draft.cpu_threads import sensible_threads, thread_counts


@pytest.mark.parametrize(
    ("siblings", "threads"),
    [
        ({0: "0"}, 1),
        ({0: "0", 1: "1"}, 2),
        ({0: "0-1", 1: "0-1"}, 1),
        ({0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}, 2),
        ({n: str(n) for n in range(16)}, 4),
        ({}, 1),
    ],
    ids=["one", "two", "hyper-threads", "interleaved hyper-threads", "many", "none"],
)
def test_physical_cores_up_to_four(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, siblings: dict[int, str], threads: int
) -> None:
    for processor, cores in siblings.items():
        folder = tmp_path / f"cpu{processor}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(cores + "\n")
    monkeypatch.setattr(cpu_threads, "_usable_processors", lambda: set(siblings))
    assert sensible_threads(tmp_path) == threads


def test_without_topology_processors_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert sensible_threads(tmp_path) == 3


def test_this_machine() -> None:
    assert 1 <= sensible_threads() <= 4


@pytest.mark.parametrize(
    ("most", "counts"), [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (4, (1, 2, 4)), (6, (1, 2, 4, 6))]
)
def test_numbers_to_choose_from(most: int, counts: tuple[int, ...]) -> None:
    assert thread_counts(most) == counts
