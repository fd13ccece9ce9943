"""Neovim's API over a child's pipes. (pynvim leaves its event loop's transports to the garbage.)"""

from __future__ import annotations

import itertools
import os
import select
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgpack

ANSWER_S: Final = 60.0
"""How long an answer may take on a machine that is busy."""
REQUEST, RESPONSE, NOTIFICATION = range(3)
"""msgpack-rpc's kinds of messages."""


class Rpc:
    """One call at a time; what the editor says by itself goes to `notified`, while it is read."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.notified: Callable[[str, Sequence[Any]], None] = lambda method, parameters: None
        self._process = process
        self._unpacker = msgpack.Unpacker(
            strict_map_key=False, ext_hook=lambda _, data: msgpack.unpackb(data)
        )
        self._numbers = itertools.count()
        self._answers: dict[int, tuple[Any, Any]] = {}

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of an API function. Raises AssertionError with the editor's error, EOFError if it has ended."""
        number = next(self._numbers)
        self._write([REQUEST, number, method, arguments])
        while number not in self._answers:
            assert self.read(ANSWER_S), f"{method} was not answered"
        error, result = self._answers.pop(number)
        assert error is None, f"{method}: {error}"
        return result

    def send(self, method: str, *arguments: Any) -> None:
        """Call an API function whose result nobody wants."""
        self._write([NOTIFICATION, method, arguments])

    def read(self, within_s: float) -> bool:
        """Take in what the editor has said; False if it says nothing in that time. EOFError if it has ended."""
        stdout = self._process.stdout
        assert stdout is not None
        readable, _, _ = select.select([stdout], [], [], within_s)
        if not readable:
            return False
        data = os.read(stdout.fileno(), 1 << 16)
        if not data:
            raise EOFError("Neovim has ended")
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == RESPONSE:
                self._answers[message[1]] = (message[2], message[3])
            elif message[0] == NOTIFICATION:
                self.notified(message[1], message[2])
        return True

    def _write(self, message: Sequence[Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgpack.packb(message))
