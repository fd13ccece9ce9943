"""The proxy: every byte comes through, in order and never early; what is cut is cut, and comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from benchmarks.emulation.line import Network
from benchmarks.emulation.network import LOOPBACK, EmulatedNetwork, measure
from benchmarks.emulation.precise_loop import precise_loop

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def server(
    handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    async with await asyncio.start_server(handle, LOOPBACK, 0) as listening:
        yield listening.sockets[0].getsockname()[1]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send all back, and the end of the stream too."""
    try:
        while data := await reader.read(4096):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def said(streams: Streams, text: bytes) -> bytes:
    """What comes back for `text`."""
    streams[1].write(text)
    async with asyncio.timeout(20):
        return await streams[0].readexactly(len(text))


async def ended(reader: asyncio.StreamReader) -> str:
    """How a stream ends that nothing more comes from."""
    try:
        async with asyncio.timeout(20):
            return "data" if await reader.read(1) else "end"
    except ConnectionResetError:
        return "reset"


@pytest.mark.asyncio
async def test_bytes_come_through_in_order_and_never_early() -> None:
    """300 lots of random sizes over a network with everything that a network can do, both ways."""
    chance = random.Random(5)
    network = Network(4, jitter_ms=3, loss=0.02, retransmit_ms=5, bytes_per_s=4e6)
    lots = [chance.randbytes(chance.randint(1, 3000)) for _ in range(300)]
    async with (
        server(echo) as port,
        EmulatedNetwork(network, port, seed=1) as emulated,
        connected(emulated.port) as (reader, writer),
    ):
        for lot in lots:
            writer.write(lot)
            await asyncio.sleep(0)
        writer.write_eof()
        async with asyncio.timeout(60):
            assert await reader.read() == b"".join(lots)
    for direction in ("up", "down"):
        crossings = [c for c in emulated.crossings if c.direction == direction]
        assert sum(c.n_bytes for c in crossings) == sum(map(len, lots))
        assert all(c.delivered_s >= c.due_s >= c.sent_s + 0.002 for c in crossings)
        assert crossings == sorted(crossings, key=lambda c: c.due_s)
    assert emulated.connections == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("round_trip_ms", [0, 20, 40, 80])
async def test_a_round_trip_takes_at_least_what_was_asked_for(round_trip_ms: float) -> None:
    """And each lot that crosses is noted once."""
    async with (
        server(echo) as port,
        EmulatedNetwork(Network(round_trip_ms), port) as emulated,
        connected(emulated.port) as streams,
    ):
        clock = asyncio.get_running_loop().time
        started = clock()
        assert await said(streams, b"ping") == b"ping"
        assert clock() - started >= round_trip_ms / 1000
    assert [(c.direction, c.n_bytes) for c in emulated.crossings] == [("up", 4), ("down", 4)]
    assert emulated.lateness_ms(50) is not None


@pytest.mark.asyncio
async def test_connections_are_lines_of_their_own() -> None:
    """One that waits keeps no other waiting, and they end by themselves."""
    async with (
        server(echo) as port,
        EmulatedNetwork(Network(2), port) as emulated,
        connected(emulated.port) as one,
        connected(emulated.port) as other,
    ):
        assert await said(one, b"first") == b"first"
        assert await said(other, b"second") == b"second"
        one[1].write_eof()
        assert await ended(one[0]) == "end"
        assert await said(other, b"third") == b"third"
    assert emulated.connections == 2


@pytest.mark.asyncio
async def test_a_cut_resets_connections_old_and_new_until_it_is_mended() -> None:
    async with server(echo) as port, EmulatedNetwork(Network(2), port) as emulated:
        async with connected(emulated.port) as streams:
            assert await said(streams, b"before") == b"before"
            emulated.cut()
            assert await ended(streams[0]) == "reset"
        async with connected(emulated.port) as streams:
            assert await ended(streams[0]) == "reset"
        emulated.restore()
        async with connected(emulated.port) as streams:
            assert await said(streams, b"after") == b"after"


@pytest.mark.asyncio
async def test_a_silent_cut_holds_everything_until_it_is_mended() -> None:
    """Connections stay, nothing comes; afterwards all comes, in order."""
    async with (
        server(echo) as port,
        EmulatedNetwork(Network(2), port) as emulated,
        connected(emulated.port) as streams,
    ):
        assert await said(streams, b"before") == b"before"
        emulated.cut(silently=True)
        streams[1].write(b"one")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await streams[0].read(1)
        streams[1].write(b"two")
        emulated.restore()
        assert await said(streams, b"three") == b"onetw"
        assert await streams[0].readexactly(6) == b"othree"


@pytest.mark.asyncio
async def test_a_dead_end_is_a_reset_and_another_port_can_take_over() -> None:
    """As when a verifier is killed and started anew."""
    killed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()
        killed.set_result(None)

    async with server(dies) as port, EmulatedNetwork(Network(2), port) as emulated:
        async with connected(emulated.port) as (reader, writer):
            writer.write(b"hello")
            assert await ended(reader) in ("reset", "end")
            await killed
        async with server(echo) as another:
            emulated.lead_to(another)
            async with connected(emulated.port) as streams:
                assert await said(streams, b"again") == b"again"
        async with connected(emulated.port) as (reader, _):
            assert await ended(reader) == "reset"  # nobody listens there any more


@pytest.mark.asyncio
async def test_leaving_it_ends_what_is_under_way() -> None:
    async with server(echo) as port:
        async with EmulatedNetwork(Network(60_000), port) as emulated, asyncio.timeout(20):
            reader, writer = await asyncio.open_connection(LOOPBACK, emulated.port)
            writer.write(b"on its way for ever")
        assert await ended(reader) == "reset"
        writer.close()
    assert emulated.lateness_ms(50) is None


def test_it_measures_itself() -> None:
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        figures = runner.run(measure(Network(4), 5))
    assert figures["asked_ms"] == 4
    assert figures["added_p99_ms"] >= figures["added_p50_ms"] > 0
