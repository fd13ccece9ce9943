"""The whole measurement on fakes: every figure that is promised, the same for the same seed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest

from benchmarks import dsl_acceptance
from benchmarks.dsl import bench as dsl_bench
from benchmarks.dsl.bench import MAIN_DRAFT, POOR_DRAFT, Bench
from benchmarks.dsl.grammars import Language
from benchmarks.dsl.places import CursorPlace, SourceFile
from benchmarks.dsl.targets import StrictTarget
from daemon.draft.engine import Vocabulary
from grammars.compiled import CompiledGrammar
from grammars.interface import CursorState
from tests.fakes.allowing import Allowing
from tests.fakes.engine import FakeEngine, byte_vocabulary, following
from tests.fakes.target import FakeTarget

TEXT = "table one;\ntable two;\n" * 40
FILES = tuple(SourceFile(f"{name}.x", f"# {name}\n{TEXT}") for name in "ab")
COMPILED = CompiledGrammar("x", "lark", "", 1, line_comments=("#",))


class Approving(StrictTarget):
    """Accepts the first token of every draft."""

    def __init__(self) -> None:
        pass

    def accepted(self, context: object, draft: object, state: object) -> int:
        assert isinstance(draft, list)
        return min(1, len(draft))


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two engines that know the files by heart, one of them unsure; a target; everything is legal."""

    def states_of(language: Language, vocabulary: Vocabulary) -> Callable[[CursorPlace], CursorState]:
        return lambda cursor: Allowing(vocabulary.n_vocab, range(256))

    def bench(stack: object, threads: int) -> Bench:
        knowing = following(*(file.text for file in FILES))
        engines = {
            MAIN_DRAFT: FakeEngine(knowing),
            POOR_DRAFT: FakeEngine(lambda prefix: b"?", confidence=0.1),
        }
        return Bench(
            engines, FakeTarget(byte_vocabulary().n_vocab, max_context=4096, chunk_tokens=4096), Approving()
        )

    def language_of(name: str, seed: int, folders: object) -> Language:
        return Language(name, COMPILED, FILES, FILES, "generated")

    monkeypatch.setattr(dsl_bench, "states_of", states_of)
    monkeypatch.setattr(dsl_acceptance, "_bench", bench)
    monkeypatch.setattr(dsl_acceptance, "language_of", language_of)


def test_every_figure_is_there_and_the_same_again() -> None:
    report = dsl_acceptance.measure(["x"], 12, seed=1, threads=1)
    figures = report["figures"]
    assert isinstance(figures, dict)
    for setting in ("cold", "warm"):
        for variant in ("plain", "masked", "best"):
            for ending in ("", "_shallow28", "_truth"):
                assert 0.0 <= figures[f"{variant}_x_{setting}{ending}"] <= 1.0
        assert figures[f"legal_plain_x_{setting}"] == figures[f"legal_masked_x_{setting}"] == 1.0
    assert dsl_acceptance.measure(["x"], 12, seed=1, threads=1)["figures"] == figures


def test_a_draft_that_knows_the_file_is_accepted_by_it() -> None:
    report = dsl_acceptance.measure(["x"], 12, seed=1, threads=1)
    rows = report["rows"]
    assert isinstance(rows, dict)
    cold = rows["x cold"]
    assert cold["bundled plain truth"]["acceptance"] == 1.0
    assert cold["shallow28 plain truth"]["acceptance"] == 0.0
    assert cold["bundled plain truth"]["rounds"] == 12
    assert cold["suggestion plain draft"]["suggestions"] == 3
    assert "bundled masked strict" in cold
    assert {key.split()[1] for key in cold if key.endswith("target")} == {
        "plain", "masked", "exemplar", "exemplar_masked", "best",
    }  # fmt: skip


def test_one_json_object_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dsl_acceptance", "--json", "--quick", "--dsl", "x", "--threads", "1"])
    dsl_acceptance.main()
    out, err = capsys.readouterr()
    assert set(json.loads(out)) == {"figures", "rows", "files", "places", "seed", "machine"}
    assert "x cold" in err
