"""The byte stream between editor and bridge: LSP's headers around JSON bodies, read off the loop.

`MessageSplitter` is pure (bytes in, bodies out); the rest is a thread that reads and a writer. Knows nothing
of what the bodies say.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import BinaryIO

MAX_BODY_BYTES = 256 * 2**20
"""A document of MAX_TEXT code points takes up to 12 bytes each when JSON escapes it."""
MAX_HEADER_BYTES = 1 << 14
READ_BYTES = 1 << 16

log = logging.getLogger(__name__)


class MessageSplitter:
    """Takes the editor's bytes as they come and gives whole bodies.

    A body over MAX_BODY_BYTES is skipped and comes out as None. Bytes that are no header are skipped up to
    the next empty line, so that one broken message does not end the stream.
    """

    def __init__(self, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._length: int | None = None
        self._skipping = 0

    def feed(self, data: bytes) -> list[bytes | None]:
        """The bodies that became whole with `data`, in order; None for each that was too long."""
        self._buffer += data
        bodies: list[bytes | None] = []
        while True:
            if self._skipping:
                skipped = min(self._skipping, len(self._buffer))
                del self._buffer[:skipped]
                self._skipping -= skipped
                if self._skipping:
                    return bodies
                bodies.append(None)
            if self._length is None and not self._take_header():
                return bodies
            if self._length is None or self._skipping:
                continue
            if len(self._buffer) < self._length:
                return bodies
            bodies.append(bytes(memoryview(self._buffer)[: self._length]))
            del self._buffer[: self._length]
            self._length = None

    def _take_header(self) -> bool:
        """Consume one header block, if it is whole."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEADER_BYTES:
                log.warning("skipped bytes from the editor that are no header")
                del self._buffer[:-3]  # the end of the block may be half here
            return False
        length = _content_length(bytes(self._buffer[:end]))
        del self._buffer[: end + 4]
        if length is None:
            log.warning("skipped a header from the editor that names no Content-Length")
        elif length > self._max_body_bytes:
            log.warning("skipped a message from the editor of %d bytes", length)
            self._skipping = length
        else:
            self._length = length
        return True


def _content_length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        digits = value.strip()
        if name.strip().lower() == b"content-length" and digits.isdigit() and len(digits) < 16:
            return int(digits)
    return None


def read_in_thread(
    descriptor: int, loop: asyncio.AbstractEventLoop
) -> asyncio.Queue[bytes | EOFError | None]:
    """The bodies that come in on a file descriptor, as a queue of the loop's; EOFError when it ends.

    Reads the descriptor itself and not a Python file, so that a thread that still waits does not hold up the
    exit.
    """
    bodies: asyncio.Queue[bytes | EOFError | None] = asyncio.Queue()

    def post(item: bytes | EOFError | None) -> None:
        loop.call_soon_threadsafe(bodies.put_nowait, item)

    def read() -> None:
        splitter = MessageSplitter()
        try:
            while data := os.read(descriptor, READ_BYTES):
                for body in splitter.feed(data):
                    post(body)
            post(EOFError())
        except OSError as error:
            post(EOFError(str(error)))
        except RuntimeError:
            return  # the loop has ended first

    threading.Thread(target=read, name="editor reader", daemon=True).start()
    return bodies


class StdioWriter:
    """What pygls writes with. Once the editor is gone, what it would have read is dropped."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.broken = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Write one message, header included, and flush it."""
        if self.broken.is_set():
            return
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError) as error:
            log.warning("the editor no longer reads: %s", error)
            self.broken.set()

    def close(self) -> None:
        """Part of pygls' interface; the stream is closed by who opened it."""
