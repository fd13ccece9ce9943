"""Which documents get no completion: secrets above all, whatever way an editor spells their path."""

from pathlib import Path

import pytest

from daemon.api.messages import NothingReason, Trigger
from daemon.documents import Document, Place
from daemon.gate import is_excluded, refusal, refusal_at
from daemon.settings.config import parse_config
from daemon.settings.config_sections import SECRET_FILES

SECRETS = [
    ".env", ".env.local", ".ENV", "prod.env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd",
    "shadow", "shadow-", "gshadow", "gshadow-", "_netrc", "pgpass.conf",
    "server.pem", "server.KEY", "a.pfx", "a.p12", "a.pkcs12", "a.jks", "a.keystore", "a.crt", "a.cer", "a.der", "a.csr",
    "a.p7b", "a.ppk", "a.gpg", "a.asc", "a.kdbx", "a.ovpn", "id_rsa", "id_rsa.pub", "id_dsa", "id_ecdsa", "id_ed25519",
    "id_ed25519_work", "server.pem.bak", "server.key.bak", ".pgpass", ".my.cnf", "credentials", "credentials.json",
    "credentials.yml", "secrets.json", "secrets.yaml", "secrets.toml", "prod.tfvars", "terraform.tfstate",
    ".gitconfig", ".git/config", "bare.git/config", ".git/modules/part/config", ".git/config.worktree",
    ".git/worktrees/other/config.worktree",
    ".env.d/settings.py", ".aws/config", ".ssh/config", ".gnupg/a", ".kube/config", ".docker/config.json",
]  # fmt: skip
FOLDERS = [
    "file:///home/u/", "file://localhost/home/u/", "file:///home/a%20b/%E4%BD%A0/", "file:///c%3A/Users/u/",
    "file:///C:/Users/u/", "file://server/share/", "/home/u/", "C:\\Users\\u\\", "\\\\server\\share\\", "untitled:",
    "vscode-remote://ssh-remote%2Bhost/home/u/", "/home/#u/?x/", "file:///home/#u/",
]  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_secrets_are_excluded_wherever_they_lie(folder: str) -> None:
    """ux-39, for each built-in pattern."""
    spellings = [folder + spelled for name in SECRETS for spelled in (name, name.replace(".", "%2E"))]
    assert [uri for uri in spellings if not is_excluded(uri, SECRET_FILES)] == []


def test_every_built_in_pattern_is_tried() -> None:
    """The table above leaves none out."""
    assert all(any(is_excluded(f"/x/{name}", [pattern]) for name in SECRETS) for pattern in SECRET_FILES)


@pytest.mark.parametrize(
    "uri",
    [
        "git:/home/u/a.key?%7B%22path%22%3A%22/x%22%7D",
        "vscode-notebook-cell:/home/u/a.pem#W0sZmlsZQ",
        "a.key?/x",
    ],
)
def test_queries_and_fragments_hide_nothing(uri: str) -> None:
    """Nor does a path in them."""
    assert is_excluded(uri, SECRET_FILES)


@pytest.mark.parametrize("folder", FOLDERS)
def test_other_files_are_completed(folder: str) -> None:
    """Names that only look alike."""
    names = [
        "main.py",
        "environment.py",
        "keys.ts",
        "README.md",
        "你好.go",
        "a.pem.py",
        "my_id_rsa",
        "secrets.py",
        "credentials.ts",
        ".git/COMMIT_EDITMSG",
        ".git/worktrees/config/MERGE_MSG",
        ".git/rebase-merge/git-rebase-todo",
        "git/config",
        ".gitignore",
    ]
    assert [name for name in names if is_excluded(folder + name, SECRET_FILES)] == []


@pytest.mark.parametrize("uri", ["", "file://", "file:///", "http://[bad/x.py", "%zz%"])
def test_odd_uris_are_no_error(uri: str) -> None:
    """There is nothing to match, and nothing to raise."""
    assert not is_excluded(uri, SECRET_FILES)


