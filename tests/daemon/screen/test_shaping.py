"""What of a continuation may be shown: a table of places and texts, and properties of all texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.documents import Document, Place
from daemon.screen.shaping import Shaped, cuts, shape, splits_word


def at(marked: str) -> Place:
    """The place of the one | in a text (‸ where the text itself has a |)."""
    mark = "‸" if "‸" in marked else "|"
    offset = marked.index(mark)
    return Place(Document("file:///f", "python", 1, marked.replace(mark, "", 1)), offset)


SHOWN = {
    # ux-13: brackets and quotes that the editor closed
    "python: the text closes the call": ("f(|)", "a, b)", "a, b"),
    "python: the text closes the call and goes on": ("f(|)", "a, b):\n    pass", "a, b"),
    "python: the text's own call stays whole": ("f(|)", "g(x), b)", "g(x), b"),
    "python: the text ends with its own call": ("f(|)", "a + g(x)", "a + g(x)"),
    "python: two open, two closed": ("f(g(|))", "x))", "x"),
    "python: two open, one closed": ("f(g(|)", "x))", "x)"),
    "python: two open, one closed, more on the line": ("f(g(|, b)", "a), b)", "a)"),
    "python: bracket opened on an earlier line": ("f(\n    a|)", ", b)", ", b"),
    "python: list in call": ("f([|])", "1, 2])", "1, 2"),
    "python: string": ('print("|")', 'hello")', "hello"),
    "python: string that the text goes beyond": ('print("|", x)', 'hello", y)', "hello"),
    "python: escaped quote in string": ('print("|")', 'a\\"b")', 'a\\"b'),
    "python: bracket in a string is text": ("print(|)", '"smile :)")', '"smile :)"'),
    "python: bracket in the string at the cursor": ('print("(|")', 'x)")', "x)"),
    "python: string not closed after the cursor": ('print("|)', 'hello")', 'hello"'),
    "python: prefix of a string": ("f(b'|')", "x')", "x"),
    "python: apostrophe in a comment": ("# don't (|)", "do it)", "do it"),
    "python: signature": ("def f(|):", "self, x) -> None:", "self, x"),
    "python: subscript": ('d["|"]', 'key"] = 1', "key"),
    "python: dict": ("d = {|}", '"a": f({}), "b": 2}', '"a": f({}), "b": 2'),
    "typescript: condition": ("if (|) {", "x > 0) {", "x > 0"),
    "typescript: generic": ("const a: Map<|>", "string, Array<number>> = x", "string, Array<number>"),
    "typescript: template": ("`${|}`", "name}`", "name"),
    "typescript: arrow": ("f(|);", "(x) => { return x }", "(x) => { return x }"),
    "go: parameters": ("func f(|) error {", "ctx context.Context) error {", "ctx context.Context"),
    "c: comment end": ("/* | */", "say */ int x;", "say"),
    "c: comment end, no space": ("/* |*/", "say */ int x;", "say "),
    "rust: lifetime": ("fn f<|>(x: &str)", "'a>(x: &'a str)", "'a"),
    # ux-13: what stands after the cursor
    "the end of the line": ("x = |;", "1;", "1"),
    "an operator and operand": ("x = a| + 1", ".b + 1", ".b"),
    "the text goes on after it": ("f(a|, b)", ".c, b), d", ".c"),
    "spaces before a comment": ("x = |  # answer", "42 # answer", "42"),
    "a beginning of it, at the end of the text": ("f(|, b)", "a, ", "a"),
    "all of it, nothing new": ("x|.y", ".y", ""),
    # ux-47: words are never glued
    "word after: the last word is held back": ("x = |foo", "bar + baz", "bar + "),
    "word after: a space keeps them apart": ("x = |foo", "bar + ", "bar + "),
    "word after: a bracket keeps them apart": ("x = |foo", "bar(", "bar("),
    "word after: only a word": ("x = |foo", "bar", ""),
    "text stays on a line with text after it": ("x = |)", "1\ny = 2", "1"),
    # ux-13: the next line
    "next line, from the end of the line": ("a = 1|\nreturn a\n", "\nreturn a\n", ""),
    "next line, after new lines": ("a = 1|\nreturn a\n", "\nb = 2\nreturn a", "\nb = 2"),
    "next line, cursor on a blank line": ("a = 1\n|\n\nreturn a\n", "return a\nx", ""),
    "next line, indented blank line": ("def f():\n    |\n    return 1", "return 1", ""),
    "next line, a beginning of it": ("a = 1\n|\nreturn a\n", "ret", ""),
    "next line, it was another": ("a = 1\n|\nreturn a\n", "return b", "return b"),
    "next line closes the block": ("func f() {\n\t|\n}\n", "return 1\n}\n\nfunc", "return 1"),
    "next line, an inner end": ("f(() => {\n  |\n})", "g(() => {\n  })\n})\nx", "g(() => {\n  })"),
    "next line, otherwise indented": ("if a:\n    b|\n        c\n", "\n    c", "\n    c"),
    "next line is begun already": ("ret|\nreturn x", "urn x", "urn x"),
    "next line is far": ("|" + "\n" * 5000 + "x", "x", "x"),
    "last line": ("a = |", "1\n", "1"),
    # ux-18
    "four equal lines": ("|", "f()\nf()\nf()\nf()", "f()\nf()\nf()\nf()"),
    "five equal lines": ("|", "x\nf()\n  f()\nf()\nf()\nf()\ny", "x\nf()"),
    "the line above, once more": ("pip install -e .\n|", "pip install -e .\n", ""),
    "the line above, from its end": ("$ pip install -e .|", "\n$ pip install -e .", ""),
    "the line above, after a blank line": ("```sh\nnpm run build\n\n|", "npm run build", ""),
    "the line above, indented": ("def f():\n    x = g(1)\n    |", "x = g(1)\n\n", ""),
    "the line above, indented otherwise": ("    x = g(1)\n|", "x = g(1)", "x = g(1)"),
    "the line above, before the next line": ("x = g(1)\n|\nreturn x", "x = g(1)\nreturn x", ""),
    "the line above, twice": ("x = g(1)\n|", "x = g(1)\nx = g(1)", ""),
    "a line that says something, twice": ("|", "x = g(1)\nx = g(1)\ny = 2", "x = g(1)"),
    "such a line, twice above": ("x = g(1)\nx = g(1)\n|", "x = g(1)\nx = g(1)", "x = g(1)\nx = g(1)"),
    "the line above and more": ("x = g(1)\n|", "x = g(1)\ny = 2", "x = g(1)\ny = 2"),
    "the line above, begun by hand": ("x = g(1)\nx|", " = g(1)", " = g(1)"),
    "not quite the line above": ("x = g(1)\n|", "x = g(12)", "x = g(12)"),
    "a beginning of the line above": ("x = g(1)\n|", "x = g", "x = g"),
    "nothing above": ("|", "x = g(1)", "x = g(1)"),
    "only blanks above": ("\n  \n|", "x = g(1)", "x = g(1)"),
    "equal rows go on": ("| a | b |\n| a | b |\n‸", "| a | b |", "| a | b |"),
    "a row of numbers": ("0, 0, 0,\n|", "0, 0, 0,", "0, 0, 0,"),
    "a matrix": ("[0, 0],\n[0, 0],\n|", "[0, 0],\n[0, 0],", "[0, 0],\n[0, 0],"),
    "a list of one word": ("- 1\n|", "- 1", "- 1"),
    "a block's end": ("end\n|", "end", "end"),
    "a tag's end": ("</div>\n|", "</div>", "</div>"),
    "a call": ("step()\n|", "step()", "step()"),
    "chinese, the line above": ("打开 阀门\n|", "打开 阀门", ""),
    "a fifth row": ("f()\nf()\nf()\nf()\n|", "f()\ng()", ""),
    "a fifth row, from the fourth's end": ("f()\nf()\nf()\nf()|", "\nf()", ""),
    "another line under four rows": ("f()\nf()\nf()\nf()\n|", "g()\nf()", "g()\nf()"),
    "rows above count": ("f()\nf()\nf()\n|", "f()\nf()\nx", "f()"),
    "rows above count, from the third's end": ("f()\nf()\nf()|", "\nf()\nf()\nx", "\nf()"),
    "blank lines do not repeat": ("|", "a\n\n\n\n\n\nb", "a\n\n\n\n\n\nb"),
    "trailing space": ("|", "a  \n\t\n", "a"),
    # ux-12, 15, 48: layout and scripts
    "tabs": ("if x {|\n", "\n\t\treturn\n\t}", "\n\t\treturn\n\t}"),
    "yaml": ("key: |", "value\nother:\n  - 1\n", "value\nother:\n  - 1"),
    "yaml list in a row": ("a:\n  - x\n  ‸\n  - z", "- y", "- y"),
    "markdown": ("- one\n‸", "- two\n- three\n", "- two\n- three"),
    "markdown table": ("| a ‸ |", "| b |", ""),
    "dsl": ("rule r { when ‸ }", "temp > 30 }", "temp > 30"),
    "dsl, more": ("rule r { when ‸; then x }", "temp > 30; then x }", "temp > 30"),
    "chinese comment": ("# 你|", "好，世界。", "好，世界。"),
    "chinese within text": ("# 你|界", "好世", "好世"),
    "chinese full stop after": ("# 你|。", "好。", "好"),
    "chinese brackets": ("（|）", "（好）的）", "（好）的"),
    "chinese quotes": ("“|”", "好”", "好"),
    "chinese after, latin before": ("x|世界", "y", "y"),
    "full-width punctuation stays": ("print(|)", '"你好，世界！")', '"你好，世界！"'),
    "korean": ("# 안|요", "녕하세", "녕하세"),
    "japanese": ("# |です", "これは本", "これは本"),
    "emoji": ('s = "|"', '🤗👩‍💻"', "🤗👩‍💻"),
    "accents are letters": ("x = |été", "un", ""),
    "leading space is kept": ("x =|", " 1", " 1"),
    "a long line": ("f(" + "a, " * 3000 + "|)" + " " * 1000, "b)", "b"),
}


@pytest.mark.parametrize(("marked", "text", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_is_shown(marked: str, text: str, shown: str) -> None:
    """Texts that have ended, at places in many languages."""
    assert shape(text, at(marked), ended=True, whole=True, leads_on=True).text == shown


@pytest.mark.parametrize(
    ("marked", "text", "reason"),
    [
        ("pri|nt", "nt(x)", "mid_word"),
        ("pri|nt", "", "mid_word"),
        ("x = |foo", "bar", "mid_word"),
        ("x = |foo", "bar + ", "mid_word"),
        ("x = | foo", "", "empty_draft"),
        ("x|.y", ".y", "filtered_duplicate"),
        ("a\n|\nreturn a", "return a", "filtered_duplicate"),
        ("x = |", "", "empty_draft"),
        ("x = |)", "\n", "filtered_blank"),
        ("x = |", " \n \n", "filtered_blank"),
        ("pip install -e .\n|", "pip install -e .", "filtered_repetition"),
        ("f()\nf()\nf()\nf()\n|", "f()", "filtered_repetition"),
    ],
)
def test_why_nothing_is_shown(marked: str, text: str, reason: str) -> None:
    """Every empty text has its reason (ux-18)."""
    assert shape(text, at(marked), ended=True, whole=True) == Shaped("", reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("f()\n", "f()"), ("f()\nf(", "f()"), ("f()\nf()\nf()", "f()"), ("f()\nf()\nfx\n", "f()\nf()\nfx")],
)
def test_lines_that_may_repeat_are_held_back(text: str, shown: str) -> None:
    """While the text goes on, equal lines at its end wait for one that differs (ux-18)."""
    assert shape(text, at("|"), ended=False, whole=False) == Shaped(shown)


@pytest.mark.parametrize(
    ("marked", "text", "shown"),
    [
        ("pip install -e .\n|", "pip inst", ""),
        ("pip install -e .\n|", "pip install -e .\n\n", ""),
        ("pip install -e .\n|", "pip install -e .\npip", ""),
        ("pip install -e .\n|", "pip install -e .\npy", "pip install -e .\npy"),
        ("pip install -e .\n|", "pip install -e .\npy\n", "pip install -e .\npy"),
        ("pip install -e .\n|", "pip install -r", "pip install -r"),
        ("end\n|", "en", "en"),
        ("f()\nf()\nf()\nf()\n|", "f", ""),
        ("f()\nf()\nf()\nf()\n|", "fx", "fx"),
    ],
)
def test_what_may_only_repeat_the_line_above_is_held_back(marked: str, text: str, shown: str) -> None:
    """Nothing is taken back of what is shown (ux-18, ux-22)."""
    assert shape(text, at(marked), ended=False, whole=False).text == shown


@pytest.mark.parametrize(
    ("marked", "splits"),
    [
        ("a|b", True), ("_|1", True), ("é|é", True), ("a|", False), ("|a", False), ("a|.", False),
        ("你|好", False), ("안|녕", False), ("a|你", False),
    ],
)  # fmt: skip
def test_where_a_word_is_split(marked: str, splits: bool) -> None:
    """Words are letters, digits and _; CJK has none that a cursor could split (ux-47, ux-48)."""
    assert splits_word(at(marked)) is splits


@pytest.mark.parametrize(
    ("language", "marked", "text", "ended", "shown"),
    [
        ("python", "def f():\n    |", "return x\n```\n\nThis function", False, "return x"),
        ("python", "def f():\n    |", "return x\n  ```python\ny", True, "return x"),
        ("python", "def f():\n    |", "```python\nreturn x", False, ""),
        ("python", "x = 1\n|", "y\n``", False, "y"),
        ("python", "x = 1\n|", "y\n``", True, "y\n``"),
        ("python", "x = 1\n|", "``", False, ""),
        ("python", "x = 1\ny = |", "z  # ```", True, "z  # ```"),
        (
            "python",
            'def f():\n    """For example:\n    |',
            "```\n    f()\n    ```",
            True,
            "```\n    f()\n    ```",
        ),
        ("typescript", "const a = `\n|", "```js", True, "```js"),
        ("markdown", "Run:\n|", "```sh\nls\n```", True, "```sh\nls\n```"),
    ],
)
def test_markdown_around_code_is_none_of_it(
    language: str, marked: str, text: str, ended: bool, shown: str
) -> None:
    """In strings, comments and languages that may be prose it is."""
    before, _, after = marked.partition("|")
    place = Place(Document("f", language, 1, before + after), len(before))
    assert shape(text, place, ended=ended, whole=ended).text == shown


