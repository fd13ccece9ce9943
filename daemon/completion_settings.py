"""What of the configuration completing one document needs. A value."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.settings.config_sections import CompletionConfig, DisplayConfig


@dataclass(frozen=True, slots=True)
class Settings:
    """What of the configuration a completer needs."""

    completion: CompletionConfig
    display: DisplayConfig
    window_tokens: int
    drafting: bool
    deadline_s: float
    exemplar: bool = True
    """Where there is a grammar, another file of the language stands first in the prompt."""
    other_files_tokens: int = 0
    """Where there is none, pieces of other files do, of at most so many tokens."""
    exclude: tuple[str, ...] = ()
    """Globs of files that are never read for either."""
    ahead: bool = False
    """The document is completed unasked, so that it is worth while to work ahead of its user."""
