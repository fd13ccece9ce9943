"""What the engine's thread does: a place, the tokens after it, and what may come next, whatever was asked before."""

from __future__ import annotations

import random

import pytest

from daemon.documents import Document, Place
from daemon.grammars.follower import Follower
from daemon.screen.shaping import cuts
from tests.fakes.engine import byte_vocabulary
from tests.fakes.grammars import quoted, whole

VOCABULARY = byte_vocabulary()
EOS = VOCABULARY.special_ids["eos"]
BOS = VOCABULARY.special_ids["bos"]


def at(marked: str) -> Place:
    """`|` is the cursor."""
    before, _, after = marked.partition("|")
    return Place(Document("x.lets", "lets", 1, before + after), len(before))


def follower() -> Follower:
    return Follower(whole(), VOCABULARY)


def legal(place: Place, *, generated: bytes = b"", by: Follower | None = None) -> set[str]:
    """Which printable characters, and "end", may come next."""
    by = by or follower()
    found = {chr(i) for i in range(32, 127) if by.first_legal(place, list(generated), [i]).index is not None}
    return found | ({"end"} if by.first_legal(place, list(generated), [EOS]).index is not None else set())


LETTERS = set("abcdefghijklmnopqrstuvwxyz")


@pytest.mark.parametrize(
    ("marked", "generated", "expected"),
    [
        ("|", b"", set("ld #") | {"end"}),
        ("let a|", b"", LETTERS | set(" =#")),
        ("let a = |", b"", LETTERS | set("0123456789( #")),
        ("let a = |", b"1", set("0123456789,; #")),
        ("let a = 1;|", b"", set("ld #") | {"end"}),
        ("let a = |\n", b"1;", set("ld #") | {"end"}),
        ("let a = |; del b;", b"1", set("0123456789,; #") | {"end"}),
        ("let a = |; del b;", b"", LETTERS | set("0123456789( #")),
    ],
)
def test_what_may_come_next(marked: str, generated: bytes, expected: set[str]) -> None:
    """The end may where the text may end, or before text after the cursor where that can follow."""
    assert legal(at(marked), generated=generated) == expected


def test_the_best_legal_candidate_is_found_in_the_order_given() -> None:
    """Stop tokens have their place in it."""
    place = at("let a = 1|;")
    search = follower().first_legal
    assert search(place, [], [*b"=+;", EOS]).index == 2
    assert search(place, [], [*b"=+", EOS, *b";"]).index == 2
    assert search(place, [], [EOS, *b";"]).index == 0
    assert search(at("let a = |;"), [], [EOS, *b";", EOS, *b"7"]).index == 3
    assert search(place, [], [*b"=+", BOS]).index is None
    assert (search(place, [], [*b"=+;,"]).checks, search(place, [], [*b"=+"]).checks) == (3, 2)


def test_the_mask_says_what_the_search_finds() -> None:
    for marked in ("|", "let a = |", "let a = 1|; del b;", "let a = 1|", "del |"):
        place, one = at(marked), follower()
        allowed = one.allowed(place, [])
        for token in range(VOCABULARY.n_vocab):
            assert allowed[token] == (one.first_legal(place, [], [token]).index is not None)


def test_rollback_equals_replay() -> None:
    """Verdicts, rejected tails, other places, in any order: the answers are those of a follower that knows only one."""
    rng = random.Random(5)
    places = [at("let a = |"), at("let b = 1;\n|"), at("del |;\nlet c = 2;"), at("let a = 1; let ) x|")]
    paths = [b"", b"1", b"12", b"12;", b"x", b"=", b"=1;", b"1;let q=2;", bytes([49]) * 3]
    one = follower()
    for _ in range(60):
        place, path = rng.choice(places), list(rng.choice(paths))
        if rng.random() < 0.3:
            one.fit(place, path, rng.choice(["1;", "x", "; ;"]), place)
        fresh = follower()
        candidates = [rng.randrange(32, 127) for _ in range(5)]
        assert one.first_legal(place, path, candidates) == fresh.first_legal(place, path, candidates)
        assert (one.allowed(place, path) == fresh.allowed(place, path)).all()


def test_an_illegal_token_of_the_target_unmasks_what_comes_after_it_only() -> None:
    one, place = follower(), at("let a = |")
    found = one.first_legal(place, list(b"1=x"), [*b"="])
    assert (found.index, found.mode.kind, found.illegal) == (0, "unmasked", (1,))
    found = one.first_legal(place, list(b"1"), [*b"=;"])
    assert (found.index, found.mode.kind, found.illegal) == (1, "masked", ())


