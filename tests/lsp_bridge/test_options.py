"""What clients ask for, in the shapes they send it."""

from typing import Any

import pytest

from lsp_bridge.options import ClientOptions, client_options, settings_from


@pytest.mark.parametrize("given", [None, 7, "text", [], {}, {"settings": 3, "completionList": "yes"}])
def test_defaults(given: Any) -> None:
    """For everything missing or of the wrong type."""
    assert client_options(given) == ClientOptions()


def test_all_given() -> None:
    """Each under its name."""
    given = {
        "settings": {"a": 1},
        "completionList": True,
        "copilotDialect": True,
        "notifications": False,
    }
    expected = ClientOptions({"a": 1}, completion_list=True, copilot_dialect=True, notifications=False)
    assert client_options(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"draftwire": {"draft": {"model": "m"}}}, {"draft.model": "m"}),
        ({"draft": {"model": "m"}, "draft.threads": 2}, {"draft.model": "m", "draft.threads": 2}),
        ({"draftwire": {"a": None, "b": False, "c": [1]}}, {"b": False, "c": [1]}),
        ({"completionList": True, "settings": {"draft": {"model": "m"}}}, {"draft.model": "m"}),
        ({"notifications": False, "settings": {"draftwire": {"a": 1}}}, {"a": 1}),
        ({"completionList": True}, {}),
        ({"completionList": True, "settings": 3}, {}),
        ({"a": "\ud800"}, {}),
        ({"a": 2**70}, {}),
        (None, {}),
        ([1], {}),
    ],
)
def test_settings(given: Any, expected: dict[str, Any]) -> None:
    """Nested or dotted, with or without the section, or in the options; what can't be sent is left out."""
    assert settings_from(given) == expected


def test_endless_nesting_is_left_as_it_is() -> None:
    """Beyond a depth no setting has, it is the daemon's to refuse."""
    nested: dict[str, Any] = {}
    for _ in range(100):
        nested = {"a": nested}
    assert list(settings_from(nested)) == ["a.a.a.a.a.a.a.a.a"]


@pytest.mark.parametrize("empty", [[], None, ""], ids=["list", "null", "text"])
def test_a_section_that_holds_nothing_is_no_setting(empty: object) -> None:
    """Lua's empty table comes as a list: nothing is set, and nothing is called "draftwire"."""
    assert settings_from({"draftwire": empty}) == {}


def test_a_client_of_copilots_server_gets_its_dialect() -> None:
    """It can't be told to ask for it, and says what it is; asked not to, it is not spoken."""
    introduction = {
        "editorInfo": {"name": "Emacs", "version": "30.1"},
        "editorPluginInfo": {"name": "copilot.el"},
    }
    assert client_options(introduction) == ClientOptions(copilot_dialect=True)
    assert client_options({**introduction, "copilotDialect": False}) == ClientOptions()