@pytest.mark.parametrize(
    ("pattern", "uri", "excluded"),
    [
        ("secrets/*", "file:///home/u/secrets/a.py", True),
        ("secrets/*", "file:///home/u/secrets/deep/a.py", True),
        ("secrets/*", "file:///home/u/my-secrets/a.py", False),
        ("secrets/", "file:///home/u/Secrets/a.py", True),
        ("**/secrets/**", "file:///secrets/a.py", True),
        ("src/*.gen.ts", "file:///home/u/src/a.gen.ts", True),
        ("src/*.gen.ts", "file:///home/u/src/a.ts", False),
        ("/home/u/private/*", "file:///home/u/private/a.py", True),
        ("/home/u/private/*", "file:///mnt/home/u/private/a.py", False),
        ("C:\\private\\*", "file:///c%3A/private/a.py", True),
        ("c:/private/", "file:///C:/private/a.py", True),
        ("*.SQL", "file:///home/u/dump.sql", True),
        ("dump[0-9].sql", "file:///home/u/dump1.sql", True),
    ],
)
def test_patterns_of_users(pattern: str, uri: str, excluded: bool) -> None:
    """Folders, roots, backslashes; case never matters."""
    assert is_excluded(uri, [pattern]) is excluded


MANUAL = '[completion]\ntrigger = "manual"'
OFF = "[completion]\nenabled = false"
SMALL = "[files]\nmax_bytes = 1000"


@pytest.mark.parametrize(
    ("git_ignores", "reason"), [(True, "ignored_file"), (None, "ignored_file"), (False, None)]
)
def test_what_git_ignores_or_may_ignore_gets_nothing(
    git_ignores: bool | None, reason: NothingReason | None
) -> None:
    """ux-39: not before it is known."""
    document = Document("file:///a.py", "python", 1, "x")
    assert refusal(parse_config("", Path("c")), document, "invoked", git_ignores=git_ignores) == reason


@pytest.mark.parametrize(
    ("settings", "name", "text", "trigger", "reason"),
    [
        ("", "a.py", "x", "automatic", None),
        ("", ".env", "x", "invoked", "excluded_file"),
        (OFF, ".env", "x", "invoked", "excluded_file"),
        (OFF, "a.py", "x", "invoked", "disabled"),
        (MANUAL, "a.py", "x", "automatic", "manual_only"),
        (MANUAL, "a.py", "x", "invoked", None),
        (SMALL, "a.py", "x" * 1000, "automatic", None),
        (SMALL, "a.py", "x" * 1001, "automatic", "file_too_large"),
        (SMALL, "a.py", "你" * 1001, "automatic", "file_too_large"),
        (SMALL, "a.py", "你" * 333, "automatic", None),
        (SMALL, "a.py", "你" * 334, "automatic", "file_too_large"),
        (SMALL, "a.py", "你" * 10, "automatic", None),
        (SMALL, "a.py", "\ud800" * 333, "automatic", None),
        (SMALL, "a.py", "\ud800" * 334, "automatic", "file_too_large"),
    ],
)
def test_why_a_document_gets_nothing(
    settings: str, name: str, text: str, trigger: Trigger, reason: NothingReason | None
) -> None:
    """Secrets first; then the switches; the size counts bytes."""
    config = parse_config(settings, Path("config.toml"))
    assert refusal(config, Document(f"file:///{name}", "python", 1, text), trigger) == reason


COMMENTS_OFF = '[completion]\ncomments = "off"'
STRINGS_MANUAL = '[languages.python]\nstrings = "manual"'


@pytest.mark.parametrize(
    ("settings", "text", "trigger", "reason"),
    [
        ("", "# a", "automatic", None),
        (COMMENTS_OFF, "# a", "automatic", "in_comment"),
        (COMMENTS_OFF, "# a", "invoked", "in_comment"),
        (COMMENTS_OFF, "'a", "automatic", None),
        (COMMENTS_OFF, "a", "automatic", None),
        (STRINGS_MANUAL, "'a", "automatic", "in_string"),
        (STRINGS_MANUAL, "'a", "invoked", None),
        (STRINGS_MANUAL, "# a", "automatic", None),
    ],
)
def test_comments_and_strings_have_switches_of_their_own(
    settings: str, text: str, trigger: Trigger, reason: NothingReason | None
) -> None:
    """ux-46: for all languages, or for one."""
    config = parse_config(settings, Path("config.toml"))
    assert refusal_at(config, Place(Document("a", "python", 1, f"{text}\n"), len(text)), trigger) == reason