def test_tokens_that_stand_for_no_text_end_the_path() -> None:
    one, place = follower(), at("let a = |")
    assert one.first_legal(place, [*b"1", EOS, *b"="], [*b"=;"]) == one.first_legal(
        place, list(b"1"), [*b"=;"]
    )


@pytest.mark.parametrize(
    ("marked", "text", "fitting"),
    [
        ("let a = |", "1, 2;\ndel b;", "1, 2;\ndel b;"),
        ("let a = |", "1, = 2", "1,"),
        ("let a = |;\ndel b;", "1, 2", "1, 2"),
        ("let a = |;\ndel b;", "1, 2;", "1, 2;"[:4]),
        ("let a = |;\ndel b;", "1, (2", "1"),
        ("let a = |; del b;", "= 2", ""),
        ("let a = 1;\n|\nlet b = 2;\n", "let c = 3", ""),
        ("let a |\ndel b;", "= 1, 2; (", "= 1, 2;"),
        ("|\nlet a = 1;", "  del abc; let q = ", "  del abc;"),
        ("let a = 1;\n|\n", "let b =", "let b ="),
    ],
)
def test_how_much_fits_before_the_text_after_the_cursor(marked: str, text: str, fitting: str) -> None:
    place = at(marked)
    assert text[: follower().fit(place, list(text.encode()), text, place)] == fitting


def test_a_bracket_that_the_editor_closed_counts_as_text_after_the_cursor() -> None:
    """The run began before it was typed."""
    began, now = at("let a = |;"), at("let a = (|);")
    assert follower().fit(began, [], "(12)", began) == 4
    assert follower().fit(began, [], "(12", now) == 3
    assert follower().fit(began, [], "(12)", now) == 3


def test_the_text_after_the_cursor_follows_as_well_as_it_ever_could() -> None:
    """A statement begun breaks what follows; it is known from before that this could follow."""
    one = follower()
    before, within = at("|\ndel b;\n"), at("let a |\ndel b;\n")
    assert follower().fit(within, list(b"= 1, ("), "= 1, (", within) == 6
    one.stand(before)
    one.stand(within)
    assert one.fit(within, list(b"= 1, ("), "= 1, (", within) == 0
    assert one.fit(within, list(b"= 1, (2);"), "= 1, (2);", within) == 9
    for number in range(20):  # of other texts it is known, too; not of all there ever were
        one.stand(at(f"|\ndel b;\n# {number}\n"))
    assert one.fit(within, list(b"= 1, ("), "= 1, (", at("let a |\ndel b;\n")) == 6


def test_as_a_text_grows_only_what_is_new_is_looked_at_and_the_answers_are_the_same() -> None:
    place = at("let a = |;\ndel b;\n")
    text = "12, ((345)), b; del c"
    path = list(text.encode())
    one = follower()
    one.stand(place)
    grown = [one.fit(place, path[:length], text[:length], place) for length in range(1, len(text) + 1)]
    for length, cut in enumerate(grown, 1):
        fresh = follower()
        fresh.stand(place)
        assert cut == fresh.fit(place, path[:length], text[:length], place)
    assert grown == sorted(grown)
    assert text[: grown[-1]] == "12, ((345)), b; del c"
    assert one.fit(place, [], "x y", place) == 1  # another text
    assert one.fit(place, [], "x y, z", place) == 1


REMARK = "\n# " + "x" * 80 + "\n"
"""Longer than the window, and it may stand anywhere."""


@pytest.mark.parametrize(
    ("marked", "text", "fitting"),
    [
        (f"let a = 1|{REMARK};", ", (2", ""),
        (f"let a = 1|{REMARK};", ", (2)", ", (2)"),
        ("# a|\n" + REMARK + "let b = 1;", " remark (as\nlet c = (2", " remark (as"),
        ("# a|\n" + REMARK + "let b = 1;", " remark (as", " remark (as"),
    ],
    ids=["a bracket", "closed", "after a remark", "in a remark"],
)
def test_what_was_left_open_earlier_in_the_text_is_not_forgotten(
    marked: str, text: str, fitting: str
) -> None:
    """However the text has grown."""
    place = at(marked)
    for by in (range(len(text), len(text) + 1), grown(text)):
        one = follower()
        one.stand(place)
        for length in by:
            kept = one.fit(place, list(text[:length].encode()), text[:length], place)
        assert text[:kept] == fitting


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        (", 2;", ", 2"),
        (", 2; del c;", ", 2; del c"),
        (", 2; del c; let d = 5", ", 2; del c; let d = 5"),
        (", 2, b", ", 2, b"),
    ],
)
def test_what_breaks_text_far_behind_the_cursor_is_cut_off(text: str, fitting: str) -> None:
    place, one = at(f"let a = 1|{REMARK};\n"), follower()
    one.stand(place)
    assert text[: one.fit(place, list(text.encode()), text, place)] == fitting


