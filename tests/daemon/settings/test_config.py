"""The configuration: defaults, every kind of mistake named with its place, per-client settings, the token."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.settings import config as module
from daemon.settings.config import (
    CONFIG_VARIABLE,
    SECTIONS,
    TOKEN_VARIABLE,
    Config,
    ConfigError,
    default_config_path,
    load_config,
    parse_config,
    set_values,
    with_overrides,
)
from daemon.settings.config_sections import SECRET_FILES, IslandConfig, LanguageConfig
from daemon.settings.settings_schema import settings_of


@pytest.fixture(autouse=True)
def _no_settings_of_the_tester(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "none.toml"))


def parse(text: str, folder: Path = Path("/settings")) -> Config:
    return parse_config(text, folder / "c.toml")


def error_of(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value


def test_empty_file_gives_the_defaults() -> None:
    assert parse("") == Config()


def test_config_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Config().draft.threads = 3  # type: ignore[misc]


def test_values_of_every_kind_are_read() -> None:
    config = parse(
        '[draft]\nthreads = 2\nenabled = false\n[completion]\ntemperature = 1\ntrigger = "manual"\n'
        '[verifier]\nurl = "wss://gpu.example.com:8765"\n[files]\nexclude = ["*.secret"]\n'
    )
    assert (config.draft.threads, config.draft.enabled) == (2, False)
    assert config.completion.temperature == 1.0
    assert isinstance(config.completion.temperature, float)
    assert config.completion.trigger == "manual"
    assert config.verifier.url == "wss://gpu.example.com:8765"
    assert config.files.exclude == (*SECRET_FILES, "*.secret")


def test_paths_start_at_the_folder_of_the_file_and_expand_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    config = parse(
        '[draft]\nmodel = "models/small.gguf"\ncache_dir = "~/cache"\n'
        '[verifier]\ntoken_file = "token"\nca_file = "/etc/ca.pem"\n'
    )
    assert config.draft.model == "/settings/models/small.gguf"
    assert config.draft.cache_dir == "/home/someone/cache"
    assert config.draft.cache_path == Path("/home/someone/cache")
    assert config.verifier.token_file == "/settings/token"
    assert config.verifier.ca_file == "/etc/ca.pem"


def test_bundled_models_are_no_paths_and_the_cache_has_a_default() -> None:
    assert parse('[draft]\nmodel = "bundled:shallow28"').draft.model == "bundled:shallow28"
    assert Config().draft.cache_path.name == "draftwire"


def test_a_language_differs_only_where_it_says_so() -> None:
    config = parse('[completion]\nmax_lines = 3\n[languages.markdown]\ntrigger = "manual"\nmax_tokens = 5\n')
    assert config.languages["markdown"] == LanguageConfig(trigger="manual", max_tokens=5)
    markdown = config.completion_for("markdown")
    assert (markdown.trigger, markdown.max_tokens, markdown.max_lines) == ("manual", 5, 3)
    assert config.completion_for("python") is config.completion


WRONG = [
    (
        "unknown key",
        "\n[draft]\n\nthread = 2\n",
        "draft.thread",
        4,
        ["did you mean", "threads", "context_tokens"],
    ),
    ("unknown table", "[drafts]\n", "drafts", 1, ['did you mean "draft"?', "languages"]),
    ("unknown key, nothing near", "[draft]\nzzz = 1", "draft.zzz", 2, ["[draft] takes: model"]),
    ("top-level key", "model = 'bundled'\n", "model", 1, ["the file takes: draft"]),
    ("table given as value", "draft = 3", "draft", 1, ["takes a table: [draft]"]),
    ("languages as a value", "languages = 3", "languages", 1, ["[languages.python]"]),
    ("language as a value", "[languages]\npython = 3", "languages.python", 2, ["[languages.python]"]),
    ("language key", "[languages.go]\ntop_k = 3", "languages.go.top_k", 2, ["enabled, trigger"]),
    ("wrong kind", '[draft]\nthreads = "two"', "draft.threads", 2, ["a whole number from 0 to 256"]),
    ("number for a switch", "[draft]\nenabled = 1", "draft.enabled", 2, ["true or false"]),
    ("switch for a number", "[draft]\nthreads = true", "draft.threads", 2, ["a whole number"]),
    ("fraction for a whole", "[draft]\nthreads = 1.5", "draft.threads", 2, ["a whole number"]),
    ("too large", "[completion]\nmax_tokens = 1000", "completion.max_tokens", 2, ["from 1 to 512"]),
    ("too small", "[completion]\nmax_lines = 0", "completion.max_lines", 2, ["from 1 to 200"]),
    ("not a number", "[completion]\ntemperature = nan", "completion.temperature", 2, ["from 0 to 2"]),
    ("infinite", "[completion]\ntop_p = inf", "completion.top_p", 2, ["from 0.01 to 1"]),
    ("choice", '[display]\npolicy = "verifed"', "display.policy", 2, ['did you mean "verified"?']),
    ("choice, nothing near", '[display]\npolicy = "x"', "display.policy", 2, ['"optimistic" or "verified"']),
    ("list of numbers", "[files]\nexclude = [1]", "files.exclude", 2, ["a list of strings"]),
    ("string for a list", '[files]\nexclude = "*.x"', "files.exclude", 2, ["a list of strings"]),
    ("empty glob", '[files]\nexclude = ["*.x", " "]', "files.exclude", 2, ["one is empty"]),
    (
        "open glob",
        '[files]\nexclude = ["a[0-9]b[!]"]',
        "files.exclude",
        2,
        ['a [ without its ] in "a[0-9]b[!]"'],
    ),
    ("model", '[draft]\nmodel = "gpt-9"', "draft.model", 2, ["bundled:q4_1", ".gguf"]),
    ("window over context", "[draft]\nwindow_tokens = 4096", "draft.window_tokens", 2, ["which is 2048"]),
    ("http", '[verifier]\nurl = "http://h"', "verifier.url", 2, ["ws:// or wss://"]),
    ("no host", '[verifier]\nurl = "wss://"', "verifier.url", 2, ["lacks a host"]),
    ("port 0", '[verifier]\nurl = "wss://h:0"', "verifier.url", 2, ["port 0"]),
    ("port no number", '[verifier]\nurl = "wss://h:port"', "verifier.url", 2, ["is not an address"]),
    (
        "dotted key of another table",
        "[verifier]\n[daemon]\nverifier.url = 'ws://h'",
        "daemon.verifier",
        3,
        ["put  url = ...  under [verifier] (line 1)"],
    ),
    ("inline table", "draft = { threads = -1 }", "draft.threads", 1, ["from 0 to 256"]),
    ("dotted key", "draft.threads = -1", "draft.threads", 1, ["from 0 to 256"]),
]


@pytest.mark.parametrize(("text", "key", "line", "said"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_each_mistake_is_named_with_file_line_key_and_what_is_allowed(
    text: str, key: str, line: int, said: list[str]
) -> None:
    error = error_of(text)
    assert (error.file, error.line, error.key) == (Path("/settings/c.toml"), line, key)
    assert str(error).startswith(f"/settings/c.toml:{line}: ")
    assert key in str(error)
    for words in said:
        assert words in str(error)


def test_globs_with_brackets_are_taken() -> None:
    globs = ("dump[0-9].sql", "[!a].x", "[]].x", "a[[]b", "a]b")
    assert parse(f"[files]\nexclude = {list(globs)}").files.exclude[-len(globs) :] == globs


def test_all_mistakes_are_named_in_the_order_of_their_lines() -> None:
    error = error_of("[draft]\nthreads = -1\n[display]\nx = 1\n[completion]\nseed = -1\n[draft2]\n")
    assert [problem.line for problem in error.problems] == [2, 4, 6, 7]
    assert len(str(error).splitlines()) == 4


@pytest.mark.parametrize("url", ["wss://user:hunter2@host", "wss://hunter2@host", "ws://h/?token=hunter2"])
def test_credentials_in_a_url_are_refused_and_not_repeated(url: str) -> None:
    error = error_of(f'[verifier]\nurl = "{url}"')
    assert "verifier.token_file" in str(error)
    assert "hunter2" not in str(error)


def test_a_table_declared_twice_is_named_with_both_lines() -> None:
    error = error_of("verifier.url = 'ws://h'\n[daemon]\n[verifier]\n")
    assert error.line == 3
    assert 'is not valid TOML: "verifier.url" on line 1 declares [verifier] already' in str(error)
    assert "put  url = ...  under [verifier] (line 3)" in str(error)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[draft]\nthreads = \n", 2),
        ("\n\n[draft", 3),
        ("[draft]\n[draft", 2),
        ("a = 1\na = 2\n", 2),
        ('x = """\n\n', 3),
    ],
)
def test_broken_toml_is_named_with_its_line(text: str, line: int) -> None:
    error = error_of(text)
    assert error.line == line
    assert "is not valid TOML" in str(error)
    assert "at line" not in str(error)


