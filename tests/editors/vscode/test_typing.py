"""A user types in a real VS Code: what is drawn, and what stands in the file afterwards. The daemon is scripted."""

from __future__ import annotations

import pytest

from benchmarks.editors.workbench import Window
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]

GROWN = "first line\nsecond line"


@pytest.fixture(scope="module")
def rules() -> Rules:
    grown = {"kind": "extended", "text": GROWN, "verified": 10, "complete": True, "after_ms": 300}
    more = [
        {"kind": "extended", "text": text, "complete": False, "after_ms": 200}
        for text in ("alpha be", "alpha beta")
    ]
    noted = {"kind": "extended", "text": "alpha beta gam", "verified": 10, "complete": False, "after_ms": 200}
    late = {"kind": "verified", "text": "as it was", "verified": 9, "complete": True, "after_ms": 300}
    return [
        {"before": "def add", "suggestions": [{"text": "(a, b):\n    return a + b", "verified": 7}]},
        {"before": "hello ", "suggestions": [{"text": "ghost world, again"}]},
        {"before": "name = ", "suggestions": [{"text": "value + other"}]},
        {"before": "aé😀 ", "suggestions": [{"text": "ünïcode 你好🤗!"}]},
        {"before": "你好，", "suggestions": [{"text": "世界。"}]},
        {"before": "list = ", "suggestions": [{"text": "[\n    1,\n    2,\n]"}]},
        {"before": "call(", "suggestions": [{"text": "one, two"}]},
        {"before": "wrap(", "suggestions": [{"text": "[\n    1,\n]"}]},
        {
            "before": "choose ",
            "suggestions": [{"text": "alpha one"}, {"text": "beta two"}, {"text": "gamma three"}],
        },
        {"before": "grow ", "suggestions": [{"text": "first", "complete": False}], "updates": [grown]},
        {"before": "more ", "suggestions": [{"text": "alpha", "complete": False}], "updates": more},
        {"before": "rest ", "suggestions": [{"text": "alpha beta", "complete": False}], "updates": [noted]},
        {"before": "check ", "suggestions": [{"text": "as it was", "complete": False}], "updates": [late]},
    ]


def test_text_of_several_lines_is_drawn_and_taken_by_tab(window: Window) -> None:
    """ux-9, ux-29: Tab takes what is drawn, both lines of it."""
    file = window.new_file("several.py", "x = 1\n")
    window.type("def add")
    window.wait_ghost("(a, b):", ["    return a + b"])
    window.wait_status("pass")
    window.screenshot("ghost")
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "x = 1\ndef add(a, b):\n    return a + b")


def test_typing_along_shortens_and_deleting_brings_back(window: Window) -> None:
    """ux-3, ux-14, ux-25: no question to the daemon for either."""
    file = window.new_file("along.txt")
    window.type("name = ")
    window.wait_ghost("value + other")
    window.type("val")
    window.wait_ghost("ue + other")
    window.press("Backspace", "Backspace")
    window.wait_ghost("alue + other")
    window.type("alue + other")
    window.wait_no_ghost()
    window.text_on_disk(file, "name = value + other")


def test_typing_against_it_takes_it_away(window: Window) -> None:
    """ux-21."""
    file = window.new_file("against.txt")
    window.type("name = ")
    window.wait_ghost("value + other")
    window.type("q")
    window.wait_no_ghost()
    window.text_on_disk(file, "name = q")


