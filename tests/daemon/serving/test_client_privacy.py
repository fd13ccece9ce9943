"""What no model sees a word of: excluded files, and what git ignores, also where that changes (ux-39)."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.api.messages import (
    ChangeDocument,
    CloseDocument,
    Complete,
    Completions,
    Configure,
    Edit,
    OpenDocument,
)
from daemon.documents import Document, Place
from daemon.serving import ignored_documents
from speculation.messages import Cancel as CancelSession
from tests.fakes.desk import NAME, OTHER, START, desk, lets_desk


@pytest.mark.asyncio
async def test_texts_of_excluded_files_are_never_drafted_from() -> None:
    """Not as they are opened, not as they are edited, and no more once they are excluded (ux-39)."""
    secret = "password = correct horse battery staple"
    texts: dict[str, list[str]] = {}
    async with desk() as d:
        for name in ("file:///.env", "file:///b.py"):
            d.take(OpenDocument(name, "", 1, secret))
            await d.looked_at(name)
            d.take(ChangeDocument(name, 2, [Edit(0, 0, "x")]))
            d.take(ChangeDocument(name, 3, [Edit(0, 30, "")]))
            texts[name] = d.client._trail.texts.around(Place(Document(NAME, "", 1, ""), 0))
        assert not any("horse" in text for text in texts["file:///.env"])
        assert any("horse" in text for text in texts["file:///b.py"])
        d.take(Configure({"files.exclude": ["b.py"]}))
        assert not any(
            "staple" in text for text in d.client._trail.texts.around(Place(Document(NAME, "", 1, ""), 0))[2:]
        )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that ignores `local/`; the user's home is elsewhere, and empty."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    root = tmp_path.resolve() / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".gitignore").write_text("local/\n", encoding="utf-8")
    return root


@pytest.mark.asyncio
async def test_what_git_ignores_is_neither_completed_nor_read(repository: Path) -> None:
    """No model sees a word of it, not as it is opened and not as it is edited; nor do other documents (ux-39)."""
    name = (repository / "local" / "notes.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        d.take(Complete(1, name, 2, len(START) + 1, trigger="invoked", wait="verified"))
        [answer] = await d.first(Completions)
        assert (answer.suggestions, answer.reason) == ([], "ignored_file")
        d.take(ChangeDocument(name, 3, [Edit(0, 0, "x")]))
        await d.settled()
        assert d.engine.evaluated_tokens() == 0
        assert d.link.sent == []
        assert not any(d.client._trail.texts.around(Place(Document(OTHER, "", 1, ""), 0)))
        assert d.service.statistics.nothing == {"ignored_file": 1}
        assert d.service.status().left_out == {"notes.py": "ignored_file"}


@pytest.mark.asyncio
async def test_a_key_before_it_is_known_that_git_does_not_ignore_its_document_is_drafted_from_then_on(
    repository: Path,
) -> None:
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        assert d.client.documents[name][1]._runs.active is None
        await d.looked_at(name)
        assert d.client.documents[name][1]._runs.active is not None
        assert d.service.status().left_out == {}


@pytest.mark.asyncio
async def test_a_document_that_git_ignores_from_now_on_is_dropped_by_both_ends(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And completed again once git no longer ignores it."""
    monkeypatch.setattr(ignored_documents, "LOOK_AGAIN_S", 0.0)
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START), Complete(1, name, 1, len(START)))
        assert (await d.first(Completions))[0].suggestions
        session = d.client.documents[name][1].number
        for version, ignored in ((2, "*.py"), (3, "")):
            (repository / ".gitignore").write_text(ignored, encoding="utf-8")
            d.take(ChangeDocument(name, version, [Edit(0, 0, "\n")]))
            await d.client._ignored._looks[name].task  # type: ignore[misc]
            d.take(Complete(version, name, version, len(START) + version - 1))
            answer = (await d.first(Completions, version))[-1]
            assert answer.reason == ("ignored_file" if ignored else None)
            await d.settled()
            ends = [one for one in d.link.sent if isinstance(one, CancelSession) and one.close]
            assert session in [one.session for one in ends]


@pytest.mark.asyncio
async def test_a_document_that_git_no_longer_ignores_has_its_grammar(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignored_documents, "LOOK_AGAIN_S", 0.0)
    name, text = (repository / "a.lets").as_uri(), "let a "
    async with lets_desk(tmp_path) as d:
        d.take(OpenDocument(name, "lets", 1, text))
        await d.service.grammars.idle()
        await d.looked_at(name)
        for version, ignored in ((2, "*.lets"), (3, "")):
            (repository / ".gitignore").write_text(ignored, encoding="utf-8")
            d.take(ChangeDocument(name, version, []))
            await d.client._ignored._looks[name].task  # type: ignore[misc]
        d.take(Complete(1, name, 3, len(text), wait="verified"))
        [answer] = await d.first(Completions)
        assert answer.suggestions[0].text == "=b ;"


@pytest.mark.parametrize("closed", [[CloseDocument], []])
@pytest.mark.asyncio
async def test_a_key_before_a_document_is_opened_again_is_not_drafted_from(
    repository: Path, closed: list[type[CloseDocument]]
) -> None:
    """It is known only then that git does not ignore it, and the cursor is nowhere in the new text."""
    name = (repository / "a.py").as_uri()
    async with desk() as d:
        d.take(OpenDocument(name, "python", 1, START))
        d.take(ChangeDocument(name, 2, [Edit(len(START), len(START), "u")]))
        d.take(*(one(name) for one in closed), OpenDocument(name, "python", 3, "de"))
        await d.looked_at(name)
        assert d.client.documents[name][1].where() is None
        assert d.client.documents[name][1]._runs.active is None
