"""Chinese, Japanese and Korean text through bridge and daemon: completed, placed and accepted as ASCII is (ux-48)."""

from __future__ import annotations

import asyncio

import pytest

from daemon.api.paths import RuntimePaths
from lsp_bridge.positions import PositionEncoding, units_of
from tests.fakes.engine import FakeEngine, following
from tests.fakes.lsp_editor import URI, InProcessEditor
from tests.lsp_bridge.conftest import drafting_daemon

CASES = {
    "chinese comment": ("# 你好，", "世界。", ""),
    "chinese identifier": ("def 计算(数量): return ", "数量 * 2", ""),
    "chinese, full-width bracket after the cursor": ("打印（", "文本", "）"),
    "chinese, full stop after the cursor": ("# 保存", "数据", "。"),
    "japanese comment": ("# これは", "本です", ""),
    "japanese, corner bracket after the cursor": ("s = 「", "名前", "」"),
    "korean comment": ("# 안녕", "하세요", ""),
    "korean identifier": ("값 = 이름.", "길이()", ""),
    "beyond the basic plane": ("# 𠮷野", "家です", ""),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(("before", "text", "after"), CASES.values(), ids=CASES)
async def test_ux_48_cjk_is_completed_placed_and_accepted(
    paths: RuntimePaths, encoding: PositionEncoding, before: str, text: str, after: str
) -> None:
    """What stands after the cursor stays, and is not said twice; accepting gives what was displayed (ux-9)."""
    source = f"{before}{text}{after}\n"
    async with (
        asyncio.timeout(30),
        drafting_daemon(paths, FakeEngine(following(source))) as client,
        InProcessEditor(paths) as editor,
    ):
        await editor.initialize(encoding)
        await editor.connected()
        editor.open(before[:-1] + after)
        at = units_of(before[:-1], encoding)
        editor.type(0, at, before[-1])
        at += units_of(before[-1], encoding)
        items = await editor.inline(0, at)
        while [one["insertText"] for one in items] != [text]:
            await asyncio.sleep(0.01)
            items = await editor.inline(0, at)
        assert items[0]["range"] == {
            "start": {"line": 0, "character": at},
            "end": {"line": 0, "character": at},
        }
        editor.type(0, at, text[0])
        at += units_of(text[0], encoding)
        (rest,) = await editor.inline(0, at)
        assert rest["insertText"] == text[1:]
        editor.type(0, at, rest["insertText"])
        await editor.request("workspace/executeCommand", rest["command"])
        document = editor.bridge.documents.get(URI)
        assert document is not None
        assert document.text == before + text + after
        assert (await client.stats())["accepted_characters"] == len(text)
