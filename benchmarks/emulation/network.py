"""A network between daemon and verifier that is not there: a TCP proxy on the loopback that lets bytes wait.

    async with EmulatedNetwork(Network(round_trip_ms=40, jitter_ms=5), to_port=verifier.port) as network:
        ...  # the daemon connects to network.port
        network.cut()      # connections are reset, and so are new ones
        network.restore()

When bytes come out is `line.py`'s; this moves them, notes when each lot really came out, and can break the
link. Not emulated: the round trip that opening a TCP connection takes (the websocket's own handshake does cross), and
the congestion window.

`python -m benchmarks.emulation.network [--json]` says how well it keeps time here. On a machine whose cores are all
busy its timers wait for a core, some milliseconds each; `chrt --reset-on-fork --fifo 10` before the command, where that
is allowed, mends it. `lateness_ms` is to be printed beside whatever was measured through it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.emulation.line import Line, Network
from benchmarks.emulation.precise_loop import precise_loop
from benchmarks.machine import machine_info

LOOPBACK = "127.0.0.1"
_READ_BYTES = 1 << 16
_LOTS_IN_FLIGHT = 256
"""Reads that may wait on one line; then the sender has to wait, as it would for a full window."""

Direction = Literal["up", "down"]
"""up: from who connected (the daemon); down: to it."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A lot of bytes that went over the line. Seconds of the event loop's clock, which is `time.monotonic`."""

    direction: Direction
    n_bytes: int
    sent_s: float
    due_s: float
    delivered_s: float
    """Later than due by what this machine could not do in time."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """The last that comes over a line: an orderly end of the stream, or a reset."""

    reset: bool


@dataclass(frozen=True, slots=True)
class _Lot:
    """What waits on a line."""

    content: bytes | _Ending
    sent_s: float
    due_s: float


class EmulatedNetwork:
    """Leads connections to its `port` on to `to_port` of the loopback, as `network` would. An async context."""

    def __init__(self, network: Network, to_port: int, *, seed: int = 0) -> None:
        self.network = network
        self.port = 0
        """Where to connect; known once the context is entered."""
        self.crossings: list[Crossing] = []
        self.connections = 0
        """How many were led on, ever."""
        self._to_port = to_port
        self._seed = seed
        self._refuses = False
        self._passes = asyncio.Event()
        self._passes.set()
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> EmulatedNetwork:
        self._server = await asyncio.start_server(self._connected, LOOPBACK, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()

    def cut(self, *, silently: bool = False) -> None:
        """Break the link until `restore`.

        Connections are reset and new ones are too; or, `silently`, all stay open and nothing comes through them.
        """
        if silently:
            self._passes.clear()
            return
        self._refuses = True
        for task, near in self._open.items():
            _reset(near)
            task.cancel()

    def restore(self) -> None:
        """Mend the link. What was on its way when it was cut silently comes through, in order."""
        self._refuses = False
        self._passes.set()

    def lead_to(self, port: int) -> None:
        """Lead connections to come to another port: that of a verifier started anew."""
        self._to_port = port

    def lateness_ms(self, percent: float) -> float | None:
        """How much later than due bytes came out; this percentile of all crossings, None without any."""
        late = [1000 * (crossing.delivered_s - crossing.due_s) for crossing in self.crossings]
        return float(np.percentile(late, percent)) if late else None

    async def _connected(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        """One connection, until both directions have ended or the link is cut."""
        if self._refuses:
            _reset(near)
            return
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = near
        try:
            await self._lead_on(reader, near)
        except asyncio.CancelledError:
            if not self._refuses:
                raise
        finally:
            del self._open[task]
            near.transport.abort()

    async def _lead_on(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await asyncio.open_connection(LOOPBACK, self._to_port)
        except OSError:  # nobody there: the one who connects is told as the loopback would
            _reset(near)
            return
        self.connections += 1
        for writer in (near, far):
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await asyncio.gather(self._carry("up", reader, far), self._carry("down", far_reader, near))
        finally:
            far.transport.abort()

    async def _carry(
        self, direction: Direction, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """One direction of a connection, to the end of its stream."""
        line = Line(self.network, f"{self._seed} {direction} {self.connections}")
        lots: asyncio.Queue[_Lot] = asyncio.Queue(_LOTS_IN_FLIGHT)
        taking = asyncio.create_task(_take(reader, line, lots))
        try:
            await self._deliver(direction, lots, writer)
        finally:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)

    async def _deliver(
        self, direction: Direction, lots: asyncio.Queue[_Lot], writer: asyncio.StreamWriter
    ) -> None:
        """Write each lot when it is due."""
        clock = asyncio.get_running_loop().time
        while True:
            lot = await lots.get()
            if (early_s := lot.due_s - clock()) > 0:
                await asyncio.sleep(early_s)
            await self._passes.wait()
            if isinstance(lot.content, _Ending):
                _end(writer, lot.content)
                return
            writer.write(lot.content)
            self.crossings.append(Crossing(direction, len(lot.content), lot.sent_s, lot.due_s, clock()))
            try:
                await writer.drain()
            except ConnectionError:  # who should have read it is gone; the other direction says so
                return


async def _take(reader: asyncio.StreamReader, line: Line, lots: asyncio.Queue[_Lot]) -> None:
    """Put what comes on the line as it comes, and how it ended."""
    clock = asyncio.get_running_loop().time
    content: bytes | _Ending = b""
    while not isinstance(content, _Ending):
        try:
            content = await reader.read(_READ_BYTES) or _Ending(reset=False)
        except ConnectionError:
            content = _Ending(reset=True)
        now = clock()
        n_bytes = 0 if isinstance(content, _Ending) else len(content)
        await lots.put(_Lot(content, now, line.arrival_s(now, n_bytes)))


def _end(writer: asyncio.StreamWriter, ending: _Ending) -> None:
    """End a stream the way the other end did."""
    if ending.reset:
        _reset(writer)
    elif not writer.is_closing():
        with contextlib.suppress(OSError):  # it may be gone already
            writer.write_eof()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the other end gets a reset, not an orderly end."""
    no_linger = struct.pack("ii", 1, 0)
    with contextlib.suppress(OSError):  # it is closed already
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
    writer.transport.abort()


