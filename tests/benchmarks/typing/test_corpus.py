"""The files to type: real, laid out with neighbours, and as they stand when they are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.typing.corpus import CORPUS, MAX_NEIGHBOURS, NothingToType, Source, installed, lay_out, named


def test_the_corpus_is_of_several_languages_and_in_the_same_order_each_time() -> None:
    sources = installed()
    assert {source.language for source in sources} >= {"python", "javascript", "proto", "c", "json"}
    assert [source.name for source in sources] == [source.name for source in installed()]
    assert len(sources) <= len(CORPUS)
    assert all("\r" not in source.text for source in sources)


def test_an_empty_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda scheme: str(tmp_path))
    with pytest.raises(NothingToType, match="--files"):
        installed()


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "not UTF-8"])
def test_a_file_that_can_not_be_typed_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.py"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NothingToType, match=r"a\.py can't be typed"):
        named([path])


def test_line_ends_become_lf(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a\r\nb\n")
    assert named([path]) == [Source(path, "a\nb\n")]


def test_a_file_is_laid_out_as_opened_with_the_neighbours_that_come_next(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    names = [f"{letter}.py" for letter in "abcdefghijkl"]
    for name in [*names, "a.txt"]:
        (package / name).write_text(f"the real {name}")
    source = named([package / "k.py"])[0]
    target = lay_out(source, "as opened", tmp_path / "projects")
    assert target == tmp_path / "projects" / "package" / "k.py"
    assert target.read_text() == "as opened"
    beside = sorted(path.name for path in target.parent.iterdir() if path != target)
    assert beside == ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py", "g.py", "l.py"]
    assert len(beside) == MAX_NEIGHBOURS


def test_large_neighbours_are_left_out(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("a")
    (package / "large.py").write_text("x" * 200_000)
    target = lay_out(named([package / "a.py"])[0], "a", tmp_path / "projects")
    assert [path.name for path in target.parent.iterdir()] == ["a.py"]
