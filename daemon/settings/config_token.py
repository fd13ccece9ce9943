"""The verifier's bearer token: where it comes from, and what to mend about how it is kept and sent.

The environment variable DRAFTWIRE_VERIFIER_TOKEN is read here and nowhere else in the daemon.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from daemon.loopback import is_loopback
from daemon.settings.config import Config, ConfigError, Problem
from daemon.settings.config_sections import TOKEN_VARIABLE


@dataclass(frozen=True, slots=True)
class VerifierToken:
    """The bearer token; its text is never part of a repr or a log line."""

    value: str = field(repr=False)
    warnings: tuple[str, ...] = ()
    """What to mend about where it comes from and how it travels."""


def verifier_token(config: Config) -> VerifierToken:
    """The token for the verifier: $DRAFTWIRE_VERIFIER_TOKEN, else the token file's first line, else empty.

    Raises ConfigError, which names the setting and its line, if the file can't be read or holds no token.
    """
    from_environment = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not from_environment and not config.verifier.token_file:
        return VerifierToken("")
    unencrypted = _sent_unencrypted(config.verifier.url)
    if from_environment:
        return VerifierToken(from_environment, unencrypted)
    path = Path(config.verifier.token_file)
    try:
        token = path.read_bytes().decode("utf-8-sig").split("\n", 1)[0].strip()
        shared = os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    except OSError as error:
        text = (
            f"names {path}, which can't be read ({error.strerror}); write the verifier's token into that file"
        )
        raise _token_error(config, text) from None
    except UnicodeDecodeError:
        token, shared = "", False
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        text = f"names {path}, and its first line is not a token; write the verifier's token there"
        raise _token_error(config, text)
    readable = (f"{path} can be read by others; run: chmod 600 {path}",) if shared else ()
    return VerifierToken(token, readable + unencrypted)


def _token_error(config: Config, text: str) -> ConfigError:
    line = config.lines.get(("verifier", "token_file"), 0)
    problem = Problem(f"verifier.token_file {text}", "verifier.token_file", line)
    return ConfigError(config.file, [problem])


def _sent_unencrypted(url: str) -> tuple[str, ...]:
    """The warning, if what is sent to this address can be read on the way."""
    parts = urlsplit(url)
    if parts.scheme != "ws" or is_loopback(parts.hostname or ""):
        return ()
    text = f"the token and your code go to {parts.hostname} unencrypted (ws://); serve it behind TLS and use wss://"
    return (text,)
