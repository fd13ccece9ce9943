"""What a user of VS Code sees when something is missing, lost, back, or switched off. The daemon is scripted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.editors.workbench import Window, Workbench
from tests.editors.vscode.conftest import executable
from tests.fakes.scripted_daemon import Rules, ScriptedDaemonProcess

pytestmark = [pytest.mark.editor, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def rules() -> Rules:
    refusing = {"before": "secret ", "suggestions": [], "reason": "ignored_file"}
    return [refusing, {"before": "hello ", "suggestions": [{"text": "ghost"}]}]


def shows(window: Window, name: str) -> None:
    """What is typed into a new file of this name gets its suggestion."""
    window.new_file(name)
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Escape")
    window.wait_no_ghost()
    window.press("Control+s")


def test_a_killed_daemon_comes_back(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-23, ux-34: what is shown goes with it and comes back with it; nobody has to do anything."""
    window.new_file("killed.txt")
    window.type("hello ")
    window.wait_ghost("ghost")
    (first,) = daemon.pids()
    daemon.kill()
    window.wait_no_ghost()
    window.wait_ghost("ghost")
    assert daemon.received("complete")[-1]["trigger"] == "automatic"
    shows(window, "back.txt")
    assert daemon.pids() != [first]
    assert len(daemon.pids()) == 1


