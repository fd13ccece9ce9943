"""What all clients of the daemon share: one draft model, one link, the statistics, the status. No sockets here.

What one connection has for itself is `client.py`.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any, Final, Protocol

from daemon.api.messages import DaemonMessage, Ending, NothingReason, Status
from daemon.draft.draft_worker import DraftWorker
from daemon.draft.engine import DraftEngine
from daemon.draft.model_source import SourceFile, draft_source
from daemon.grammars.lookout import user_folder
from daemon.grammars.store import GrammarStore
from daemon.grammars.worker import GrammarWorker
from daemon.serving.host import this_host
from daemon.settings.annotated_config import settings_digest
from daemon.settings.config import Config
from daemon.statistics import Statistics
from daemon.target.link_address import LinkSettings
from daemon.target.verifier_link import VerifierLink
from daemon.version import VERSION
from speculation.messages import PROTOCOL_VERSION, Hello

LOOK_EVERY_S: Final = 2.0
"""So often it is looked whether a model that could not be loaded is another by now."""
TIDY_EVERY_S: Final = 60.0
"""So often what is left in cycles is freed: by its own count Python would let it pile up for hours."""
MAX_GRAMMAR_LINES: Final = 20
"""More grammars are not told of in the status."""
MAX_LEFT_OUT: Final = 20
"""Nor are more documents that are not completed."""


class Attached(Protocol):
    """A connected client, as the service sees it."""

    @property
    def documents(self) -> Sized: ...

    @property
    def push(self) -> Callable[[DaemonMessage], None]: ...

    def grammars_changed(self, documents: Iterable[str]) -> None: ...

    def left_out(self) -> Mapping[str, NothingReason]: ...

    def count_kept(self) -> None: ...

    async def close(self) -> None: ...


class Service:
    """What all clients share."""

    def __init__(
        self,
        config: Config,
        load_engine: Callable[[], DraftEngine],
        link: LinkSettings | None,
        clock: Callable[[], float],
    ) -> None:
        self.config = config
        self.clock = clock
        self.statistics = Statistics()
        self.worker = DraftWorker(load_engine, self._changed, clock)
        self.link = None if link is None else VerifierLink(link, self._hello, self._changed, clock)
        self.grammars = GrammarStore(config, self._grammars_changed, clock=clock)
        self.grammar_worker = GrammarWorker()
        self.host = this_host()
        self._settings_digest = settings_digest(config)
        self.clients: set[Attached] = set()
        self.suggestion_numbers: Iterator[int] = itertools.count(1)
        self.session_numbers: Iterator[int] = itertools.count(1)
        self._last_status: Status | None = None
        self._preparation = "loading the draft model"
        """What is done until the draft model is there."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Load the model and connect, in the background: a client is answered at once, with the reason."""
        self._loop = asyncio.get_running_loop()
        self._tasks.append(asyncio.create_task(self._bring_up(), name="bring up"))

    def preparing(self, what: str, fraction: float) -> None:
        """So far is what makes the draft model ready; clients are told. Called in the engine's thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._prepares, f"{what}: {fraction:.0%}" if fraction else what)

    def _prepares(self, what: str) -> None:
        self._preparation = what
        self._changed()

    async def _bring_up(self) -> None:
        while True:
            tried = await self._draft_source()
            await self.worker.start()
            if self.worker.state == "ready":
                break
            await self._until_other_draft(tried)
        self.grammars.vocabulary_known(self.worker.vocabulary)
        _spare_what_stays()
        self._tasks.append(asyncio.create_task(_tidy(), name="tidy"))
        if self.link is not None:
            await self.link.run()

    async def _until_other_draft(self, tried: SourceFile | None) -> None:
        """Until the model is to be loaded from another file than the one that failed, which nobody writes any more.

        So a model that is installed, downloaded or mended is taken up, without a word to the daemon.
        """
        before = tried
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            now = await self._draft_source()
            if now == before and now != tried and now is not None:
                return
            before = now

    async def _draft_source(self) -> SourceFile | None:
        return await asyncio.to_thread(draft_source, self.config.draft.model)

    async def close(self) -> None:
        """End everything, in order; clients are told."""
        for client in list(self.clients):
            client.push(Ending())
            await client.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.grammars.close()
        await self.grammar_worker.close()
        await self.worker.close()

    def status(self) -> Status:
        """The state of everything, as one message."""
        worker, link = self.worker, self.link
        ready = worker.state == "ready"
        return Status(
            draft=worker.state,
            link="off" if link is None else link.state,
            message=self._status_line(),
            draft_model=worker.engine.model_name if ready else "",
            target_model=link.welcome.target_id if link is not None and link.welcome is not None else "",
            draft_error=worker.error,
            link_reason="" if link is None else link.reason,
            clients=len(self.clients),
            sessions=sum(len(client.documents) for client in self.clients),
            pid=os.getpid(),
            version=VERSION,
            host=self.host,
            verifier="" if link is None else link.settings.host,
            config_file="" if self.config.file is None else str(self.config.file.absolute()),
            settings_digest=self._settings_digest,
            grammars=self.grammars.overview(needed=True)[:MAX_GRAMMAR_LINES],
            grammars_folder=str(user_folder(self.config).absolute()),
            retry_in_ms=0 if link is None else max(0, int((link.retry_at - self.clock()) * 1000)),
            round_trip_ms=0.0 if link is None else round(link.round_trip_s * 1000, 2),
            left_out=self._left_out(),
        )

    def snapshot(self) -> dict[str, Any]:
        """The statistics up to now, as plain values."""
        for client in self.clients:
            client.count_kept()
        drafts = {} if self.link is None else self.link.acceptances.summary(self.clock())
        return {**self.statistics.snapshot(), "drafts": drafts}

    def _left_out(self) -> dict[str, NothingReason]:
        of_all = (item for client in self.clients for item in client.left_out().items())
        return dict(itertools.islice(of_all, MAX_LEFT_OUT))

    def _status_line(self) -> str:
        worker, link = self.worker, self.link
        if worker.state == "loading":
            return self._preparation
        if worker.state == "failed":
            return f"no completions: {worker.error}"
        if link is None:
            return "local drafts; no verifier configured"
        if link.state == "online":
            unsafe = " (certificate not checked)" if link.settings.insecure_skip_verify else ""
            trouble = f"; its last answer: {link.reason}" if link.reason else ""
            warning = link.acceptances.warning(self.clock())
            return f"verified by {link.settings.host}{unsafe}{trouble}" + (f"; {warning}" if warning else "")
        return f"local drafts; verifier {link.state}" + (f": {link.reason}" if link.reason else "")

    def _changed(self) -> None:
        """Tell every client, if what it would see is different."""
        status = self.status()
        before, self._last_status = self._last_status, status
        if before is not None and _visible(before) == _visible(status):
            return
        for client in self.clients:
            client.push(status)

    def _grammars_changed(self, documents: Iterable[str]) -> None:
        """Other grammars hold for these documents."""
        for client in self.clients:
            client.grammars_changed(documents)

    def _hello(self) -> Hello:
        return hello_of(self.worker.engine)


def _spare_what_stays() -> None:
    """What is loaded by now is not walked through again by full collections, in which no thread runs Python."""
    gc.collect()
    gc.freeze()


async def _tidy() -> None:
    """Milliseconds each time: of what was loaded nothing is walked through."""
    while True:
        await asyncio.sleep(TIDY_EVERY_S)
        gc.collect()


def hello_of(engine: DraftEngine) -> Hello:
    """What the draft side says of itself to a verifier."""
    vocabulary = engine.vocabulary
    return Hello(
        protocol=PROTOCOL_VERSION,
        vocabulary=vocabulary.fingerprint,
        n_vocab=vocabulary.n_vocab,
        special_ids=dict(vocabulary.special_ids),
        draft_id=engine.model_name[:200],
    )


def _visible(status: Status) -> tuple[object, ...]:
    return (status.draft, status.link, status.message, status.draft_model, status.target_model)
