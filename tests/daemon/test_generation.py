"""Generations: text of tokens that split characters, limits, and commits against a naive list of tokens."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.documents import Document, Place
from daemon.generation import Generation, Limits
from tests.fakes.engine import byte_vocabulary

VOCABULARY = byte_vocabulary(["你".encode()[:2], b"\xbd\xa0", "🤗".encode(), b"ab", b"\n\n"])
EOS, PAD, EXTRA = 256 + 1, 256 + 3, 256 + 7
PLACE = Place(Document("file:///f", "python", 1, "x = "), 4)


def generation(
    committed: Sequence[int] | bytes = (),
    tail: Sequence[int] | bytes = (),
    *,
    tokens: int = 100,
    lines: int = 8,
) -> Generation:
    """A generation with these ids (or bytes, one token each)."""
    one = Generation(PLACE, [1, 2, 3], VOCABULARY, Limits(tokens, lines))
    one.commit(list(committed))
    for token in tail:
        one.draft(token, 0.5)
    return one


@pytest.mark.parametrize(
    ("committed", "tail", "text", "verified"),
    [
        (b"", b"", "", 0),
        (b"ab", b"cd", "abcd", 2),
        # characters over several tokens
        ("你".encode(), "好".encode(), "你好", 1),
        ("你".encode()[:2], "你".encode()[2:], "你", 0),
        ("a🤗".encode()[:-1], b"", "a", 1),
        (b"a", "🤗".encode()[:3], "a", 1),
        ([EXTRA], [0xA0], "你", 0),
        ([EXTRA + 2, EXTRA + 3], [EXTRA + 4], "🤗ab\n\n", 3),
        # no UTF-8: the text ends there
        (b"a\xff", b"b", "a", 1),
        (b"a", b"b\xffc", "ab", 1),
        (b"a\xe4", b"b", "a", 1),
        # line ends
        (b"a\r", b"\nb\r\n", "a\nb\n", 1),
        # ends
        ([97, EOS], b"b", "a", 1),
        ([97], [98, EOS, 99], "ab", 1),
        ([97, PAD, 98], b"c", "a", 1),
        ([97], [PAD], "a", 1),
    ],
)
def test_the_text_of_tokens(
    committed: Sequence[int] | bytes, tail: Sequence[int] | bytes, text: str, verified: int
) -> None:
    """Characters that are whole are shown; what ends a text is not (ux-15)."""
    known = generation(committed, tail).text()
    assert (known.text, known.verified) == (text, verified)


@pytest.mark.parametrize(
    ("lines", "data", "text", "ended"),
    [
        (1, b"a", "a", False),
        (1, b"a\n", "a", True),
        (1, b"\na", "", True),
        (2, b"a\nb", "a\nb", False),
        (2, b"a\nb\n", "a\nb", True),
        (2, b"\n\na\nb", "\n\na\nb", False),
        (2, b"\n\na\nb\n", "\n\na\nb", True),
        (2, b"\n\n\n\n", "\n\n\n\n", False),
        (2, b"\r\n\r\na\r\nb", "\n\na\nb", False),
        (3, b"a\n\n", "a\n\n", False),
        (3, b"a\n\n\n", "a\n\n", True),
    ],
)
def test_lines_are_limited(lines: int, data: bytes, text: str, ended: bool) -> None:
    """Line ends that lead on from a finished line are free, unless the text must stay on its line."""
    drafted, verified = generation(b"", data, lines=lines), generation(data, lines=lines)
    assert (drafted.text().text, drafted.drafted_to_the_end) == (text, ended)
    assert (verified.text().text, verified.verified_to_the_end) == (text, ended)
    assert not drafted.verified_to_the_end


def test_tokens_are_limited() -> None:
    """Both ends are reached at the limit; what stands beyond it is no part of the text."""
    one = generation(b"ab", b"c", tokens=4)
    assert not one.drafted_to_the_end
    one.draft(100, 0.1)
    assert one.drafted_to_the_end
    assert not one.verified_to_the_end
    one.commit(b"cd")
    assert one.verified_to_the_end
    one.commit(b"ef")
    assert (one.text().text, one.text().verified) == ("abcd", 4)


@pytest.mark.parametrize("last", [EOS, PAD, 0xFF])
def test_a_token_that_ends_the_text_ends_the_draft(last: int) -> None:
    """Wherever it stands."""
    assert generation(b"a", [last]).drafted_to_the_end
    assert generation([last, 97]).verified_to_the_end


@pytest.mark.parametrize("finish", ["stop", "length", "context_full", "cancelled"])
def test_after_the_targets_end_nothing_is_drafted(finish: str) -> None:
    """A token that was being drafted as the target ended is not taken."""
    one = generation(b"", b"abc")
    assert one.commit(b"a", finish)  # type: ignore[arg-type]
    one.draft(100, 0.1)
    assert (one.tail, one.tail_entropies, one.text().text) == ([], [], "a")
    assert one.drafted_to_the_end
    assert one.verified_to_the_end


@pytest.mark.parametrize(
    ("tail", "emitted", "left", "useless"),
    [
        (b"abc", b"a", b"bc", False),
        (b"abc", b"abc", b"", False),
        (b"abc", b"abcd", b"", True),
        (b"abc", b"abx", b"", True),
        (b"abc", b"x", b"", True),
        (b"", b"x", b"", True),
        (b"abc", b"", b"abc", False),
    ],
)
def test_a_commit_and_the_tail(tail: bytes, emitted: bytes, left: bytes, useless: bool) -> None:
    """What the target continues stays; the draft under way is useless unless the path is the same."""
    one = generation(b"", tail)
    before = one.ids
    assert one.commit(emitted) is useless
    assert one.tail == list(left)
    assert len(one.tail_entropies) == len(left)
    assert (one.ids != before) is useless
    assert one.commit_len == 3 + len(emitted)


def test_typing_along() -> None:
    """A place off the text, or beyond what is known, does not fit."""
    one = generation(b"ab", b"c")
    for typed, expected in {"": "", "ab": "ab", "abc": "abc", "abcd": None, "x": None}.items():
        document = Document("file:///f", "python", 2, "x = " + typed)
        assert one.typed_to(Place(document, len(document.text))) == expected


tokens = st.sampled_from([97, 98, 10, 13, 0xFF, EOS, PAD, *range(EXTRA, EXTRA + 5), *"é你".encode()])
steps = st.lists(st.tuples(st.booleans(), st.lists(tokens, max_size=4)), max_size=8)


@given(steps, st.integers(1, 12), st.integers(1, 4))
def test_commits_against_a_naive_path(steps: list[tuple[bool, list[int]]], limit: int, lines: int) -> None:
    """The path is context + committed + tail; verified text only grows and is what the committed alone give."""
    one = generation(tokens=limit, lines=lines)
    committed: list[int] = []
    tail: list[int] = []
    verified_before = ""
    for is_commit, ids in steps:
        if is_commit:
            before = committed + tail
            agree = tail[: len(ids)] == ids
            committed += ids
            tail = tail[len(ids) :] if agree else []
            assert one.commit(ids) is (before != committed + tail)
        else:
            tail += ids
            for token in ids:
                one.draft(token, 1.0)
        known = one.text()
        alone = generation(committed, tokens=limit, lines=lines)
        assert one.ids == [1, 2, 3, *committed, *tail]
        assert len(one.tail_entropies) == len(tail)
        assert known.text[: known.verified] == alone.text().text
        assert known.text.startswith(verified_before)
        assert one.verified_to_the_end == alone.drafted_to_the_end
        assert not (one.verified_to_the_end and known.verified < len(known.text))
        assert "\r" not in known.text
        verified_before = known.text[: known.verified]


@pytest.mark.parametrize(
    ("before", "said", "ended", "text", "is_over"),
    [
        ("x = ", "1\n# file: b.x\ny", False, "1\n", True),
        ("x = ", "1\n\n# fil", False, "1\n\n", False),
        ("x = ", "1\n\n# fil", True, "1\n\n# fil", True),
        ("x = ", "1\n# fill", False, "1\n# fill", False),
        ("x = ", "1\n#\n", False, "1\n#\n", False),
        ("x = ", "# file: b.x", False, "# file: b.x", False),
        ("  ", "# file: b.x", False, "", True),
        ("x = ", "\n# file: b.x", False, "\n", True),
    ],
)
def test_the_text_ends_before_the_heading_of_another_file(
    before: str, said: str, ended: bool, text: str, is_over: bool
) -> None:
    """A line that may become one is held back."""
    place = Place(Document("file:///f", "python", 1, before), len(before))
    limits = Limits(100, 8, "# file: ")
    one = Generation(place, [1], VOCABULARY, limits)
    one.commit(list(said.encode()), "stop" if ended else "")
    for token in [EOS] * ended:
        one.committed.append(token)
    assert one.text().text == text
    assert (one._read(one.generated)[1] != "") is is_over


def test_the_draft_model_may_read_other_tokens_of_the_same_text_until_the_target_has_spoken() -> None:
    one = generation(tail=b"urn")
    one.read_as([1, 2, 99])
    assert one.ids == [1, 2, 99]
    one.draft(ord(" "), 0.5)
    assert one.ids == [1, 2, 99, ord(" ")]
    assert one.generated == list(b"urn ")
    one.commit(b"u")
    assert one.ids == [1, 2, 3, *b"urn "]


@pytest.mark.parametrize(
    ("emitted", "own"),
    [
        ([], b"abcd"),
        ([b"x"], b"abc"),
        ([b"ab"], b"abcd"),
        ([b"ab", b"x"], b"abc"),
        ([b"abc", b"x"], b"abc"),
        ([b"abcx"], b"abc"),
        ([b"ax", b"y"], b"abc"),
    ],
    ids=["nothing", "no", "yes", "yes, no", "all, no", "all and more", "first, no"],
)
def test_without_the_target_there_is_what_was_drafted_before_it_said_otherwise(
    emitted: list[bytes], own: bytes
) -> None:
    """What was drafted after the target's own words is nobody's own."""
    one = generation(tail=b"abc")
    for ids in emitted:
        one.commit(list(ids))
    one.draft(ord("d"), 0.25)
    other = one.without_target()
    assert (other.committed, bytes(other.tail)) == ([], own)
    assert other.tail_entropies == [0.5, 0.5, 0.5, 0.25][: len(own)]
    assert (other.place, other.ids) == (one.place, [1, 2, 3, *own])


def test_without_the_target_the_draft_model_reads_what_it_read() -> None:
    one = generation(tail=b"urn")
    one.read_as([1, 2, 99])
    one.commit(b"x")
    assert one.without_target().ids == [1, 2, 99]
    assert one.afresh().ids == [1, 2, 3]


def test_what_is_pending_counts_as_typed_along_until_the_text_says_otherwise() -> None:
    """The place is before a blank that the user has typed, and more after it."""
    after = {
        typed: Place(Document("file:///f", "python", 2, "x = " + typed), 4 + len(typed))
        for typed in ("", " ", " 1")
    }

    def told(said: bytes) -> tuple[list[str | None], bool]:
        one = Generation(PLACE, [1], VOCABULARY, Limits(100, 8), " ")
        for token in said:
            one.draft(token, 0.5)
        return [one.typed_to(place) for place in after.values()], one.is_amiss

    assert told(b"") == (["", " ", None], False)
    assert told(b" ") == (["", " ", None], False)
    assert told(b" 12") == (["", " ", " 1"], False)
    assert told(b"=") == (["", None, None], True)
    assert told("é".encode()[:1]) == (["", " ", None], False)
    ended = Generation(PLACE, [1], VOCABULARY, Limits(100, 8), " ")
    ended.commit([], "stop")
    assert (ended.typed_to(after[" "]), ended.is_amiss) == (None, True)
    assert (ended.afresh().pending, ended.without_target().pending) == (" ", " ")
