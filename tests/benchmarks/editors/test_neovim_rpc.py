"""Calls, answers and what the other side says by itself, over pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.editors.neovim_rpc import Rpc

OTHER_SIDE = """
import sys, msgpack
unpacker = msgpack.Unpacker()
said = []
while data := sys.stdin.buffer.raw.read(65536):
    unpacker.feed(data)
    for kind, *rest in unpacker:
        if kind == 2:
            said.append(rest)
            continue
        number, method, arguments = rest
        answers = {"echo": [None, arguments], "fail": [[0, "no such thing"], None], "said": [None, said]}
        if method == "end":
            sys.exit()
        packed = msgpack.packb([2, "told", [method]]) + msgpack.packb([1, number, *answers[method]])
        sys.stdout.buffer.write(packed)
        sys.stdout.buffer.flush()
"""


@pytest.fixture
def rpc() -> Iterator[Rpc]:
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER_SIDE], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    yield Rpc(process)
    process.kill()
    process.communicate()


def test_a_call_has_its_result_and_what_came_before_it_is_told(rpc: Rpc) -> None:
    told: list[Any] = []
    rpc.notified = lambda method, parameters: told.append((method, parameters))
    assert rpc.call("echo", 1, "two") == [1, "two"]
    assert told == [("told", ["echo"])]


def test_an_error_is_raised_with_the_methods_name(rpc: Rpc) -> None:
    with pytest.raises(AssertionError, match=r"fail: .*no such thing"):
        rpc.call("fail")


def test_what_is_only_sent_has_no_answer(rpc: Rpc) -> None:
    rpc.send("keys", "abc")
    assert rpc.call("said") == [["keys", ["abc"]]]
    assert not rpc.read(0.0)


def test_an_end_is_told_from_silence(rpc: Rpc) -> None:
    with pytest.raises(EOFError):
        rpc.call("end")
