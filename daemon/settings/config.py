"""The configuration: one frozen object per process, checked when it is read, passed down from there.

It comes from one TOML file; what a client sends over its own connection goes over it with `with_overrides`.
The environment variable that names the file, DRAFTWIRE_CONFIG, is read here and nowhere else. Which settings
there are, and what they mean, is config_sections.py; the secret is config_token.py.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import platformdirs

from daemon.settings.config_hints import declared_twice, misplaced
from daemon.settings.config_sections import (
    TOKEN_VARIABLE,
    CompletionConfig,
    DaemonConfig,
    DisplayConfig,
    DraftConfig,
    FilesConfig,
    GrammarsConfig,
    LanguageConfig,
    VerifierConfig,
)
from daemon.settings.settings_schema import BadValue, Setting, nearest, settings_of
from daemon.settings.toml_lines import KeyPath, key_lines

__all__ = [
    "CONFIG_VARIABLE",
    "TOKEN_VARIABLE",
    "CompletionConfig",
    "Config",
    "ConfigError",
    "DaemonConfig",
    "DisplayConfig",
    "DraftConfig",
    "FilesConfig",
    "GrammarsConfig",
    "LanguageConfig",
    "Problem",
    "VerifierConfig",
    "default_config_path",
    "load_config",
    "parse_config",
    "with_overrides",
]

Section = TypeVar("Section")

CONFIG_VARIABLE: Final = "DRAFTWIRE_CONFIG"
_LINE_IN_TOML_ERROR: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one process."""

    draft: DraftConfig = field(default_factory=DraftConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    completion: CompletionConfig = field(default_factory=CompletionConfig)
    display: DisplayConfig = field(default_factory=DisplayConfig)
    files: FilesConfig = field(default_factory=FilesConfig)
    grammars: GrammarsConfig = field(default_factory=GrammarsConfig)
    daemon: DaemonConfig = field(default_factory=DaemonConfig)
    languages: Mapping[str, LanguageConfig] = field(default_factory=lambda: MappingProxyType({}))
    file: Path | None = field(default=None, compare=False)
    """Where it was read from or, if nothing was there, looked for; None: it comes from no file."""
    lines: Mapping[KeyPath, int] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """Where the keys stand in `file`, for errors found later."""

    def completion_for(self, language: str) -> CompletionConfig:
        """The completion settings of a language id: its own table over [completion]."""
        own = self.languages.get(language)
        if own is None:
            return self.completion
        return replace(self.completion, **set_values(own))


SECTIONS: Final[Mapping[str, type]] = MappingProxyType(
    {name: type(section) for name in Config.__slots__ if is_dataclass(section := getattr(Config(), name))}
)
"""The tables with a fixed set of keys, by name, in the file's order."""

_KEYS_OF: Final = {name: tuple(settings_of(section)) for name, section in SECTIONS.items()}

_TABLE_LISTS: Final = {
    (name, key)
    for name, section in SECTIONS.items()
    for key, described in settings_of(section).items()
    if described.element is not None
}
"""Settings that are lists of tables; after them a path goes on with a number."""

CLIENT_SECTIONS: Final = ("completion", "display", "languages")
"""Sections a client may change for itself."""

CLIENT_SETTINGS: Final = ("files.exclude", "grammars.enabled", "grammars.trust_workspace")
"""What else it may change."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a configuration."""

    message: str
    key: str = ""
    line: int = 0
    """1-based; 0 where there is no line to name."""


class ConfigError(Exception):
    """A configuration that can't be used; `problems` are in the order of their lines, at least one.

    `file`, and `line` and `key` of the first problem, name the place; str() names them all, one a line.
    """

    def __init__(self, file: Path | None, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        self.line = self.problems[0].line
        self.key = self.problems[0].key
        super().__init__("\n".join(self._line_of(problem) for problem in self.problems))

    @property
    def keys(self) -> list[str]:
        """The dotted names of the settings that can't be used, each once."""
        return list(dict.fromkeys(problem.key for problem in self.problems if problem.key))

    def _line_of(self, problem: Problem) -> str:
        if self.file is None:
            return problem.message
        return (
            f"{self.file}:{problem.line}: {problem.message}"
            if problem.line
            else f"{self.file}: {problem.message}"
        )


def default_config_path() -> Path:
    """Where the configuration file is looked for: $DRAFTWIRE_CONFIG, else the user's configuration folder."""
    named = os.environ.get(CONFIG_VARIABLE, "")
    return Path(named).expanduser() if named else platformdirs.user_config_path("draftwire") / "config.toml"


def load_config(path: Path | None = None) -> Config:
    """The configuration in `path`, which must exist; without a path, in the default one, which need not.

    Raises ConfigError naming every problem with file, line, key and what is allowed.
    """
    chosen = default_config_path() if path is None else path
    if path is None and CONFIG_VARIABLE not in os.environ and not chosen.exists():
        return Config(file=chosen)
    return parse_config(_read_text(chosen), chosen)


def parse_config(text: str, file: Path) -> Config:
    """The configuration that `text`, the content of `file`, stands for. Raises ConfigError.

    Relative paths in it start at the file's folder.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(file, [_syntax_problem(str(error), text)]) from None
    lines = key_lines(text)
    reader = _Reader(lines, file.absolute().parent)
    config = reader.config(Config(file=file, lines=MappingProxyType(lines)), tables)
    if reader.problems:
        raise ConfigError(file, reader.problems)
    return config


def with_overrides(config: Config, settings: Mapping[str, Any]) -> Config:
    """`config` with a client's own settings, by dotted name ("completion.enabled"), over it.

    Only completion.*, display.*, languages.LANGUAGE.* and CLIENT_SETTINGS are a client's to set; files.exclude
    adds to the configured list, so that a client can't uncover what the user excluded. Raises ConfigError
    (without file and line).
    """
    reader = _Reader({}, None)
    for name, value in settings.items():
        config = reader.override(config, name, value)
    if reader.problems:
        raise ConfigError(None, reader.problems)
    return config


def set_values(section: object) -> dict[str, Any]:
    """The values of a section by name, without those that are not set (None)."""
    values = {name: getattr(section, name) for name in settings_of(type(section))}
    return {name: value for name, value in values.items() if value is not None}


class _Reader:
    """Turns tables or dotted names into sections, noting what is wrong instead of stopping at the first."""

    def __init__(self, lines: Mapping[KeyPath, int], folder: Path | None) -> None:
        self.problems: list[Problem] = []
        self._lines = lines
        self._folder = folder

    def config(self, start: Config, tables: Mapping[str, Any]) -> Config:
        sections: dict[str, Any] = {}
        for name, table in tables.items():
            if name == "languages":
                sections[name] = self._languages(start, table)
            elif name in SECTIONS:
                sections[name] = self._section(getattr(start, name), (name,), table)
            else:
                self._unknown((name,), table, (*SECTIONS, "languages"))
        config = replace(start, **sections)
        if config.draft.window_tokens > config.draft.context_tokens:
            text = f"may be at most draft.context_tokens, which is {config.draft.context_tokens}"
            self._note(("draft", "window_tokens"), text)
        return config

    def override(self, start: Config, name: str, value: object) -> Config:
        """`start` with one dotted name set."""
        head, _, rest = name.partition(".")
        if head == "languages" and "." in rest:
            language, _, key = rest.rpartition(".")
            own = start.languages.get(language, LanguageConfig())
            own = self._section(own, (head, language), {key: value})
            return replace(start, languages=MappingProxyType({**start.languages, language: own}))
        if name in CLIENT_SETTINGS or (head in SECTIONS and head in CLIENT_SECTIONS and rest):
            return replace(start, **{head: self._section(getattr(start, head), (head,), {rest: value})})
        self._refuse(name)
        return start

    def _refuse(self, name: str) -> None:
        head, _, rest = name.partition(".")
        if head in SECTIONS and rest in settings_of(SECTIONS[head]):
            text = "belongs to the daemon, which all editors share; set it in the configuration file"
            self._note((head, rest), text)
            return
        near = nearest(name, _client_settings())
        text = (
            f'did you mean "{near}"?'
            if near
            else 'names look like "completion.enabled" or "languages.python.enabled"'
        )
        self.problems.append(Problem(f'unknown setting "{name}"; {text}', name))

    def _languages(self, start: Config, table: object) -> Mapping[str, LanguageConfig]:
        if not isinstance(table, dict):
            self._note(("languages",), "takes tables, one a language id: [languages.python]")
            return start.languages
        found = {
            name: self._section(LanguageConfig(), ("languages", name), own) for name, own in table.items()
        }
        return MappingProxyType({**start.languages, **found})

    def _section(self, start: Section, path: KeyPath, table: object) -> Section:
        """`start` with the values of `table` that can be used."""
        if not isinstance(table, Mapping):
            self._note(path, f"takes a table: [{'.'.join(path)}]")
            return start
        known = settings_of(type(start))
        values: dict[str, Any] = {}
        for name, value in table.items():
            if name not in known:
                self._unknown((*path, name), value, known)
                continue
            try:
                if known[name].element is not None:
                    accepted = self._elements(known[name], (*path, name), value)
                else:
                    accepted = self._resolved(known[name], known[name].accept(value))
            except BadValue as problem:
                within = (problem.key,) if problem.key else ()
                self._note((*path, name, *within), str(problem))
                continue
            if known[name].adds:
                accepted = tuple(dict.fromkeys((*getattr(start, name), *accepted)))
            values[name] = accepted
        return replace(start, **values)  # type: ignore[type-var]  # a section is a dataclass

    def _elements(self, described: Setting, path: KeyPath, value: object) -> tuple[Any, ...]:
        """The tables of a list that can be used. Raises BadValue if it is no list of tables."""
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise BadValue(f"takes {described.allowed()}: [[{'.'.join(path)}]]")
        kind: Any = described.element
        elements = []
        for number, table in enumerate(value):
            own = (*path, str(number))
            elements.append(self._section(kind(), own, table))
            if missing := [name for name in kind.REQUIRED if name not in table]:
                self._note(own, f"lacks {' and '.join(missing)}")
        return tuple(elements)

    def _resolved(self, described: Setting, value: Any) -> Any:
        """Paths from a file made absolute; other values as they are."""
        if isinstance(value, tuple):
            return tuple(self._resolved(described, one) for one in value)
        suffix = described.path_suffix
        if suffix is None or self._folder is None or not value or not value.lower().endswith(suffix):
            return value
        return str(self._folder / Path(value).expanduser())

    def _unknown(self, path: KeyPath, value: object, known: Iterable[str]) -> None:
        hint = misplaced(path, value, _KEYS_OF, self._lines) or _known_hint(path, list(known))
        text = f'unknown setting "{_shown(path)}"; {hint}'
        self.problems.append(Problem(text, _shown(path), self._lines.get(path, 0)))

    def _note(self, path: KeyPath, text: str) -> None:
        name = _shown(path)
        self.problems.append(Problem(f"{name} {text}", name, self._lines.get(path, 0)))


def _shown(path: KeyPath) -> str:
    """A setting's dotted name: "grammars.islands.open" for ("grammars", "islands", "0", "open")."""
    return ".".join(part for number, part in enumerate(path) if path[:number] not in _TABLE_LISTS)


def _known_hint(path: KeyPath, known: list[str]) -> str:
    near = nearest(path[-1], known)
    hint = f'did you mean "{near}"? ' if near else ""
    within = f"[{_shown(path[:-1])}]" if len(path) > 1 else "the file"
    return f"{hint}{within} takes: {', '.join(known)}"


def _client_settings() -> list[str]:
    """The dotted names a client may set, languages left out."""
    own = [(name, kind) for name, kind in SECTIONS.items() if name in CLIENT_SECTIONS]
    return [f"{name}.{key}" for name, kind in own for key in settings_of(kind)] + [*CLIENT_SETTINGS]


def _read_text(path: Path) -> str:
    """A UTF-8 file's text, with LF line ends. Raises ConfigError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            path, [Problem("there is no such file; draftwire config init writes one")]
        ) from None
    except OSError as error:
        raise ConfigError(path, [Problem(f"can't be read: {error.strerror}")]) from None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, [Problem("is not UTF-8 text; save it as UTF-8", line=line)]) from None


def _syntax_problem(message: str, text: str) -> Problem:
    found = _LINE_IN_TOML_ERROR.search(message)
    line = int(found.group(1) or text.count("\n") + 1) if found else 0
    bare = _LINE_IN_TOML_ERROR.sub("", message)
    return Problem(f"is not valid TOML: {declared_twice(bare, text, line) or bare}", line=line)