def test_what_was_put_away_stays_away(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-23: a daemon that comes back is not asked where nothing is wanted."""
    window.new_file("put_away.txt")
    window.type("hello ")
    window.wait_ghost("ghost")
    window.press("Escape")
    window.wait_no_ghost()
    asked, greeted = len(daemon.received("complete")), len(daemon.received("hello"))
    daemon.kill()
    daemon.wait_for("hello", greeted + 1)
    window.wait_status("sparkle")
    assert window.read()["ghost"] == ""
    assert len(daemon.received("complete")) == asked
    shows(window, "after_put_away.txt")


def test_two_windows_share_the_daemon(
    bench: Workbench, window: Window, daemon: ScriptedDaemonProcess
) -> None:
    """ux-30: and neither sees the other's text."""
    window.ask("front")
    shows(window, "one.txt")
    second = bench.open_window()
    second.wait_status("sparkle")
    shows(second, "two.txt")
    second.ask("close")
    window.ask("front")
    shows(window, "one_again.txt")
    assert len(daemon.pids()) == 1


def test_a_missing_program_is_told_once_with_what_to_do(
    window: Window, own_settings: Workbench, daemon: ScriptedDaemonProcess, tmp_path: Path
) -> None:
    """ux-45: one message, then the status item says it; it is found once it is there, with nothing to be done."""
    program = tmp_path / "draftwire"
    right = own_settings.settings()["draftwire.path"]
    own_settings.set(draftwire__path=str(program))
    screen = window.wait("the message", lambda s: len(s["notifications"]) == 1)
    assert str(program) in screen["notifications"][0]
    window.wait_status("error")
    window.screenshot("missing")
    window.press("Escape")
    program.symlink_to(right)
    window.wait_status("sparkle")
    shows(window, "found.txt")
    connected = len(daemon.received("hello"))
    own_settings.set(draftwire__path=right)
    daemon.wait_for("hello", connected + 1)


def test_what_is_in_use_and_how_to_upgrade_it(window: Window, daemon: ScriptedDaemonProcess) -> None:
    """ux-45: a program that runs is not said to be missing."""
    window.command("Draftwire: How to Install or Upgrade")
    (told,) = window.wait("the message", lambda s: len(s["notifications"]) == 1)["notifications"]
    assert f"Draftwire test is at {daemon.command} (setting draftwire.path)" in told
    assert "pipx upgrade draftwire" in told
    window.command("Notifications: Clear All Notifications")
    window.wait("no message", lambda s: s["notifications"] == [])


def test_a_bridge_that_keeps_ending_is_left_alone(
    window: Window, own_settings: Workbench, tmp_path: Path
) -> None:
    """ux-45: started again with growing waits, then one message and no more."""
    program = executable(tmp_path / "draftwire", f"echo start >> {tmp_path / 'starts'}", "exit 3")
    own_settings.set(draftwire__path=str(program))
    screen = window.wait("the message", lambda s: any("keeps ending" in text for text in s["notifications"]))
    assert len(screen["notifications"]) == 1
    window.wait_status("error")
    assert (tmp_path / "starts").read_text("utf-8").count("start") == 4
    window.command("Notifications: Clear All Notifications")


def test_a_language_can_be_switched_off_and_on(window: Window, own_settings: Workbench) -> None:
    """ux-46: at once; the status item says so."""
    shows(window, "language.txt")
    own_settings.set(draftwire__languages={"plaintext": False})
    window.wait_status("circle-slash")
    own_settings.set(draftwire__languages={})
    window.wait_status("sparkle")
    shows(window, "language_again.txt")


def test_a_file_that_the_daemon_leaves_out(window: Window) -> None:
    """ux-44: the status item says so, and why; of another file it does not."""
    window.new_file("left_out.txt")
    window.type("secret ")
    window.wait_status("circle-slash")
    assert "git ignores the file" in window.read()["statusLabel"]
    shows(window, "not_left_out.txt")
    assert "codicon-sparkle" in window.wait_status("sparkle")["statusIcons"]


def test_settings_reach_the_daemon(
    window: Window, own_settings: Workbench, daemon: ScriptedDaemonProcess
) -> None:
    """ux-33, ux-46: by the names of the configuration, without a restart."""
    before = len(daemon.received("configure"))
    own_settings.set(draftwire__exclude=["*.secret"], draftwire__maxLines=2)
    settings = daemon.wait_for("configure", before + 1)[-1]["settings"]
    assert settings["files.exclude"] == ["*.secret"]
    assert settings["completion.max_lines"] == 2
    assert settings["grammars.trust_workspace"] is True


def test_snoozed_until_woken(window: Window) -> None:
    """Nothing is shown while snoozed; the status item says so, and the same command ends it."""
    window.command("Draftwire: Snooze")
    window.wait("how long", lambda s: "".join(s["choices"][:1]).startswith("5 minutes"))
    window.press("Enter")
    snoozed = window.wait_status("bell-slash")
    assert "Snoozed until " in snoozed["statusLabel"]
    window.command("Draftwire: Snooze")
    window.wait("the way out", lambda s: "".join(s["choices"][:1]).startswith("Wake up now"))
    window.press("Enter")
    window.wait_status("sparkle")
    shows(window, "woken.txt")


def rows_of_the_menu(window: Window, *starts: str) -> None:
    """Open it, and wait until its first rows start so: what else a row has of an earlier list is hidden."""
    window.ask("click", selector='[id="draftwire.draftwire.status"] a')
    window.wait(
        f"a menu of {starts}",
        lambda s: (
            len(s["choices"]) > len(starts)
            and all(row.strip().startswith(start) for row, start in zip(s["choices"], starts, strict=False))
        ),
    )


def test_the_menu_says_what_its_rows_do_now(window: Window, own_settings: Workbench) -> None:
    """ux-46: what is on can be switched off, what is off can be switched on, who sleeps can be woken."""
    window.new_file("menu.txt")
    rows_of_the_menu(window, "Switch off everywhere", "Switch off for plaintext", "Snooze")
    window.press("Escape")
    window.command("Draftwire: Snooze")
    window.wait("how long", lambda s: "".join(s["choices"][:1]).startswith("5 minutes"))
    window.press("Enter")
    window.wait_status("bell-slash")
    own_settings.set(draftwire__languages={"plaintext": False})
    window.wait_status("circle-slash")
    rows_of_the_menu(
        window, "Switch off everywhere", "Switch on for plaintext", "Wake up now: snoozed until "
    )
    window.press("ArrowDown", "ArrowDown", "Enter")
    own_settings.set(draftwire__languages={})
    window.wait_status("sparkle")


def test_several_cursors_are_told_in_the_status_item(window: Window) -> None:
    """ux-19, ux-44: and are forgotten with the second cursor."""
    window.new_file("cursors.txt", "one\ntwo")
    window.press("Control+Alt+k")
    screen = window.wait_status("circle-slash")
    assert "there are several cursors; press Escape for one" in screen["statusLabel"]
    window.press("Escape")
    window.wait_status("sparkle")


def test_a_report_opens_as_a_document(window: Window) -> None:
    """ux-44, ux-52: what the command prints, in the editor."""
    window.command("Draftwire: Statistics")
    window.wait("the report", lambda s: "Draftwire Statistics" in s["tab"] and s["lines"] != [""])


def test_after_a_restart_all_is_as_before(window: Window, daemon: ScriptedDaemonProcess) -> None:
    before = len(daemon.received("hello"))
    window.command("Draftwire: Restart")
    daemon.wait_for("hello", before + 1)
    window.wait_status("sparkle")
    shows(window, "restarted.txt")
