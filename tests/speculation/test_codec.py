"""Frames: golden bytes, limits, and no exception but FrameError whatever the bytes."""

from __future__ import annotations

import json
import random
import struct
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation import codec
from speculation.codec import HEADER_BYTES, MAX_FRAME_BYTES, MAX_PAYLOAD_BYTES, FrameError, decode, encode
from speculation.messages import (
    MAX_CONTEXT_IDS,
    MESSAGE_TYPES,
    Adapter,
    AnyMessage,
    Context,
    Draft,
    Error,
    Hello,
    Message,
    Open,
    Ping,
    SparseQ,
    Verdict,
    Welcome,
)
from tests.speculation.golden_messages import GOLDEN

FRAMES = {
    name: bytes.fromhex(text)
    for name, text in json.loads((Path(__file__).parent / "golden" / "frames_v1.json").read_text()).items()
}
FUZZ_FRAMES = 20_000
"""Mutated frames per run; 100,000 and more have been run by raising it."""


def frame(
    number: int, payload: bytes, *, version: int = 1, magic: bytes = b"DW", length: int | None = None
) -> bytes:
    return struct.pack(">2sBBI", magic, version, number, len(payload) if length is None else length) + payload


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bytes(name: str) -> None:
    """Version 1 reads and writes exactly these bytes, for ever."""
    assert encode(GOLDEN[name]) == FRAMES[name]
    assert decode(FRAMES[name]) == GOLDEN[name]


def test_golden_covers_every_type() -> None:
    assert list(FRAMES) == list(GOLDEN) == [kind.__name__ for kind in MESSAGE_TYPES.values()]
    assert [bytes_[3] for bytes_ in FRAMES.values()] == list(MESSAGE_TYPES)
    assert set(MAX_PAYLOAD_BYTES) == set(GOLDEN)


def test_decode_takes_any_byte_buffer() -> None:
    wire = FRAMES["Ping"]
    assert decode(bytearray(wire)) == decode(memoryview(wire)) == GOLDEN["Ping"]


def test_trailing_defaults_may_be_left_out() -> None:
    """A field added at the end with a default does not break older frames."""
    assert decode(frame(3, msgspec.msgpack.encode([5]))) == Open(session=5)


WIDE = "\U0001f600"
LARGEST: list[AnyMessage] = [
    Hello(
        protocol=2**32 - 1,
        vocabulary=WIDE * 128,
        n_vocab=2**32 - 1,
        special_ids={f"{i:03}" + WIDE * 197: 2**31 - 1 for i in range(64)},
        draft_id=WIDE * 200,
        adapter=WIDE * 128,
        capabilities=[WIDE * 200] * 32,
    ),
    Welcome(
        protocol=2**32 - 1,
        target_id=WIDE * 200,
        target_revision=WIDE * 200,
        n_vocab=2**32 - 1,
        max_sessions=2**32 - 1,
        max_context=2**32 - 1,
        max_draft=2**32 - 1,
        credit=2**32 - 1,
        verify_estimate_us=2**32 - 1,
        modes=["ratio"] * 8,
    ),
    Open(2**32 - 1, "match", 10.0, 1.0, 2**31 - 1, 2**64 - 1, [2**31 - 1] * 64, 2**32 - 1, 10_000),
    Context(2**32 - 1, 2**52 - 1, 2**32 - 1, 2**64 - 1, [2**31 - 1] * MAX_CONTEXT_IDS),
    Draft(
        session=2**32 - 1,
        epoch=2**52 - 1,
        seq=2**32 - 1,
        base_pos=2**32 - 1,
        base_hash=2**64 - 1,
        ids=[2**31 - 1] * 64,
        parents=list(range(-1, 63)),
        q=[SparseQ([2**31 - 1 - i for i in range(64)], [65536 - 63 * 1040, *[1040] * 63])] * 64,
    ),
    Verdict(
        session=2**32 - 1,
        epoch=2**52 - 1,
        seq=2**32 - 1,
        base_pos=2**32 - 1,
        drafted=64,
        accepted=64,
        next_id=2**31 - 1,
        commit_len=2**32 - 1,
        commit_hash=2**64 - 1,
        path=[2**31 - 1] * 64,
        finish="context_full",
        queue_us=2**32 - 1,
        verify_us=2**32 - 1,
    ),
    Adapter(WIDE * 128, WIDE * 200, WIDE * 2000, 2**64 - 1),
    Error("vocabulary_mismatch", WIDE * 2000, 2**32 - 1, 2**32 - 1),
]


@pytest.mark.parametrize("message", LARGEST, ids=lambda m: type(m).__name__)
def test_the_largest_message_of_each_type_fits_its_limit(message: AnyMessage) -> None:
    wire = encode(message)
    assert decode(wire) == message
    assert len(wire) <= MAX_FRAME_BYTES


CONTEXT, DRAFT = 4, 5
Q = [[5, 1], [60_000, 5_536]]


def draft_payload(ids: list[int], parents: list[int] | None = None, q: object = None) -> bytes:
    return msgspec.msgpack.encode([1, 0, 1, 0, 0, ids, parents, q])


