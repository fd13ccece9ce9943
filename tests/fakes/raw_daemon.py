"""What answers at the daemon's socket with bytes of one's choice: an async context."""

from __future__ import annotations

import asyncio

from daemon.api.paths import RuntimePaths


class RawDaemon:
    """Sends bytes at the first read, and more at the second; None: never answers."""

    def __init__(self, paths: RuntimePaths, first: bytes | None, second: bytes = b"") -> None:
        self._paths, self._first, self._second = paths, first, second
        self._over = asyncio.Event()

    async def __aenter__(self) -> None:
        self._paths.prepare()
        self._server = await asyncio.start_unix_server(self._serve, str(self._paths.socket))

    async def __aexit__(self, *_: object) -> None:
        self._over.set()
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1 << 16)
        if self._first is None:
            await self._over.wait()
        else:
            writer.write(self._first)
            if self._second:
                await reader.read(1 << 16)
                writer.write(self._second)
                await self._over.wait()
        writer.close()
