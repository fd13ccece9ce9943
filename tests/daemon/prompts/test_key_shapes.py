"""What looks like a secret is masked, and what does not is left as it is."""

from __future__ import annotations

import time

import pytest

from daemon.prompts.key_shapes import LONGEST_BEGUN, MASK, begun, masked

RANDOM = "wJalrXUtnFEMI9K7MDENG2bPxRfiCYzEXAMPLEKEY1"


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "11AAAA" * 6,
        "glpat-" + "x1Yz" * 5,
        "xoxb-" + "123456789012-abcdef",
        "AIza" + "SyA1" * 9,
        "sk-proj-" + "Ab1-" * 10,
        "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "npm_" + "a1B2" * 9,
        "hf_" + "aB1c" * 8,
        "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "SflKxwRJ",
        RANDOM,
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_is_issued_as_a_key_is_masked(secret: str) -> None:
    assert masked(f"call('{secret}', 1)\n") == f"call('{MASK * len(secret)}', 1)\n"


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ('password = "correct-horse"', "correct-horse"),
        ("'db_password': 'hunter2hunter2',", "hunter2hunter2"),
        ('const apiKey = "not/so/random";', "not/so/random"),
        ("DB_PASSWORD=hunter22hunter", "hunter22hunter"),
        ("    - API_KEY: Tr0ub4dor&3  # mine", "Tr0ub4dor&3"),
        ("export TOKEN=abc123def456", "abc123def456"),
        ("spring.datasource.password = opensesame1", "opensesame1"),
        ("SECRET_TOKEN := `letmeinplease`", "letmeinplease"),
        ('url = "postgres://me:opensesame@db/x"', "opensesame"),
    ],
)
def test_what_is_named_a_secret_is_masked(line: str, hidden: str) -> None:
    assert masked(line) == line.replace(hidden, MASK * len(hidden))


def test_a_key_in_armour_is_masked_with_its_lines_kept() -> None:
    for end in ("-----END RSA PRIVATE KEY-----", ""):
        text = f"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n{end}"
        found = masked(text)
        assert set(found) == {MASK, "\n"}
        assert [len(line) for line in found.split("\n")] == [len(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    "text",
    [
        "def read_password(token: str) -> bytes:\n    return token.encode()\n",
        'password = ""\ntoken = get_token()\n',
        'author = "Somebody Else"\ntokenizer = "sentencepiece"\n',
        "from a.very.long.module_path_with_many_words_in_it_v2 import something\n",
        "https://example.com/some/long/path/with/many/parts/in/version2/documents\n",
        "struct sk_buff_head_with_a_long_name *x;\n",
        "x = 12345678901234567890123456789012345\n",
        "password = sha256(text2)\nsecret: Uint8Array\ntoken = next_token_2\nsecret = self.secrets2\n",
        "password: hunters-and-collectors\ntoken: 1234567890\nsecret = decoded[1234abcd]\n",
        "a" * 100 + "\n",
        "class TheLongNameOfACommandLineOptionVersion2Parser:\n",
        "hf_hub_download_with_progress_bar()\nnpm_config_registry_of_all_packages = 1\n",
        '{"token": "keyword.operator", "TOKEN": "SEMICOLON"}\n',
        'if line == "-----BEGIN PRIVATE KEY": return x\n',
    ],
)
def test_code_is_left_as_it_is(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----", ""])
def test_a_key_in_armour_within_a_literal_is_masked(end: str) -> None:
    """On one line, or with a literal for each."""
    for text in (
        f'k = "-----BEGIN EC PRIVATE KEY-----\\nMIIE\\nabcd\\n{end}"',
        f'"-----BEGIN PRIVATE KEY-----\\n"\n  "MII\\n"\n"{end}"',
    ):
        assert "MII" not in masked(text)
        assert "abcd" not in masked(text)


def test_a_literal_that_is_not_closed_is_masked() -> None:
    assert masked('password = "correct-horse\nx') == 'password = "' + MASK * 13 + "\nx"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("x = ghp_a1", 4),
        ("password: 'h", 11),
        ("http://me:secret", 10),
        ("http://me:8080", None),
        ("ghp_a1 ", None),
        ("", None),
    ],
)
def test_what_is_begun(text: str, start: int | None) -> None:
    assert begun(text) == start
    assert begun("\n" * LONGEST_BEGUN + text) == (None if start is None else LONGEST_BEGUN + start)


@pytest.mark.parametrize(
    "unit",
    ["a", "a1", "token ", "sk-", "eyJ", "secret", "a1B", "://", "-----BEGIN PRIVATE KEY-----", " ", '"'],
)
def test_no_text_takes_long(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    started = time.process_time()
    masked(text)
    begun(text)
    assert time.process_time() - started < 2.0
