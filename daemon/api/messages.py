"""Messages on the local socket between a client (editor bridge, command line) and the daemon, version 1.

Text here is Unicode with LF line ends; offsets count code points from the start of the document. Converting
from the editor's positions and line ends is the client's job (`lsp_bridge/positions.py`), done once, there.

This module knows shapes only. Framing is `daemon/api/framing.py`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

API_VERSION = 1
MAX_TEXT = 16 * 2**20
"""The longest document the daemon takes, in code points."""

Offset = Annotated[int, Meta(ge=0, lt=2**31)]
Version = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
RequestId = Annotated[int, Meta(ge=0, lt=2**53)]
SuggestionId = Annotated[int, Meta(ge=0, lt=2**53)]
DocumentId = Annotated[str, Meta(max_length=8192)]
"""The document's URI as the editor spells it; a session is one (client, document)."""
DocumentText = Annotated[str, Meta(max_length=MAX_TEXT)]
MAX_GRAMMAR = 1_000_000
"""The longest text of a grammar file, in code points; no longer one is ever used."""
GrammarText = Annotated[str, Meta(max_length=MAX_GRAMMAR)]


class ApiMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """Base of all local messages. Encoded as a MessagePack map with a `type` field.

    The daemon refuses fields that it does not know: it would not do all that was asked.
    """


# Client -> daemon -----------------------------------------------------------------------------------------


class Hello(ApiMessage, frozen=True, forbid_unknown_fields=False):
    """First message of a connection. Every daemon can read it: it tells a client of another protocol so."""

    api: int
    client: Annotated[str, Meta(max_length=200)]
    """For people: "neovim 0.11.4", "draftwire complete"."""
    pid: int
    token: Annotated[str, Meta(max_length=200)] = ""
    """The per-run token, where the socket is loopback TCP; empty on a Unix socket."""
    settings: dict[str, Any] = {}
    """Settings of this client alone, by dotted name, over those of the configuration file."""


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Replace [start, end) with `text`. Edits of one change apply in order, each to the result of the one
    before."""

    start: Offset
    end: Offset
    text: DocumentText


class OpenDocument(ApiMessage, frozen=True):
    """The client has this document; again for an open one replaces it."""

    document: DocumentId
    language: Annotated[str, Meta(max_length=100)]
    version: Version
    text: DocumentText


class ChangeDocument(ApiMessage, frozen=True):
    """The document changed; drafting starts at the end of the last edit without waiting for a request."""

    document: DocumentId
    version: Version
    edits: list[Edit]


class CloseDocument(ApiMessage, frozen=True):
    document: DocumentId


Trigger = Literal["automatic", "invoked"]
Wait = Literal["first", "settled", "verified"]


class Complete(ApiMessage, frozen=True):
    """Ask for what to show at `offset` of the document at `version`. Answered by exactly one Completions or
    Failed."""

    request: RequestId
    document: DocumentId
    version: Version
    offset: Offset
    trigger: Trigger = "automatic"
    """invoked: the user asks by hand. Where text was given at this place before, that asks for another: the answer
    lists up to three candidates, what was given first of all, after 0.3 s at the longest."""
    wait: Wait = "first"
    """first: as soon as there is something to show, the editor's case; settled: when drafting has ended;
    verified: when the target has ended its part, or can't be had."""


class Cancel(ApiMessage, frozen=True):
    """The client no longer wants the answer to `request`; it still gets one (reason `cancelled`)."""

    request: RequestId


class Shown(ApiMessage, frozen=True):
    """The editor drew this suggestion."""

    suggestion: SuggestionId


AcceptKind = Literal["all", "line", "word", "partial"]


class Accepted(ApiMessage, frozen=True):
    """The user took the first `length` code points of the suggestion's text, as displayed."""

    suggestion: SuggestionId
    length: Offset
    kind: AcceptKind = "all"


class Configure(ApiMessage, frozen=True):
    """Replace this client's own settings (those of Hello)."""

    settings: dict[str, Any]


