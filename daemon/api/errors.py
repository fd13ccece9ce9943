"""What can go wrong on the local socket, as one small tree of errors. Every text says what to do."""

from collections.abc import Sequence


class ApiError(Exception):
    """Base of all errors of the local API."""


class FrameError(ApiError):
    """Bytes or a message that the framing does not carry."""


class BadMessage(FrameError):
    """One frame's body is not a message of this side. The frame has been consumed; the stream goes on."""


class FrameTooLarge(FrameError):
    """A frame's length is over the limit. The stream can't be read any further."""


class RuntimePathError(ApiError):
    """The runtime directory can't be used as it is."""


class DaemonUnavailable(ApiError):
    """No daemon answers at the socket (or what answers does not speak in time)."""


class DaemonSilent(DaemonUnavailable):
    """Somebody listens at the socket, or did, and says nothing in time: a daemon that hangs."""


class DaemonRefused(ApiError):
    """A daemon answered the handshake with a refusal. `code` and `settings` are those of `messages.Failed`."""

    def __init__(self, code: str, message: str, settings: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.settings = tuple(settings)


class DaemonLost(ApiError):
    """The connection ended while it was in use."""


class DaemonStopped(DaemonLost):
    """The daemon said that it ends: somebody has stopped it, and may not want it back at once."""


class DaemonStartFailed(ApiError):
    """A daemon was started and did not come up; the text ends with the last lines of its log."""


class DaemonMisconfigured(DaemonStartFailed):
    """A daemon was started and refused its configuration; the text is its own: file, line, what to do."""


def other_protocol(daemon: int, client: int) -> str:
    """Why daemon and client can't talk, and what to do: the older of the two has to go."""
    advice = "run: draftwire daemon stop" if daemon < client else "restart the editor, or upgrade this client"
    return f"the daemon speaks protocol version {daemon}, this client {client}; {advice}"


class RequestFailed(ApiError):
    """The daemon answered one request with Failed; the connection goes on. `code` is that of
    `messages.Failed`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