def test_so_much_and_no_more_is_tried_of_what_breaks_text_far_behind_the_cursor() -> None:
    """What fitted before stays."""
    place, one = at(f"let a = 1|{REMARK};\n"), follower()
    one.stand(place)
    text = ", 2"
    assert one.fit(place, list(text.encode()), text, place) == 3
    text += "; let c ="
    assert one.fit(place, list(text.encode()), text, place) == 3


@pytest.mark.parametrize(
    ("marked", "text", "fitting"),
    [
        ("let a = |", "1 # or so", "1"),
        ("let a = |", "# a number", ""),
        ("let a = |", "1; # or so", "1; # or so"),
        ("let a = 1;|", " # or so\nlet b # is", " # or so\nlet b"),
        ("let a = 1;\n|", "# next\n# let b\nlet b = 2, # or so", "# next\n# let b\nlet b = 2,"),
        ("let a =\n|", "  # a number\n  1;", "  # a number\n  1;"),
        ("# a |", "# b # c", "# b # c"),
    ],
)
def test_a_comment_in_the_middle_of_a_statement_is_not_shown(marked: str, text: str, fitting: str) -> None:
    """It is the way out of a draft that can't go on. The user's own goes on."""
    place = at(marked)
    assert text[: follower().fit(place, list(text.encode()), text, place)] == fitting


def test_an_island_has_lines_of_its_own() -> None:
    one, place = island('x = lets"|')
    assert one.fit(place, [], "# remark", place) == 8
    one, place = island('x = lets"let a = |')
    assert one.fit(place, [], "1 # remark", place) == 1


def test_how_far_the_text_after_the_cursor_follows_counts_from_where_it_first_does() -> None:
    """It did not without the text."""
    place, one = at(f"let a = |{REMARK};\n"), follower()
    one.stand(place)
    assert one.fit(place, list(b"1"), "1", place) == 1
    assert one.fit(place, list(b"1; del b"), "1; del b", place) == 8
    assert one.fit(place, list(b"1; del b;"), "1; del b;", place) == 8


@pytest.mark.parametrize(
    ("marked", "text", "fitting"),
    [
        ("x = |", "", None),
        ('x = lets"let a = |"; y', "", "masked"),
        ('x = lets"let a = |"; y', "1, = 2", "1,"),
        ('x = lets"let a = |; del b;"; y', "1, 2; let b", "1, 2"),
        ('x = lets"let a = |', "1, (2", "1, (2"),
        ('lets"let a =";\nlets"del |"', "a, b", "a"),
    ],
)
def test_islands_have_the_grammar_and_what_is_around_them_has_none(
    marked: str, text: str, fitting: str | None
) -> None:
    """What stands after an island is no text of its language; of one that is not closed nothing is known."""
    place, one = at(marked), Follower(quoted(), VOCABULARY)
    while not one.read(place):
        pass
    mode = one.stand(place)
    if fitting is None:
        assert mode is None
    else:
        assert mode is not None
        if text:
            assert text[: one.fit(place, list(text.encode()), text, place)] == fitting
        else:
            assert mode.kind == fitting


def island(marked: str) -> tuple[Follower, Place]:
    """In a host whose islands are between `lets"` and `"`; what is before the cursor has been read."""
    place, one = at(marked), Follower(quoted(), VOCABULARY)
    while not one.read(place):
        pass
    one.stand(place)
    return one, place


def grown(text: str) -> list[int]:
    """Its lengths as it grows; what is shown never ends in a blank."""
    return [length for length in range(1, len(text) + 1) if not text[length - 1].isspace()]


EVERYTHING = {chr(i) for i in range(32, 127)} | {"end"}


