"""Frames: one message as bytes, and back (protocol version 1).

    magic "DW" | version u8 | type u8 | payload length u32, big-endian | payload (MessagePack)

The decoder checks magic, version, type, the per-type size limit and the exact length before it looks at the
payload; msgspec's typed decoders then check every array length against its bound before allocating, and the
checks that span fields come last. Whatever the bytes, the only exception is FrameError.

It does not know sockets, who may send what when, or whether an id exists in the vocabulary.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, cast

import msgspec

from speculation.messages import (
    MAX_CONTEXT_IDS,
    MESSAGE_TYPES,
    PROTOCOL_VERSION,
    AnyMessage,
    Draft,
    Hello,
    Message,
    SparseQ,
    Verdict,
)
from speculation.sparse import WEIGHT_TOTAL

MAGIC = b"DW"
HEADER_BYTES = 8
_HEADER = struct.Struct(">2sBBI")

_KIB = 1024
MAX_PAYLOAD_BYTES: dict[str, int] = {
    "Hello": 96 * _KIB,
    "Welcome": 4 * _KIB,
    "Open": 1 * _KIB,
    "Context": 5 * MAX_CONTEXT_IDS + 64,
    "Draft": 40 * _KIB,
    "Verdict": 1 * _KIB,
    "Cancel": 64,
    "Resume": 64,
    "Credit": 64,
    "Adapter": 10 * _KIB,
    "Error": 9 * _KIB,
    "Ping": 64,
    "Pong": 64,
}
"""By message name: enough for the largest message its type allows."""

MAX_FRAME_BYTES = HEADER_BYTES + max(MAX_PAYLOAD_BYTES.values())
"""No frame of this protocol is longer; give it to the websocket as its `max_size`."""


class FrameError(ValueError):
    """These bytes are no frame of this protocol (or this message can't be one); the text says why."""


_ENCODER = msgspec.msgpack.Encoder()
_DECODERS: dict[int, msgspec.msgpack.Decoder[Message]] = {
    number: msgspec.msgpack.Decoder(kind) for number, kind in MESSAGE_TYPES.items()
}
_NUMBERS: dict[type[Message], int] = {kind: number for number, kind in MESSAGE_TYPES.items()}


def encode(message: Message) -> bytes:
    """One message as one frame.

    Raises FrameError if the type is unknown, the fields contradict each other, a value does not fit
    MessagePack or the payload is over its type's limit. The bounds of single fields are the decoder's.
    """
    number = _NUMBERS.get(type(message))
    if number is None:
        raise FrameError(f"{type(message).__name__} is not a wire message")
    name = type(message).__name__
    _check_fields(message)
    try:
        payload = _ENCODER.encode(message)
    except (OverflowError, UnicodeEncodeError, TypeError) as error:
        raise FrameError(f"{name} can't be encoded: {error}") from error
    _check_size(name, len(payload))
    return _HEADER.pack(MAGIC, PROTOCOL_VERSION, number, len(payload)) + payload


def decode(frame: bytes | bytearray | memoryview) -> AnyMessage:
    """The message in one whole frame; FrameError for anything else, text frames included."""
    try:
        view = memoryview(frame).cast("B")
    except TypeError as error:
        raise FrameError(f"a frame is contiguous bytes, not {type(frame).__name__}") from error
    if len(view) < HEADER_BYTES:
        raise FrameError(f"frame of {len(view)} bytes is shorter than its {HEADER_BYTES}-byte header")
    magic, version, number, length = _HEADER.unpack_from(view)
    if magic != MAGIC:
        raise FrameError(f"not a Draftwire frame: it starts with {magic!r}, not {MAGIC!r}")
    if version != PROTOCOL_VERSION:
        raise FrameError(f"protocol version {version} is not spoken here, only {PROTOCOL_VERSION}")
    kind = MESSAGE_TYPES.get(number)
    if kind is None:
        raise FrameError(f"unknown message type {number}")
    _check_size(kind.__name__, length)
    if length != len(view) - HEADER_BYTES:
        raise FrameError(f"{kind.__name__} announces {length} bytes but {len(view) - HEADER_BYTES} follow")
    try:
        message = _DECODERS[number].decode(view[HEADER_BYTES:])
    except msgspec.DecodeError as error:
        raise FrameError(f"{kind.__name__} is malformed: {error}") from error
    _check_fields(message)
    return cast(AnyMessage, message)


def _check_size(name: str, length: int) -> None:
    if length > MAX_PAYLOAD_BYTES[name]:
        raise FrameError(f"{name} of {length} bytes is over its limit of {MAX_PAYLOAD_BYTES[name]}")


def _check_fields(message: Message) -> None:
    """What the types can't say: fields that must fit each other."""
    check = _FIELD_CHECKS.get(type(message))
    if check is not None:
        check(message)


def _check_hello(hello: Hello) -> None:
    for name, token in hello.special_ids.items():
        if token >= hello.n_vocab:
            raise FrameError(f"special id {name}={token} is not below n_vocab={hello.n_vocab}")


def _check_draft(draft: Draft) -> None:
    if draft.parents is not None:
        if len(draft.parents) != len(draft.ids):
            raise FrameError(f"{len(draft.parents)} parents for {len(draft.ids)} draft tokens")
        for index, parent in enumerate(draft.parents):
            if parent >= index:
                raise FrameError(
                    f"draft token {index} has parent {parent}: a parent comes before its children"
                )
    if draft.q is not None:
        if len(draft.q) != len(draft.ids):
            raise FrameError(f"{len(draft.q)} distributions for {len(draft.ids)} draft tokens")
        for index, (token, q) in enumerate(zip(draft.ids, draft.q, strict=True)):
            _check_distribution(index, token, q)


def _check_distribution(index: int, token: int, q: SparseQ) -> None:
    if len(q.weights) != len(q.ids):
        raise FrameError(f"q of draft token {index} has {len(q.weights)} weights for {len(q.ids)} ids")
    if len(set(q.ids)) != len(q.ids):
        raise FrameError(f"q of draft token {index} names an id twice")
    if sum(q.weights) != WEIGHT_TOTAL:
        raise FrameError(f"q of draft token {index} sums to {sum(q.weights)}, not {WEIGHT_TOTAL}")
    if token not in q.ids:
        raise FrameError(f"draft token {index} ({token}) can't have been drawn from its q")


def _check_verdict(verdict: Verdict) -> None:
    if verdict.accepted > verdict.drafted:
        raise FrameError(f"{verdict.accepted} tokens accepted of {verdict.drafted} drafted")
    if verdict.path and len(verdict.path) != verdict.accepted:
        raise FrameError(f"path of {len(verdict.path)} ids for {verdict.accepted} accepted tokens")


_FIELD_CHECKS: dict[type[Message], Callable[[Any], None]] = {
    Hello: _check_hello,
    Draft: _check_draft,
    Verdict: _check_verdict,
}