pieces = st.sampled_from(
    [*"ab_ \n\t()[]{}<>\"'`\\,;:.=+", "  ", "ab", "ret", "你", "）", "，", "🤗", "\n    ", "\n```"]
)
texts = st.lists(pieces, max_size=14).map("".join)
places = st.builds(
    lambda language, before, after: Place(Document("f", language, 1, before + after), len(before)),
    st.sampled_from(["x", "python"]),
    texts,
    texts,
)


@given(places, texts, texts, st.booleans(), st.booleans(), st.booleans())
def test_what_is_shown_only_grows_with_the_text(
    place: Place, text: str, more: str, ended: bool, whole: bool, leads_on: bool
) -> None:
    """No flicker: the shape of a text begins with the shape of each of its beginnings, and with itself
    unended (ux-22)."""
    early = shape(text, place, ended=False, whole=False, leads_on=leads_on)
    late = shape(text + more, place, ended=ended, whole=whole and ended, leads_on=leads_on)
    assert (text + more).startswith(late.text)
    assert late.text.startswith(early.text)
    assert (late.text == "") == (late.reason is not None)
    assert late.text == "" or late.text.strip()


@given(places, texts)
def test_no_shown_text_glues_words(place: Place, text: str) -> None:
    """ux-47, for any place and text."""
    shown = shape(text, place, ended=True, whole=True, leads_on=True).text
    after = place.line_after[:1]
    if shown:
        assert not splits_word(Place(Document("f", "x", 1, shown + after), len(shown)))
        assert after == "" or after.isspace() or "\n" not in shown


