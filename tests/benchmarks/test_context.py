"""The benchmark of pieces of other files: visits, what is counted at one, the figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.context import HOLE, PACKAGES, STEPS, Bench, Tally, Visit, copied, figures_of, visits_in
from daemon.documents import Document
from tests.fakes.engine import FakeEngine

HELPER = "def parse_header(read_body):\n    return read_body\n"
TEXT = "from helper import parse_header\n\n"
TRUTH = "parse_header(read_body)\n" * 8


def visit(folder: Path) -> Visit:
    (folder / "helper.py").write_text(HELPER, encoding="utf-8")
    document = Document((folder / "open.py").as_uri(), "python", 1, f"{TEXT}parse_header(read_body)\n")
    return Visit("a", document, len(document.text), TRUTH, ())


def test_every_visit_is_measured_under_every_context(tmp_path: Path) -> None:
    """An engine that knows the file only where it sees the helper."""

    def says(prefix: bytes) -> bytes:
        return b"p" if b"# file: helper.py" in prefix else b""

    bench = Bench(FakeEngine(says, n_context=2048), window=512, budget=128, added=False)
    bench.measure([visit(tmp_path)])
    [(_, none)], [(_, imports)] = bench.tallies["none"], bench.tallies["imports"]
    assert none.heading_tokens == 0 == none.right
    assert imports.heading_tokens > len(HELPER)
    assert imports.right > 0
    assert none.positions == imports.positions == 4 * STEPS
    assert bench.tallies["open"][0][1] == imports


@pytest.mark.parametrize("cold", [False, True])
def test_visits_are_the_same_each_time_and_what_is_to_be_written_stands_nowhere(
    tmp_path: Path, *, cold: bool
) -> None:
    packages = copied(tmp_path, ["c"])
    found = list(visits_in(packages, 3, 1, cold=cold))
    assert found == list(visits_in(packages, 3, 1, cold=cold))
    for one in found:
        assert one.corpus == "c"
        assert len(one.truth) >= HOLE
        assert one.truth not in one.document.text
        assert (one.offset == len(one.document.text)) is cold
        assert len(one.opened) == 2
        assert one.place.offset == one.offset


def test_packages_are_copied_into_workspaces_of_their_own(tmp_path: Path) -> None:
    assert set(copied(tmp_path, PACKAGES)) == set(PACKAGES)
    assert (tmp_path / "stdlib" / "asyncio" / ".draftwire").is_dir()
    assert (tmp_path / "stdlib" / "asyncio" / "asyncio" / "events.py").is_file()


def test_figures() -> None:
    tallies = {
        "none": [("a", Tally(24, 12, 10, 0)), ("b", Tally(24, 6, 4, 0))],
        "imports": [("a", Tally(24, 18, 30, 100)), ("b", Tally(24, 6, 4, 50))],
        "open": [("a", Tally(24, 12, 10, 100)), ("b", Tally(24, 6, 4, 50))],
    }
    figures = figures_of(tallies, 1)
    assert (figures["right_none"], figures["right_imports"]) == (0.375, 0.5)
    assert (figures["saved_none"], figures["saved_imports"]) == (7.0, 17.0)
    assert (figures["heading_tokens_imports"], figures["heading_tokens_imports_b"]) == (75.0, 50.0)
    assert (figures["gain_imports"], figures["gain_imports_a"], figures["gain_open"]) == (0.125, 0.25, 0.0)
    assert figures["gain_imports_low"] <= 0.125 <= figures["gain_imports_high"]
