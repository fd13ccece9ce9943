"""llama.cpp as draft engine: abort, damaged files, silence, leaks; then the real bundled model.

What it shares with every engine is in test_engine.py.
"""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from daemon.draft.engine import Aborted, EngineFailed
from daemon.draft.llama_engine import BATCH_TOKENS, LlamaEngine
from daemon.draft.llama_library import llama
from daemon.draft.model_source import bundled_source
from daemon.draft.models import resolve_draft_model
from tests.fakes.tiny_gguf import FIRST_SPECIAL, Value, byte_level_tokens, tiny_llama


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("models") / "tiny.gguf", n_context=16384)


@pytest.fixture
def engine(tiny: Path) -> Iterator[LlamaEngine]:
    with LlamaEngine(tiny, n_context=512, n_sequences=2, threads=1) as made:
        yield made


class AbortsAll:
    """Calls `abort(sequence)` from another thread, from the first evaluation on, until left."""

    def __init__(self, engine: LlamaEngine, sequence: int, *, after_tokens: int = 0) -> None:
        self._engine, self._sequence, self._after = engine, sequence, after_tokens
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._left.is_set():
            if self._engine.evaluated_tokens() >= self._after:
                self._engine.abort(self._sequence)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()


def evaluate_all(engine: LlamaEngine, sequences: Iterable[list[int]]) -> None:
    for ids in sequences:
        engine.next_candidates(0, ids)


def test_abort_stops_a_long_prefill_and_keeps_what_was_evaluated(tiny: Path) -> None:
    ids = [int(i) for i in np.random.default_rng(3).integers(0, 256, 16_000)]
    with LlamaEngine(tiny, n_context=16_384, n_sequences=1, threads=1) as engine:
        with AbortsAll(engine, 0, after_tokens=1000), pytest.raises(Aborted):
            engine.next_candidates(0, ids)
        stopped_at = engine.evaluated_tokens()
        assert 1000 <= stopped_at < 8000
        engine.next_candidates(0, ids[: stopped_at + 1])
        assert engine.evaluated_tokens() == stopped_at + 1


def test_abort_stops_inside_the_first_batch(engine: LlamaEngine) -> None:
    """The one evaluation that is under way ends unfinished; nothing of it counts."""
    batches = ([n % 250] * BATCH_TOKENS for n in range(500))
    with AbortsAll(engine, 0), pytest.raises(Aborted):
        evaluate_all(engine, batches)
    assert engine.evaluated_tokens() < 500 * BATCH_TOKENS
    again = engine.next_candidates(0, [7, 8, 9])
    fresh = engine.next_candidates(1, [7, 8, 9])
    assert np.allclose(again.logits, fresh.logits, atol=1e-3)


def test_what_an_abort_wants_kept_is_evaluated_to_its_end(engine: LlamaEngine) -> None:
    """A newer prompt shares 200 of the ids under way: a quick typist must not starve the prefill."""
    decode = engine._evaluate

    def evaluate_and_abort(*arguments: object) -> None:
        decode(*arguments)  # type: ignore[arg-type]
        engine.abort(0, keep=200)

    engine._evaluate = evaluate_and_abort  # type: ignore[method-assign]
    with pytest.raises(Aborted):
        engine.next_candidates(0, [65] * 500)
    assert 200 <= engine.evaluated_tokens() < 200 + BATCH_TOKENS


def test_abort_of_another_sequence_does_not_stop_this_one(engine: LlamaEngine) -> None:
    with AbortsAll(engine, 1):
        engine.next_candidates(0, [65] * 500)
    assert engine.evaluated_tokens() == 500


