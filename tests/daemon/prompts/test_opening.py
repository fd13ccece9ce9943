"""What stands before a document of other files: names, separators, and what there is room for."""

from __future__ import annotations

from daemon.prompts.opening import framed_ids, heading, line_comment_of, opening_ids

SEPARATOR = 0x1F4C4


def characters(text: str) -> list[int]:
    return [ord(one) for one in text]


def opening(pieces: list[tuple[str, str]], budget: int, comment: str = "#") -> str:
    ids = opening_ids(pieces, "open.py", characters, budget=budget, line_comment=comment, file_separator=None)
    return "".join(map(chr, ids))


def test_each_file_stands_under_its_name_and_the_documents_comes_last() -> None:
    assert opening([("a.py", "x = 1\n\n"), ("b.py", "y = 2")], 100) == (
        "# file: a.py\nx = 1\n\n# file: b.py\ny = 2\n\n# file: open.py\n"
    )


def test_pieces_of_one_file_stand_under_its_name_once() -> None:
    assert opening([("a.py", "x = 1\n"), ("a.py", "y = 2\n")], 100) == (
        "# file: a.py\nx = 1\n\ny = 2\n\n# file: open.py\n"
    )


def test_the_last_are_left_out_where_there_is_no_room() -> None:
    pieces = [("a.py", "x = 1\n"), ("b.py", "y = 2\n")]
    one = opening(pieces[:1], 100)
    assert opening(pieces, len(opening(pieces, 100)) - 1) == one
    assert opening(pieces, len(one)) == one
    assert opening(pieces, len(one) - 1) == ""
    assert opening([], 100) == ""


def test_without_comments_the_names_are_left_out() -> None:
    assert opening([("a", "x\n"), ("b", "y\n")], 100, comment="") == "x\n\ny\n\n"


def test_the_models_own_separator_stands_before_each_name() -> None:
    ids = framed_ids([("a.py", "x\n\n")], "open.py", characters, line_comment="#", file_separator=SEPARATOR)
    assert ids == [SEPARATOR, *characters("a.py\nx\n"), SEPARATOR, *characters("open.py\n")]


def test_comments_by_language() -> None:
    assert [line_comment_of(one) for one in ("python", "c", "lua", "brainfuck")] == ["#", "//", "--", ""]
    assert (heading("//"), heading("")) == ("// file: ", "")
