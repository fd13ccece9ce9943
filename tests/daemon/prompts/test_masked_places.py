"""What looks like a key is masked before a model reads it (ux-39): whole, cut by a window's edge, while it is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.documents import LINE_REACH, Document, Place
from daemon.prompts import masked_places
from daemon.prompts.fim import Layout
from daemon.prompts.key_shapes import MASK, masked, masked_in_line
from daemon.prompts.masked_places import BLOCK_REACH, MARGIN, MaskedPlaces
from daemon.prompts.prompt import Prompt

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
CODE = "".join(f"value_{number} = compute({number})\n" for number in range(400))
ARMOUR = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA75x\n" * 40 + "-----END RSA PRIVATE KEY-----\n"
)

TYPED = {  # what is typed, and how much of it is no secret yet: it says who issued the key, or what it is
    f"key = '{KEY}": "key = 'AKIA",
    "gh = ghp_" + "a1B2" * 9: "gh = ghp_",
    "x sk-proj-" + "Ab1-" * 10: "x sk-proj-",
    "x sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc": "x sk_live_",
    "hf_" + "aB1c" * 8: "hf_a",
    "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "SflKxwRJ": "eyJhbG",
    'password = "correct-horse"': 'password = "',
    '"db_password": "hunter2hunter2"': '"db_password": "',
    "SECRET_TOKEN := `letmeinplease`": "SECRET_TOKEN := `",
    'token = "abc123def456"': 'token = "abc',
    "DB_PASSWORD=h1nter2hunter2": "DB_PASSWORD=h",
    "url = postgres://me:opensesame@db": "url = postgres://me:",
    "x = wJalrXUtnFEMI9K7MDENG2bPxRfiCYzEXAMPLEKEY1": "x = wJalrXUtnFEMI9K",
}


def place_in(text: str, offset: int | None = None) -> Place:
    return Place(Document("file:///a.py", "python", 1, text), len(text) if offset is None else offset)


def test_where_nothing_looks_like_a_key_the_place_is_the_same() -> None:
    place = place_in(CODE, 3000)
    assert MaskedPlaces().masked(place, 1000, 1000) is place


def test_offsets_stay_and_both_sides_of_the_cursor_are_masked() -> None:
    line = f"key = '{KEY}'  # 你好\n"
    place = place_in(CODE + line + CODE, len(CODE) + 15)
    found = MaskedPlaces().masked(place, 100, 100)
    assert found.offset == place.offset
    assert found.document.text == CODE + line.replace(KEY, MASK * len(KEY)) + CODE
    assert found.document.n_bytes == place.document.n_bytes


@pytest.mark.parametrize("secret", [f"key = '{KEY}'\n", ARMOUR, 'password =\n\n    "correct-horse"\n'])
def test_where_the_window_ends_makes_no_difference(secret: str) -> None:
    """Cut anywhere, a key is masked where it is whole: the edge stands at each of its characters once."""
    text = CODE + secret + CODE
    whole = masked(text)
    assert whole != text
    for edge in range(len(CODE) - 2, len(CODE) + len(secret) + 2):
        for reach, offset in ((len(CODE), edge + len(CODE)), (700, edge + 700)):
            found = MaskedPlaces().masked(place_in(text, offset), reach, 0).document.text
            assert found[offset - reach : offset] == whole[offset - reach : offset]
        found = MaskedPlaces().masked(place_in(text, 100), 0, edge - 100).document.text
        assert found[100:edge] == whole[100:edge]


def test_a_line_that_is_cut_is_still_searched() -> None:
    """Minified code: the line begins and ends further off than anything is looked at."""
    line = "f(1);" * LINE_REACH + f'key="{KEY}";' + "f(1);" * LINE_REACH
    at = line.index(KEY)
    for offset in (at + 40, at + MARGIN, at + LINE_REACH):
        place = place_in(line, offset)
        assert KEY not in MaskedPlaces().masked(place, 100 + offset - at, 100).document.text
    assert KEY not in MaskedPlaces().masked(place_in(line, at - 100), 0, 150).document.text


def test_a_block_that_begins_far_above_is_a_block() -> None:
    lines = "MIIE\n" * 1000
    text = "-----BEGIN PRIVATE KEY-----\n" + lines
    found = MaskedPlaces().masked(place_in(text), 50, 0).document.text
    assert set(found[-50:]) == {MASK, "\n"}
    assert len(lines) < BLOCK_REACH


@pytest.mark.parametrize(
    "text",
    [
        'BEGIN = "-----BEGIN PRIVATE KEY-----"\n\n\ndef is_key(line: str) -> bool:\n    return line == BEGIN\n',
        'if line.startswith("-----BEGIN CERTIFICATE-----"):\n    yield line\nx = "-----END CERTIFICATE-----"\n',
    ],
)
def test_code_about_keys_stays_legible(text: str) -> None:
    """No more than the words themselves is masked."""
    found = MaskedPlaces().masked(place_in(text), len(text), 0).document.text
    assert found.count(MASK) <= len("-----BEGIN CERTIFICATE-----")


@pytest.mark.parametrize(("typed", "open_part"), TYPED.items())
def test_a_key_is_masked_from_its_first_characters_on_while_it_is_typed(typed: str, open_part: str) -> None:
    """At each key, with and without what an editor closes behind the cursor."""
    secret = typed.rstrip("\"'`").removeprefix(open_part).removesuffix("@db")
    assert len(secret) >= 8
    places = MaskedPlaces()
    for closed in ("", '"\n', "'", "`)"):
        for length in range(1, len(secret) + 1):
            text = CODE + open_part + secret[:length]
            place = place_in(text + closed, len(text))
            shown = places.masked(place, 500, 50).document.text[: place.offset]
            assert shown.startswith(CODE)
            assert not shown.endswith(secret[:length])
            assert open_part.startswith(shown.removeprefix(CODE).rstrip(MASK))
            assert places.is_within(place)


@pytest.mark.parametrize("typed", TYPED)
def test_behind_a_key_nothing_is_withheld(typed: str) -> None:
    assert not MaskedPlaces().is_within(place_in(f"{typed}\n"))
    assert not MaskedPlaces().is_within(place_in(""))


@pytest.mark.parametrize(
    "text",
    [
        "url = http://localhost:80",
        'password = "',
        'password = "Please enter your',
        'token = "SEMICOLON',
        "class TheLongNameOfACommandLineOptionVersion2",
        "hf_hub_download",
        "npm_config_registry",
        ".sk-circle",
        "x = 12345678901234567890",
    ],
)
def test_what_is_no_key_is_not_withheld(text: str) -> None:
    assert not MaskedPlaces().is_within(place_in(text))


def test_only_lines_that_are_new_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def counted(text: str) -> str:
        searched.append(text)
        return masked_in_line(text)

    monkeypatch.setattr(masked_places, "masked_in_line", counted)
    places = MaskedPlaces()
    place = place_in(CODE)
    places.masked(place, 5000, 0)
    places.masked(place, 5000, 0)
    before = len(searched)
    assert before > 100
    places.masked(place_in(f"{CODE}x"), 5000, 0)
    assert len(searched) == before + 1


PARTS = [KEY, f"'{KEY}'", "a", " ", "\n", "password = ", "secret", '"hunter22"', "= ", "x1" * 20]


@given(st.lists(st.sampled_from(PARTS)))
def test_what_is_masked_depends_on_the_text_alone(parts: list[str]) -> None:
    """Not on the place; but for what is written there."""
    text = "".join(parts)
    whole = masked(text)
    places = MaskedPlaces()
    for offset in range(0, len(text) + 1, 7):
        found = places.masked(place_in(text, offset), len(text), len(text)).document.text
        assert len(found) == len(text)
        assert all(one in (MASK, there) for one, there in zip(found, whole, strict=True))


# --- prompts


def tokenize(text: str) -> list[int]:
    return [ord(character) for character in text]


def test_no_prompt_shows_a_piece_of_a_key_wherever_its_window_begins_or_ends() -> None:
    """With and without a suffix; keys at all distances from the cursor."""
    text = "".join(f"a = {number}; key = '{KEY}'\n" for number in range(60))
    pieces = [KEY[start : start + 5] for start in range(len(KEY) - 4)]
    layout = Layout(before=(1,), between=(2,), after=(3,), suffix_first=False)
    for given_layout in (None, layout):
        prompt = Prompt(tokenize, window_tokens=200, splits_at_lines=True, layout=given_layout)
        for offset in range(600, 900):
            shown = "".join(map(chr, prompt.ids(place_in(text, offset))))
            assert MASK in shown
            assert not [piece for piece in pieces if piece in shown]


def test_prompts_go_on_from_each_other_past_a_key() -> None:
    """As they do where there is none: a key changes no id before it."""
    prompt = Prompt(tokenize, window_tokens=500, splits_at_lines=True)
    text = f"{CODE[:300]}key = '{KEY}'\n"
    before = prompt.ids(place_in(text))
    for typed in ("v", "va", "val"):
        assert prompt.ids(place_in(text + typed))[: len(before)] == before