async def measure(network: Network, pings: int) -> dict[str, float]:
    """Send `pings` frames of 64 bytes over the network and back, one after the other; the same without it before."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_READ_BYTES):
            writer.write(data)
        writer.close()

    async with await asyncio.start_server(echo, LOOPBACK, 0) as server:
        port = server.sockets[0].getsockname()[1]
        direct_ms = np.median(await _round_trips_ms(port, pings))
        async with EmulatedNetwork(network, port) as emulated:
            added_ms = np.array(await _round_trips_ms(emulated.port, pings)) - direct_ms
            late_ms = [emulated.lateness_ms(percent) or 0.0 for percent in (50, 99)]
    figures = {
        "asked_ms": network.round_trip_ms,
        "loopback_p50_ms": direct_ms,
        "added_p50_ms": np.percentile(added_ms, 50),
        "added_p99_ms": np.percentile(added_ms, 99),
        "late_each_way_p50_ms": late_ms[0],
        "late_each_way_p99_ms": late_ms[1],
    }
    return {name: round(float(value), 3) for name, value in figures.items()}


async def _round_trips_ms(port: int, pings: int) -> list[float]:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    clock, times = asyncio.get_running_loop().time, []
    for _ in range(pings):
        started = clock()
        writer.write(bytes(64))
        await reader.readexactly(64)
        times.append(1000 * (clock() - started))
    writer.close()
    await writer.wait_closed()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--pings", type=int, default=200, help="round trips for each network (default 200)")
    options = parser.parse_args()
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        rows = [runner.run(measure(Network(round_trip), options.pings)) for round_trip in (0, 20, 40, 80)]
    if options.json:
        print(json.dumps({"round_trips": rows, "machine": machine_info()}))
        return
    for row in rows:
        print(", ".join(f"{name} {value:g}" for name, value in row.items()))


if __name__ == "__main__":
    main()
