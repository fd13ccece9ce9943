"""The seam to the verifier, as the completion loop sees it.

Real link: `verifier_link.py`. Tests use `tests/fakes/link.py`.
"""

from __future__ import annotations

from typing import Protocol

from daemon.target.acceptances import Acceptances
from speculation.messages import Error, Message, Verdict, Welcome


class LinkUser(Protocol):
    """A session on the link. All calls come in the event loop."""

    def verdict(self, verdict: Verdict) -> None: ...

    def error(self, error: Error) -> None: ...

    def credit(self, tokens: int) -> None:
        """The verifier changed how many draft tokens may be in flight."""
        ...

    def displaced(self) -> None:
        """Another session takes this one's place at the verifier: close it; it may be opened again."""
        ...

    def lost(self) -> None:
        """The connection is gone, and with it what the verifier knew of the session."""
        ...


class Link(Protocol):
    """A connection to the verifier that comes and goes."""

    @property
    def welcome(self) -> Welcome | None:
        """What the verifier said of itself; None while there is no connection."""
        ...

    @property
    def acceptances(self) -> Acceptances:
        """What this verifier has accepted of drafts."""
        ...

    @property
    def shares_machine(self) -> bool:
        """Whether the verifier runs on this machine, and takes its time from the draft."""
        ...

    @property
    def usable(self) -> bool:
        """Whether a round may be sent now."""
        ...

    def attach(self, session: int, user: LinkUser) -> None:
        """Deliver the session's messages to `user`; again at each use, so that the longest unused makes room."""
        ...

    def detach(self, session: int) -> None: ...

    def send(self, message: Message) -> None:
        """Queue a message; nothing happens while there is no connection (`lost` has been or will be called)."""
        ...

    def want(self) -> None:
        """A run could have used the link, which is not usable now: try again soon."""
        ...

    def hit(self) -> None:
        """A verdict came in time."""
        ...

    def miss(self, deadline_s: float) -> None:
        """A verdict missed its deadline of `deadline_s` seconds."""
        ...
