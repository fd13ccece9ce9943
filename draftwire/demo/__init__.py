"""`draftwire demo`: the whole path at work on this machine, with real models, real sockets and a real LSP client.

Three parts: typing with the verifier up; the verifier killed, typing goes on; a poor draft, so that rejects are
seen. Then every fresh suggestion's verified text is compared with what the target says alone.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from daemon.api.client import DaemonClient
from daemon.config import DraftConfig
from draftwire.demo.check import Claim, Finding, check
from draftwire.demo.editor import Editor, Session, running_editor
from draftwire.demo.processes import Workplace, running_verifier, workplace
from draftwire.demo.report import Part, Screen, all_hold, as_json, tables
from draftwire.demo.script import Passage, passages

MODEL = "bundled"
POOR_DRAFT = "bundled:shallow28"
RHYTHM_S = 0.12
"""Between two keys: an even, quick typist."""
PAUSE_S = 2.5
"""The longest wait at the end of a passage for what is shown to be complete."""
UP_S = 180.0

app = typer.Typer(add_completion=False)


@app.command()
def demo(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Type a real file against a verifier on this machine, kill it halfway, and check that nothing was lost."""
    console = Console(highlight=False)
    screen = Screen(console, quiet=json)
    online, offline, poor, findings = asyncio.run(_run(screen))
    if json:
        typer.echo(as_json(online, offline, poor, findings))
    else:
        tables(console, [online, offline, poor], findings)
    if not all_hold(findings):
        raise typer.Exit(1)


async def _run(screen: Screen) -> tuple[Part, Part, Part, list[Finding]]:
    half = len(passages()) // 2 + 1
    with workplace() as place:
        try:
            online, offline = await _until_killed(place, screen, passages()[:half], passages()[half:])
            poor = await _poor_draft(place, screen, passages(3))
        finally:
            await place.stop_daemon()
        claims = [*_claims(online.session), *_claims(poor.session)]
        screen.title("Asking the target alone")
        with Progress(transient=True, disable=screen.quiet) as progress:
            task = progress.add_task("checking", total=len(claims))
            cache, window = DraftConfig().cache_path, DraftConfig().window_tokens
            findings = await asyncio.to_thread(
                check, claims, MODEL, cache, window, lambda done: progress.update(task, completed=done)
            )
    return online, offline, poor, findings


async def _until_killed(
    place: Workplace, screen: Screen, before: Sequence[Passage], after: Sequence[Passage]
) -> tuple[Part, Part]:
    """The first two parts: with the verifier, and, in the same session, after it has been killed."""
    async with running_verifier(MODEL, _target_threads()) as verifier:
        environment = place.configured(draft_model=MODEL, verifier_port=verifier.port)
        async with running_editor(environment, screen.ghost) as editor:
            await editor.until_status(lambda status: status.get("link") == "online", UP_S)
            screen.title(f"With the verifier ({verifier.target})")
            screen.note(
                "after the cursor: verified text in green, provisional text in grey italics (or in [])"
            )
            await _type(editor, before)
            online = Part("verifier up", editor.session, await _acceptance(place))
            await verifier.kill()
            screen.title("The verifier is killed")
            editor.session = Session()
            await editor.until_status(lambda status: status.get("link") == "offline", UP_S)
            screen.note(f"status: {editor.status['message']}")
            await _type(editor, after)
            offline = Part("verifier killed", editor.session, _none_since(await _acceptance(place), online))
    await place.stop_daemon()
    return online, offline


async def _poor_draft(place: Workplace, screen: Screen, typed: Sequence[Passage]) -> Part:
    """The third part: two of the draft's thirty layers are left out, and the target is the whole model."""
    async with running_verifier(MODEL, _target_threads()) as verifier:
        environment = place.configured(draft_model=POOR_DRAFT, verifier_port=verifier.port)
        async with running_editor(environment, screen.ghost) as editor:
            await editor.until_status(lambda status: status.get("link") == "online", UP_S)
            screen.title("A poor draft (28 of 30 layers)")
            await _type(editor, typed)
            poor = Part("poor draft", editor.session, await _acceptance(place))
    return poor


async def _type(editor: Editor, typed: Sequence[Passage]) -> None:
    """Type the passages at an even rhythm, with a pause before and after each."""
    for passage in typed:
        editor.open(passage.before)
        editor.invoke()
        await editor.settled(PAUSE_S)
        for key in passage.typed:
            editor.press(key)
            await asyncio.sleep(RHYTHM_S)
        await editor.settled(PAUSE_S)


async def _acceptance(place: Workplace) -> dict[str, Any]:
    """The daemon's own counts, over its socket."""
    client = await DaemonClient.connect(place.paths(), client="draftwire demo")
    try:
        stats = await client.stats()
    finally:
        await client.close()
    acceptance: dict[str, Any] = stats["acceptance"]
    return acceptance


def _none_since(now: dict[str, Any], before: Part) -> dict[str, Any]:
    """The counts since `before`: with the verifier killed there should be no rounds at all."""
    rounds = now["rounds"] - before.acceptance["rounds"]
    return {**now, "rounds": rounds, "acceptance_rate": None, "accepted_per_round": None}


def _claims(session: Session) -> list[Claim]:
    """What was said to be the target's own, for suggestions that began where they were shown."""
    return [
        Claim(suggested.before, suggested.ghost.text[: suggested.ghost.verified])
        for suggested in session.suggested
        if suggested.fresh and suggested.ghost.verified > 0
    ]


def _target_threads() -> int:
    """Draft and target share this machine: the target gets half of it."""
    return max(1, (os.cpu_count() or 2) // 2)
