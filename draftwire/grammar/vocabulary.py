"""The draft model's vocabulary as grammars are loaded with it: read from its file, without its weights. Blocking."""

from __future__ import annotations

from daemon.draft.engine import Vocabulary
from daemon.settings.config import Config
from grammars.engine import TokenTable


def draft_vocabulary(config: Config) -> Vocabulary:
    """The vocabulary of the draft model of the configuration. Raises EngineFailed."""
    from daemon.draft.llama_vocabulary import read_vocabulary_of_file
    from daemon.draft.models import resolve_draft_model

    file = resolve_draft_model(config.draft.model, config.draft.cache_path, None)
    return read_vocabulary_of_file(file.path)


def table_of(vocabulary: Vocabulary) -> TokenTable:
    """Prepared for the engine: 0.1 to 1 s."""
    return TokenTable(
        vocabulary.token_bytes, control_ids=vocabulary.control_ids, stop_ids=vocabulary.stop_ids
    )
