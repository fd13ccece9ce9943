"""The list of trusted folders, and who is in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.grammars.trust import FILE_NAME, TrustNotKept, distrust, is_trusted, trust, trusted_folders


def test_folders_are_added_once_and_taken_off(tmp_path: Path) -> None:
    file = tmp_path / "settings" / FILE_NAME
    work, other = tmp_path / "work 工作", tmp_path / "other"
    (work / "inner").mkdir(parents=True)
    other.mkdir()
    assert trusted_folders(file) == ()
    assert trust(work, file)
    assert not trust(work, file)
    assert not trust(work / "inner", file)
    assert trust(other, file)
    assert trusted_folders(file) == (work, other)
    assert distrust(work, file)
    assert not distrust(work, file)
    assert trusted_folders(file) == (other,)
    assert file.read_text(encoding="utf-8").startswith("# Folders")
    assert [path.name for path in file.parent.iterdir()] == [FILE_NAME]


def test_a_name_that_is_no_unicode_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "b\udcff"
    folder.mkdir()
    trust(folder, tmp_path / FILE_NAME)
    assert is_trusted(folder, trusted_folders(tmp_path / FILE_NAME))


def test_links_are_followed_on_both_sides(tmp_path: Path) -> None:
    real, elsewhere = tmp_path / "real", tmp_path / "elsewhere"
    real.mkdir()
    elsewhere.mkdir()
    (tmp_path / "link").symlink_to(real)
    (real / "way out").symlink_to(elsewhere)
    assert is_trusted(tmp_path / "link" / "project", [real])
    assert is_trusted(real, [tmp_path / "link"])
    assert not is_trusted(real / "way out", [real])
    assert not is_trusted(tmp_path / "real2", [real])
    assert not is_trusted(real, [Path("relative")])
    assert not is_trusted(real, [])


def test_what_can_not_be_listed_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(TrustNotKept, match=r"is no folder; name the folder that has \.draftwire/grammars/"):
        trust(tmp_path / "absent", tmp_path / FILE_NAME)
    odd = tmp_path / "a\nb"
    odd.mkdir()
    with pytest.raises(TrustNotKept, match=r"grammars\.trusted"):
        trust(odd, tmp_path / FILE_NAME)
    (tmp_path / "file").touch()
    with pytest.raises(TrustNotKept, match=r"can't be written .*grammars\.trusted"):
        trust(tmp_path, tmp_path / "file" / FILE_NAME)