def test_a_configuration_knows_its_file_and_lines_and_is_compared_by_its_settings_alone() -> None:
    config = parse("\n[draft]\nthreads = 0\n")
    assert (config.file, config.lines["draft", "threads"]) == (Path("/settings/c.toml"), 3)
    assert config == Config()


def test_a_missing_default_file_gives_the_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(CONFIG_VARIABLE)
    monkeypatch.setattr(module.platformdirs, "user_config_path", lambda name: tmp_path / name)
    assert default_config_path() == tmp_path / "draftwire" / "config.toml"
    assert load_config() == Config()
    (tmp_path / "draftwire").mkdir()
    default_config_path().write_text("[draft]\nthreads = 4\n")
    assert load_config().draft.threads == 4


def test_a_missing_named_file_is_an_error_that_tells_how_to_write_one(tmp_path: Path) -> None:
    for path in (None, tmp_path / "gone.toml"):
        with pytest.raises(ConfigError, match=r"there is no such file; draftwire config init"):
            load_config(path)


def test_the_environment_names_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "named.toml"
    path.write_text("[draft]\nthreads = 7\n")
    monkeypatch.setenv(CONFIG_VARIABLE, str(path))
    assert default_config_path() == path
    assert load_config().draft.threads == 7


def test_a_byte_order_mark_and_crlf_are_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"\xef\xbb\xbf[draft]\r\nthreads = 3\r\nbad = 1\r\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert (caught.value.line, caught.value.key) == (3, "draft.bad")


