"""Files and folders that a configuration names and that are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.settings.config import Config, parse_config
from daemon.settings.config_places import place_warnings
from tests.fakes.tiny_gguf import tiny_llama


def parse(tmp_path: Path, text: str) -> Config:
    return parse_config(text, tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[draft]\nmodel = "gone.gguf"\n', "c.toml:2: draft.model: there is no file"),
        ('[draft]\nmodel = "text.gguf"\n', "is no GGUF file"),
        (
            '[draft]\nmodel = "bundled:q9"\n',
            "c.toml:2: draft.model: there is no bundled:q9; take one of bundled, ",
        ),
        ('[draft]\n\ncache_dir = "text.gguf/cache"\n', "c.toml:3: draft.cache_dir: "),
        ('[verifier]\nca_file = "gone.pem"\n', "c.toml:2: verifier.ca_file: "),
        ('[grammars]\nfolder = "gone"\n', "c.toml:2: grammars.folder: "),
        (
            '[grammars]\ntrusted = [\n".",\n"text.gguf"]\n',
            "text.gguf is no folder; make it, or correct the path",
        ),
    ],
)
def test_each_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "text.gguf").write_text("no model at all")
    [warning] = place_warnings(parse(tmp_path, text))
    assert said in warning


@pytest.mark.parametrize("model", ["bundled", "bundled:q4_1"])
def test_a_bundled_model_is_no_problem(tmp_path: Path, model: str) -> None:
    assert place_warnings(parse(tmp_path, f'[draft]\nmodel = "{model}"\n')) == []


def test_a_model_that_is_there_is_no_problem(tmp_path: Path) -> None:
    tiny_llama(tmp_path / "own.gguf")
    assert place_warnings(parse(tmp_path, '[draft]\nmodel = "own.gguf"\n')) == []


def test_a_folder_that_can_be_made_is_no_problem_and_nothing_is_made(tmp_path: Path) -> None:
    assert place_warnings(parse(tmp_path, '[draft]\ncache_dir = "a/b/c"\n')) == []
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    [warning] = place_warnings(parse(tmp_path, '[draft]\ncache_dir = "locked/cache"\n'))
    assert "can be written; name another in draft.cache_dir" in warning
