"""How long from the key to the first ghost text: `python -m benchmarks.first_ghost [--json] [--keys N] [--verifier]`.

A real LSP client types a real file against a real bridge and daemon with the bundled draft model, all warm, no network
delay. The clock runs from the key to the answer that holds text. Two kinds of keys are told apart: those that went
along what was shown (answered from memory) and those that needed the model. With --verifier a verifier runs beside it
on the same machine, which takes CPU from the draft.

Figures: `first_ghost_p50_ms`, `first_ghost_p99_ms` over all keys that got text; `model_p50_ms`, `model_p99_ms` over
those that needed the model; `recall_p50_ms`, `recall_p99_ms` over the others; `answered`, the share of keys with text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from contextlib import AsyncExitStack

from benchmarks.machine import machine_info
from draftwire.demo.editor import Editor, running_editor
from draftwire.demo.processes import running_verifier, workplace
from draftwire.demo.report import percentile
from draftwire.demo.script import source_text

START = 400
"""Characters of the file that are there at the beginning."""
RHYTHM_S = 0.15


async def measure(keys: int, *, with_verifier: bool) -> dict[str, float | None]:
    """Type `keys` characters of the file after its first START ones."""
    text = source_text()
    async with AsyncExitStack() as stack:
        place = stack.enter_context(workplace())
        stack.push_async_callback(place.stop_daemon)
        verifier = await stack.enter_async_context(running_verifier("bundled", 1)) if with_verifier else None
        environment = place.configured(
            draft_model="bundled", verifier_port=verifier.port if verifier is not None else None
        )
        editor = await stack.enter_async_context(running_editor(environment, lambda buffer, ghost: None))
        wanted = "online" if with_verifier else "off"
        await editor.until_status(lambda s: s.get("draft") == "ready" and s.get("link") == wanted, 180)
        editor.open(text[:START])
        editor.invoke()
        await editor.settled(30)
        editor.session.suggested.clear()
        await _type(editor, text[START : START + keys])
        return _figures(editor)


async def _type(editor: Editor, text: str) -> None:
    loop = asyncio.get_running_loop()
    for count, key in enumerate(text, 1):
        due = loop.time() + RHYTHM_S
        editor.press(key)
        await editor.answered_within(RHYTHM_S)
        await asyncio.sleep(max(0.0, due - loop.time()))
        if count % 50 == 0:
            print(f"{count} of {len(text)} keys", file=sys.stderr)
    await editor.answered()


def _figures(editor: Editor) -> dict[str, float | None]:
    shown = [(s.key_to_ghost_ms, s.fresh) for s in editor.session.suggested if s.key_to_ghost_ms is not None]
    everything = [wait_ms for wait_ms, _ in shown]
    model = [wait_ms for wait_ms, fresh in shown if fresh]
    recall = [wait_ms for wait_ms, fresh in shown if not fresh]
    return {
        "first_ghost_p50_ms": percentile(everything, 50),
        "first_ghost_p99_ms": percentile(everything, 99),
        "model_p50_ms": percentile(model, 50),
        "model_p99_ms": percentile(model, 99),
        "recall_p50_ms": percentile(recall, 50),
        "recall_p99_ms": percentile(recall, 99),
        "answered": round(len(shown) / editor.session.keys, 3),
        "keys": editor.session.keys,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--keys", type=int, default=400, help="keys to type (default 400)")
    parser.add_argument("--verifier", action="store_true", help="run a verifier beside it")
    options = parser.parse_args()
    figures = asyncio.run(measure(options.keys, with_verifier=options.verifier))
    result = {
        "figures": figures,
        "baseline": {"budget_ms": 100, "rhythm_ms": RHYTHM_S * 1000, "verifier": options.verifier},
        "machine": machine_info(),
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, value in figures.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
