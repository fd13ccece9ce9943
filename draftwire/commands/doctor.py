"""`draftwire doctor`: run the examination and print what it finds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Final

import typer

from draftwire.commands.options import ConfigFile, Json
from draftwire.failures import CommandFailed
from draftwire.terminal import out, print_json, steps

if TYPE_CHECKING:
    from rich.console import Console

    from draftwire.doctor.findings import Finding

_MARKS: Final = {
    "ok": ("ok", "green"),
    "info": ("--", "dim"),
    "warning": ("!!", "yellow"),
    "failed": ("XX", "bold red"),
}


def doctor(
    config: ConfigFile = None,
    *,
    start: Annotated[bool, typer.Option("--start", help="Start the daemon if none runs.")] = False,
    json: Json = False,
) -> None:
    """Check each hop, editor, bridge, daemon, grammars, draft model, verifier: ok, or the reason and the fix.

    Exit status 0 if nothing failed (warnings are no failures), else 1.
    """
    from draftwire.doctor.examination import examine

    findings: list[Finding] = []
    console = out()

    def found(finding: Finding) -> None:
        findings.append(finding)
        if not json:
            _print(console, finding, new_hop=len(findings) == 1 or findings[-2].hop != finding.hop)

    with steps() as step:
        asyncio.run(examine(config, found, lambda what: step(f"looking at {what}"), start=start))
    failed = sum(finding.level == "failed" for finding in findings)
    if json:
        print_json({"ok": not failed, "findings": [_plain(finding) for finding in findings]})
    if failed:
        raise CommandFailed(f"{failed} of {len(findings)} checks failed")


def _plain(finding: Finding) -> dict[str, str]:
    from dataclasses import asdict

    return asdict(finding)


def _print(console: Console, finding: Finding, *, new_hop: bool) -> None:
    from rich.text import Text

    if new_hop:
        console.print(Text(finding.hop, style="bold"))
    mark, style = _MARKS[finding.level]
    console.print(Text.assemble("  ", (mark, style), f"  {finding.check}: {finding.text}"))
    if finding.fix:
        console.print(Text(f"      fix: {finding.fix}", style=style))
