"""The verifier's token: where it comes from, what is said about it, and that it is never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.settings.config import Config, ConfigError, VerifierConfig, parse_config
from daemon.settings.config_sections import TOKEN_VARIABLE
from daemon.settings.config_token import verifier_token


@pytest.fixture(autouse=True)
def _no_token_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


def config_with(token_file: Path, url: str = "wss://gpu") -> Config:
    return Config(verifier=VerifierConfig(url=url, token_file=str(token_file)))


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text("  s3cret \nsecond line\n")
    path.chmod(0o600)
    return path


def test_no_token_configured_is_an_empty_token() -> None:
    token = verifier_token(Config(verifier=VerifierConfig(url="ws://gpu")))
    assert (token.value, token.warnings) == ("", ())


def test_the_token_comes_from_the_first_line_of_its_file(token_file: Path) -> None:
    token = verifier_token(config_with(token_file))
    assert (token.value, token.warnings) == ("s3cret", ())
    assert "s3cret" not in repr(token)


def test_a_token_file_that_others_can_read_warns_with_the_command(token_file: Path) -> None:
    token_file.chmod(0o640)
    [warning] = verifier_token(config_with(token_file)).warnings
    assert f"chmod 600 {token_file}" in warning


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("ws://gpu.example.com:8765", True),
        ("ws://192.0.2.1", True),
        ("wss://gpu.example.com", False),
        ("ws://127.3.2.1:1", False),
        ("ws://[::1]:1", False),
        ("ws://localhost", False),
        ("", False),
    ],
)
def test_a_token_that_travels_in_the_open_is_warned_of(
    token_file: Path, monkeypatch: pytest.MonkeyPatch, url: str, warned: bool
) -> None:
    for _ in range(2):  # from the file, then from the environment
        warnings = verifier_token(config_with(token_file, url)).warnings
        assert ["unencrypted (ws://)" in warning for warning in warnings] == [True] * warned
        monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")


def test_the_environment_goes_before_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, " from-env ")
    assert verifier_token(config_with(tmp_path / "gone")).value == "from-env"


@pytest.mark.parametrize("content", [b"", b"\nlate", b"two words", "smörgås".encode(), b"a\x01b", b"\xff"])
def test_a_file_without_a_token_is_an_error_that_does_not_quote_it(token_file: Path, content: bytes) -> None:
    token_file.write_bytes(content)
    with pytest.raises(ConfigError, match="its first line is not a token") as caught:
        verifier_token(config_with(token_file))
    words = content.decode("utf-8", "replace").strip()
    assert not words or words not in str(caught.value)


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir], ids=["missing", "a folder"])
def test_a_file_that_cannot_be_read_names_setting_line_and_remedy(tmp_path: Path, make: object) -> None:
    make(tmp_path / "token")  # type: ignore[operator]
    file = tmp_path / "c.toml"
    config = parse_config('\n[verifier]\ntoken_file = "token"\n', file)
    with pytest.raises(ConfigError) as caught:
        verifier_token(config)
    assert str(caught.value).startswith(f"{file}:3: verifier.token_file names {tmp_path / 'token'}, which")
    assert str(caught.value).endswith("write the verifier's token into that file")
    assert caught.value.key == "verifier.token_file"
