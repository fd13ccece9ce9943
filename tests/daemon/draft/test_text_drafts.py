"""Drafts from the texts around: along a match, over the ends of texts and tokens, judged by what the target said."""

from __future__ import annotations

import pytest

from daemon.documents import Document, Place
from daemon.draft.text_drafts import TextDrafts
from daemon.draft.text_match import CONTINUED
from daemon.generation import Generation, Limits
from daemon.prompts.open_texts import OpenTexts
from daemon.run import Run
from tests.fakes.engine import FakeEngine

LINE = "connection.execute(statement)"


def run_at(text: str, engine: FakeEngine, after: str = "") -> Run:
    place = Place(Document("a.py", "python", 1, text + after), len(text))
    return Run(Generation(place, (1,), engine.vocabulary, Limits(200, 8)), 0.0)


def follow(drafts: TextDrafts, run: Run, engine: FakeEngine, most: int = 200) -> str:
    """The text of what is proposed and drafted, one token after the other."""
    for _ in range(most):
        proposal = drafts.propose(run, engine)
        if proposal is None or not proposal.is_followed:
            break
        run.draft(proposal.token, 0.0, "match")
    return run.generation.text().text


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


def drafts_of(texts: OpenTexts | None = None, opening: str = "") -> TextDrafts:
    return TextDrafts(texts or OpenTexts(), lambda: opening.encode())


def test_a_match_is_followed_to_where_its_text_ends(engine: FakeEngine) -> None:
    """But for the last token there, with which somebody types on: that is the model's to say."""
    run = run_at(f"# {LINE}\n\n# connection.ex", engine)
    assert follow(drafts_of(), run, engine) == "ecute(statement)\n\n# connection"


def test_the_word_that_is_being_typed_is_not_what_a_text_goes_on_with() -> None:
    """From half a word a model goes on as from a whole one: "ret", and then "return"."""
    engine = FakeEngine(extra_tokens=[b"\n\ndef g():\n    ", b"ret"])
    run = run_at("def f():\n    return 1\n\ndef g():\n    ret", engine)
    for token in b"urn 1":
        run.draft(token, 0.0, "model")
    assert follow(drafts_of(), run, engine, 30) == "urn 1"


def test_nor_are_the_blanks_before_it() -> None:
    """They would be a part of the next token: a draft begun with them goes on with another blank."""
    engine = FakeEngine(extra_tokens=[b"\n\ndef", b" ", b" g"])
    run = run_at("def f():\n    return 1\n\ndef ", engine)
    for token in b"f():\n    return 1":
        run.draft(token, 0.0, "model")
    assert follow(drafts_of(), run, engine, 2) == "f():\n    return 1\n\ndef"


@pytest.mark.parametrize("where", ["after", "other", "removed", "opening"])
def test_matches_are_sought_in_all_texts(where: str, engine: FakeEngine) -> None:
    texts = OpenTexts()
    if where == "other":
        texts.visited(Place(Document("b.py", "python", 1, LINE), 0))
    if where == "removed":
        texts._removed.append(LINE)
    run = run_at("connection.ex", engine, after=f"\n{LINE}" if where == "after" else "")
    drafts = drafts_of(texts, LINE if where == "opening" else "")
    assert follow(drafts, run, engine) == "ecute(statement)"


def test_what_is_drafted_otherwise_ends_the_match(engine: FakeEngine) -> None:
    run = run_at(f"{LINE}\nconnection.ex", engine)
    drafts = drafts_of()
    assert drafts.propose(run, engine) is not None
    run.draft(ord("!"), 0.0, "model")
    assert drafts.propose(run, engine) is None


def test_a_long_continuation_goes_on_beyond_what_was_read_of_it(engine: FakeEngine) -> None:
    """The last token of a cut text may be another one: it is sought anew from there."""
    text = "".join(f"{number:03}" for number in range(CONTINUED))
    run = run_at(f"{text}\n000001002003", engine)
    assert follow(drafts_of(), run, engine, 150) == text[12:162]


def test_tokens_are_proposed_whole() -> None:
    engine = FakeEngine(extra_tokens=[b"ecute", b"(statement)"])
    run = run_at(f"{LINE}\nconnection.ex", engine)
    proposal = drafts_of().propose(run, engine)
    assert proposal is not None
    assert (engine.vocabulary.token_bytes[proposal.token], proposal.matched) == (b"ecute", 13)


def test_another_run_begins_anew(engine: FakeEngine) -> None:
    drafts = drafts_of()
    assert drafts.propose(run_at(f"{LINE}\nconnection.ex", engine), engine) is not None
    assert drafts.propose(run_at("something else", engine), engine) is None


def test_the_targets_words_judge_match_and_model(engine: FakeEngine) -> None:
    """What it said in a run is counted, at the latest when the next one begins; each position once."""
    texts = OpenTexts()
    trust = texts.trust("python")
    judged: list[tuple[int, bool, bool | None]] = []
    trust.judged = lambda matched, *, match, model: judged.append((matched, match, model))  # type: ignore[method-assign]
    drafts = drafts_of(texts)
    run = run_at(f"{LINE}\nconnection.ex", engine)
    for named in (None, ord("X")):
        proposal = drafts.propose(run, engine)
        assert proposal is not None
        if named is not None:
            drafts.said(run, named)
        run.draft(proposal.token, 0.0, "match")
    run.generation.commit(b"eX")
    drafts.propose(run, engine)
    drafts.propose(run_at("something else", engine), engine)
    assert judged == [(13, True, None), (14, False, True)]


def test_what_the_model_said_without_a_match_is_no_news(engine: FakeEngine) -> None:
    drafts = drafts_of()
    run = run_at("nothing like it", engine)
    drafts.said(run, 65)
    assert drafts.propose(run, engine) is None
    drafts.said(run, 65)


@pytest.mark.parametrize(
    ("text", "stopgap"),
    [
        (f"{LINE}\nconnection.ex", "ecute(statement)"),
        ("nothing like it", ""),
        ("        x\n        y\n        ", ""),
        ("", ""),
        ("class Counter: ...\nx = (Cou", "nter"),
        (f"value = {'many words ' * 20}\nvalue = many", " words" + " many words" * 8),
    ],
    ids=["a line", "nothing", "blanks alone", "an empty file", "a word", "a long line, up to a word's end"],
)
def test_ux_49_a_stopgap_stays_on_its_line(text: str, stopgap: str, engine: FakeEngine) -> None:
    assert drafts_of().stopgap(run_at(text, engine)) == stopgap
