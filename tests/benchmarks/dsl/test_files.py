"""Files of DSLs: the same for the same arguments, words shared in a project, real files found where they lie."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.dsl.files import GENERATORS, MAX_BYTES, generated, places, real_files


@pytest.mark.parametrize("language", GENERATORS)
def test_a_generated_file_is_as_large_as_asked_and_always_the_same(language: str) -> None:
    text = generated(language, 50_000, 7)
    assert 50_000 <= len(text.encode()) < 60_000
    assert text == generated(language, 50_000, 7)
    assert text.startswith(generated(language, 5_000, 7))


@pytest.mark.parametrize("language", GENERATORS)
def test_a_generated_file_holds_chinese_and_emoji(language: str) -> None:
    text = generated(language, 50_000, 1)
    assert re.search(r"[\u4e00-\u9fff]", text)
    assert re.search(r"[\u2600-\u27bf\U0001f300-\U0001faff]", text)


@pytest.mark.parametrize("language", GENERATORS)
def test_files_of_one_project_share_some_of_their_words(language: str) -> None:
    words = [set(re.findall(r"[^\W\d]\w{3,}", generated(language, 20_000, seed))) for seed in (1, 2)]
    shared = len(words[0] & words[1]) / len(words[0] | words[1])
    assert 0.2 < shared < 0.95
    assert generated(language, 2_000, 1) != generated(language, 2_000, 2)


@pytest.mark.parametrize("language", GENERATORS)
def test_there_is_at_least_one_statement(language: str) -> None:
    assert len(generated(language, 0, 3).splitlines()) > 2


def test_protocol_buffers_files_come_with_a_package_of_ours() -> None:
    files = dict(real_files("proto3"))
    assert "google/api/http.proto" in files
    assert sum(len(text.encode()) for text in files.values()) > 300_000


def test_real_files_are_found_once_each_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b" / "schemas").mkdir(parents=True)
    (tmp_path / "b" / "schemas" / "two.graphql").write_text("type B")
    (tmp_path / "b" / "copy.gql").write_text("type A")
    (tmp_path / "a.graphql").write_text("type A")
    (tmp_path / "a.txt").write_text("type C")
    (tmp_path / "data.graphql").write_text("#" * (MAX_BYTES + 1))
    (tmp_path / "folder.graphql").mkdir()
    assert real_files("graphql", [tmp_path]) == [("a.graphql", "type A"), ("b/schemas/two.graphql", "type B")]


def test_the_packages_of_python_are_among_the_places() -> None:
    assert (places()[0] / "lark").is_dir()


def test_a_language_without_files_is_named() -> None:
    with pytest.raises(KeyError, match="cobol"):
        real_files("cobol")
    with pytest.raises(KeyError, match="cobol"):
        generated("cobol", 100, 1)
