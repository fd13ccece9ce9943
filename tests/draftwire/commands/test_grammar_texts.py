"""`draftwire grammar test`, `next` and `bench`: real grammars, a tiny model's vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from draftwire.cli import app
from draftwire.commands.grammar_texts import in_a_row
from draftwire.failures import Exit
from tests.fakes.orders import BROKEN, GRAMMAR, SHORT, TEXT, WRONG, write
from tests.fakes.tiny_gguf import tiny_llama

runner = CliRunner()


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the grammar, three texts, and a tiny draft model."""
    write(tmp_path)
    for name, text in {"good.ord": TEXT, "wrong.ord": WRONG, "short.ord": SHORT}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    model = tiny_llama(tmp_path / "tiny.gguf")
    settings = f'[draft]\nmodel = "{model}"\ncache_dir = "cache"\ncontext_tokens = 256\nwindow_tokens = 64\n'
    (tmp_path / "config.toml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


# test -------------------------------------------------------------------------------------------------------


def test_a_file_that_follows_the_grammar() -> None:
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "good.ord"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "good.ord: ok\nall according to orders: 1 file\n"


def test_the_first_error_has_its_place_what_was_expected_and_the_line() -> None:
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "good.ord", "wrong.ord"])
    assert result.exit_code == Exit.NOTHING
    assert result.stdout.splitlines() == [
        "good.ord: ok",
        'wrong.ord:2:6: error: "苹果" may not stand here; expected amount',
        "    sell 苹果 3;",
        "         ^~",
    ]
    assert result.stderr == "draftwire: not according to orders: 1 of 2 files\n"


def test_a_text_that_ends_too_early_is_told_apart() -> None:
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "short.ord", "--json"])
    assert result.exit_code == Exit.NOTHING
    found = json.loads(result.stdout)
    assert (found["grammar"], found["passed"], found["failed"]) == ("orders", 0, 1)
    [file] = found["files"]
    assert (file["outcome"], file["line"], file["column"]) == ("ends too early", 2, 7)
    assert "name" in file["expected"]
    plain = runner.invoke(app, ["grammar", "test", "orders.bnf", "short.ord"])
    assert plain.stdout.startswith("short.ord:2:7: error: the text ends too early; expected ")


def test_folders_give_the_grammars_files_and_globs_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.ord").write_text(TEXT, encoding="utf-8")
    (tmp_path / "deep" / "other.txt").write_text("no", encoding="utf-8")
    (tmp_path / "deep" / ".hidden.ord").write_text("no", encoding="utf-8")
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "deep", "g*.ord", "good.ord", "--json"])
    assert result.exit_code == 0, result.stderr
    assert [one["file"] for one in json.loads(result.stdout)["files"]] == ["deep/er/x.ord", "good.ord"]
    for argument, said in (
        ("*.none", "no file matches *.none"),
        ("empty", "there are no files like *.ord in empty"),
    ):
        (tmp_path / "empty").mkdir(exist_ok=True)
        nothing = runner.invoke(app, ["grammar", "test", "orders.bnf", argument])
        assert (nothing.exit_code, nothing.stderr) == (Exit.UNREADABLE, f"draftwire: {said}\n")


def test_a_schema_names_its_files_as_well(tmp_path: Path) -> None:
    write(tmp_path, '{"x-draftwire-files": ["*.conf"], "type": "array"}', "lists.schema.json")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.conf").write_text("[1]", encoding="utf-8")
    (tmp_path / "deep" / "a.ord").write_text(TEXT, encoding="utf-8")
    result = runner.invoke(app, ["grammar", "test", "lists.schema.json", "deep"])
    assert (result.exit_code, result.stdout) == (0, "deep/a.conf: ok\nall according to lists: 1 file\n")


def test_what_is_no_utf_8_text_fails_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "latin.ord").write_bytes("buy 1 é;".encode("latin-1"))
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "latin.ord", "gone.ord", "good.ord"])
    assert result.exit_code == Exit.NOTHING
    assert result.stdout.splitlines() == [
        "latin.ord: error: latin.ord is not UTF-8 text (byte 6); convert it first",
        "gone.ord: error: gone.ord can't be read: No such file or directory",
        "good.ord: ok",
    ]


