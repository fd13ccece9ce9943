"""`draftwire stats`: what the daemon has counted since it started. Local data only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from draftwire.commands.options import Json
from draftwire.terminal import print_json, print_pairs


def stats(*, json: Json = False) -> None:
    """Suggestions shown and accepted, latencies, acceptance rate, and why nothing was shown, on this machine."""
    values = asyncio.run(_stats())
    if json:
        print_json(values)
    else:
        print_pairs("since the daemon started, from local data only", _rows(values))


def _rows(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and figures, tables within tables flattened to dotted names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _rows(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            yield f"{prefix}{name}", f"{len(value)} entries (see --json)" if value else "none"
        else:
            yield (
                f"{prefix}{name}".replace("_", " "),
                f"{value:.3f}" if isinstance(value, float) else str(value),
            )


async def _stats() -> dict[str, Any]:
    from daemon.api.client import DaemonClient
    from daemon.api.paths import runtime_paths

    client = await DaemonClient.connect(runtime_paths(), client="draftwire stats")
    try:
        return await client.stats()
    finally:
        await client.close()
