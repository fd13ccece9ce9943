"""The command: which editors, and what it says when one does not come to what the play wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.recordings import __main__ as command


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the recordings go."""
    monkeypatch.setattr(command, "FOLDER", tmp_path / "recordings")
    return tmp_path / "recordings"


def written(folder: Path) -> list[Path]:
    (folder / "film.gif").write_bytes(bytes(4321))
    return [folder / "film.gif"]


def failing(_: Path) -> list[Path]:
    raise AssertionError("waited in vain for a draft")


def test_what_was_written_is_named_with_its_size(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "RECORDERS", {"vscode": failing, "neovim": written})
    monkeypatch.setattr("sys.argv", ["recordings", "neovim"])
    command.main()
    assert capsys.readouterr().out == "film.gif: 4 kB\n"


def test_an_editor_that_is_none_is_refused_with_those_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["recordings", "emacs"])
    with pytest.raises(SystemExit):
        command.main()
    assert "no editor: emacs; there are vscode and neovim" in capsys.readouterr().err


def test_a_recording_that_failed_says_what_was_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "RECORDERS", {"vscode": failing})
    monkeypatch.setattr("sys.argv", ["recordings"])
    with pytest.raises(SystemExit, match="vscode: waited in vain for a draft"):
        command.main()