def test_a_model_that_cannot_be_cut_is_evaluated_again(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.next_candidates(0, [1, 2, 3, 4])
    cut = llama.llama_memory_seq_rm
    monkeypatch.setattr(
        llama,
        "llama_memory_seq_rm",
        lambda memory, seq, start, end: start == -1 and cut(memory, seq, start, end),
    )
    again = engine.next_candidates(0, [1, 2, 9])
    assert engine.evaluated_tokens() == 4 + 3
    assert np.allclose(again.logits, engine.next_candidates(1, [1, 2, 9]).logits, atol=1e-3)


def test_candidates_are_the_best_of_all_logits(engine: LlamaEngine) -> None:
    found = engine.next_candidates(0, engine.tokenize("def f(x):"))
    pointer = llama.llama_get_logits_ith(engine._context, -1)
    logits = np.ctypeslib.as_array(pointer, (engine.vocabulary.n_vocab,))
    order = np.lexsort((np.arange(logits.size), -logits))[:64]
    assert found.ids.tolist() == order.tolist()
    assert found.logits.tolist() == logits[order].tolist()


def test_a_full_context_is_an_error_and_not_the_end(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = llama.llama_decode
    monkeypatch.setattr(llama, "llama_decode", lambda context, batch: 1)
    with pytest.raises(EngineFailed, match="KV cache is full"):
        engine.next_candidates(0, [1, 2])
    monkeypatch.setattr(llama, "llama_decode", lambda context, batch: -3)
    with pytest.raises(EngineFailed, match="-3"):
        engine.next_candidates(0, [1, 2])
    monkeypatch.setattr(llama, "llama_decode", decode)
    engine.next_candidates(0, [1, 2])
    assert engine.evaluated_tokens() == 2


def test_what_a_failed_decode_loses_is_evaluated_again(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the KV cache says it holds counts, not what was asked of it."""
    engine.next_candidates(0, [1, 2, 3, 4])
    decode, remove = llama.llama_decode, llama.llama_memory_seq_rm

    def losing(context: object, batch: object) -> int:
        remove(engine._memory, 0, 2, -1)
        return -1

    monkeypatch.setattr(llama, "llama_decode", losing)
    with pytest.raises(EngineFailed):
        engine.next_candidates(0, [1, 2, 3, 4, 5])
    monkeypatch.setattr(llama, "llama_decode", decode)
    again = engine.next_candidates(0, [1, 2, 3, 4, 5])
    assert engine.evaluated_tokens() == 4 + 3
    assert np.allclose(again.logits, engine.next_candidates(1, [1, 2, 3, 4, 5]).logits, atol=1e-3)


@pytest.mark.parametrize(
    ("metadata", "start"),
    [
        ({"tokenizer.ggml.add_bos_token": True}, (FIRST_SPECIAL,)),
        ({"tokenizer.ggml.add_bos_token": False}, ()),
        ({}, ()),
    ],
)
def test_a_prompt_starts_as_the_model_wants(
    tmp_path: Path, metadata: dict[str, Value | None], start: tuple[int, ...]
) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf", overrides=metadata)
    with LlamaEngine(path, n_context=64) as engine:
        assert tuple(engine.prompt_start) == start
        assert engine.splits_at_lines


def test_a_context_is_never_longer_than_the_model_knows(tmp_path: Path) -> None:
    with LlamaEngine(tiny_llama(tmp_path / "short.gguf", n_context=256), n_context=2048) as engine:
        assert engine.n_context == 256


def test_name_is_given_or_the_files(tiny: Path) -> None:
    with (
        LlamaEngine(tiny, n_context=64) as plain,
        LlamaEngine(tiny, n_context=64, model_name="mine") as named,
    ):
        assert (plain.model_name, named.model_name) == ("tiny", "mine")


# --- files that are no model


def damaged_files(tiny: bytes) -> dict[str, bytes]:
    weights = tiny.index(b"blk.1.ffn_down.weight")
    return {
        "empty": b"",
        "four bytes": tiny[:4],
        "garbage": bytes(range(256)) * 64,
        "text": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "cut in the metadata": tiny[:2000],
        "cut in the tensor table": tiny[:weights],
        "cut in the weights": tiny[: len(tiny) // 2],
        "without its last byte": tiny[:-64],
        "version 1": tiny[:4] + b"\x01" + tiny[5:],
        "big-endian": tiny[:4] + tiny[4:8][::-1] + tiny[8:],
        "absurd counts": tiny[:8] + b"\xff" * 16 + tiny[24:],
        "absurd string length": tiny[:24] + b"\xff" * 8 + tiny[32:],
    }


@pytest.mark.parametrize("damage", damaged_files(b"GGUF" + bytes(4000) + b"blk.1.ffn_down.weight"))
def test_a_damaged_file_is_refused_with_its_name(tiny: Path, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(damaged_files(tiny.read_bytes())[damage])
    with pytest.raises(EngineFailed, match=r"damaged\.gguf.*(again|fetch|convert)"):
        LlamaEngine(path)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="is a folder"):
        LlamaEngine(tmp_path)
    with pytest.raises(EngineFailed, match="there is no file"):
        LlamaEngine(tmp_path / "none.gguf")


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"general.architecture": "nonsense"}, "nonsense"),
        ({"llama.block_count": None}, "block_count"),
        ({"llama.block_count": 3}, "blk.2.*not found"),
        ({"tokenizer.ggml.tokens": None}, "tokens|vocab"),
        ({"llama.pooling_type": 1}, "embedding model"),
        ({"tokenizer.ggml.model": "no_vocab"}, "wrong shape"),
    ],
    ids=["architecture", "no block count", "blocks missing", "no vocabulary", "pooling", "no tokenizer"],
)
def test_a_model_that_cannot_draft_is_refused(
    tmp_path: Path, metadata: dict[str, Value | None], reason: str
) -> None:
    path = tiny_llama(tmp_path / "odd.gguf", overrides=metadata)
    with pytest.raises(EngineFailed, match=reason) as refusal:
        LlamaEngine(path)
    assert "odd.gguf" in str(refusal.value)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("llama_model_has_encoder", True, "encoder"),
        ("llama_model_has_decoder", False, "encoder"),
        ("llama_model_is_recurrent", True, "rolled back"),
        ("llama_model_is_hybrid", True, "rolled back"),
        ("llama_model_is_diffusion", True, "diffusion"),
    ],
)
def test_kinds_of_model_that_cannot_draft(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, question: str, answer: bool, reason: str
) -> None:
    monkeypatch.setattr(llama, question, lambda model: answer)
    with pytest.raises(EngineFailed, match=f"{reason}.*choose a causal"):
        LlamaEngine(tiny)


def test_weights_that_are_no_numbers_are_told(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "nan.gguf", scale=float("nan"))
    with LlamaEngine(path, n_context=64) as engine, pytest.raises(EngineFailed, match=r"nan\.gguf.*damaged"):
        engine.next_candidates(0, [1])


def test_no_memory_for_the_context_is_told(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "llama_init_from_model", lambda model, params: None)
    with pytest.raises(EngineFailed, match=r"lower draft\.context_tokens"):
        LlamaEngine(tiny)


# --- the process around it


def test_nothing_is_written_to_stdout_or_stderr(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """stdout of a language server belongs to the protocol, and llama.cpp says thousands of lines by itself."""
    with LlamaEngine(tiny, n_context=64) as engine:
        engine.next_candidates(0, [1, 2, 3])
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_loading_and_closing_leaks_nothing(tiny: Path) -> None:
    def resident_bytes() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    def load_and_close() -> None:
        with LlamaEngine(tiny, n_context=512, n_sequences=4, threads=1) as engine:
            engine.next_candidates(0, [65] * 400)

    for _ in range(5):
        load_and_close()
    before = resident_bytes()
    for _ in range(25):
        load_and_close()
    assert resident_bytes() - before < 3_000_000


def test_a_failed_load_frees_what_it_had(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[object] = []
    free = llama.llama_model_free

    def counting_free(model: object) -> None:
        freed.append(model)
        free(model)

    monkeypatch.setattr(llama, "llama_model_free", counting_free)
    monkeypatch.setattr(llama, "llama_init_from_model", lambda model, params: None)
    with pytest.raises(EngineFailed):
        LlamaEngine(tiny)
    assert len(freed) == 1


def test_threads_are_asked_for_or_chosen(tiny: Path) -> None:
    with LlamaEngine(tiny, n_context=64, threads=3) as three, LlamaEngine(tiny, n_context=64) as chosen:
        assert llama.llama_n_threads(three._context) == 3
        assert 1 <= llama.llama_n_threads(chosen._context) <= 4


# --- the real model


@pytest.fixture(scope="module")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("model-cache")


@pytest.fixture(scope="module")
def bundled(model_cache: Path) -> Iterator[LlamaEngine]:
    with LlamaEngine(
        resolve_draft_model("bundled", model_cache).path, n_context=1024, n_sequences=2
    ) as engine:
        yield engine


def greedy(engine: LlamaEngine, text: str, count: int, sequence: int = 0) -> list[int]:
    ids = engine.tokenize(text)
    for _ in range(count):
        ids.append(int(engine.next_candidates(sequence, ids).ids[0]))
    return ids[-count:]


@pytest.mark.model
def test_the_bundled_model_knows_fibonacci(bundled: LlamaEngine) -> None:
    ids = greedy(bundled, "def fibonacci(n):\n", 24)
    text = b"".join(bundled.vocabulary.token_bytes[i] for i in ids).decode()
    assert "    if n <= 1:\n        return n\n" in text
    assert "return fibonacci(" in text


@pytest.mark.model
def test_its_vocabulary_survives_requantising(bundled: LlamaEngine) -> None:
    with LlamaEngine(bundled_source(), n_context=64, n_sequences=1) as shipped:
        assert shipped.vocabulary.fingerprint == bundled.vocabulary.fingerprint
    assert bundled.vocabulary.special_ids == {"bos": 1, "eos": 2, "pad": 2, "eot": 0, "fim_rep": 4}
    assert bundled.vocabulary.n_vocab == 49152


@pytest.mark.model
def test_drafting_with_detours_equals_a_straight_run(bundled: LlamaEngine) -> None:
    """Rollback equals replay, to the bit, on the real model: before each token a wrong turn is taken and undone.

    The detours are single tokens because llama.cpp computes one row by another kernel than several (the logits
    then differ by up to 0.5), which is no matter of rollback.
    """
    straight = bundled.tokenize("import os\n\ndef list_files(folder):\n")
    for _ in range(12):
        expected = bundled.next_candidates(0, straight)
        found = bundled.next_candidates(1, straight)
        assert (found.ids == expected.ids).all()
        assert (found.logits == expected.logits).all()
        bundled.next_candidates(1, [*straight, 17])
        bundled.next_candidates(1, [*straight, 17, 18])
        straight.append(int(expected.ids[0]))


@pytest.mark.model
@pytest.mark.parametrize(("spec", "layers"), [("bundled:shallow28", 28), ("bundled:shallow26", 26)])
def test_shallow_drafts_load_and_differ(
    bundled: LlamaEngine, model_cache: Path, spec: str, layers: int
) -> None:
    text = Path(ctypes.__file__).read_text()[:1500]
    with LlamaEngine(resolve_draft_model(spec, model_cache).path, n_context=1024, n_sequences=1) as shallow:
        assert llama.llama_model_n_layer(shallow._model) == layers
        assert shallow.vocabulary.fingerprint == bundled.vocabulary.fingerprint
        assert greedy(shallow, text, 16) != greedy(bundled, text, 16)


@pytest.mark.model
def test_abort_lands_inside_one_token(bundled: LlamaEngine) -> None:
    """A single token of the real model takes milliseconds; an abort during it leaves it unevaluated."""
    ids = bundled.tokenize("x = 1\n")
    bundled.next_candidates(0, ids)
    before = bundled.evaluated_tokens()
    with AbortsAll(bundled, 0), pytest.raises(Aborted):
        bundled.next_candidates(0, [*ids, 40])
    assert bundled.evaluated_tokens() == before
    bundled.next_candidates(0, [*ids, 40])
    assert bundled.evaluated_tokens() == before + 1


def test_log_lines_go_to_logging(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A special id outside the vocabulary is one of the things llama.cpp warns of."""
    path = tiny_llama(tmp_path / "warns.gguf", overrides={"tokenizer.ggml.padding_token_id": 99_999})
    with (
        caplog.at_level(logging.DEBUG, "daemon.draft.llama_library"),
        LlamaEngine(path, n_context=64) as engine,
    ):
        assert "pad" not in engine.vocabulary.special_ids
    assert any("llama.cpp: " in record.getMessage() for record in caplog.records)


def test_the_tiny_models_vocabulary_is_read_as_written(engine: LlamaEngine) -> None:
    vocabulary = engine.vocabulary
    assert vocabulary.n_vocab == len(byte_level_tokens())
    assert vocabulary.token_bytes[:FIRST_SPECIAL].count(b"    ") == 1
    assert sorted(vocabulary.token_bytes[:256]) == [bytes([i]) for i in range(256)]
    assert vocabulary.control_ids == frozenset(range(FIRST_SPECIAL, FIRST_SPECIAL + 5))
