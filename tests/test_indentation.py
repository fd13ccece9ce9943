"""Suggestions indent as their document does (ux-12): with tabs, or with two, four or eight blanks.

Nobody tells the models an editor's `tabSize`: what stands in the prompt does. Nothing that they say is converted, or
verified text would not be the target's. The bundled draft, greedy, on a real file in each of the styles, behind lines
that open a block. Below a long docstring it takes another number of blanks now and then; never a tab for blanks.
"""

from __future__ import annotations

import inspect
import json.encoder
import re
from collections.abc import Iterator

import pytest

from daemon.documents import Document, Place
from daemon.draft.llama_engine import LlamaEngine
from daemon.draft.models import resolve_draft_model
from daemon.prompts.prompt import Prompt
from daemon.settings.config import DraftConfig

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]

SOURCE = inspect.getsource(json.encoder)
FIRST, N_PLACES = 3000, 4
"""Blocks that are opened behind so many characters, and how many of them."""
WINDOW, MOST_TOKENS = 600, 16


@pytest.fixture(scope="module")
def engine() -> Iterator[LlamaEngine]:
    file = resolve_draft_model("bundled", DraftConfig().cache_path)
    with LlamaEngine(file.path, n_context=768, n_sequences=1, threads=1, model_name=file.name) as engine:
        yield engine


def indented(text: str, unit: str) -> str:
    """The text, which is indented by four blanks, in another style."""
    return re.sub(r"(?m)^(?: {4})+", lambda blanks: unit * (len(blanks[0]) // 4), text)


def first_line(engine: LlamaEngine, text: str) -> str:
    """The line that the draft writes below the text."""
    prompt = Prompt(
        engine.tokenize,
        window_tokens=WINDOW,
        splits_at_lines=engine.splits_at_lines,
        start=engine.prompt_start,
    )
    ids = prompt.ids(Place(Document("file:///a.py", "python", 1, text), len(text)))
    written = b""
    for _ in range(MOST_TOKENS):
        token = int(engine.next_candidates(0, ids).ids[0])
        if token in engine.vocabulary.stop_ids:
            break
        ids.append(token)
        written += engine.vocabulary.token_bytes[token]
        if re.match(rb"\s*\n\s*\S", written):
            break
    return written.decode(errors="replace").lstrip("\n").partition("\n")[0]


@pytest.mark.parametrize("unit", ["\t", " " * 2, " " * 4, " " * 8], ids=["tabs", "two", "four", "eight"])
def test_a_block_is_indented_by_what_the_document_is_indented_by(engine: LlamaEngine, unit: str) -> None:
    text = indented(SOURCE, unit)
    opened = list(re.finditer(r"(?m)^([ \t]*)(?:if|for|else|elif|def) ?[^\n]*:$", text))
    behind = [found for found in opened if found.start() > FIRST][:N_PLACES]
    assert len(behind) == N_PLACES
    exact = 0
    for found in behind:
        line = first_line(engine, text[: found.end()])
        blanks = line.removesuffix(line.lstrip())
        assert len(blanks) > len(found[1]), (found[0], line)
        assert set(blanks) == set(unit), (found[0], line)
        exact += blanks == found[1] + unit
    assert exact >= N_PLACES // 2
