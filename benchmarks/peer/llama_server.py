"""A peer in the same run: llama.cpp's own server, driven as llama.vim drives it.

    async with LlamaServerPeer(model, threads=1) as peer:
        text = await peer.ghost(before, after)

The same GGUF file, the same number of threads, the prompt's cache in use, one request at a time, nothing streamed. A
model that can fill in the middle is asked by /infill; one that can't (SmolLM2) by /completion with the text before the
cursor alone, which the plugin itself does not do: it would have no use of such a model. `notes` says which it was.

`python -m benchmarks.peer.llama_server` types some keys at it and at nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.emulation.precise_loop import precise_loop
from benchmarks.machine import machine_info
from benchmarks.peer.llama_build import PeerMissing, llama_server
from benchmarks.peer.llama_vim import Answer, Infill, LlamaVim
from daemon.draft.models import resolve_draft_model
from daemon.settings.config import load_config
from draftwire.demo.script import source_text

START_S = 60.0
_REQUEST_S = 60.0
_NOT_SUPPORTED = 501


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """What llama.vim sends with each request, in its own defaults."""

    n_predict: int = 128
    t_max_prompt_ms: int = 500
    """Sent, and not heeded by the server."""
    t_max_predict_ms: int = 250
    """Heeded at the end of a line only: a first line is always finished."""
    top_k: int = 40
    top_p: float = 0.9
    seed: int = 0
    """The plugin gives none; with one, a replay is the same each time."""

    def body(self) -> dict[str, Any]:
        return {
            "id_slot": 0,
            "n_predict": self.n_predict,
            "t_max_prompt_ms": self.t_max_prompt_ms,
            "t_max_predict_ms": self.t_max_predict_ms,
            "top_k": self.top_k,
            "top_p": self.top_p,
            "samplers": ["top_k", "top_p", "infill"],
            "stream": False,
            "cache_prompt": True,
            "seed": self.seed,
        }


class LlamaServerPeer:
    """The server's process and the plugin before it. An async context; or `start` and `close`."""

    def __init__(
        self,
        model: Path,
        *,
        threads: int = 1,
        context_tokens: int = 4096,
        settings: PeerSettings | None = None,
        cancels: bool = False,
        program: Path | None = None,
    ) -> None:
        """`cancels`: a key ends the request under way (`llama_vim.py`). Raises PeerMissing."""
        self.fills_in_middle = False
        """Known once it is started."""
        self.evaluated_tokens = 0
        """Tokens of prompts that the server's cache did not have."""
        self.predicted_tokens = 0
        self._program = llama_server(program)
        self._model, self._threads, self._context_tokens = model, threads, context_tokens
        self._body = (settings or PeerSettings()).body()
        self._cancels = cancels
        self._plugin = LlamaVim(self._ask, cancels=cancels)
        self._process: asyncio.subprocess.Process | None = None
        self._http = httpx.AsyncClient(timeout=_REQUEST_S, trust_env=False)

    @property
    def notes(self) -> str:
        """What was measured, in a sentence."""
        how = (
            "/infill"
            if self.fills_in_middle
            else "/completion, since the model has no tokens to fill in the middle"
        )
        keys = (
            "a key cancels the request under way"
            if self._cancels
            else "as llama.vim: no request is cancelled"
        )
        return f"llama-server by {how}; {keys}; without extra context and without a second request after an answer"

    @property
    def requests(self) -> int:
        return self._plugin.requests

    @property
    def remembered(self) -> int:
        """Keys answered from the plugin's cache."""
        return self._plugin.remembered

    async def __aenter__(self) -> LlamaServerPeer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the server, and return when the model is loaded. Raises PeerMissing if it ends before."""
        port = _free_port()
        self._http.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        self._process = await asyncio.create_subprocess_exec(
            *(self._program, "--model", self._model, "--host", "127.0.0.1", "--port", str(port)),
            *("--threads", str(self._threads), "--threads-batch", str(self._threads)),
            *("--ctx-size", str(self._context_tokens), "--parallel", "1"),
            *("--batch-size", "1024", "--ubatch-size", "1024", "--cache-reuse", "256", "--log-disable"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(START_S):
                await self._until_healthy(self._process)
            self.fills_in_middle = await self._can_fill_in()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the server."""
        await self._plugin.close()
        await self._http.aclose()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def ghost(self, before: str, after: str) -> str:
        """The text to show between the two at this key; empty if none comes before the next."""
        return await self._plugin.ghost(before, after)

    async def answer(self, before: str, after: str) -> Answer:
        """The same, and whether it was remembered."""
        return await self._plugin.answer(before, after)

    async def _until_healthy(self, process: asyncio.subprocess.Process) -> None:
        while process.returncode is None:
            with contextlib.suppress(httpx.TransportError):
                if (await self._http.get("/health")).status_code == httpx.codes.OK:
                    return
            await asyncio.sleep(0.05)
        raise PeerMissing(
            f"{self._program.name} ended with status {process.returncode}: see what it wrote above"
        )

    async def _can_fill_in(self) -> bool:
        empty = {"input_prefix": "", "input_suffix": "", "prompt": "", "n_predict": 0}
        answer = await self._http.post("/infill", json=empty)
        if answer.status_code != _NOT_SUPPORTED:
            answer.raise_for_status()
        return answer.status_code != _NOT_SUPPORTED

    async def _ask(self, infill: Infill) -> str:
        """One request, to its answer. Raises httpx.HTTPError."""
        place: dict[str, Any] = {"n_indent": infill.indent}
        if self.fills_in_middle:
            place |= {"input_prefix": infill.prefix, "input_suffix": infill.suffix, "prompt": infill.middle}
        else:
            place |= {"prompt": infill.prefix + infill.middle}
        path = "/infill" if self.fills_in_middle else "/completion"
        answer = await self._http.post(path, json=self._body | place)
        answer.raise_for_status()
        result = answer.json()
        self.evaluated_tokens += result["timings"]["prompt_n"]
        self.predicted_tokens += result["timings"]["predicted_n"]
        content: str = result["content"]
        return content


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def measure(peer: LlamaServerPeer, keys: int, rhythm_s: float) -> dict[str, float | None]:
    """Type `keys` characters of a Python file evenly; a text counts if it comes before the next key.

    `asked_*`: of the keys whose text had to come from the server; `peer_*`: of all that got one.
    """
    text, start = source_text(), 400
    clock, waits_ms, asked_ms = asyncio.get_running_loop().time, [], []
    async with asyncio.TaskGroup() as tasks:

        async def ask(before: str, pressed: float) -> None:
            answer = await peer.answer(before, "")
            waited_ms = 1000 * (clock() - pressed)
            if answer.text and waited_ms < 1000 * rhythm_s:
                waits_ms.append(waited_ms)
                asked_ms.extend([] if answer.remembered else [waited_ms])

        await peer.ghost(text[:start], "")
        due = clock()
        for cut in range(start + 1, start + 1 + keys):
            tasks.create_task(ask(text[:cut], clock()))
            due += rhythm_s
            await asyncio.sleep(max(0.0, due - clock()))
    return {
        "peer_p50_ms": _level(waits_ms, 50),
        "peer_p99_ms": _level(waits_ms, 99),
        "asked_p50_ms": _level(asked_ms, 50),
        "asked_p99_ms": _level(asked_ms, 99),
        "answered": round(len(waits_ms) / keys, 3),
        "remembered": peer.remembered,
        "requests": peer.requests,
        "evaluated_tokens": peer.evaluated_tokens,
        "predicted_tokens": peer.predicted_tokens,
        "keys": keys,
    }


