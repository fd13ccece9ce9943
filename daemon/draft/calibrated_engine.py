"""Loads the draft model so that it begins with the number of threads that is fastest on this machine."""

from __future__ import annotations

import logging

from daemon.draft.calibration import Calibration, Threads, calibrate, keep_calibration, known_calibration
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.llama_library import how_threads_wait
from daemon.draft.llama_threads import LlamaThreads
from daemon.draft.models import DraftModelFile, resolve_draft_model
from daemon.settings.config_sections import DraftConfig

log = logging.getLogger(__name__)


def load_calibrated(file: DraftModelFile, draft: DraftConfig) -> LlamaEngine:
    """The model with the settings of `draft`, calibrated where its threads are to be found out. Raises EngineFailed."""
    engine = LlamaEngine(
        file.path, n_context=draft.context_tokens, threads=draft.threads, model_name=file.name
    )
    try:
        calibration = _calibration(engine, file, draft)
    except BaseException:
        engine.close()
        raise
    if calibration is not None:
        engine.threads.begin_with(calibration.token_ms)
    return engine


def known_threads(draft: DraftConfig) -> Threads:
    """What was measured of the configured model's threads on this machine. Raises EngineFailed."""
    file = resolve_draft_model(draft.model, draft.cache_path)
    counts = LlamaThreads(draft.threads).counts
    return Threads(counts, known_calibration(draft.cache_path, file.digest, counts), how_threads_wait())


def _calibration(engine: LlamaEngine, file: DraftModelFile, draft: DraftConfig) -> Calibration | None:
    """What was measured on this machine before, or is now; None: there is nothing to choose."""
    counts = engine.threads.counts
    if len(counts) == 1:
        return None
    known = known_calibration(draft.cache_path, file.digest, counts)
    if known is not None:
        return known
    found = calibrate(engine, counts)
    log.info("ms a token by threads: %s", found.token_ms)
    try:
        keep_calibration(draft.cache_path, file.digest, found)
    except OSError as failure:
        log.warning(
            "the threads' measurement can't be kept, each start makes it anew (%s): check that %s can be written",
            failure,
            draft.cache_path,
        )
    return found
