"""`draftwire demo`: the whole path at work on this machine, with real models, real sockets and a real LSP client.

Three parts: typing with the verifier up; the verifier killed, typing goes on; a poor draft, so that rejects are
seen. Then every fresh suggestion's verified text is compared with what the target says alone. With a grammar and a
file of the user's, `draftwire/demo/language.py` runs instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from draftwire.demo.check import Finding
from draftwire.demo.editor import Editor, Session, running_editor
from draftwire.demo.installed import check_installed
from draftwire.demo.processes import Workplace, cleared_when_terminated, running_verifier, workplace
from draftwire.demo.report import Part, Screen, all_hold, as_json, tables
from draftwire.demo.script import Passage, passages
from draftwire.demo.steps import (
    MODEL,
    POOR_DRAFT,
    UP_S,
    acceptance,
    checked,
    claims,
    target_threads,
    type_all,
)
from draftwire.failures import CommandFailed, Exit

app = typer.Typer(add_completion=False)


@app.command()
def demo(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    grammar: Annotated[
        str,
        typer.Option(
            metavar="GRAMMAR",
            help="With --file: a grammar file of your own, or the name of one (draftwire grammar list).",
        ),
    ] = "",
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --grammar: a file of its language. Statements of it are typed, without the grammar and with it.",
        ),
    ] = None,
    places: Annotated[int, typer.Option(min=1, help="With --grammar: how many statements are typed.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="With --grammar: which statements are typed.")] = 1,
) -> None:
    """Type a real file against a verifier on this machine, kill it halfway, and check that nothing was lost.

    With --grammar and --file: type in a file of your own language, first without its grammar, then with it. Needs the
    extra `verifier` and the bundled model.
    """
    console = Console(highlight=False)
    screen = Screen(console, quiet=json)
    if bool(grammar) != (file is not None):
        raise CommandFailed(
            "--grammar and --file go together: a grammar, and a file of its language", Exit.USAGE
        )
    check_installed()
    if file is not None:
        from draftwire.demo.language import prepare, show

        if not show(prepare(grammar, file, places, seed), console, screen, json=json):
            raise typer.Exit(1)
        return
    online, offline, poor, findings = asyncio.run(_run(screen))
    if json:
        typer.echo(as_json(online, offline, poor, findings))
    else:
        tables(console, [online, offline, poor], findings)
    if not all_hold(findings):
        raise typer.Exit(1)


async def _run(screen: Screen) -> tuple[Part, Part, Part, list[Finding]]:
    half = len(passages()) // 2 + 1
    with cleared_when_terminated(), workplace() as place:
        try:
            online, offline = await _until_killed(place, screen, passages()[:half], passages()[half:])
            poor = await _poor_draft(place, screen, passages(3))
        finally:
            await place.stop_daemon()
        findings = await checked(screen, [*claims(online.session), *claims(poor.session)])
    return online, offline, poor, findings


async def _until_killed(
    place: Workplace, screen: Screen, before: Sequence[Passage], after: Sequence[Passage]
) -> tuple[Part, Part]:
    """The first two parts: with the verifier, and, in the same session, after it has been killed."""
    async with running_verifier(MODEL, target_threads()) as verifier:
        environment = place.configured(draft_model=MODEL, verifier_port=verifier.port)
        async with running_editor(environment, screen.ghost) as editor:
            await editor.until_status(lambda status: status.get("link") == "online", UP_S)
            screen.title(f"With the verifier ({verifier.target})")
            screen.note(
                "after the cursor: verified text in green, provisional text in grey italics (or in [])"
            )
            await _type(editor, before)
            online = Part("verifier up", editor.session, await acceptance(place))
            await verifier.kill()
            screen.title("The verifier is killed")
            editor.session = Session()
            await editor.until_status(lambda status: status.get("link") == "offline", UP_S)
            screen.note(f"status: {editor.status['message']}")
            await _type(editor, after)
            offline = Part("verifier killed", editor.session, _none_since(await acceptance(place), online))
    await place.stop_daemon()
    return online, offline


async def _poor_draft(place: Workplace, screen: Screen, typed: Sequence[Passage]) -> Part:
    """The third part: two of the draft's thirty layers are left out, and the target is the whole model."""
    async with running_verifier(MODEL, target_threads()) as verifier:
        environment = place.configured(draft_model=POOR_DRAFT, verifier_port=verifier.port)
        async with running_editor(environment, screen.ghost) as editor:
            await editor.until_status(lambda status: status.get("link") == "online", UP_S)
            screen.title("A poor draft (28 of 30 layers)")
            await _type(editor, typed)
            poor = Part("poor draft", editor.session, await acceptance(place))
    return poor


async def _type(editor: Editor, typed: Sequence[Passage]) -> None:
    async def opened(passage: Passage) -> None:
        editor.open(passage.before)

    await type_all(editor, typed, opened)


def _none_since(now: dict[str, Any], before: Part) -> dict[str, Any]:
    """The counts since `before`: with the verifier killed there should be no rounds at all."""
    rounds = now["rounds"] - before.acceptance["rounds"]
    return {**now, "rounds": rounds, "acceptance_rate": None, "accepted_per_round": None}