def test_a_draft_closes_an_island_where_that_may_end_and_everything_goes_after_it() -> None:
    one, place = island('x = lets"let a = |')
    assert '"' not in legal(place, by=one)
    assert '"' not in legal(place, generated=b"1", by=one)
    assert legal(place, generated=b"1;", by=one) == set('ld #"') | {"end"}
    assert legal(place, generated=b'1;"', by=one) == EVERYTHING
    assert legal(place, generated=b'1;" = =', by=one) == EVERYTHING
    found = one.first_legal(place, list(b'1;" = '), [61])
    assert (found.mode.reason, found.illegal) == ("outside the island", ())
    assert legal(place, generated=b"1;", by=one) == set('ld #"') | {"end"}


def test_an_illegal_close_of_the_targets_is_as_any_illegal_token() -> None:
    one, place = island('x = lets"let a = |')
    found = one.first_legal(place, list(b'1"x'), [61])
    assert (found.index, found.mode.kind, found.illegal) == (0, "unmasked", (1,))


@pytest.mark.parametrize(
    ("marked", "text", "fitting"),
    [
        ('lets"let a = |', '1;" + = =', '1;" + = ='),
        ('lets"let a = |', '1" + = =', "1"),
        ('lets"let a = |', '1, ="', "1,"),
        ('lets"let a = 1;|', '"', '"'),
        ('lets"let a = |" + y', '1; " + = =', "1;"),
        ('lets"let a = |" + y', '" + = =', ""),
        ('lets"let a = |; del b;" + y', '1, b; del c;"', "1, b; del c"),
        ('lets"let a = |; y = "del b"', '1; del c;" + z', '1; del c;" + z'),
        ('lets"let a = |; y = "del b"', "1, b, 2", "1, b, 2"),
    ],
)
def test_a_text_that_closes_the_island_is_shown_unless_the_close_is_there(
    marked: str, text: str, fitting: str
) -> None:
    """Of a close that stands after text which is none of the language, the draft may say that it is another's."""
    one, place = island(marked)
    path = list(text.encode())
    for length in grown(text):
        one.fit(place, path[:length], text[:length], place)
    assert text[: one.fit(place, path, text, place)] == fitting
    fresh, place = island(marked)
    assert text[: fresh.fit(place, path, text, place)] == fitting


def test_typing_along_out_of_an_island() -> None:
    one, began = island('lets"let a = |')
    text = '1;" + y'
    for typed in range(len(text)):
        now = at(f'lets"let a = {text[:typed]}|')
        assert one.fit(began, list(text.encode()), text, now) == len(text)


def test_half_a_surrogate_pair_is_text_that_nothing_fits_before() -> None:
    place = at("let a = |; \ud83d del b;")
    assert follower().fit(place, list(b"1, 2"), "1, 2", place) == 4
    assert legal(at("let a = 1; \ud83d|")) == EVERYTHING


def test_only_what_may_be_cut_is_and_what_was_found_stays() -> None:
    """A text may end in the middle of a word for a moment."""
    one, place = follower(), at("let a = |\ndel b;")
    one.stand(at("let a = 1;|\ndel b;"))
    text, shown = "1; let cde = 12; ((", 0
    for length in grown(text):
        fitting = one.fit(place, list(text[:length].encode()), text[:length], place)
        assert fitting in {0, shown} or fitting in cuts(text[:length], place)
        shown = max(shown, fitting)
    assert text[:shown] == "1; let cde = 12;"


def test_a_long_host_is_looked_through_in_slices() -> None:
    host, calls = "x = 1\n" * 20_000 + 'lets"let a = ', 1
    place, one = at(host + "|"), Follower(quoted(), VOCABULARY)
    while not one.read(place):
        calls += 1
    assert 4 <= calls <= 6
    assert "1" in legal(place, by=one)
    assert "=" not in legal(place, by=one)


def test_where_the_text_is_lost_there_is_a_reason() -> None:
    mode = follower().stand(at("let a = = |; del b;"))
    assert mode is not None
    assert mode.kind == "unmasked"
    assert "line 1" in mode.reason


def test_a_long_text_is_read_in_pieces() -> None:
    place, one, calls = at("let a = 1;\n" * 800 + "let b = |"), follower(), 1
    while not one.read(place):
        calls += 1
    assert 3 <= calls <= 10
    assert legal(place, by=one) == legal(at("let b = |"))
