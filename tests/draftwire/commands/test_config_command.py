"""`draftwire config`: what it writes is what it reads, and it overwrites nothing unasked."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from daemon.settings.annotated_config import annotated_default, settings_digest
from daemon.settings.config import CONFIG_VARIABLE, TOKEN_VARIABLE, Config, parse_config
from draftwire.cli import app
from draftwire.failures import Exit
from draftwire.running_daemon import CHANGED
from tests.draftwire.conftest import RunDaemon
from tests.fakes.daemon import READY

runner = CliRunner()


def test_init_writes_the_annotated_file_where_it_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """ux-51."""
    path = tmp_path / "new" / "folder" / "c.toml"
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    result = runner.invoke(app, ["config", "init"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == annotated_default()
    assert runner.invoke(app, ["config", "check"]).exit_code == 0


def test_init_replaces_a_file_only_when_forced(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("# mine")
    result = runner.invoke(app, ["config", "init", str(path)])
    assert result.exit_code == Exit.CANT_CREATE
    assert "--force replaces it" in result.stderr
    assert path.read_text() == "# mine"
    assert runner.invoke(app, ["config", "init", "--force", str(path)]).exit_code == 0
    assert path.read_text(encoding="utf-8") == annotated_default()


def test_init_names_what_stops_it_from_writing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = runner.invoke(app, ["config", "init", str(tmp_path / "file" / "c.toml")])
    assert result.exit_code == Exit.CANT_CREATE
    assert "can't be written: File exists" in result.stderr


def test_show_prints_a_file_that_gives_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('[draft]\nthreads = 2\n[languages."c++"]\ntrigger = "manual"\n')
    result = runner.invoke(app, ["config", "show", str(path)])
    assert result.exit_code == 0
    config = parse_config(result.stdout, path)
    assert config.draft.threads == 2
    assert config.languages["c++"].trigger == "manual"
    assert parse_config(runner.invoke(app, ["config", "show"]).stdout, path) == Config()


def test_show_as_json(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[completion]\nmax_lines = 3\n[languages.go]\nenabled = false\n")
    values = json.loads(runner.invoke(app, ["config", "show", "--json", str(path)]).stdout)
    assert values["completion"]["max_lines"] == 3
    assert values["languages"] == {"go": {"enabled": False}}
    assert values["verifier"]["url"] == ""


def test_check_of_a_good_file(tmp_path: Path) -> None:
    result = runner.invoke(app, ["config", "check"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{tmp_path / 'config.toml'}: ok\n"


def test_check_names_all_that_is_wrong(tmp_path: Path) -> None:
    """ux-51."""
    path = tmp_path / "c.toml"
    path.write_text("[draft]\nthread = 2\nmodel = 3\n")
    result = runner.invoke(app, ["config", "check", str(path)])
    assert result.exit_code == Exit.CONFIG
    assert f"{path}:2:" in result.stderr
    assert f"{path}:3:" in result.stderr


def test_check_warns_of_a_token_file_that_others_can_read(tmp_path: Path) -> None:
    token, path = tmp_path / "token", tmp_path / "c.toml"
    token.write_text("s3cret")
    token.chmod(0o644)
    path.write_text('[verifier]\ntoken_file = "token"\n')
    result = runner.invoke(app, ["config", "check", str(path)])
    assert result.exit_code == 0
    assert f"warning: {token} can be read by others; run: chmod 600 {token}" in result.stderr
    assert result.stderr.endswith(f"{path}: ok, 1 warning\n")
    assert "s3cret" not in result.output


def test_check_warns_of_a_model_that_is_not_there_and_of_a_token_in_the_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "c.toml"
    path.write_text('[draft]\nmodel = "gone.gguf"\n[verifier]\nurl = "ws://gpu"\n')
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    result = runner.invoke(app, ["config", "check", str(path)])
    model, token, last = result.stderr.splitlines()
    assert result.exit_code == 0
    assert model.startswith(f"warning: {path}:2: draft.model: there is no file")
    assert token.startswith("warning: the token and your code go to gpu unencrypted")
    assert last == f"{path}: ok, 2 warnings"


def test_check_says_that_the_daemon_has_older_settings(run_daemon: RunDaemon, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    status = replace(READY, config_file=str(path), settings_digest="others")
    with run_daemon(status=status):
        result = runner.invoke(app, ["config", "check"])
        other = runner.invoke(app, ["config", "check", str(tmp_path / "other.toml")])
    assert result.exit_code == 0
    assert result.stderr == f"{path}: ok\n{CHANGED}\n"
    assert CHANGED not in other.stderr


def test_a_file_with_the_defaults_alone_is_no_change_for_the_daemon(
    run_daemon: RunDaemon, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.unlink()
    digest = settings_digest(Config())
    with run_daemon(status=replace(READY, config_file=str(path), settings_digest=digest)):
        assert runner.invoke(app, ["config", "init", str(path)]).exit_code == 0
        assert runner.invoke(app, ["config", "check"]).stderr == f"{path}: ok\n"
        assert CHANGED not in runner.invoke(app, ["daemon", "status"]).stdout


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """ux-40."""
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    assert "s3cret" not in runner.invoke(app, ["config", "show", "--json"]).output


def test_path_follows_the_environment() -> None:
    assert runner.invoke(app, ["config", "path"]).stdout.strip() == os.environ[CONFIG_VARIABLE]


def test_the_default_place_without_a_file_means_the_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(CONFIG_VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    result = runner.invoke(app, ["config", "check"])
    assert result.exit_code == 0
    assert "not there; the defaults are in force" in result.stderr