def test_a_word_a_line_and_the_rest(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-26: each part leaves the rest on the screen and is one undo step; the daemon is told how much was taken."""
    window.new_file("parts.txt")
    window.type("list = ")
    window.wait_ghost("[", ["    1,", "    2,", "]"])
    before = len(daemon.received("accepted"))
    window.press("Control+Alt+l")
    window.wait("two lines left", lambda s: s["ghostBelow"] == ["    2,", "]"])
    told = daemon.wait_for("accepted", before + 1)[-1]
    assert (told["kind"], told["length"]) == ("line", len("[\n"))
    window.press("Control+z")
    window.wait(
        "the line undone",
        lambda s: s["lines"][0].startswith("list = ") and s["ghostBelow"] != ["    2,", "]"],
    )


def test_accept_a_word_by_key_and_by_command(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-26: VS Code's own key is seen too."""
    file = window.new_file("words.txt")
    window.type("hello ")
    window.wait_ghost("ghost world, again")
    before = len(daemon.received("accepted"))
    window.press("Control+ArrowRight")
    window.wait_ghost(" world, again")
    told = daemon.wait_for("accepted", before + 1)[-1]
    assert (told["kind"], told["length"]) == ("partial", len("ghost"))
    window.press("Control+Alt+w")  # VS Code takes blanks as a word of their own
    window.wait_ghost("world, again")
    told = daemon.wait_for("accepted", before + 2)[-1]
    assert (told["kind"], told["length"]) == ("word", len("ghost "))
    window.press("Control+Alt+a")
    window.wait_no_ghost()
    window.text_on_disk(file, "hello ghost world, again")
    assert daemon.wait_for("accepted", before + 3)[-1]["kind"] == "all"


@pytest.mark.parametrize(
    ("typed", "ghost"), [("aé😀 ", "ünïcode 你好🤗!"), ("你好，", "世界。")], ids=["emoji", "chinese"]
)
def test_positions_are_right_behind_any_character(window: Window, typed: str, ghost: str) -> None:
    """ux-10, ux-48: with such characters before and in the suggestion."""
    file = window.new_file(f"unicode-{len(ghost)}.txt", "🇨🇳\n")
    window.insert(typed)
    window.wait_ghost(ghost)
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, f"🇨🇳\n{typed}{ghost}")


def test_a_file_with_crlf_keeps_it(window: Window) -> None:
    """ux-11."""
    file = window.new_file("crlf.py", "x = 1\r\n")
    window.type("def add")
    window.wait_ghost("(a, b):", ["    return a + b"])
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "x = 1\r\ndef add(a, b):\r\n    return a + b")


def test_a_bracket_closed_by_the_editor_is_not_doubled(window: Window) -> None:
    """ux-13, ux-24: drawn before the bracket, which stays where it is."""
    file = window.new_file("bracket.py")
    window.type("call(")
    window.wait_ghost("one, two")
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "call(one, two)")


def test_several_lines_before_a_bracket(window: Window) -> None:
    """ux-13, ux-24: what stood behind the cursor stands behind the last line."""
    file = window.new_file("bracket_lines.py")
    window.type("wrap(")
    window.wait("both lines", lambda s: s["ghost"].startswith("[") and len(s["ghostBelow"]) == 2)
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "wrap([\n    1,\n])")


