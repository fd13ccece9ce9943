"""Which open documents git ignores (ux-39): found out beside the event loop, and again when ignore files change."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from daemon.serving import ignored_documents
from daemon.serving.ignored_documents import LOOK_AGAIN_S, IgnoredDocuments, is_ignored


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in the user's home."""
    home = tmp_path.resolve() / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".gitignore").write_text("*.local.py\nbuild/\n", encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("name", "ignored"),
    [
        ("a.py", False),
        ("a.local.py", True),
        ("src/a.local.py", True),
        ("build/a.py", True),
        ("build/not/there/yet/a.py", True),
        ("src/build.py", False),
    ],
)
def test_what_git_ignores(project: Path, name: str, ignored: bool) -> None:
    """The file, and the folders it is in, need not be there."""
    assert is_ignored((project / name).as_uri()) is ignored
    assert is_ignored(str(project / name)) is ignored


@pytest.mark.parametrize("name", ["untitled:a.local.py", "vscode-remote://host/build/a.local.py", ""])
def test_what_is_no_file_of_this_machine_is_not_ignored(name: str) -> None:
    assert not is_ignored(name)


def test_outside_of_a_repository_nothing_is_ignored(project: Path) -> None:
    """A lone ignore file is nothing of git's, and a repository that is the home keeps nothing from being completed."""
    home = project.parent
    (home / ".gitignore").write_text("*\n", encoding="utf-8")
    assert not is_ignored(str(home / "notes.local.py"))
    (home / ".git").mkdir()
    assert not is_ignored(str(home / "notes.local.py"))
    assert not is_ignored(str(project / "a.py"))


def test_a_link_is_what_it_leads_to(project: Path) -> None:
    (project / "build").mkdir()
    (project / "build" / "a.py").write_text("x", encoding="utf-8")
    (project / "link.py").symlink_to(project / "build" / "a.py")
    (project / "folder").symlink_to(project / "build")
    assert is_ignored(str(project / "link.py"))
    assert is_ignored(str(project / "folder" / "b.py"))


@pytest.mark.asyncio
async def test_it_is_looked_again_after_a_while_when_a_key_comes(project: Path) -> None:
    now_s, learned = 100.0, []
    name = (project / "a.py").as_uri()
    documents = IgnoredDocuments(lambda: now_s, learned.append)
    assert documents.holds(name) is None
    documents.look(name)
    assert documents.holds(name) is None
    await documents.known(name)
    assert (documents.holds(name), learned) == (False, [name])
    (project / ".gitignore").write_text("a.py\n", encoding="utf-8")
    documents.look(name)
    assert documents._looks[name].task is not None
    await documents._looks[name].task
    assert documents.holds(name) is False
    now_s += LOOK_AGAIN_S
    documents.look(name)
    await documents._looks[name].task
    assert (documents.holds(name), learned) == (True, [name, name])
    now_s += LOOK_AGAIN_S
    documents.look(name)
    await documents._looks[name].task
    assert learned == [name, name]


@pytest.mark.asyncio
async def test_a_look_that_takes_long_is_not_begun_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow file system is asked once at a time; a document that is closed meanwhile is learned nothing of."""
    now_s, began, go_on = 100.0, threading.Semaphore(0), threading.Event()
    name = (project / "a.py").as_uri()
    documents = IgnoredDocuments(lambda: now_s, lambda _: None)
    documents.look(name)
    await documents.known(name)

    def slow(_: str) -> bool:
        began.release()
        go_on.wait(20)
        return True

    monkeypatch.setattr(ignored_documents, "is_ignored", slow)
    now_s += LOOK_AGAIN_S
    documents.look(name)
    under_way = documents._looks[name].task
    assert await asyncio.to_thread(began.acquire, timeout=20)
    now_s += LOOK_AGAIN_S
    documents.look(name)
    assert documents._looks[name].task is under_way
    documents.forget(name)
    go_on.set()
    assert under_way is not None
    await asyncio.wait({under_way})
    assert under_way.cancelled()


@pytest.mark.asyncio
async def test_what_is_no_file_is_known_at_once_and_stays_so() -> None:
    documents = IgnoredDocuments(lambda: 0.0, pytest.fail)
    documents.look("untitled:1")
    documents.look("untitled:1")
    assert documents.holds("untitled:1") is False
    await documents.known("untitled:1")
    await documents.known("file:///never/opened.py")


@pytest.mark.asyncio
async def test_a_closed_document_is_learned_nothing_of(project: Path) -> None:
    documents = IgnoredDocuments(lambda: 0.0, pytest.fail)
    documents.look(str(project / "a.py"))
    waiting = asyncio.create_task(documents.known(str(project / "a.py")))
    await asyncio.sleep(0)
    documents.forget(str(project / "a.py"))
    await waiting
    assert documents.holds(str(project / "a.py")) is None
    documents.forget("file:///never/opened.py")


@pytest.mark.asyncio
async def test_a_document_may_be_closed_before_a_look_or_after_it(project: Path) -> None:
    documents = IgnoredDocuments(lambda: 0.0, lambda _: None)
    for name in ("untitled:1", str(project / "a.py")):
        documents.look(name)
        await documents.known(name)
        documents.forget(name)
        assert documents.holds(name) is None


@pytest.mark.asyncio
async def test_what_cannot_be_looked_at_counts_as_ignored(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: str) -> bool:
        raise PermissionError

    monkeypatch.setattr(ignored_documents, "is_ignored", broken)
    documents = IgnoredDocuments(lambda: 0.0, lambda _: None)
    documents.look("/x/a.py")
    await documents.known("/x/a.py")
    assert documents.holds("/x/a.py") is True
    assert "can't be found out" in caplog.text
