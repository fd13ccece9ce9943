"""The byte stream from the editor: any cut, any nonsense, and the end of it."""

from __future__ import annotations

import asyncio
import io
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_bridge.stdio import MAX_HEADER_BYTES, MessageSplitter, StdioWriter, read_in_thread


def framed(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(body) + body


@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(1, 30), min_size=1))
def test_bodies_survive_any_cut(bodies: list[bytes], cuts: list[int]) -> None:
    """Whatever the reads are, the bodies are the same."""
    stream = b"".join(framed(body) for body in bodies)
    splitter = MessageSplitter()
    received: list[bytes | None] = []
    position = 0
    while position < len(stream):
        step = cuts[position % len(cuts)]
        received += splitter.feed(stream[position : position + step])
        position += step
    assert received == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: x\r\ncontent-length:%d\r\n\r\n",
        b"CONTENT-LENGTH :  %d \r\n\r\n",
    ],
)
def test_headers_as_clients_write_them(header: bytes) -> None:
    """Any order, any case, others beside it."""
    assert MessageSplitter().feed(framed(b"{}", header)) == [b"{}"]


@pytest.mark.parametrize(
    "junk",
    [b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"\r\n\r\n"],
)
def test_what_is_no_header_is_skipped(junk: bytes) -> None:
    """The next message is read."""
    assert MessageSplitter().feed(junk + framed(b"{}")) == [b"{}"]


def test_endless_nonsense_is_not_kept() -> None:
    """Memory stays bounded, and a header after it is found."""
    splitter = MessageSplitter()
    for _ in range(100):
        assert splitter.feed(b"x" * MAX_HEADER_BYTES) == []
    assert splitter.feed(b"\r\n\r\n" + framed(b"{}")) == [b"{}"]


@given(st.integers(11, 60), st.integers(1, 20))
def test_a_body_over_the_limit_is_skipped(length: int, step: int) -> None:
    """It comes out as None, takes no memory, and the next is read."""
    splitter = MessageSplitter(max_body_bytes=10)
    stream = framed(b"x" * length) + framed(b"{}")
    received = [b for at in range(0, len(stream), step) for b in splitter.feed(stream[at : at + step])]
    assert received == [None, b"{}"]


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_garbage_never_raises(data: bytes) -> None:
    """At worst nothing comes out."""
    MessageSplitter().feed(data)


@pytest.mark.asyncio
async def test_reading_a_pipe_to_its_end() -> None:
    """Bodies in order, then the end."""
    out, into = os.pipe()
    bodies = read_in_thread(out, asyncio.get_running_loop())
    os.write(into, framed(b"one") + framed(b"two"))
    assert [await bodies.get(), await bodies.get()] == [b"one", b"two"]
    os.close(into)
    assert isinstance(await bodies.get(), EOFError)
    os.close(out)


@pytest.mark.asyncio
async def test_reading_what_cannot_be_read() -> None:
    """Is the end, too."""
    out, into = os.pipe()
    os.close(out)
    os.close(into)
    assert isinstance(await read_in_thread(out, asyncio.get_running_loop()).get(), EOFError)


def test_the_loop_may_end_first() -> None:
    """The reader then just stops."""
    out, into = os.pipe()

    async def start() -> None:
        read_in_thread(out, asyncio.get_running_loop())

    asyncio.run(start())
    os.write(into, framed(b"late"))
    os.close(into)


def test_writing_to_an_editor_that_is_gone() -> None:
    """Nothing is raised; the server is told once and the rest dropped."""
    stream = io.BytesIO()
    writer = StdioWriter(stream)
    writer.write(b"a")
    assert stream.getvalue() == b"a"
    writer.close()
    stream.close()
    writer.write(b"b")
    assert writer.broken.is_set()
    writer.write(b"c")