def test_next_and_previous(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-27: by the keys; the one chosen stays while it is typed along."""
    file = window.new_file("choose.txt")
    window.type("choose ")
    window.wait_ghost("alpha one")
    window.press("Alt+]")
    window.wait_ghost("beta two")
    window.press("Alt+]")
    window.wait_ghost("gamma three")
    window.press("Alt+[")
    window.wait_ghost("beta two")
    window.type("beta")
    window.wait_ghost(" two")
    window.press("Tab")
    window.text_on_disk(file, "choose beta two")


def test_dismissed_and_asked_for(window: Window) -> None:
    """ux-20: Escape puts it away, the command brings it back."""
    window.new_file("dismiss.txt")
    window.type("hello ")
    window.wait_ghost("ghost world, again")
    window.press("Escape")
    window.wait_no_ghost()
    window.wait_status("sparkle")
    window.command("Draftwire: Suggest Here")
    window.wait_ghost("ghost world, again")
    window.press("Escape")
    window.wait_no_ghost()


def test_what_is_shown_grows(window: Window) -> None:
    """ux-21, ux-22: drawn at once, then with what was added; nothing else is on the screen between but a blank."""
    file = window.new_file("grow.txt")
    window.ask("watch")
    window.type("grow ")
    window.wait_ghost("first line", ["second line"])
    screen = window.wait("the frame", lambda s: s["frames"][-1:] == ["first line"])
    assert [frame for frame in screen["frames"] if frame] == ["first", "first line"]
    window.wait_status("pass")
    window.press("Tab")
    window.text_on_disk(file, f"grow {GROWN}")


def test_twice_as_much_as_is_drawn_is_drawn(window: Window) -> None:
    """ux-22: the little that came before it was not worth a frame."""
    window.new_file("more.txt")
    window.ask("watch")
    window.type("more ")
    window.wait_ghost("alpha beta")
    screen = window.wait("the frame", lambda s: s["frames"][-1:] == ["alpha beta"])
    assert [frame for frame in screen["frames"] if frame] == ["alpha", "alpha beta"]
    window.press("Escape")
    window.wait_no_ghost()


@pytest.mark.parametrize("word_first", [False, True], ids=["all", "word"])
def test_tab_takes_what_is_drawn_and_the_rest_comes_at_once(
    window: Window, daemon: ScriptedDaemonProcess, word_first: bool
) -> None:
    """ux-22, ux-25: what the daemon has said meanwhile comes from the bridge's memory."""
    file = window.new_file(f"rest-{word_first}.txt")
    window.type("rest ")
    window.wait_ghost("alpha beta")
    assert window.wait_status("pass-filled")["ghost"] == "alpha beta"
    if word_first:
        window.press("Control+ArrowRight")
        window.wait_ghost(" beta")
    window.press("Tab")
    window.wait_ghost(" gam")
    window.press("Tab")
    window.wait_no_ghost()
    window.text_on_disk(file, "rest alpha beta gam")
    asked = [one["offset"] for one in daemon.received("complete") if one["document"].endswith(file.name)]
    assert [at for at in asked if len("rest ") <= at < len("rest alpha beta gam")] == [len("rest ")]


def test_a_verdict_is_in_the_status_item(window: Window) -> None:
    """The text stands as it was drawn; what it is worth is in the status."""
    window.new_file("verdict.txt")
    window.type("check ")
    window.wait_ghost("as it was")
    screen = window.wait_status("pass-filled")
    assert "verified" in screen["statusLabel"]
    window.press("Escape")
    window.wait_no_ghost()


def test_beside_the_list_of_completions(window: Window) -> None:
    """ux-20, ux-29: while the list is open Tab is the list's, and one Escape closes the list alone."""
    file = window.new_file("popup.txt", "hello_variable\n")
    window.insert("hello ")  # at once: typed, the list may open by itself
    window.wait_ghost("ghost world, again")
    window.press("Enter")
    window.type("hello_")
    window.press("Control+Space")
    window.wait("the list", lambda s: s["popup"] == ["hello_variable"])
    window.wait_no_ghost()
    window.press("Tab")
    window.wait("the list gone", lambda s: not s["popup"])
    window.text_on_disk(file, "hello_variable\nhello \nhello_variable")


def test_nothing_with_several_cursors(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-19: nothing is asked; with one cursor again it is."""
    file = window.new_file("cursors.txt", "one\ntwo")
    window.press("Control+Alt+k")
    window.insert(" hello ")
    window.wait("both lines", lambda s: s["lines"] == ["one hello ", "two hello "])
    window.command("Draftwire: Suggest Here")
    window.press("Escape")
    window.command("Draftwire: Suggest Here")
    window.wait("one ghost", lambda s: s["ghost"] == "ghost world, again")
    assert len([asked for asked in daemon.received("complete") if asked["document"].endswith(file.name)]) == 1


def test_tab_indents_where_nothing_is_shown(window: Window) -> None:
    """ux-29."""
    file = window.new_file("tab.txt")
    window.type("a")
    window.press("Tab")
    window.type("b")
    window.text_on_disk(file, "a   b")