BAD_FRAMES = [
    (b"", "shorter than its 8-byte header"),
    (b"DW\x01\x0c\x00\x00\x00", "frame of 7 bytes"),
    (frame(12, b"\x91\x01", magic=b"GE"), "not a Draftwire frame"),
    (frame(12, b"\x91\x01", version=2), "protocol version 2"),
    (frame(0, b"\x91\x01"), "unknown message type 0"),
    (frame(200, b"\x91\x01"), "unknown message type 200"),
    (frame(12, b"\x91\x01", length=3), "announces 3 bytes but 2 follow"),
    (frame(12, b"\x91\x01", length=1), "announces 1 bytes but 2 follow"),
    (frame(12, b"\x91\x01", length=2**32 - 1), "over its limit of 64"),
    (frame(12, b"\x91" + b"\x01" * 64), "over its limit of 64"),
    (frame(12, b"\xc1"), "Ping is malformed"),
    (frame(12, b"\x90"), "Ping is malformed"),
    (frame(12, b"\x92\x01\x02"), "Ping is malformed"),
    (frame(12, b"\x91\x01\x00"), "trailing"),
    (frame(12, b"\x91\xff"), "Expected `int` >= 0"),
    (frame(12, b"\x81\xa5nonce\x01"), "Expected `array`"),
    (frame(1, msgspec.msgpack.encode([1, b"\xff", 2, {}, ""])), "Expected `str`"),
    (frame(1, b"\x95\x01\xa1\xff\x02\x80\xa0"), "Invalid UTF-8"),
    (
        frame(1, msgspec.msgpack.encode([1, "x", 2, {"bos": 2}, ""])),
        "special id bos=2 is not below n_vocab=2",
    ),
    (frame(3, msgspec.msgpack.encode([1, "lossy"])), "Invalid enum value 'lossy'"),
    (frame(3, msgspec.msgpack.encode([1, "match", float("nan")])), ">= 0.0"),
    (frame(3, msgspec.msgpack.encode([1, "match", float("inf")])), "<= 10.0"),
    (frame(DRAFT, draft_payload([])), "length >= 1"),
    (frame(DRAFT, draft_payload([1] * 65)), "length <= 64"),
    (frame(DRAFT, draft_payload([2**31])), "Expected `int` <= 2147483647"),
    (frame(DRAFT, draft_payload([1, 2], [-1])), "1 parents for 2 draft tokens"),
    (frame(DRAFT, draft_payload([1, 2], [-1, 1])), "draft token 1 has parent 1"),
    (frame(DRAFT, draft_payload([1, 2], [0, -1])), "draft token 0 has parent 0"),
    (frame(DRAFT, draft_payload([1, 2], [-2, -1])), ">= -1"),
    (frame(DRAFT, draft_payload([5, 5], None, [Q])), "1 distributions for 2 draft tokens"),
    (frame(DRAFT, draft_payload([5], None, [[[5, 1], [65_536]]])), "1 weights for 2 ids"),
    (frame(DRAFT, draft_payload([5], None, [[[5, 5], [60_000, 5_536]]])), "names an id twice"),
    (frame(DRAFT, draft_payload([5], None, [[[5, 1], [60_000, 5_535]]])), "sums to 65535, not 65536"),
    (frame(DRAFT, draft_payload([5], None, [[[5, 1], [65_536, 0]]])), ">= 1"),
    (frame(DRAFT, draft_payload([6], None, [Q])), "draft token 0 (6) can't have been drawn from its q"),
    (frame(6, msgspec.msgpack.encode([1, 0, 1, 0, 2, 3, 7, 4, 0])), "3 tokens accepted of 2 drafted"),
    (
        frame(6, msgspec.msgpack.encode([1, 0, 1, 0, 3, 2, 7, 4, 0, [5]])),
        "path of 1 ids for 2 accepted tokens",
    ),
]


@pytest.mark.parametrize(("wire", "reason"), BAD_FRAMES)
def test_bad_frame_is_refused_with_its_reason(wire: bytes, reason: str) -> None:
    with pytest.raises(FrameError) as caught:
        decode(wire)
    assert reason in str(caught.value)


@pytest.mark.parametrize("wire", ["text", 5, None, memoryview(FRAMES["Ping"] * 2)[::2]])
def test_what_is_not_a_buffer_of_bytes_is_refused(wire: object) -> None:
    """A websocket text frame arrives as str."""
    with pytest.raises(FrameError, match="contiguous bytes"):
        decode(wire)  # type: ignore[arg-type]


class Stranger(Message, frozen=True):
    field: int


BAD_MESSAGES: list[tuple[Message, str]] = [
    (Stranger(1), "Stranger is not a wire message"),
    (Ping(nonce=2**64), "Ping can't be encoded"),
    (Error(code="internal", message="\ud800"), "Error can't be encoded"),
    (Error(code="internal", message=object()), "Error can't be encoded"),  # type: ignore[arg-type]
    (Error(code="internal", message="x" * 10_000), "over its limit of 9216"),
    (Draft(1, 0, 1, 0, 0, ids=[1, 2], parents=[-1]), "1 parents for 2 draft tokens"),
    (Verdict(1, 0, 1, 0, 1, 2, 0, 0, 0), "2 tokens accepted of 1 drafted"),
]