@pytest.mark.parametrize(
    ("marked", "text", "whole", "shown"),
    [
        ("|", "return x\n\ndef", False, "return x"),
        ("|", "return x\n\ndef", True, "return x\n\ndef"),
        ("|", "return x\ny\n", False, "return x\ny"),
        ("|", "return x\ny  ", False, "return x"),
        ("|", "return x + ", False, "return x +"),
        ("def f():|", "\n    return x + ", False, "\n    return x +"),
        ("def f():|", "\n    a\n    return x + ", False, "\n    a"),
        ("|\ny", "a\nb\ny", False, "a\nb"),
        ("f(|)", "a,\n    b", False, "a,"),
        ("x = 1\n|", "y\nz\n```\nNow", False, "y\nz"),
    ],
)
def test_a_line_that_a_limit_of_tokens_has_cut_is_left_out(
    marked: str, text: str, whole: bool, shown: str
) -> None:
    """Where it is not the only one: then it is better than nothing. While the text goes on the same holds."""
    assert shape(text, at(marked), ended=True, whole=whole).text == shown
    if not whole:
        assert shape(text, at(marked), ended=False, whole=False).text == shown


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("", "", []),
        ("name", "", ["name"]),
        ("a_1 + b2;", "", ["a_1", "a_1 +", "a_1 + b2", "a_1 + b2;"]),
        ("x\n  y", "", ["x", "x\n  y"]),
        ("a, b", "FROM", ["a,", "a, ", "a, b"]),
        ("  a ", ")", ["  a", "  a "]),
        ("状态：开", "", ["状", "状态", "状态：", "状态：开"]),
    ],
)
def test_where_a_text_may_be_cut(text: str, after: str, expected: list[str]) -> None:
    """Its own end is always one: shaping has chosen it."""
    place = Place(Document("x", "sql", 1, after), 0)
    assert [text[:length] for length in cuts(text, place)] == expected
