"""Are bridge and daemon of one version? After an upgrade one of them may still run what was installed before."""

from __future__ import annotations

from importlib import metadata


def other_version(bridge: str, daemon: str) -> str:
    """What to tell the user of two that differ; empty if they do not, or the daemon does not say."""
    if daemon in ("", bridge):
        return ""
    if installed_version() in ("", bridge):
        advice = "run `draftwire daemon stop`; the daemon is started again when you type on"
    else:
        advice = "restart the editor"
    return f"the daemon is version {daemon}, this editor's bridge {bridge}: {advice}"


def installed_version() -> str:
    """What a process that starts now would be; empty for a source tree that was never installed."""
    try:
        return metadata.version("draftwire")
    except metadata.PackageNotFoundError:
        return ""
