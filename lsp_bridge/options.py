"""What a client asks for in `initializationOptions`, and its settings for the daemon. Pure.

`{"settings": {...}, "completionList": false, "copilotDialect": false, "notifications": true}`

Clients of Copilot's language server can't be told to send this; they are known by what they do send.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from daemon.api.errors import FrameError
from daemon.api.framing import encode
from daemon.api.messages import Configure

SECTION = "draftwire"
OPTIONS = frozenset({"settings", "completionList", "copilotDialect", "notifications"})
OF_COPILOT = "editorPluginInfo"
"""What clients of Copilot's language server introduce themselves with."""
MAX_SETTINGS_DEPTH = 8

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """One client's wishes."""

    settings: dict[str, Any] = field(default_factory=dict)
    """For the daemon, by dotted name."""
    completion_list: bool = False
    """Offer suggestions in `textDocument/completion` too, for a client without inline completion."""
    copilot_dialect: bool = False
    """Also send `didChangeStatus`, as Copilot's language server does and its clients expect."""
    notifications: bool = True
    """Send `draftwire/suggestion` and `draftwire/status`."""


def client_options(given: Any) -> ClientOptions:
    """The options of `initialize`; what is missing or of the wrong type has its default."""
    if not isinstance(given, Mapping):
        return ClientOptions()
    return ClientOptions(
        settings=settings_from(given.get("settings")),
        completion_list=given.get("completionList") is True,
        copilot_dialect=given.get("copilotDialect", OF_COPILOT in given) is True,
        notifications=given.get("notifications") is not False,
    )


def settings_from(given: Any) -> dict[str, Any]:
    """Settings as clients send them (nested or dotted, with or without the section) by dotted name; null is
    unset.

    Helix sends its options of `initialize` once more as settings: then they are those in there.
    """
    if not isinstance(given, Mapping):
        return {}
    settings = given.get("settings") if OPTIONS & given.keys() else given
    section = settings.get(SECTION, settings) if isinstance(settings, Mapping) else None
    flat = _flat(section, "", MAX_SETTINGS_DEPTH) if isinstance(section, Mapping) else {}
    try:
        encode(Configure(flat))
    except FrameError as error:
        log.warning("ignored the client's settings: %s", error)
        return {}
    return flat


def _flat(given: Mapping[str, Any], prefix: str, depth: int) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, Mapping) and depth:
            flat |= _flat(value, f"{prefix}{name}.", depth - 1)
        elif value is not None:
            flat[f"{prefix}{name}"] = value
    return flat
