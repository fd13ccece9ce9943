"""What a replay runs against: a real verifier behind an emulated network, and the settings of a daemon that uses it.

The daemon is brought up by the bridge, as in real life, in a private folder; it is gone at the end, whatever happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from benchmarks.emulation.line import Network
from benchmarks.emulation.network import EmulatedNetwork
from benchmarks.emulation.target import EmulatedTarget, TargetPlan
from draftwire.demo.processes import Workplace, running_verifier, workplace

END_S: Final = 10.0
"""How long the daemon may take to end."""

Section = dict[str, Any]


class BadSetting(ValueError):
    """A setting of the daemon that can't be read."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What one replay is run under."""

    network: Network | None
    """None: there is no verifier, the draft is alone."""
    target: TargetPlan | None = None
    """The target that is emulated; None: the bundled model, as fast as it is here."""
    daemon: Mapping[str, Section] = field(default_factory=dict)
    """Of the daemon's configuration, section by section, what differs from its defaults."""

    @property
    def is_oracle(self) -> bool:
        """The target is a function of the text before the cursor."""
        return self.target is not None and bool(self.target.texts)

    @property
    def floor_ms(self) -> float | None:
        """No verified text can come sooner: the round trip, jitter on average, and one forward; None: not known."""
        if self.network is None or self.target is None:
            return None
        return self.network.round_trip_ms + self.network.jitter_ms + self.target.forward_ms

    def __str__(self) -> str:
        if self.network is None:
            return "no verifier"
        if self.target is None:
            return f"{self.network}, bundled model as target"
        kind = f"oracle with {self.target.error_rate:.0%} errors" if self.is_oracle else "bundled model"
        return f"{self.network}, {kind} as target, at least {self.target.forward_ms:g} ms a forward"


class Target(Protocol):
    """A verifier's process, which may die and come back at another port."""

    @property
    def port(self) -> int: ...

    async def start(self) -> None: ...

    async def kill(self) -> None: ...


class BundledTarget:
    """`draftwire verifier` with the bundled model."""

    def __init__(self, threads: int) -> None:
        self.port = 0
        self._threads = threads
        self._running = AsyncExitStack()

    async def start(self) -> None:
        verifier = await self._running.enter_async_context(running_verifier("bundled", self._threads))
        self.port = verifier.port

    async def kill(self) -> None:
        await self._running.aclose()


class Stage:
    """Everything but the bridge. Use `staged`."""

    def __init__(self, place: Workplace, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.projects = place.folder / "projects"
        """Where the typed files are laid out."""
        self.daemon_pid: int | None = None
        """Who is to be ended if it does not end by itself; known once a bridge has a daemon."""
        self.target: Target | None = None
        self.network: EmulatedNetwork | None = None
        self._place = place

    async def restart_target(self) -> None:
        """Start a target that was killed, where the daemon had it."""
        assert self.target is not None, "there is a verifier"
        assert self.network is not None, "and a way to it"
        await self.target.start()
        self.network.lead_to(self.target.port)

    async def end_daemon(self) -> None:
        """End the daemon: by asking, and if it takes too long, without."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._place.stop_daemon()
                return
        if self.daemon_pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.daemon_pid, signal.SIGKILL)


@contextlib.asynccontextmanager
async def staged(setting: Setting, *, seed: int, threads: int) -> AsyncIterator[Stage]:
    """A stage of this setting, up; and down at the end. `threads`: the target's, if it is a model."""
    async with AsyncExitStack() as stack:
        place = stack.enter_context(workplace())
        target: Target | None = None
        network: EmulatedNetwork | None = None
        if setting.network is not None:
            target = EmulatedTarget(setting.target) if setting.target else BundledTarget(threads)
            stack.push_async_callback(target.kill)
            await target.start()
            network = EmulatedNetwork(setting.network, target.port, seed=seed)
            await stack.enter_async_context(network)
        url = f"ws://127.0.0.1:{network.port}" if network is not None else ""
        own: dict[str, Section] = {"daemon": {"idle_exit_s": 20}, "verifier": {"url": url}}
        stage = Stage(place, place.environment(config_text(own, setting.daemon)))
        stage.target, stage.network = target, network
        stack.push_async_callback(stage.end_daemon)
        yield stage


def config_text(*layers: Mapping[str, Section]) -> str:
    """A configuration file of these sections, later layers over earlier ones."""
    sections: dict[str, Section] = {}
    for layer in layers:
        for name, values in layer.items():
            sections.setdefault(name, {}).update(values)
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def daemon_settings(given: Sequence[str]) -> dict[str, Section]:
    """`SECTION.KEY=VALUE`, the value as in the configuration file or a plain word, by section; BadSetting."""
    sections: dict[str, Section] = {}
    for one in given:
        name, equals, value = one.partition("=")
        section, dot, key = name.strip().rpartition(".")
        if not equals or not dot:
            raise BadSetting(f"{one!r} is no setting; give SECTION.KEY=VALUE, such as draft.threads=1")
        try:
            read = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            read = value.strip()
        sections.setdefault(section, {})[key] = read
    return sections
