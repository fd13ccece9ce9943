"""A DSL's files and grammar together: real files if there are enough, and states only where the grammar follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.dsl import grammars as dsl_grammars
from benchmarks.dsl.grammars import FILES, LEAST_CHARACTERS, language_of, states_of
from benchmarks.dsl.places import CursorPlace, SourceFile
from grammars.interface import Mode
from tests.fakes.engine import byte_vocabulary

SCHEMA = "type Order {\n  id: ID!\n  total: Float\n}\n\n"


def real_schemas(count: int, language: str) -> list[tuple[str, str]]:
    text = SCHEMA * (1 + LEAST_CHARACTERS // len(SCHEMA))
    return [(f"shop/{number:02}.graphql", text) for number in range(count)]


def test_without_real_files_there_are_generated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dsl_grammars, "real_files", lambda language, roots: real_schemas(FILES - 1, language))
    language = language_of("graphql", 1)
    assert (language.origin, len(language.files)) == ("generated", FILES)
    assert language == language_of("graphql", 1)
    assert language.files[1] == replace(language_of("graphql", 2).files[0], path=language.files[1].path)


def test_enough_real_files_are_used_and_all_of_them_are_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dsl_grammars, "real_files", lambda language, roots: real_schemas(3 * FILES, language))
    language = language_of("graphql", 1)
    assert (language.origin, len(language.files), len(language.project)) == ("real", FILES, 3 * FILES)
    assert [file.name for file in language.files[:3]] == ["00.graphql", "03.graphql", "06.graphql"]


def test_more_folders_with_real_files_can_be_named(tmp_path: Path) -> None:
    for name, text in real_schemas(FILES, "graphql"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n{text}")
    language = language_of("graphql", 1, [tmp_path])
    assert language.origin == "real"
    assert {file.path for file in language.project} >= {
        f"shop/{number:02}.graphql" for number in range(FILES)
    }


def test_a_language_whose_real_files_have_no_name_has_generated_ones() -> None:
    language = language_of("fsm_zh", 1)
    assert language.origin == "generated"
    assert language.files[0].name.endswith(".fsm")
    assert language.line_comment


def test_an_unknown_language_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'cobol'.*graphql"):
        language_of("cobol", 1)


def test_the_state_at_a_place_is_masked() -> None:
    states = states_of(language_of("graphql", 1), byte_vocabulary())
    state = states(CursorPlace(SourceFile("a.graphql", SCHEMA), len("type Order {\n  id: ID!")))
    assert state.mode == Mode("masked")
    assert state.first_legal(list(b"?\n")) == 1


def test_a_file_that_the_grammar_does_not_allow_is_no_measurement() -> None:
    states = states_of(language_of("graphql", 1), byte_vocabulary())
    with pytest.raises(ValueError, match=r"a\.graphql, line 2"):
        states(CursorPlace(SourceFile("a.graphql", "type A {\n  = }"), 14))
