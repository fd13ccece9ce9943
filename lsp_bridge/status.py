"""The status that clients show: where daemon, draft and verifier stand, with one typed reason. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from daemon.api.messages import GrammarState, Status
from lsp_bridge.session import SessionState

Kind = Literal["Normal", "Warning", "Error", "Inactive"]
"""As in Copilot's `didChangeStatus`."""
Reason = Literal[
    "",
    "daemon_starting",
    "daemon_silent",
    "daemon_stopped",
    "daemon_unavailable",
    "daemon_refused",
    "draft_loading",
    "draft_failed",
    "bad_setting",
    "other_version",
    "verifier_connecting",
    "verifier_offline",
    "verifier_refused",
    "verifier_slow",
    "grammar_unused",
]

_WITHOUT_DAEMON: dict[str, tuple[Kind, Reason]] = {
    "starting": ("Inactive", "daemon_starting"),
    "silent": ("Error", "daemon_silent"),
    "stopped": ("Warning", "daemon_stopped"),
    "unavailable": ("Error", "daemon_unavailable"),
    "refused": ("Error", "daemon_refused"),
}
_OF_DRAFT: dict[str, tuple[Kind, Reason]] = {
    "loading": ("Inactive", "draft_loading"),
    "failed": ("Error", "draft_failed"),
}
_OF_LINK: dict[str, tuple[Kind, Reason]] = {
    "connecting": ("Normal", "verifier_connecting"),
    "offline": ("Warning", "verifier_offline"),
    "refused": ("Warning", "verifier_refused"),
    "slow": ("Warning", "verifier_slow"),
}


def status_params(
    session: SessionState,
    status: Status | None,
    grammars: Mapping[str, GrammarState],
    left_out: Mapping[str, str],
    other_version: str,
) -> dict[str, Any]:
    """The parameters of `draftwire/status`, and the answer to the request of that name.

    `grammars`: how those of the open documents fare, by URI. `left_out`: why nothing is suggested in some, by URI.
    `other_version`: what to tell of a daemon whose version is not the bridge's.
    """
    problem = next((one.text for state in grammars.values() for one in state.problems), "")
    kind, reason, message = _told(session, status, problem, other_version)
    known = status if session.phase == "connected" and status is not None else None
    return {
        "kind": kind,
        "reason": reason,
        "message": message,
        "daemon": session.phase,
        "draft": known.draft if known else "loading",
        "link": known.link if known else "off",
        "busy": known.busy if known else session.phase == "starting",
        "draftModel": known.draft_model if known else "",
        "targetModel": known.target_model if known else "",
        "draftError": known.draft_error if known else "",
        "linkReason": known.link_reason if known else "",
        "host": known.host if known else "",
        "verifier": known.verifier if known else "",
        "roundTripMs": known.round_trip_ms if known else 0.0,
        "retryInMs": known.retry_in_ms if known else 0,
        "pid": known.pid if known else 0,
        "version": known.version if known else "",
        "grammars": {uri: state.line for uri, state in grammars.items() if state.line} if known else {},
        "leftOut": dict(left_out) if known else {},
    }


def copilot_params(status: dict[str, Any]) -> dict[str, Any]:
    """The parameters of Copilot's `didChangeStatus`."""
    return {"kind": status["kind"], "busy": status["busy"], "message": status["message"]}


def _told(
    session: SessionState, status: Status | None, problem: str, other_version: str
) -> tuple[Kind, Reason, str]:
    """What there is to tell, in one line; of several things the first in this order."""
    if session.phase != "connected":
        return *_WITHOUT_DAEMON[session.phase], session.message
    if status is None:
        return "Inactive", "daemon_starting", ""
    if draft := _OF_DRAFT.get(status.draft):
        return *draft, status.message
    if session.bad_settings:
        return "Warning", "bad_setting", f"settings left out: {session.bad_settings}"
    if other_version:
        return "Warning", "other_version", other_version
    if link := _OF_LINK.get(status.link):
        return *link, status.message
    if problem:
        return "Warning", "grammar_unused", f"grammar {problem}"
    return "Normal", "", status.message