class CheckGrammar(ApiMessage, frozen=True):
    """Ask what is wrong with a grammar file whose text is this. Answered by exactly one GrammarFindings or Failed.

    It takes from half a second to some seconds. A client has one at a time: a newer one ends the one under way.
    """

    request: RequestId
    document: DocumentId
    """The file's URI, path or name: its extension tells the dialect."""
    text: GrammarText


class GetStatus(ApiMessage, frozen=True):
    request: RequestId


class GetStats(ApiMessage, frozen=True):
    request: RequestId


class Goodbye(ApiMessage, frozen=True):
    """The client leaves in order. One that goes without it was killed, and a daemon that served it alone ends soon."""


class Shutdown(ApiMessage, frozen=True):
    """End the daemon. It tells the other clients (Ending), answers nothing; the connection closes."""


ServedMessage = (
    OpenDocument
    | ChangeDocument
    | CloseDocument
    | Complete
    | Cancel
    | Shown
    | Accepted
    | Configure
    | CheckGrammar
    | GetStatus
    | GetStats
)
"""What a greeted client asks for; the rest is the connection's own business."""
ClientMessage = Hello | ServedMessage | Goodbye | Shutdown

# Daemon -> client -----------------------------------------------------------------------------------------


class ToldMessage(ApiMessage, frozen=True, forbid_unknown_fields=False):
    """Base of what the daemon says. A client passes over fields that it does not know: the daemon may be newer."""


class Welcome(ToldMessage, frozen=True):
    """The connection is accepted."""

    api: int
    daemon_version: str
    pid: int
    draft_model: str


class Ending(ToldMessage, frozen=True):
    """The daemon ends in order, told to or signalled; the connection closes. One that crashed has not said this."""


NothingReason = Literal[
    "no_document",
    "stale_version",
    "cancelled",
    "superseded",
    "disabled",
    "manual_only",
    "in_comment",
    "in_string",
    "excluded_file",
    "ignored_file",
    "file_too_large",
    "model_loading",
    "model_failed",
    "empty_draft",
    "filtered_duplicate",
    "filtered_repetition",
    "filtered_blank",
    "filtered_grammar",
    "grammar_unused",
    "mid_word",
    "secret",
    "timeout",
    "internal_error",
]
"""Why there is nothing to show. Every empty answer has one; they are counted and the last 50 kept."""


class Suggestion(msgspec.Struct, frozen=True):
    """Ghost text: insert `text` at the offset asked for. Its first `verified` code points are the target's
    own."""

    id: SuggestionId
    text: str
    verified: int
    complete: bool
    """Nothing will be added to it any more."""
    source: Literal["recall", "draft", "target"]


class Completions(ToldMessage, frozen=True):
    """The answer to Complete: what to show at `offset` of `version`, best first; or nothing, and why.

    `surroundings` is `daemon.api.text.surroundings_hash` of the text around the offset: a client that has
    moved on may still use the answer if its own text hashes alike there.
    """

    request: RequestId
    document: DocumentId
    version: Version
    offset: Offset
    surroundings: int
    suggestions: list[Suggestion]
    reason: NothingReason | None = None
    grammar: str = ""
    """How the document's grammar took part: "masked", "resynced: why", "unmasked: why", "held back: why" (nothing is
    shown without it); empty where there is none."""


class SuggestionUpdate(ToldMessage, frozen=True):
    """A suggestion given before (and still fitting the buffer) has changed.

    extended: the new text starts with the old. verified: the same text, more of it the target's own.
    corrected: its provisional tail was replaced within the settling window (at most once). withdrawn: it is
    no longer offered. The text is to be inserted at `offset` of `version`.
    """

    document: DocumentId
    version: Version
    offset: Offset
    kind: Literal["extended", "verified", "corrected", "withdrawn"]
    suggestion: Suggestion


