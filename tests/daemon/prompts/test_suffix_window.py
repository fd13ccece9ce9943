"""The suffix window: what is read after the cursor, and that it stays as it is while the user types."""

from __future__ import annotations

import pytest

from daemon.documents import Place
from daemon.prompts.suffix_window import SuffixWindow
from tests.fakes.split_tokenizer import CODE, ONE_BLOCK, Tokenizer, place

FUNCTION = "\n    return a\n\n\nprint(f(1))\n"


def at(marked: str) -> Place:
    """The place of "|" in a text."""
    before, _, after = marked.partition("|")
    return place(before + after, len(before))


def seen(tokenizer: Tokenizer, ids: list[int]) -> str:
    """The text of ids."""
    texts = {token: text for text, token in tokenizer.ids.items()}
    return "".join(texts[token] for token in ids)


def suffix_of(marked: str, room: int = 100) -> str:
    tokenizer = Tokenizer()
    return seen(tokenizer, SuffixWindow(tokenizer, room=room).ids(at(marked)))


@pytest.mark.parametrize(
    ("marked", "suffix"),
    [
        ("def f(a):|" + FUNCTION, FUNCTION),
        ("def f(|):" + FUNCTION, "):" + FUNCTION),
        ("x = f(|" + FUNCTION, FUNCTION),
        ("x = f(|)" + FUNCTION, FUNCTION),
        ('x = f("|");' + FUNCTION, FUNCTION),
        ("x = f(|)  " + FUNCTION, FUNCTION),
        ("数 = 甲（|）" + FUNCTION, FUNCTION),
        ("x = f(|, b)" + FUNCTION, ", b)" + FUNCTION),
        ("x = |y" + FUNCTION, "y" + FUNCTION),
        ("x = f(|) # why" + FUNCTION, ") # why" + FUNCTION),
        ("x = 1|", ""),
        ("x = 1|\n\n", ""),
        ("f(|)\n", ""),
        ("class A {\n  f() {\n    |\n  }\n}\n", ""),
        ("class A {\n  f() {|}\n}\n// end", "\n}\n// end"),
    ],
)
def test_what_stands_after_the_cursor(marked: str, suffix: str) -> None:
    """What only closes is on its way anyway; nothing but that is no suffix."""
    assert suffix_of(marked) == suffix


@pytest.mark.parametrize("text", [CODE, ONE_BLOCK, "x" * 9000, "a, " * 3000])
def test_it_is_the_text_as_far_as_there_is_room(text: str) -> None:
    """In whole blocks, and so in whole lines where these are no longer than a block; never more than the room."""
    tokenizer = Tokenizer()
    ids = SuffixWindow(tokenizer, room=100).ids(place(text, 0))
    assert 80 <= len(ids) <= 100
    assert text.startswith(seen(tokenizer, ids))
    assert ids == tokenizer.whole(seen(tokenizer, ids))


def test_a_block_too_long_for_the_room_is_cut() -> None:
    """Each of these characters is a token of its own."""
    tokenizer = Tokenizer()
    ids = SuffixWindow(tokenizer, room=10).ids(place("你好你好你好你好你好你好你好", 0))
    assert len(ids) == 10


def test_it_ends_with_a_line() -> None:
    lines = "".join(f"call_{n}(a, b)\n" for n in range(100))
    assert suffix_of("|\n" + lines, room=256).endswith(", b)\n")


def keys(typed: str, rest: str) -> list[Place]:
    """A place for each key of `typed` before `rest`; an editor closes each bracket and quote that is opened."""
    places = []
    before, closing = "", ""
    for key in typed:
        if closing.startswith(key):
            closing = closing[1:]
        elif key in "([{\"'":
            closing = {"(": ")", "[": "]", "{": "}"}.get(key, key) + closing
        before += key
        places.append(place(before + closing + rest, len(before)))
    return places


@pytest.mark.parametrize(
    "typed",
    [
        "result = calculate(first, [1, 2, 3], name='x')",
        "if a:\n    b = {'key': (1, 2)}\n    print(f\"{b}\")\n",
        "// 注释：你好",
    ],
)
@pytest.mark.parametrize("rest", [FUNCTION, "\n" + CODE])
def test_typing_does_not_change_it(typed: str, rest: str) -> None:
    """Nor do the brackets that come and go behind the cursor; nothing is tokenised again."""
    tokenizer = Tokenizer()
    window = SuffixWindow(tokenizer, room=100)
    first = list(window.ids(keys(typed, rest)[0]))
    calls = tokenizer.calls
    assert first
    assert all(window.ids(one) == first for one in keys(typed, rest))
    assert tokenizer.calls == calls


def test_typing_within_a_line_does_not_change_it() -> None:
    window = SuffixWindow(Tokenizer(), room=100)
    suffixes = [window.ids(at("call(" + "first, "[:n] + "|second)" + FUNCTION)) for n in range(8)]
    assert all(suffix == suffixes[0] for suffix in suffixes)


def test_a_change_further_down_does_not_change_it() -> None:
    """But one within it does."""
    window = SuffixWindow(Tokenizer(), room=100)
    before = window.ids(place(CODE, 0))
    assert window.ids(place(CODE[:900] + "changed" + CODE[900:], 0)) == before
    assert window.ids(place(CODE[:40] + "changed" + CODE[40:], 0)) != before


def test_a_megabyte_after_the_cursor_costs_no_more_than_the_window() -> None:
    for text in (CODE * 10, "x = [" + "1, " * 400_000):
        tokenizer = Tokenizer()
        window = SuffixWindow(tokenizer, room=100)
        window.ids(place(text, 3))
        assert tokenizer.characters <= 12 * 100
