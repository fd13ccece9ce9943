"""`draftwire stats`: what the daemon has counted since it started. Local data only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final
from urllib.parse import unquote

import typer

from daemon.api.reasons import in_words
from draftwire.commands.options import Json
from draftwire.terminal import out, print_json, print_pairs

_UNITS: Final = ("ms", "tokens", "characters")
_BY_TEXT: Final = ("languages ", "drafts ", "grammar requests ")
"""Tables whose keys are the users' words and paths, and shown as they are."""
_FIRST: Final = (
    "keys", "requests", "suggestions", "shown", "accepted", "accepted_characters", "sources", "late_texts",
)  # fmt: skip
_NAMES: Final = {"shown": "reported as shown by the editor"}
"""Of figures whose own name leaves open who counts."""


def stats(
    *,
    last: Annotated[
        bool,
        typer.Option(
            "--last", help="Show the last 50 requests, newest first: how long each took, why one got nothing."
        ),
    ] = False,
    why: Annotated[
        bool,
        typer.Option(
            "--why", help="Of the last 50 requests, list those that got nothing, newest first, and why."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Suggestions shown and accepted, latencies, acceptance rate, and why nothing was shown."""
    values = asyncio.run(_stats())
    if json:
        print_json(values)
    elif why:
        _print_why(values.get("last_requests", []))
    elif last:
        _print_last(values.get("last_requests", []))
    else:
        _print_all(values)


Row = Mapping[str, Any]


def _print_all(values: Mapping[str, Any]) -> None:
    """What users look for first; then, but for what is all zero, what it came from."""
    first = {_NAMES.get(key, key): values[key] for key in _FIRST if key in values}
    print_pairs("since the daemon started, from local data only", _rows(first))
    apart = (*_FIRST, "nothing", "last_requests")
    rest = {key: value for key, value in values.items() if key not in apart and not _is_zero(value)}
    times = {_name_and_unit(key)[0]: rest.pop(key) for key, value in [*rest.items()] if _is_time(key, value)}
    _print_table("times, ms", times)
    _print_nothing(values.get("nothing", {}))
    for title in [key for key, value in rest.items() if _is_table(value)]:
        _print_table(title, rest.pop(title))
    if rest:
        out().print()
        print_pairs("drafts, verifier and grammars", _rows(rest))


def _is_zero(value: Any) -> bool:
    """Whether nothing was counted: zero or none, in all of a table."""
    return all(_is_zero(own) for own in value.values()) if isinstance(value, Mapping) else not value


def _is_time(name: str, value: Any) -> bool:
    return name.endswith("_ms") and isinstance(value, Mapping)


def _is_table(value: Any) -> bool:
    """Whether it has the same figures for several things."""
    return isinstance(value, Mapping) and all(isinstance(row, Mapping) for row in value.values())


def _print_nothing(counts: Mapping[str, int]) -> None:
    """Why nothing was shown, the most frequent reason first; the reasons last, where a long one stays legible."""
    if counts:
        out().print()
        often = sorted(counts.items(), key=lambda item: -item[1])
        print_pairs("nothing shown, because", ((str(count), in_words(reason)) for reason, count in often))


def _print_table(title: str, rows: Mapping[str, Row]) -> None:
    if not rows:
        return
    from rich.table import Table
    from rich.text import Text

    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    table = Table(box=None, pad_edge=False)
    table.add_column(Text(title, style="bold"))
    for column in columns:
        table.add_column(_name_and_unit(column)[0], justify="right")
    for name, row in rows.items():
        cells = (_figure(row[key], _name_and_unit(key)[1]) if key in row else "" for key in columns)
        table.add_row(Text(name), *cells)
    out().print()
    out().print(table)


def _rows(values: Mapping[str, Any], prefix: str = "", unit: str = "") -> Iterator[tuple[str, str]]:
    """Names and figures with their units, tables within tables flattened to one name."""
    for key, value in values.items():
        name, own_unit = (key, "") if prefix in _BY_TEXT else _name_and_unit(key)
        if isinstance(value, Mapping):
            yield from _rows(value, f"{prefix}{name} ", own_unit or unit)
        else:
            figure = _figure(value, own_unit or ("" if key == "count" else unit))
            yield f"{prefix}{name.removeprefix(prefix)}", figure


def _name_and_unit(key: str) -> tuple[str, str]:
    """`verdict_ms` is "verdict" in "ms"; a rate or share is one by its name."""
    name = key.replace("_", " ")
    stem, _, last = name.rpartition(" ")
    if stem and last in _UNITS:
        return stem, last
    return name, "rate" if last in ("rate", "share") else ""


def _figure(value: Any, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "rate":
        return f"{value:.0%}" if value == 0 or value >= 0.1 else f"{value:.1%}"
    figure = f"{value:.1f}" if isinstance(value, float) else str(value)
    return f"{figure} {unit}".rstrip()


def _print_last(requests: list[Mapping[str, Any]]) -> None:
    """The last requests, which come oldest first and are shown newest first."""
    from rich.table import Table
    from rich.text import Text

    names = ("ms", "document", "characters", "from", "grammar", "nothing because")
    title = Text("the last requests, newest first", style="bold")
    table = Table(*names, title=title, title_justify="left", box=None, pad_edge=False)
    for request in reversed(requests):
        cells = (
            f"{request['seconds'] * 1000:.1f}",
            unquote(request["document"].rpartition("/")[2]),
            str(request["shown"]),
            request.get("source", ""),
            request.get("grammar", ""),
            in_words(request["reason"]) if request["reason"] else "",
        )
        table.add_row(*(Text(cell) for cell in cells))
    out().print(table)


def _print_why(requests: list[Mapping[str, Any]]) -> None:
    """One line for each request with nothing shown, the reason first: an editor shows the left of a line."""
    nothing = [request for request in requests if request["reason"]]
    with_text = f"{len(requests) - len(nothing)} of the last {len(requests)} requests got text"
    out().print(with_text + ("; these got nothing, newest first" if nothing else ""), style="bold")
    for request in reversed(nothing):
        document = unquote(request["document"].rpartition("/")[2])
        reason = in_words(request["reason"])
        out().print(f"{reason} ({document}, {request['seconds'] * 1000:.1f} ms)", markup=False)


async def _stats() -> dict[str, Any]:
    from daemon.api.client import DaemonClient
    from daemon.api.paths import runtime_paths

    client = await DaemonClient.connect(runtime_paths(), client="draftwire stats")
    try:
        return await client.stats()
    finally:
        await client.close()