def test_a_grammar_is_known_by_name_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": [1, 2,]}', encoding="utf-8")
    result = runner.invoke(app, ["grammar", "test", "json", "a.json"])
    assert result.exit_code == Exit.NOTHING
    assert result.stdout.startswith('a.json:1:13: error: "]" may not stand here; expected ')


@pytest.mark.parametrize(
    ("grammar", "status", "said"),
    [
        ("nothing", Exit.USAGE, "there is no file and no grammar nothing; the grammars are dot, "),
        ("gone.bnf", Exit.UNREADABLE, "gone.bnf can't be read: there is no such file"),
        (".", Exit.USAGE, ". is a folder; name one of the grammars in it"),
    ],
)
def test_a_grammar_that_is_not_there(grammar: str, status: Exit, said: str) -> None:
    result = runner.invoke(app, ["grammar", "test", grammar, "good.ord"])
    assert result.exit_code == status
    assert result.stderr.startswith(f"draftwire: {said}")


def test_a_grammar_of_a_project_that_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    write(project / ".draftwire" / "grammars", GRAMMAR.replace("name orders", "name theirs"))
    (project / "a.ord").write_text(TEXT, encoding="utf-8")
    result = runner.invoke(app, ["grammar", "test", "theirs", "project/a.ord"])
    assert result.exit_code == Exit.USAGE
    assert (
        f"the grammar theirs of {project} is not trusted; run: draftwire grammar trust {project}"
        in result.stderr
    )


def test_a_grammar_with_errors_is_shown_as_by_check(tmp_path: Path) -> None:
    write(tmp_path, BROKEN)
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "good.ord"])
    assert (result.exit_code, result.stdout) == (Exit.NOTHING, "")
    assert "orders.bnf:9:12: error: name refers to letter" in result.stderr
    assert result.stderr.endswith("draftwire: the grammar orders.bnf can't be used\n")


def test_of_a_word_the_part_is_named_from_which_on_it_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "word.ord").write_text("buy 1 bx;", encoding="utf-8")
    result = runner.invoke(app, ["grammar", "test", "orders.bnf", "word.ord"])
    assert result.stdout.startswith(
        'word.ord:1:8: error: "bx" may not stand here, from "x" on; expected ";"\n'
    )


def test_many_names_are_cut_short() -> None:
    assert in_a_row(("a",)) == "a"
    assert in_a_row(("a", "b", "c")) == "a, b or c"
    assert in_a_row(tuple("abcdefghijklmnop")) == "a, b, c, d, e, f, g, h, i, j, k, l or one of 4 others"


# next -------------------------------------------------------------------------------------------------------