def test_invalid_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"[draft]\nmodel = '\xff'\n")
    with pytest.raises(ConfigError, match=r"c\.toml:2: is not UTF-8 text"):
        load_config(path)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read: Is a directory"):
        load_config(tmp_path)


# A client's own settings ------------------------------------------------------------------------------------


def test_overrides_change_only_what_they_name() -> None:
    config = with_overrides(
        parse("[completion]\nmax_lines = 3\n[languages.go]\nmax_lines = 2\n"),
        {
            "completion.enabled": False,
            "display.policy": "verified",
            "languages.c++.max_tokens": 9,
            "languages.go.enabled": False,
            "languages.a.b.trigger": "manual",
        },
    )
    assert (config.completion.enabled, config.completion.max_lines) == (False, 3)
    assert config.display.policy == "verified"
    assert config.languages["c++"] == LanguageConfig(max_tokens=9)
    assert config.languages["go"] == LanguageConfig(enabled=False, max_lines=2)
    assert config.languages["a.b"] == LanguageConfig(trigger="manual")
    assert with_overrides(config, {}) is config


def test_a_client_adds_excluded_files_and_never_removes_any() -> None:
    config = with_overrides(
        parse('[files]\nexclude = ["*.secret"]'), {"files.exclude": ["*.log", "*.secret"]}
    )
    assert config.files.exclude == (*SECRET_FILES, "*.secret", "*.log")
    assert with_overrides(config, {"files.exclude": []}).files == config.files


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("completion.enabled", "no", "completion.enabled takes true or false"),
        ("completion.enabld", True, 'did you mean "enabled"?'),
        ("languages.go.max_tokens", 0, "languages.go.max_tokens takes a whole number from 1 to 512"),
        ("draft.threads", 2, "draft.threads belongs to the daemon, which all editors share"),
        ("verifier.url", "ws://h", "set it in the configuration file"),
        ("files.max_bytes", 5000, "files.max_bytes belongs to the daemon"),
        ("completion.enable", True, 'did you mean "enabled"?'),
        ("zzz", True, 'names look like "completion.enabled"'),
        ("completion", {"enabled": True}, 'unknown setting "completion"'),
        ("languages.go", {}, 'unknown setting "languages.go"'),
        ("complete.enabled", True, 'did you mean "completion.enabled"?'),
        ("files.exclude", "x", "files.exclude takes a list of strings"),
        ("", 1, 'unknown setting ""'),
    ],
)
def test_bad_overrides_are_refused_without_file_and_line(name: str, value: object, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        with_overrides(Config(), {name: value})
    assert said in str(caught.value)
    assert (caught.value.file, caught.value.line) == (None, 0)
    assert not str(caught.value).startswith(":")


def test_the_names_of_all_bad_overrides_are_told_each_once() -> None:
    with pytest.raises(ConfigError) as caught:
        with_overrides(Config(), {"zzz": 1, "completion.seed": 3, "completion.enabled": "no", "zzz.a": 1})
    assert caught.value.keys == ["zzz", "completion.enabled", "zzz.a"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.text(max_size=20) | st.sampled_from(
    [f"{section}.{key}" for section, kind in SECTIONS.items() for key in settings_of(kind)]
    + ["languages.go.enabled", "languages..enabled", "languages.x"]
)


@given(st.dictionaries(NAMES, JSON, max_size=4))
def test_any_overrides_give_a_config_or_a_config_error(settings: dict[str, object]) -> None:
    try:
        config = with_overrides(Config(), settings)
    except ConfigError:
        return
    assert config.draft == Config().draft
    assert set(SECRET_FILES) <= set(config.files.exclude)


# Grammars ---------------------------------------------------------------------------------------------------

GRAMMARS = """
[grammars]
folder = "mine"
trusted = ["/work", "~/src"]

[grammars.files]
"*.rules" = "rego"
"old/*.sql" = "none"

[grammars.languages]
mysql = "sql"

[[grammars.islands]]
host = "*.py"
open = '\"\"\"--sql\\b'
close = '\"\"\"'
grammar = "sql"

[[grammars.islands]]
host = "markdown"
open = '```规则$'
grammar = "规则"
"""


def test_grammars_are_mapped_and_paths_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    grammars = parse(GRAMMARS).grammars
    assert (grammars.folder, grammars.trusted) == ("/settings/mine", ("/work", "/home/someone/src"))
    assert list(grammars.files.items()) == [("*.rules", "rego"), ("old/*.sql", "none")]
    assert grammars.languages == {"mysql": "sql"}
    assert grammars.islands == (
        IslandConfig("*.py", '"""--sql\\b', '"""', "sql"),
        IslandConfig("markdown", "```规则$", "", "规则"),
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[grammars.files]\n"*.a" = "ok"\n"*.b" = "../up"', 3, "grammars.files.*.b takes names of grammars"),
        ("[grammars.files]\na = 1", 1, "grammars.files takes a table of strings"),
        ('[grammars]\nlanguages = "sql"', 2, "grammars.languages takes a table of strings"),
        ("[grammars]\nislands = 3", 2, "grammars.islands takes a list of tables: [[grammars.islands]]"),
        ("[grammars.islands]\nhost = 'a'", 1, "takes a list of tables: [[grammars.islands]]"),
        (
            "[[grammars.islands]]\nhost = 'a'\n[[grammars.islands]]",
            1,
            "grammars.islands lacks open and grammar",
        ),
    ],
)
def test_what_is_wrong_with_grammars_is_named(text: str, line: int, said: str) -> None:
    error = error_of(text)
    assert error.line == line
    assert said in str(error)


def test_each_island_is_blamed_on_its_own_line() -> None:
    error = error_of(
        "[[grammars.islands]]\nhost = 'a'\nopen = '('\ngrammar = 'x'\n"
        "[[grammars.islands]]\nhost = ' '\nopen = 'b*'\ngramar = 'sql'\n"
    )
    assert [(problem.line, problem.key) for problem in error.problems] == [
        (3, "grammars.islands.open"),
        (5, "grammars.islands"),
        (6, "grammars.islands.host"),
        (7, "grammars.islands.open"),
        (8, "grammars.islands.gramar"),
    ]
    assert "not a regular expression: missing )" in error.problems[0].message
    assert "everywhere" in error.problems[3].message
    assert 'did you mean "grammar"? [grammars.islands] takes' in error.problems[4].message


def test_a_client_switches_grammars_and_vouches_for_its_workspace_and_no_more() -> None:
    config = with_overrides(Config(), {"grammars.enabled": False, "grammars.trust_workspace": True})
    assert (config.grammars.enabled, config.grammars.trust_workspace) == (False, True)
    for name in ("grammars.trusted", "grammars.files", "grammars.islands", "grammars.folder"):
        with pytest.raises(ConfigError, match="belongs to the daemon"):
            with_overrides(Config(), {name: ["/"]})


# The description of the settings ----------------------------------------------------------------------------


def test_set_values_leaves_out_what_is_not_set() -> None:
    assert set_values(LanguageConfig(enabled=True)) == {"enabled": True}


def test_every_setting_has_a_meaning_and_accepts_its_own_default() -> None:
    for section in (*SECTIONS.values(), IslandConfig):
        for name, described in settings_of(section).items():
            assert described.text.endswith("."), name
            if section is not IslandConfig:
                assert described.accept(getattr(section(), name)) == getattr(section(), name)
