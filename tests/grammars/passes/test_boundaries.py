"""Where statements may be over, and how line comments begin."""

from __future__ import annotations

import pytest

from grammars.compiler import compile_text


@pytest.mark.parametrize(
    ("source", "boundaries"),
    [
        ('t = { s } ; s = "a", n, ";" | "b", n, "}" | n, ",", n ;', ("\n", ";", "}")),
        ('t = s, { ";", s } ; s = n, "+", n ;', ("\n", ";")),
        ('t = n, { ",", n } ;', ("\n",)),
        (
            't = "do", "{", b, "}" | "(", { n }, ")" | "x", { n }, "y" ; b = { n } ;',
            ("\n", "(", ")", "{", "}"),
        ),
        ('t = { "[", n, "%}" | n, { "-" }, "}" } ;', ("%}", "\n", "}")),
        ('t = { ( "+" | "-" ), s } ; s = n, ";" ;', ("\n",)),
        ('t = { s } ; s = n, "!" | "do", { s }, "end" ;', ("\n", "!")),
        ('t = { s } ; s = n, { n, "!" }- ;', ("\n", "!")),
        ('t = { s } ; s = n, "!" | n, { n, "!" } ;', ("\n",)),
        ('t = { s } ; s = n, "!" | n ;', ("\n",)),
        ('t = { s } ; s = "do", e | "undo", "a", e ; e = n, "!" ;', ("\n", "!")),
        ('t = { s } ; s = "x", n, ")" | n, "!" ;', ("\n", "!")),
        ('t = { s } ; s = { n, "," }-, ";" ;', ("\n", ";")),
        ('t = { [ s ] } ; s = { n, s, "." | n, "。" } ; ', ("\n", ".", "。")),
    ],
)
def test_boundaries(source: str, boundaries: tuple[str, ...]) -> None:
    """Ends of repeated parts, brackets around repetitions, separators of statements, line ends; longest first."""
    assert compile_text(source + "n = ? [a-z]+ ? ;", dialect="ebnf").boundaries == boundaries


@pytest.mark.parametrize(
    ("source", "comments"),
    [
        ("start: N*\nN: /[a-z]/\nC: /#[^\\n]*/\n%ignore C\n", ("#",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]/* /\\n/?\n%ignore C\n', ("//",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*(\\n|\\n\\n)/\n%ignore C\n', ("//",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*/ "\\n\\n"\n%ignore C\n', ("//",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*/ "x"\n%ignore C\n', ()),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*[\\r\\n]/\n%ignore C\n', ("//",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*/ "\\n"\n%ignore C\n', ("//",)),
        ('start: N*\nN: /[a-z]/\nC: "//" /[^\\n]*/ N\n%ignore C\n', ()),
        ("start: N*\nN: /[a-z]/\nC: /<<(.|\\n)*?>>/\n%ignore C\n", ()),
        ("start: N*\nN: /[a-z]/\nC: /<[^>]*>/\nW: / +/\n%ignore C\n%ignore W\n", ()),
    ],
)
def test_line_comments(source: str, comments: tuple[str, ...]) -> None:
    """From the rules that are skipped: a sign, and then anything to the end of the line."""
    assert compile_text(source, dialect="lark").line_comments == comments


def test_comment_whose_end_is_another_terminal() -> None:
    """Then it is no line comment as far as can be seen."""
    source = "start: N*\nN: /[a-z]/\nE: /\\n|;/\nC: /#/ /[^\\n]*/ E\n%ignore C\n"
    assert compile_text(source, dialect="lark").line_comments == ()


def test_annotated_line_comments() -> None:
    """And from annotations."""
    compiled = compile_text('# @comment -- eol\nroot ::= "a"', file_name="x.gbnf")
    assert compiled.line_comments == ("--",)