def test_what_may_come_at_a_place() -> None:
    result = runner.invoke(app, ["grammar", "next", "orders.bnf", "good.ord:2:6", "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["mode"], found["expected"], found["may_end"]) == ("masked", ["amount"], False)
    texts = {token["text"] for token in found["tokens"]}
    assert set("0123456789") <= texts
    assert "a" not in texts
    assert len(found["tokens"]) <= 16
    assert found["allowed_tokens"] >= len(found["tokens"])
    assert found["vocabulary"] > 256


def test_the_place_counts_characters() -> None:
    after = json.loads(
        runner.invoke(app, ["grammar", "next", "orders.bnf", "good.ord:2:10", "--json"]).stdout
    )
    assert '";"' in after["expected"] or "name" in after["expected"]
    plain = runner.invoke(app, ["grammar", "next", "orders.bnf", "good.ord:4:1", "--count", "3"])
    assert plain.exit_code == 0
    rows = {line.split("  ")[0]: line for line in plain.stdout.splitlines()}
    assert '"buy", "sell", "付款"' in rows["expected"]
    assert rows["may end here"].split()[-1] == "yes"


def test_the_draft_models_best_first() -> None:
    result = runner.invoke(
        app, ["grammar", "next", "orders.bnf", "good.ord:2:6", "--model", "--json", "--count", "4"]
    )
    assert result.exit_code == 0, result.stderr
    logits = [token["logit"] for token in json.loads(result.stdout)["tokens"]]
    assert len(logits) == 4
    assert logits == sorted(logits, reverse=True)


def test_after_an_error_all_is_allowed_or_the_text_was_taken_up_again(tmp_path: Path) -> None:
    on_its_line = runner.invoke(app, ["grammar", "next", "orders.bnf", "wrong.ord:2:8", "--json"])
    found = json.loads(on_its_line.stdout)
    assert (found["mode"], found["expected"]) == ("unmasked", [])
    assert found["reason"] == "line 2, column 6 is not as the grammar has it"
    (tmp_path / "wrong.ord").write_text(f"{WRONG}{TEXT}", encoding="utf-8")
    below = runner.invoke(app, ["grammar", "next", "orders.bnf", "wrong.ord:6:1"])
    assert "resynced (resumed after the error at line 2, column 6)" in below.stdout


def test_in_a_host_file_the_island_is_asked_about(tmp_path: Path) -> None:
    with (tmp_path / "config.toml").open("a", encoding="utf-8") as file:
        file.write(
            '[[grammars.islands]]\nhost = "*.md"\nopen = "^~~~ord\\n"\nclose = "^~~~"\ngrammar = "orders"\n'
        )
    (tmp_path / "a.md").write_text("# 订单\n\n~~~ord\nbuy 1 a;\nsell \n~~~\nend\n", encoding="utf-8")
    found = json.loads(runner.invoke(app, ["grammar", "next", "orders.bnf", "a.md:5:6", "--json"]).stdout)
    assert (found["mode"], found["expected"]) == ("masked", ["amount"])
    assert found["island"] == {"line": 4, "column": 1}
    plain = runner.invoke(app, ["grammar", "next", "orders.bnf", "a.md:5:6"])
    assert "from line 4, column 1" in plain.stdout
    outside = runner.invoke(app, ["grammar", "next", "orders.bnf", "a.md:7:1"])
    assert outside.exit_code == Exit.USAGE
    assert outside.stderr.startswith("draftwire: the place is outside the islands of orders in a.md")


def test_a_place_outside_the_file_is_wrong_usage() -> None:
    result = runner.invoke(app, ["grammar", "next", "orders.bnf", "good.ord:99:1"])
    assert (result.exit_code, result.stderr) == (Exit.USAGE, "draftwire: good.ord has 5 lines, not 99\n")


# bench ------------------------------------------------------------------------------------------------------


def test_what_a_grammar_costs() -> None:
    result = runner.invoke(app, ["grammar", "bench", "orders.bnf", "good.ord", "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["grammar"], found["files"], found["bytes"]) == ("orders", 1, len(TEXT.encode()))
    for name in ("compile", "load", "parse", "key", "token_check", "full_mask"):
        assert found[name]["samples"] > 0, name
        assert 0 <= found[name]["p50"] <= found[name]["p99"], name
    plain = runner.invoke(app, ["grammar", "bench", "orders.bnf", "good.ord"])
    assert "token check" in plain.stdout


def test_a_file_that_departs_from_the_grammar_is_named_with_what_its_figures_cover() -> None:
    result = runner.invoke(app, ["grammar", "bench", "orders.bnf", "good.ord", "wrong.ord", "short.ord"])
    assert result.exit_code == 0
    assert "token check" in result.stdout
    [said] = result.stderr.splitlines()
    assert said.startswith('wrong.ord:2:6: departs from the grammar: "苹果" may not stand here; expected ')
    assert "(token check and full mask are measured only where the file follows it; parse and key" in said


def test_the_examples_beside_a_grammar_are_measured_unless_files_are_named(tmp_path: Path) -> None:
    without = runner.invoke(app, ["grammar", "bench", "orders.bnf"])
    assert without.exit_code == Exit.USAGE
    assert "orders.bnf comes without examples; name files of the language after it" in without.stderr
    (tmp_path / "orders.examples").mkdir()
    (tmp_path / "orders.examples" / "one.ord").write_text(TEXT * 3, encoding="utf-8")
    found = json.loads(runner.invoke(app, ["grammar", "bench", "orders.bnf", "--json"]).stdout)
    assert found["bytes"] == 3 * len(TEXT.encode())