def _level(waits_ms: list[float], percent: float) -> float | None:
    return round(float(np.percentile(waits_ms, percent)), 1) if waits_ms else None


async def _measured(options: argparse.Namespace) -> dict[str, Any]:
    draft = load_config().draft
    model = options.model or resolve_draft_model(draft.model, draft.cache_path).path
    settings = PeerSettings(n_predict=options.n_predict)
    peer = LlamaServerPeer(
        model,
        threads=options.threads,
        settings=settings,
        cancels=options.cancels,
        program=options.llama_server,
    )
    async with peer:
        figures = await measure(peer, options.keys, options.rhythm_ms / 1000)
    baseline = {"rhythm_ms": options.rhythm_ms, "n_predict": options.n_predict, "notes": peer.notes}
    return {"figures": figures, "baseline": baseline, "machine": machine_info()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--llama-server", type=Path, help="the program; default: the one built here")
    parser.add_argument("--model", type=Path, help="a GGUF file; default: the configured draft model")
    parser.add_argument("--keys", type=int, default=100, help="keys to type (default 100)")
    parser.add_argument("--rhythm-ms", type=float, default=150.0, help="from key to key (default 150)")
    parser.add_argument("--threads", type=int, default=1, help="of the server (default 1)")
    parser.add_argument("--n-predict", type=int, default=PeerSettings().n_predict, help="tokens at most")
    parser.add_argument("--cancels", action="store_true", help="a key cancels the request under way")
    options = parser.parse_args()
    try:
        with asyncio.Runner(loop_factory=precise_loop) as runner:
            result = runner.run(_measured(options))
    except PeerMissing as missing:
        raise SystemExit(f"benchmarks.peer.llama_server: {missing}") from missing
    if options.json:
        print(json.dumps(result))
        return
    for name, value in (result["figures"] | result["baseline"]).items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
