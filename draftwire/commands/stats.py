"""`draftwire stats`: what the daemon has counted since it started. Local data only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from draftwire.commands.options import Json
from draftwire.terminal import out, print_json, print_pairs


def stats(
    *,
    last: Annotated[
        bool,
        typer.Option("--last", help="Show the last 50 requests: how long each took, why one got nothing."),
    ] = False,
    json: Json = False,
) -> None:
    """Suggestions shown and accepted, latencies, acceptance rate, and why nothing was shown."""
    values = asyncio.run(_stats())
    if json:
        print_json(values)
    elif last:
        _print_last(values.get("last_requests", []))
    else:
        counted = {name: value for name, value in values.items() if name != "last_requests"}
        print_pairs("since the daemon started, from local data only", _rows(counted))


def _rows(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and figures, tables within tables flattened to dotted names."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _rows(value, f"{name}.")
        else:
            yield name.replace("_", " "), _figure(value)


def _figure(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _print_last(requests: list[Mapping[str, Any]]) -> None:
    """The last requests, newest last."""
    from rich.table import Table
    from rich.text import Text

    table = Table("ms", "document", "characters", "nothing because", box=None, pad_edge=False)
    for request in requests:
        cells = (
            f"{request['seconds'] * 1000:.1f}",
            request["document"].rpartition("/")[2],
            str(request["shown"]),
            request["reason"] or "",
        )
        table.add_row(*(Text(cell) for cell in cells))
    out().print(table)


async def _stats() -> dict[str, Any]:
    from daemon.api.client import DaemonClient
    from daemon.api.paths import runtime_paths

    client = await DaemonClient.connect(runtime_paths(), client="draftwire stats")
    try:
        return await client.stats()
    finally:
        await client.close()
