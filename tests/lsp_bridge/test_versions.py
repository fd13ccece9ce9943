"""Bridge and daemon of different versions: which of the two is to be restarted."""

from __future__ import annotations

from importlib import metadata

import pytest

from daemon.version import VERSION
from lsp_bridge import versions
from lsp_bridge.versions import installed_version, other_version


def test_alike_or_not_said_is_nothing_to_tell() -> None:
    assert other_version("1.0", "1.0") == ""
    assert other_version("1.0", "") == ""


@pytest.mark.parametrize(
    ("installed", "advice"),
    [
        ("2.0", "run `draftwire daemon stop`; the daemon is started again when you type on"),
        ("1.0", "restart the editor"),
        ("", "run `draftwire daemon stop`; the daemon is started again when you type on"),
    ],
)
def test_the_one_that_is_not_installed_any_more_is_restarted(
    monkeypatch: pytest.MonkeyPatch, installed: str, advice: str
) -> None:
    monkeypatch.setattr(versions, "installed_version", lambda: installed)
    assert other_version("2.0", "1.0") == f"the daemon is version 1.0, this editor's bridge 2.0: {advice}"


def test_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed_version() == VERSION

    def nothing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", nothing)
    assert installed_version() == ""