@pytest.mark.parametrize(("message", "reason"), BAD_MESSAGES)
def test_message_that_cannot_be_a_frame(message: Message, reason: str) -> None:
    with pytest.raises(FrameError, match=reason):
        encode(message)


BOMBS = [
    frame(CONTEXT, b"\x95\x01\x00\x00\x00\xdd\xff\xff\xff\xff"),
    frame(CONTEXT, b"\x95\x01\x00\x00\x00\xdd" + struct.pack(">I", MAX_CONTEXT_IDS) + b"\x01"),
    frame(CONTEXT, b"\xdd\xff\xff\xff\xff"),
    frame(1, b"\x95\x01\xa1a\x00\xdf\xff\xff\xff\xff"),
    frame(1, b"\x95\x01\xdb\xff\xff\xff\xff"),
    frame(DRAFT, b"\x98\x01\x00\x01\x00\x00\x91\x05\xc0\x91\x92\xdd\xff\xff\xff\xff"),
    frame(DRAFT, b"\x98\x01\x00\x01\x00\x00\x91\x05\xc0" + b"\x91" * 30_000),
    frame(CONTEXT, b"\x95\x01\x00\x00\x00\x93\x01\x01\xc9\xff\xff\xff\xff\x01"),
]


@pytest.mark.parametrize("wire", BOMBS)
def test_announced_lengths_allocate_nothing(wire: bytes) -> None:
    """An array said to have 4 billion elements costs neither memory nor time."""
    decode(FRAMES["Ping"])
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            decode(wire)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64 * 1024


def check_only_frame_errors(wire: bytes) -> bool:
    """Decode; what decodes must survive a round trip. Returns whether it decoded."""
    try:
        message = decode(wire)
    except FrameError:
        return False
    assert decode(encode(message)) == message
    return True


def fuzz(count: int, seed: int) -> int:
    """`count` frames that differ from valid ones by a few edits, most with a corrected length field."""
    source = random.Random(seed)
    originals = [*FRAMES.values()]
    decoded = 0
    for _ in range(count):
        wire = bytearray(source.choice(originals))
        for _ in range(source.randint(1, 4)):
            at = source.randint(min(2 if source.random() < 0.1 else HEADER_BYTES, len(wire)), len(wire))
            match source.randrange(4):
                case 0:
                    wire[at : at + 1] = bytes([source.randrange(256)])
                case 1:
                    wire[at:at] = source.randbytes(source.randint(1, 5))
                case 2:
                    del wire[at : at + source.randint(1, 5)]
                case _:
                    wire[at:at] = source.choice(
                        [b"\xdd\xff\xff\xff\xff", b"\xc0", b"\xcb\x7f\xf8" + b"\0" * 6, b"\x90"]
                    )
        if source.random() < 0.8 and len(wire) >= HEADER_BYTES:
            struct.pack_into(">I", wire, 4, len(wire) - HEADER_BYTES)
        if source.random() < 0.2 and len(wire) >= HEADER_BYTES:
            wire[3] = source.randint(0, 14)
        decoded += check_only_frame_errors(bytes(wire))
    return decoded


def test_mutated_frames_raise_nothing_but_frame_errors() -> None:
    decoded = fuzz(FUZZ_FRAMES, seed=1)
    assert 0 < decoded < FUZZ_FRAMES


@given(st.binary(max_size=200))
def test_random_bytes(wire: bytes) -> None:
    assert not check_only_frame_errors(wire)


@given(st.sampled_from(list(MESSAGE_TYPES)), st.binary(max_size=200))
def test_random_payloads(number: int, payload: bytes) -> None:
    check_only_frame_errors(frame(number, payload))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(st.sampled_from(list(MESSAGE_TYPES)), st.lists(VALUES, max_size=12))
def test_well_formed_messagepack_of_any_shape(number: int, fields: list[object]) -> None:
    check_only_frame_errors(frame(number, msgspec.msgpack.encode(fields)))


IDS = st.integers(0, 2**31 - 1)


@st.composite
def draft_messages(data: st.DrawFn) -> Draft:
    ids = data(st.lists(IDS, min_size=1, max_size=64))
    parents = [data(st.integers(-1, node - 1)) for node in range(len(ids))] if data(st.booleans()) else None
    return Draft(data(st.integers(0, 2**32 - 1)), 0, 1, 0, data(st.integers(0, 2**64 - 1)), ids, parents)


@given(draft_messages())
def test_every_valid_draft_survives_the_round_trip(message: Draft) -> None:
    assert decode(encode(message)) == message


def test_frame_limit_is_what_the_websocket_needs() -> None:
    assert HEADER_BYTES + 5 * MAX_CONTEXT_IDS < MAX_FRAME_BYTES < 2**20
    assert codec.MAGIC == b"DW"