class GrammarProblem(msgspec.Struct, frozen=True):
    """Why a grammar is not used as it should be, if only the user can mend that."""

    about: str
    """The same as long as it is the same matter, while a file is being mended, say. For telling once."""
    text: str
    """What is the case and what to do, in one line."""


class GrammarState(ToldMessage, frozen=True):
    """Pushed when a document's grammars are others, or fare otherwise, than it was told last of this document.

    Nothing is told of a document that never had one, nor expected one."""

    document: DocumentId
    line: str
    """For people: "masked by sql"; empty: there is none any more."""
    problems: list[GrammarProblem] = []


class GrammarFinding(msgspec.Struct, frozen=True):
    """One thing to say of a grammar file.

    Lines and columns count from 1, columns in code points; the end is exclusive. All are 0 where there is no place.
    """

    severity: Literal["error", "warning", "note"]
    code: str
    """A stable name for the kind of finding."""
    message: str
    advice: str = ""
    """What to do; empty where there is nothing to do."""
    line: Offset = 0
    column: Offset = 0
    end_line: Offset = 0
    end_column: Offset = 0


class GrammarFindings(ToldMessage, frozen=True):
    """The answer to CheckGrammar, in the order of importance."""

    request: RequestId
    findings: list[GrammarFinding]
    reason: Literal["cancelled", "superseded", "disabled", "busy"] | None = None
    """Why nothing was found out; there are no findings then. disabled: the client's grammars are switched off; busy:
    this machine has no time, and another try may go better."""


DraftState = Literal["loading", "ready", "failed"]
LinkState = Literal["off", "connecting", "online", "offline", "refused", "slow"]
"""off: none configured; offline: can't be reached, trying again; refused: it said no, see the reason; slow:
the last verdicts missed their deadlines; after some in a row none is asked for until the time of the next try."""


class Status(ToldMessage, frozen=True):
    """Pushed on every change, and the answer to GetStatus (`request` is then set)."""

    draft: DraftState
    link: LinkState
    message: str
    """One line for the status item: what is going on, and what to do if something is wrong."""
    draft_model: str = ""
    target_model: str = ""
    draft_error: str = ""
    link_reason: str = ""
    busy: bool = False
    clients: int = 0
    sessions: int = 0
    pid: int = 0
    version: str = ""
    host: str = ""
    """The machine that the daemon and the draft model run on."""
    verifier: str = ""
    """Host and port of the verifier, never with credentials."""
    config_file: str = ""
    """Where the daemon read its settings from, or looked for them; empty: from no file."""
    settings_digest: str = ""
    """Of the settings in force: alike for what means the same (`daemon.settings.annotated_config.settings_digest`)."""
    grammars: list[str] = []
    """One line for each grammar that open documents need, or whose project is not trusted: what has become of it."""
    grammars_folder: str = ""
    """The folder of the user's own grammars; there need not be one."""
    retry_in_ms: int = 0
    round_trip_ms: float = 0.0
    left_out: dict[str, NothingReason] = {}
    """Open documents that are not completed whatever is asked, by the file's name, and why; some, if there are many."""
    request: RequestId | None = None


class Stats(ToldMessage, frozen=True):
    """The answer to GetStats: counters and summaries since the daemon started, local data only."""

    request: RequestId
    values: dict[str, Any]


FailureCode = Literal[
    "bad_message", "bad_hello", "unauthorized", "unknown_document", "bad_offset", "bad_setting", "internal"
]


class Failed(ToldMessage, frozen=True):
    """A message could not be carried out. `message` says what to do. The connection goes on unless it was
    Hello."""

    code: FailureCode
    message: str
    request: RequestId | None = None
    settings: list[str] = []
    """For bad_setting: the dotted names of the client's settings that can't be used; the others can."""


DaemonMessage = (
    Welcome
    | Ending
    | Completions
    | SuggestionUpdate
    | GrammarState
    | GrammarFindings
    | Status
    | Stats
    | Failed
)
