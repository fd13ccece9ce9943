"""All grammars that documents of a folder may have: which are in use, refused, not trusted, or hidden by another."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daemon.grammars.cache import GrammarCache
from daemon.grammars.catalogue import Catalogue, Known
from daemon.grammars.lookout import Lookout
from daemon.grammars.runner import GrammarRunner, Outcome
from daemon.grammars.workshop import version_of
from daemon.settings.config import Config
from daemon.settings.config_sections import GrammarsConfig
from draftwire.grammar.documents import globs_of
from draftwire.grammar.trial import tried

State = Literal["ready", "refused", "busy", "not trusted", "hidden"]


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One grammar file, and what has become of it."""

    known: Known
    state: State
    why: str
    """Why it was refused, what hides it, or how it is trusted; empty if it is ready."""
    files: tuple[str, ...]
    """Globs: the grammar's own, and the configuration's."""
    languages: tuple[str, ...]
    hosts: tuple[str, ...]
    """Files with islands of it."""
    workspace: Path | None


async def survey(
    config: Config,
    folder: Path,
    *,
    lookout: Lookout | None = None,
    runner: GrammarRunner | None = None,
    step: Callable[[str], None] = lambda name: None,
) -> list[Surveyed]:
    """The grammars for documents in `folder`, the innermost project's last. `step` is told what is being compiled.

    What the daemon has compiled before is not compiled again; untrusted and hidden ones are not at all.
    """
    catalogue = await asyncio.to_thread(_catalogue, lookout or Lookout(config), folder)
    surveyor = _Surveyor(config, catalogue, runner or GrammarRunner())
    found: list[Surveyed] = []
    for layer in catalogue.layers:
        trusted = layer.trusted or config.grammars.trust_workspace
        for known in layer.grammars:
            step(known.file.called)
            state, why = await surveyor.state_of(known, None if trusted else layer.workspace)
            found.append(_surveyed(known, state, why, config.grammars, layer.workspace))
    return found


def _catalogue(lookout: Lookout, folder: Path) -> Catalogue:
    return lookout.look(folder.absolute())


class _Surveyor:
    def __init__(self, config: Config, catalogue: Catalogue, runner: GrammarRunner) -> None:
        self._used = catalogue.used(config.grammars)
        self._cache = GrammarCache(config.draft.cache_path / "grammars")
        self._runner = runner

    async def state_of(self, known: Known, untrusted: Path | None) -> tuple[State, str]:
        """`untrusted`: the workspace that would have to be trusted."""
        if untrusted is not None:
            return "not trusted", f"draftwire grammar trust {untrusted}"
        used = self._used[known.name]
        if used is not known:
            return "hidden", f"{used.file.path} has the same name"
        outcome = await self._outcome(known)
        if outcome.compiled is not None:
            return "ready", ""
        return "busy" if outcome.passing else "refused", outcome.why

    async def _outcome(self, known: Known) -> Outcome:
        if known.diagnostics:
            return Outcome(None, known.diagnostics)
        version = version_of(known)
        compiled = await asyncio.to_thread(self._cache.get, version)
        if compiled is not None:
            return Outcome(compiled, compiled.diagnostics)
        outcome = (await tried(known, self._runner)).outcome
        if outcome.compiled is not None:
            with contextlib.suppress(OSError):  # then it is compiled again the next time
                await asyncio.to_thread(self._cache.put, version, outcome.compiled)
        return outcome


def _surveyed(
    known: Known, state: State, why: str, config: GrammarsConfig, workspace: Path | None
) -> Surveyed:
    mapped = (language for language, name in config.languages.items() if name == known.name)
    hosts = (island.host for island in config.islands if island.grammar == known.name)
    return Surveyed(
        known,
        state,
        why,
        globs_of(known.name, known.globs, config),
        (*known.languages, *mapped),
        tuple(dict.fromkeys(hosts)),
        workspace,
    )
