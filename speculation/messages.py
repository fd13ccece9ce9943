"""The messages between daemon and verifier (protocol version 1).

One websocket per daemon carries many sessions. Positions are absolute: position i is the i-th token of the
session's sequence (context first, then what the target generated); hashes are `speculation.paths`, epochs
`speculation.epochs`. Lengths are bounded here, by type; the codec bounds the frame before it decodes it.

This module knows the shape of each message, not how it is framed (codec) nor who may send it when
(`daemon/target/link_session.py`, `verifier/session.py`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from speculation.epochs import MAX_EPOCH

PROTOCOL_VERSION = 1
MAX_CONTEXT_IDS = 1 << 17
MAX_DRAFT_IDS = 64
MAX_SUPPORT = 64

TokenId = Annotated[int, Meta(ge=0, lt=2**31)]
U32 = Annotated[int, Meta(ge=0, lt=2**32)]
U64 = Annotated[int, Meta(ge=0)]
"""MessagePack has no integer above 2**64 - 1, so the format itself is the upper bound."""
Epoch = Annotated[int, Meta(ge=0, le=MAX_EPOCH)]
SessionId = U32
Position = U32
Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=2000)]
Digest = Annotated[str, Meta(max_length=128)]
ContextIds = Annotated[list[TokenId], Meta(max_length=MAX_CONTEXT_IDS)]
DraftIds = Annotated[list[TokenId], Meta(min_length=1, max_length=MAX_DRAFT_IDS)]
StopIds = Annotated[list[TokenId], Meta(max_length=64)]

Mode = Literal["match", "ratio", "block"]
Finish = Literal["", "stop", "length", "context_full", "cancelled"]


class Message(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of all wire messages. Encoded as a MessagePack array of the fields, in order."""


class Hello(Message, frozen=True):
    """Daemon -> verifier, first: what the draft side is. Token ids must mean the same bytes to both ends."""

    protocol: U32
    vocabulary: Digest
    """`speculation.vocabulary.fingerprint` of the draft model."""
    n_vocab: U32
    special_ids: Annotated[dict[Name, TokenId], Meta(max_length=64)]
    draft_id: Name
    adapter: Digest = ""
    capabilities: Annotated[list[Name], Meta(max_length=32)] = []


class Welcome(Message, frozen=True):
    """Verifier -> daemon: accepted; what the target is and what it allows."""

    protocol: U32
    target_id: Name
    target_revision: Name
    n_vocab: U32
    max_sessions: U32
    max_context: U32
    max_draft: U32
    credit: U32
    """Draft tokens that may be in flight (sent, without verdict) per session."""
    verify_estimate_us: U32
    modes: Annotated[list[Mode], Meta(max_length=8)] = msgspec.field(default_factory=lambda: ["match"])


class Open(Message, frozen=True):
    """Daemon -> verifier: start a session with these sampling parameters."""

    session: SessionId
    mode: Mode = "match"
    temperature: Annotated[float, Meta(ge=0, le=10)] = 0.0
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Meta(ge=0, lt=2**31)] = 0
    """0: no top-k."""
    seed: U64 = 0
    stop_ids: StopIds = []
    max_tokens: U32 = 64
    """Tokens the target generates after each CONTEXT, at the most."""
    draft_wait_ms: Annotated[int, Meta(ge=0, le=10_000)] = 0
    """How long the target may wait for a draft before it decodes by itself; 0: it never waits."""


class Context(Message, frozen=True):
    """Daemon -> verifier: the sequence is now its first `keep_len` tokens + `append`. Prefilled at once."""

    session: SessionId
    epoch: Epoch
    keep_len: Position
    keep_hash: U64
    append: ContextIds


