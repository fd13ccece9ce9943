"""Where the daemon of this user is found: socket, lock, token and log, in one private directory.

Knows files and their permissions, not what is sent over them. The only place of the local API that reads the
environment (`DRAFTWIRE_RUNTIME_DIR`, `XDG_RUNTIME_DIR`, `DRAFTWIRE_TRANSPORT`).
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs

from daemon.api.errors import RuntimePathError

RUNTIME_DIR_VARIABLE = "DRAFTWIRE_RUNTIME_DIR"
SESSION_DIR_VARIABLE = "XDG_RUNTIME_DIR"
TRANSPORT_VARIABLE = "DRAFTWIRE_TRANSPORT"
MAX_SOCKET_PATH_BYTES = 103
"""macOS holds 104 bytes with the closing zero, Linux 108."""

Transport = Literal["unix", "tcp"]


@dataclass(frozen=True, slots=True)
class RuntimePaths:
    """The files of one daemon."""

    directory: Path
    socket: Path
    """The Unix socket; elsewhere than in `directory` if that path is too long for a socket."""
    lock: Path
    """Held with an exclusive lock by the daemon as long as it lives."""
    token: Path
    """Loopback TCP only: the endpoint of this run (`Endpoint`), readable by the user alone."""
    log: Path
    transport: Transport

    def environment(self) -> dict[str, str]:
        """The variables that make another process find the same daemon."""
        return {RUNTIME_DIR_VARIABLE: str(self.directory), TRANSPORT_VARIABLE: self.transport}

    def prepare(self) -> None:
        """Make the directories, 0700; raise RuntimePathError if one exists and others could get at it."""
        for directory in {self.directory, self.socket.parent}:
            _make_private(directory)

    def process(self) -> int | None:
        """The id of the process that holds the lock, or held it last; None if that can't be read."""
        try:
            return int(self.lock.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


class Endpoint(msgspec.Struct, frozen=True):
    """Where a daemon on loopback TCP listens, and the token that it wants in Hello."""

    port: int
    token: str


def runtime_paths(directory: Path | None = None, *, transport: Transport | None = None) -> RuntimePaths:
    """The files of the daemon in `directory` (default: the environment's, else the user's runtime
    directory)."""
    if directory is None:
        named = os.environ.get(RUNTIME_DIR_VARIABLE)
        directory = Path(named) if named else _users_runtime_dir()
    directory = directory.expanduser().absolute()
    return RuntimePaths(
        directory=directory,
        socket=_socket_path(directory),
        lock=directory / "daemon.lock",
        token=directory / "daemon.token",
        log=directory / "daemon.log",
        transport=transport or _default_transport(),
    )


def write_endpoint(paths: RuntimePaths, endpoint: Endpoint) -> None:
    """Publish where this run listens, in one step, 0600."""
    temporary = paths.token.with_name(f"{paths.token.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(endpoint))
    temporary.replace(paths.token)


def read_endpoint(paths: RuntimePaths) -> Endpoint:
    """Where the daemon listens. Raises FileNotFoundError if none ever did, RuntimePathError if it can't be
    read."""
    try:
        return msgspec.json.decode(paths.token.read_bytes(), type=Endpoint)
    except FileNotFoundError:
        raise
    except (OSError, msgspec.DecodeError) as error:
        raise RuntimePathError(
            f"{paths.token} can't be read ({error}); delete it and start the daemon again"
        ) from error


def _users_runtime_dir() -> Path:
    """The login session's if there is one, else a private directory under the temporary one (containers, su).

    Whatever `$XDG_RUNTIME_DIR` names, only the session makes it: a name that does not serve is passed over, or the
    daemon would be at one place for who comes first and at another for who comes then.
    """
    if sys.platform == "win32":
        return Path(platformdirs.user_runtime_dir("draftwire", appauthor=False))
    user = os.getuid()
    for base in (os.environ.get(SESSION_DIR_VARIABLE, ""), f"/run/user/{user}"):
        if base and _is_session_dir(Path(base)):
            return Path(base, "draftwire")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/TemporaryItems/draftwire")
    replacement = Path(tempfile.gettempdir(), f"runtime-{user}")
    if os.path.lexists(replacement):  # a name that anybody could have taken before
        found = replacement.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user:
            raise RuntimePathError(
                f"{replacement} is not a directory of yours; set {RUNTIME_DIR_VARIABLE} to one of your own"
            )
    return replacement / "draftwire"


def _is_session_dir(base: Path) -> bool:
    """Whether it is there, the user's, and 0700, as the XDG base directory specification wants it."""
    try:
        found = base.lstat()
    except OSError:
        return False
    is_private = found.st_uid == os.getuid() and found.st_mode & 0o777 == 0o700
    return base.is_absolute() and stat.S_ISDIR(found.st_mode) and is_private


def _default_transport() -> Transport:
    named = os.environ.get(TRANSPORT_VARIABLE)
    if not named:
        return "tcp" if sys.platform == "win32" else "unix"
    if named not in ("unix", "tcp"):
        raise RuntimePathError(f'{TRANSPORT_VARIABLE} is "{named}"; it must be "unix" or "tcp"')
    return "tcp" if named == "tcp" else "unix"


def _socket_path(directory: Path) -> Path:
    """`daemon.sock` in the directory or, if that is too long for a socket, in a short one named by a hash."""
    path = directory / "daemon.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    name = hashlib.blake2b(os.fsencode(directory), digest_size=8).hexdigest()
    short = Path(tempfile.gettempdir()).absolute() / f"draftwire-{name}" / "s"
    if len(os.fsencode(short)) > MAX_SOCKET_PATH_BYTES:
        raise RuntimePathError(
            f"{directory} and {short.parent} are too long for a socket; "
            f"set {RUNTIME_DIR_VARIABLE} to a short path"
        )
    return short


def _make_private(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        raise RuntimePathError(
            f"can't make the runtime directory {directory} ({error}); "
            f"set {RUNTIME_DIR_VARIABLE} to one of your own"
        ) from error
    if sys.platform == "win32":  # the profile's ACL keeps others out
        return
    if not stat.S_ISDIR(found.st_mode):
        raise RuntimePathError(f"{directory} is not a directory; remove it or set {RUNTIME_DIR_VARIABLE}")
    if found.st_uid != os.getuid() or directory.parent.lstat().st_uid not in (os.getuid(), 0):
        raise RuntimePathError(
            f"{directory} belongs to somebody else; set {RUNTIME_DIR_VARIABLE} to one of your own"
        )
    if found.st_mode & 0o077:
        raise RuntimePathError(f"{directory} is open to others; run: chmod 700 {directory}")
