"""Frames of the local socket: a 32-bit big-endian length, then one message as a MessagePack map.

Pure: bytes in, messages out. Knows neither sockets nor who may send what when.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from daemon.api.errors import ApiError as ApiError
from daemon.api.errors import BadMessage as BadMessage
from daemon.api.errors import FrameError as FrameError
from daemon.api.errors import FrameTooLarge as FrameTooLarge
from daemon.api.messages import MAX_TEXT, ClientMessage, DaemonMessage

HEADER_BYTES = 4
MAX_FRAME_BYTES = 4 * MAX_TEXT + (1 << 20)
"""A document of MAX_TEXT code points takes four bytes each at the most; the rest is for the fields around
it."""

Message = TypeVar("Message")

_encoder = msgspec.msgpack.Encoder()
_client_message: msgspec.msgpack.Decoder[ClientMessage] = msgspec.msgpack.Decoder(ClientMessage)
_daemon_message: msgspec.msgpack.Decoder[DaemonMessage] = msgspec.msgpack.Decoder(DaemonMessage)


def encode(message: ClientMessage | DaemonMessage) -> bytes:
    """The frame of one message, header included.

    Raises BadMessage for what MessagePack can't carry (a lone surrogate in a text, an integer over 64 bits)
    and FrameTooLarge for a message longer than MAX_FRAME_BYTES.
    """
    try:
        body = _encoder.encode(message)
    except (UnicodeEncodeError, OverflowError, TypeError, RecursionError) as error:
        raise BadMessage(f"{type(message).__name__} can't be encoded: {_first_line(error)}") from error
    if len(body) > MAX_FRAME_BYTES:
        raise FrameTooLarge(f"a message of {len(body)} bytes is over the limit of {MAX_FRAME_BYTES}")
    return len(body).to_bytes(HEADER_BYTES, "big") + body


class FrameReader(Generic[Message]):
    """Takes bytes as they come and gives whole messages.

    Use `for_daemon()` to read what clients send and `for_client()` to read what the daemon sends.
    """

    def __init__(self, decode: Callable[[bytes], Message], max_frame_bytes: int = MAX_FRAME_BYTES) -> None:
        self._decode = decode
        self._max_frame_bytes = max_frame_bytes
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes from the stream; then call `next_message` until it gives None."""
        self._buffer += data

    def next_message(self) -> Message | None:
        """The next whole message, or None if more bytes are needed.

        Raises BadMessage if a frame's body is not a message of this side (the frame is consumed: call again),
        and FrameTooLarge as soon as a length over the limit has been read (close the connection).
        """
        if len(self._buffer) < HEADER_BYTES:
            return None
        length = int.from_bytes(self._buffer[:HEADER_BYTES], "big")
        if length > self._max_frame_bytes:
            raise FrameTooLarge(f"a frame of {length} bytes is over the limit of {self._max_frame_bytes}")
        end = HEADER_BYTES + length
        if len(self._buffer) < end:
            return None
        body = bytes(memoryview(self._buffer)[HEADER_BYTES:end])
        del self._buffer[:end]
        try:
            return self._decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadMessage(f"a frame of {length} bytes is not a message: {_first_line(error)}") from error

    @property
    def buffered_bytes(self) -> int:
        """Bytes fed and not yet given out as messages."""
        return len(self._buffer)


def for_daemon() -> FrameReader[ClientMessage]:
    """A reader of what clients send."""
    return FrameReader(_client_message.decode)


def for_client() -> FrameReader[DaemonMessage]:
    """A reader of what the daemon sends."""
    return FrameReader(_daemon_message.decode)


def _first_line(error: BaseException) -> str:
    """The error's own text without what it quotes of the user's: a UnicodeError's object may be a
    document."""
    if isinstance(error, UnicodeError):
        return f"invalid Unicode ({error.__class__.__name__})"
    return str(error).partition("\n")[0][:300]