class SparseQ(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A quantised draft distribution: `weights` are positive integers that sum to 2**16, one per id."""

    ids: Annotated[list[TokenId], Meta(min_length=1, max_length=MAX_SUPPORT)]
    weights: Annotated[list[Annotated[int, Meta(ge=1, le=65536)]], Meta(min_length=1, max_length=MAX_SUPPORT)]


class Draft(Message, frozen=True):
    """Daemon -> verifier: draft tokens that continue the path of `base_hash` at `base_pos`.

    Without `parents` they are a chain. With `parents` they are a tree: `parents[i]` is the index in `ids` of
    token i's parent, -1 for a child of the base; a parent comes before its children. `q[i]` is the
    distribution token i was drawn from (ratio and block mode only).
    """

    session: SessionId
    epoch: Epoch
    seq: U32
    """Starts at 1 for a session and rises by one a frame; never reused."""
    base_pos: Position
    base_hash: U64
    ids: DraftIds
    parents: (
        Annotated[list[Annotated[int, Meta(ge=-1, lt=MAX_DRAFT_IDS)]], Meta(max_length=MAX_DRAFT_IDS)] | None
    ) = None
    q: Annotated[list[SparseQ], Meta(max_length=MAX_DRAFT_IDS)] | None = None


class Verdict(Message, frozen=True):
    """Verifier -> daemon: one round's outcome.

    Of the draft tokens verified (all frames up to `seq`, at `base_pos` and on), the first `accepted` stand,
    then comes `next_id`: the correction token if a draft token was rejected, else the bonus token. The
    commit is then `commit_len` tokens long. Without a draft in the round `drafted` and `accepted` are 0 and
    `next_id` is what the target decoded by itself. `finish` other than "" ends generation for this CONTEXT;
    with "stop" the stop token is `next_id` and is part of the commit.
    """

    session: SessionId
    epoch: Epoch
    """The epoch the round was verified under; if `accepted < drafted` both ends now go to `after_reject`."""
    seq: U32
    """The last DRAFT frame the round took in; 0 if it took none."""
    base_pos: Position
    drafted: U32
    accepted: U32
    next_id: TokenId
    commit_len: Position
    commit_hash: U64
    path: Annotated[list[TokenId], Meta(max_length=MAX_DRAFT_IDS)] = []
    """The accepted ids, when they are not the first `accepted` of the chain the daemon sent (trees)."""
    finish: Finish = ""
    queue_us: U32 = 0
    verify_us: U32 = 0


class Cancel(Message, frozen=True):
    """Daemon -> verifier: stop generating for this session; `close` also frees its slot."""

    session: SessionId
    epoch: Epoch
    close: bool = False


class Resume(Message, frozen=True):
    """Daemon -> verifier: I know the commit up to `commit_len`; send what came after, a VERDICT a token."""

    session: SessionId
    commit_len: Position
    commit_hash: U64


class Credit(Message, frozen=True):
    """Verifier -> daemon: the number of draft tokens that may be in flight is now `tokens`."""

    session: SessionId
    tokens: U32


class Adapter(Message, frozen=True):
    """Verifier -> daemon: a draft adapter (LoRA) is on offer. Nothing is fetched by the protocol itself."""

    adapter: Digest
    base_draft_id: Name
    url: Text = ""
    size: U64 = 0


ErrorCode = Literal[
    "bad_frame",
    "protocol_mismatch",
    "vocabulary_mismatch",
    "unauthorized",
    "unknown_session",
    "session_exists",
    "context_mismatch",
    "context_too_long",
    "token_out_of_range",
    "unsupported_mode",
    "too_many_sessions",
    "rate_limited",
    "shutting_down",
    "internal",
]


class Error(Message, frozen=True):
    """Either way: what failed, in words a person can act on. `session` is None for the whole connection."""

    code: ErrorCode
    message: Text
    session: SessionId | None = None
    retry_after_ms: U32 = 0


class Ping(Message, frozen=True):
    """Either way: answered by a Pong with the same `nonce`."""

    nonce: U64


class Pong(Message, frozen=True):
    nonce: U64
    server_busy_us: U32 = 0


AnyMessage = (
    Hello
    | Welcome
    | Open
    | Context
    | Draft
    | Verdict
    | Cancel
    | Resume
    | Credit
    | Adapter
    | Error
    | Ping
    | Pong
)

MESSAGE_TYPES: dict[int, type[Message]] = {
    1: Hello,
    2: Welcome,
    3: Open,
    4: Context,
    5: Draft,
    6: Verdict,
    7: Cancel,
    8: Resume,
    9: Credit,
    10: Adapter,
    11: Error,
    12: Ping,
    13: Pong,
}
"""The type byte of each message; numbers are never reused."""
