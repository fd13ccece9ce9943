"""Frames: what is sent is what arrives, however it is cut; nonsense is refused before it costs anything."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.api import messages as m
from daemon.api.framing import (
    HEADER_BYTES,
    MAX_FRAME_BYTES,
    BadMessage,
    FrameReader,
    FrameTooLarge,
    encode,
    for_client,
    for_daemon,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NUMBER = st.integers(0, 2**31 - 1)
VERSION = st.integers(-(2**31), 2**31 - 1)
REQUEST = st.integers(0, 2**53 - 1)
EDIT = st.builds(m.Edit, NUMBER, NUMBER, TEXT)
SUGGESTION = st.builds(
    m.Suggestion, REQUEST, TEXT, NUMBER, st.booleans(), st.sampled_from(["recall", "draft", "target"])
)
CLIENT_MESSAGES = st.one_of(
    st.builds(m.Hello, st.just(1), TEXT, NUMBER, TEXT, st.dictionaries(TEXT, st.integers(0, 9), max_size=3)),
    st.builds(m.OpenDocument, TEXT, TEXT, VERSION, TEXT),
    st.builds(m.ChangeDocument, TEXT, VERSION, st.lists(EDIT, max_size=4)),
    st.builds(m.CloseDocument, TEXT),
    st.builds(m.Complete, REQUEST, TEXT, VERSION, NUMBER, st.sampled_from(["automatic", "invoked"])),
    st.builds(m.Cancel, REQUEST),
    st.builds(m.Accepted, REQUEST, NUMBER),
    st.just(m.Shutdown()),
)
DAEMON_MESSAGES = st.one_of(
    st.builds(m.Welcome, st.just(1), TEXT, NUMBER, TEXT),
    st.just(m.Ending()),
    st.builds(m.Completions, REQUEST, TEXT, VERSION, NUMBER, REQUEST, st.lists(SUGGESTION, max_size=3)),
    st.builds(m.SuggestionUpdate, TEXT, VERSION, NUMBER, st.just("extended"), SUGGESTION),
    st.builds(m.Failed, st.just("internal"), TEXT, st.none() | REQUEST),
)


def drain(reader: FrameReader[m.ClientMessage] | FrameReader[m.DaemonMessage]) -> list[object]:
    """All messages that are whole; a bad one as its error."""
    found: list[object] = []
    while True:
        try:
            message = reader.next_message()
        except BadMessage as error:
            found.append(error)
            continue
        if message is None:
            return found
        found.append(message)


@given(st.lists(CLIENT_MESSAGES, max_size=6), st.lists(st.integers(1, 50), min_size=1))
def test_client_messages_survive_any_cut(sent: list[m.ClientMessage], cuts: list[int]) -> None:
    """The stream may be cut anywhere; the messages are the same and nothing is left over."""
    stream = b"".join(encode(message) for message in sent)
    reader = for_daemon()
    received: list[object] = []
    position = 0
    while position < len(stream):
        step = cuts[position % len(cuts)]
        reader.feed(stream[position : position + step])
        received += drain(reader)
        position += step
    assert received == sent
    assert reader.buffered_bytes == 0


@given(st.lists(DAEMON_MESSAGES, max_size=6))
def test_daemon_messages_survive(sent: list[m.DaemonMessage]) -> None:
    """What the daemon sends is what the client reads."""
    reader = for_client()
    reader.feed(b"".join(encode(message) for message in sent))
    assert drain(reader) == sent


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_garbage_ends_in_an_api_error_or_waits(data: bytes) -> None:
    """Any bytes give messages, BadMessage or FrameTooLarge; never another exception."""
    reader = for_daemon()
    reader.feed(data)
    try:
        drain(reader)
    except FrameTooLarge:
        assert int.from_bytes(data[:HEADER_BYTES], "big") > MAX_FRAME_BYTES or len(data) > HEADER_BYTES


@settings(max_examples=300)
@given(st.binary(max_size=100), CLIENT_MESSAGES)
def test_a_bad_body_does_not_spoil_the_next_frame(body: bytes, after: m.ClientMessage) -> None:
    """The frame behind a bad one is read."""
    reader = for_daemon()
    reader.feed(len(body).to_bytes(HEADER_BYTES, "big") + body + encode(after))
    assert drain(reader)[-1] == after


@given(CLIENT_MESSAGES, st.integers(0, 10_000), st.integers(0, 255))
def test_a_flipped_byte_is_a_message_or_an_api_error(sent: m.ClientMessage, place: int, value: int) -> None:
    """Corruption is never anything but a message, a BadMessage, a wait for more, or FrameTooLarge."""
    frame = bytearray(encode(sent))
    frame[place % len(frame)] = value
    reader = for_daemon()
    reader.feed(bytes(frame))
    try:
        drain(reader)
    except FrameTooLarge:
        assert place % len(frame) < HEADER_BYTES


def test_a_length_over_the_limit_is_refused_before_the_body() -> None:
    """Four bytes suffice; nothing is allocated for the rest."""
    reader = for_daemon()
    reader.feed((MAX_FRAME_BYTES + 1).to_bytes(HEADER_BYTES, "big"))
    with pytest.raises(FrameTooLarge, match="over the limit"):
        reader.next_message()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode({"type": "nosuch"}),
        msgspec.msgpack.encode({"type": "cancel"}),
        msgspec.msgpack.encode({"type": "cancel", "request": -1}),
        msgspec.msgpack.encode({"type": "cancel", "request": 1, "more": 2}),
        msgspec.msgpack.encode(
            {"type": "welcome", "api": 1, "daemon_version": "", "pid": 1, "draft_model": ""}
        ),
        msgspec.msgpack.encode([1, 2]),
        b"\x91" * 5000,
    ],
    ids=["empty", "invalid", "unknown", "missing", "range", "extra", "other side", "array", "deep"],
)
def test_bodies_that_are_no_client_message(body: bytes) -> None:
    """Each is one BadMessage."""
    reader = for_daemon()
    reader.feed(len(body).to_bytes(HEADER_BYTES, "big") + body)
    with pytest.raises(BadMessage, match="is not a message"):
        reader.next_message()
    assert reader.next_message() is None


HELLO = {"type": "hello", "api": 2, "client": "newer", "pid": 1, "more": [1]}
WELCOME = {
    "type": "welcome",
    "api": 1,
    "daemon_version": "9.0",
    "pid": 1,
    "draft_model": "",
    "more": {"a": 1},
}


def framed(message: dict[str, Any]) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def test_what_a_newer_daemon_says_more_is_passed_over() -> None:
    """Within what it says, too; else a client that is older by one field would take it for dead."""
    suggestion = {"id": 1, "text": "x", "verified": 0, "complete": True, "source": "draft", "more": 1}
    update = {"document": "u", "version": 1, "offset": 0, "kind": "extended", "suggestion": suggestion}
    reader = for_client()
    reader.feed(framed(WELCOME) + framed({"type": "suggestionupdate", **update}))
    welcome, updated = drain(reader)
    assert (welcome.daemon_version, updated.suggestion.text) == ("9.0", "x")


def test_a_greeting_is_read_whatever_a_newer_client_adds_to_it() -> None:
    reader = for_daemon()
    reader.feed(framed(HELLO))
    assert drain(reader) == [m.Hello(2, "newer", 1)]


def test_a_lone_surrogate_is_refused_without_quoting_the_text() -> None:
    """MessagePack text is UTF-8; the error must not hold the user's code."""
    with pytest.raises(BadMessage) as caught:
        encode(m.OpenDocument("file:///a", "python", 1, "secret \ud800"))
    assert "secret" not in str(caught.value)


def test_a_message_over_the_limit_is_not_encoded() -> None:
    """The sender finds out, not the receiver."""
    with pytest.raises(FrameTooLarge):
        encode(m.OpenDocument("file:///a", "python", 1, "x" * (MAX_FRAME_BYTES + 1)))


GOLDEN: dict[str, tuple[m.ClientMessage, str]] = {
    "cancel": (m.Cancel(7), "0000001682a474797065a663616e63656ca77265717565737407"),
    "close": (m.CloseDocument("u"), "0000001f82a474797065ad636c6f7365646f63756d656e74a8646f63756d656e74a175"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bytes_of_version_1(name: str) -> None:
    """The encoding of version 1 stays what it was."""
    message, expected = GOLDEN[name]
    assert encode(message).hex() == expected
