"""Where the daemon is found, and that nobody else can be there."""

import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from daemon.api.errors import RuntimePathError
from daemon.api.paths import (
    MAX_SOCKET_PATH_BYTES,
    RUNTIME_DIR_VARIABLE,
    SESSION_DIR_VARIABLE,
    TRANSPORT_VARIABLE,
    Endpoint,
    read_endpoint,
    runtime_paths,
    write_endpoint,
)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RUNTIME_DIR_VARIABLE, raising=False)
    monkeypatch.delenv(TRANSPORT_VARIABLE, raising=False)


def test_the_environment_names_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And what a parent passes on makes a child find the same."""
    given = runtime_paths(tmp_path / "a", transport="tcp")
    for name, value in given.environment().items():
        monkeypatch.setenv(name, value)
    assert runtime_paths() == given


def test_the_users_own_directory_is_the_default() -> None:
    """That of the platform."""
    assert "draftwire" in str(runtime_paths().directory)
    assert runtime_paths().transport == ("tcp" if sys.platform == "win32" else "unix")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory, on a machine without login sessions."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    if Path(f"/run/user/{os.getuid()}").exists():
        pytest.skip("there is a login session")
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the platform has a place of its own")
@pytest.mark.parametrize("what", ["missing", "impossible", "relative", "a file", "a link", "open", "empty"])
def test_a_session_directory_that_does_not_serve_is_passed_over(
    temporary: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not made: the first command and all after it find the same place."""
    session = temporary / "session"
    named = {"impossible": "/proc/none", "relative": "run", "empty": ""}.get(what, str(session))
    if what == "a file":
        session.write_text("")
    elif what == "a link":
        (temporary / "real").mkdir(mode=0o700)
        session.symlink_to(temporary / "real")
    elif what == "open":
        session.mkdir()
        session.chmod(0o755)
    monkeypatch.setenv(SESSION_DIR_VARIABLE, named)
    before = runtime_paths()
    before.prepare()
    assert before.directory == temporary / f"runtime-{os.getuid()}" / "draftwire"
    assert runtime_paths() == before
    assert session.exists() == (what in {"a file", "a link", "open"})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such variable")
def test_the_session_directory_is_used_if_it_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "session"
    session.mkdir(mode=0o700)
    monkeypatch.setenv(SESSION_DIR_VARIABLE, str(session))
    assert runtime_paths().directory == session / "draftwire"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the platform has a place of its own")
def test_a_replacement_that_somebody_else_made_is_refused(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name can be guessed (ux-41)."""
    monkeypatch.delenv(SESSION_DIR_VARIABLE, raising=False)
    (temporary / "elsewhere").mkdir(mode=0o700)
    (temporary / f"runtime-{os.getuid()}").symlink_to(temporary / "elsewhere")
    with pytest.raises(RuntimePathError, match=f"not a directory of yours; set {RUNTIME_DIR_VARIABLE}"):
        runtime_paths()


def test_an_unknown_transport_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it may be."""
    monkeypatch.setenv(TRANSPORT_VARIABLE, "pigeon")
    with pytest.raises(RuntimePathError, match='"pigeon"; it must be "unix" or "tcp"'):
        runtime_paths()


def test_a_long_directory_gets_a_short_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket's path is limited to about 104 bytes; two directories never share a socket."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/tmp")
    first, second = (runtime_paths(tmp_path / (name * 60) / name) for name in "ab")
    assert len(os.fsencode(first.socket)) <= MAX_SOCKET_PATH_BYTES
    assert first.socket != second.socket
    assert first.lock.parent == first.directory


def test_no_place_short_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to set."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/" + "t" * 120)
    with pytest.raises(RuntimePathError, match=f"set {RUNTIME_DIR_VARIABLE}"):
        runtime_paths(tmp_path / ("x" * 120))


def test_prepare_makes_private_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0700, both of them; again does nothing (ux-41)."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    paths = runtime_paths(tmp_path / ("x" * 120))
    if len(os.fsencode(paths.socket)) > MAX_SOCKET_PATH_BYTES:
        pytest.skip("the test's own directory is too long")
    paths.prepare()
    paths.prepare()
    for directory in (paths.directory, paths.socket.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("what", ["open", "file", "link", "parent missing rights"])
def test_unsafe_directories_are_refused(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with what to do."""
    directory = tmp_path / "run"
    if what == "open":
        directory.mkdir(mode=0o755)
        directory.chmod(0o755)
        expected = "chmod 700"
    elif what == "file":
        directory.write_text("")
        expected = "can't make"
    elif what == "link":
        (tmp_path / "real").mkdir(mode=0o700)
        directory.symlink_to(tmp_path / "real")
        expected = "not a directory"
    else:
        directory.mkdir(mode=0o700)
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        expected = "belongs to somebody else"
    with pytest.raises(RuntimePathError, match=expected):
        runtime_paths(directory).prepare()


def test_the_endpoint_is_for_the_user_alone(tmp_path: Path) -> None:
    """It holds the token (ux-41)."""
    paths = runtime_paths(tmp_path / "run")
    paths.prepare()
    with pytest.raises(FileNotFoundError):
        read_endpoint(paths)
    write_endpoint(paths, Endpoint(1234, "secret"))
    assert read_endpoint(paths) == Endpoint(1234, "secret")
    assert stat.S_IMODE(paths.token.stat().st_mode) == 0o600
    assert list(paths.directory.iterdir()) == [paths.token]
    paths.token.write_text("{")
    with pytest.raises(RuntimePathError, match="delete it"):
        read_endpoint(paths)
