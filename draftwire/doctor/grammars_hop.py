"""Which grammars are there, which of them are refused and why, and which are not used because nobody trusts them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from daemon.settings.config import Config
from daemon.settings.config_sections import NO_GRAMMAR
from draftwire.doctor.findings import Finding
from draftwire.grammar.survey import Surveyed, survey

FIXES: Final = {
    "refused": "run: draftwire grammar check {path}",
    "busy": "run `draftwire doctor` again when the machine is less busy",
    "not trusted": "if you trust that project, run: draftwire grammar trust {workspace}",
}


async def check_grammars(config: Config, folder: Path, step: Callable[[str], None]) -> list[Finding]:
    """A finding for each grammar that documents in `folder` may have; built-in ones that are well share one."""
    if not config.grammars.enabled:
        text = "switched off (grammars.enabled): no grammar constrains the draft"
        return [Finding("grammars", "grammars", "info", text)]
    found = await survey(config, folder, step=step)
    built_in = [one for one in found if one.known.file.origin == "built in" and one.state == "ready"]
    findings = [
        Finding("grammars", "built in", "ok", ", ".join(one.known.name for one in built_in) or "none")
    ]
    findings += [_finding(one) for one in found if one not in built_in]
    known = {one.known.name for one in found if one.state != "not trusted"}
    return findings + _mapped_to_nothing(config, known)


def _finding(one: Surveyed) -> Finding:
    known = one.known
    uses = ", ".join((*one.files, *one.languages, *(f"within {host}" for host in one.hosts)))
    where = f"{known.file.origin}, {known.file.path}"
    match one.state:
        case "ready":
            return Finding("grammars", known.name, "ok", f"for {uses or 'no files so far'} ({where})")
        case "hidden":
            return Finding("grammars", known.name, "info", f"hidden: {one.why} ({where})")
        case "not trusted":
            text = f"not trusted, so not in use ({where})"
        case _:
            text = f"{one.state}: {one.why} ({where})"
    fix = FIXES[one.state].format(path=known.file.path, workspace=one.workspace)
    return Finding("grammars", known.name, "warning", text, fix)


def _mapped_to_nothing(config: Config, known: set[str]) -> list[Finding]:
    """Settings that name grammars which are not there."""
    grammars = config.grammars
    named = {
        **{name: f'"{glob}" in [grammars.files]' for glob, name in grammars.files.items()},
        **{name: f"{language} in [grammars.languages]" for language, name in grammars.languages.items()},
        **{island.grammar: f"[[grammars.islands]] of {island.host}" for island in grammars.islands},
    }
    fix = f"mend the name; the grammars are {', '.join(sorted(known))}"
    return [
        Finding("grammars", name, "warning", f"{setting} names a grammar that is not in use here", fix)
        for name, setting in named.items()
        if name not in known and name != NO_GRAMMAR
    ]
