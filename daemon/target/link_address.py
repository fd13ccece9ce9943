"""Where the verifier is, and what can be wrong with the way there, in words for people.

Pure but for reading the CA file: no sockets. `verifier_link.py` uses it.
"""

from __future__ import annotations

import errno
import re
import ssl
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from daemon.loopback import is_loopback

_ERROR_NUMBER: Final = re.compile(r"\[Errno (\d+)\]")


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Where the verifier is and how to trust it. `token` is never logged or shown."""

    url: str
    token: str = ""
    ca_file: str = ""
    insecure_skip_verify: bool = False

    def __repr__(self) -> str:
        return f"LinkSettings({self.host})"

    @property
    def host(self) -> str:
        """Host and port as the address names them, for people."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are connected to: where the address names no port, that of its scheme."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "wss" else 80)

    @property
    def is_loopback(self) -> bool:
        """Whether the address is one of this machine itself."""
        return is_loopback(urlsplit(self.url).hostname or "")


class Refused(Exception):
    """The verifier said no; trying again soon is of no use. The message says what to do."""


class LinkDead(ConnectionError):
    """The connection stands but nothing moves on it."""


def explain(failure: BaseException, settings: LinkSettings) -> str:
    """Why the link is down, and what to do, in one line."""
    names_port = urlsplit(settings.url).port is not None
    host = settings.host if names_port else f"{settings.host}:{settings.address[1]}"
    if isinstance(failure, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {host} is not trusted ({failure.verify_message}); "
            "set verifier.ca_file to the authority's PEM file"
        )
    if isinstance(failure, ssl.SSLError) or (
        settings.url.startswith("wss:") and isinstance(failure, ConnectionResetError | ConnectionAbortedError)
    ):
        return f"TLS with {host} failed; does it serve ws:// instead of wss://?"
    if isinstance(failure, LinkDead):
        return str(failure)
    if _is_refused(failure):
        if names_port:
            return f"nothing listens at {host}; is the verifier running there?"
        return f"nothing listens at {host}; put the verifier's port into verifier.url (8765 unless it has another)"
    if isinstance(failure, TimeoutError):
        return f"{host} did not answer in time"
    if isinstance(failure, ConnectionClosed):
        return f"{host} closed the connection"
    if isinstance(failure, InvalidHandshake):
        reason = f"{host} is no Draftwire verifier (its websocket handshake failed)"
        without_tls = settings.url.startswith("ws:") and isinstance(failure, InvalidMessage)
        return f"{reason}; if it serves TLS, try wss:// in verifier.url" if without_tls else reason
    return f"{host}: {str(failure) or type(failure).__name__}"


def _is_refused(failure: BaseException) -> bool:
    """Whether none of the host's addresses listens. For several asyncio raises one error, which tells by its text."""
    numbers = {int(number) for number in _ERROR_NUMBER.findall(str(failure))}
    return isinstance(failure, ConnectionRefusedError) or (
        type(failure) is OSError and numbers == {errno.ECONNREFUSED}
    )


def refusal(status: int) -> Exception:
    """What an HTTP status in place of a websocket means: Refused, or a ConnectionError to try again after."""
    if status in (401, 403):
        return Refused(
            "the verifier refused the token; put the right one into the file that verifier.token_file names "
            "(or DRAFTWIRE_VERIFIER_TOKEN)"
        )
    if status in (429, 503):
        return ConnectionError(f"the verifier is full or shutting down (HTTP {status})")
    return Refused(f"the address answered HTTP {status}; verifier.url must name a Draftwire verifier")


def tls_context(settings: LinkSettings) -> ssl.SSLContext | None:
    """How to trust the verifier; None without TLS. Raises Refused if the CA file can't be read."""
    if not settings.url.startswith("wss:"):
        return None
    context = ssl.create_default_context()
    if settings.ca_file:
        try:
            context.load_verify_locations(settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise Refused(f"verifier.ca_file can't be read as PEM: {error}") from error
    if settings.insecure_skip_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
