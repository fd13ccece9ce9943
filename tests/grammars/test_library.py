"""The built-in grammars: they compile without a word, take real files whole, and agree with an independent parser."""

# ruff: noqa: E501  (tables of texts in other languages)

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Final

import pytest

from benchmarks.dsl.files import GENERATORS, generated, real_files
from benchmarks.mask.earley_oracle import accepts
from grammars.compiled import CompiledGrammar
from grammars.compiler import compile_text
from grammars.engine import LlguidanceRecogniser, TokenTable, load
from tests.fakes.mutated_files import LIBRARY, NAMES, slipped, small_file

JUDGED: Final = int(os.environ.get("DRAFTWIRE_JUDGED_FILES", "160"))
"""Files that lark judges too; the suite's share of the 1,000 that are asked for."""

MAPPED: Final = {
    "dot": ("w3c", ("dot",), "*.dot"),
    "fsm_zh": ("bnf", ("fsm_zh",), "*.fsm"),
    "graphql": ("lark", ("graphql",), "*.graphql"),
    "json": ("gbnf", ("json",), "*.geojson"),
    "promql": ("abnf", ("promql",), "*.promql"),
    "proto3": ("antlr4", ("proto", "proto3"), "*.proto"),
    "sql": ("bnf", (), ""),
    "st": ("ebnf", ("st",), "*.st"),
}
"""Name -> dialect, languages, one of the globs. SQL is a subset, and must not hide what a full dialect allows."""


@cache
def library(name: str) -> CompiledGrammar:
    [file] = (LIBRARY / name).glob("grammar.*")
    return compile_text(file.read_text(), file_name=file.name)


@cache
def table() -> TokenTable:
    return TokenTable([bytes([byte]) for byte in range(256)] + [b"<end>"], control_ids=(), stop_ids=(256,))


@cache
def fresh(name: str) -> LlguidanceRecogniser:
    return load(library(name), table())


def followed(name: str, text: str) -> tuple[int, bool]:
    """How many bytes of the text the grammar follows, and whether it may end after them."""
    recogniser = fresh(name).copy()
    data = text.encode()
    return recogniser.consume(table().greedy(data)), recogniser.accepting()


def problem(name: str, text: str) -> str:
    """Where the grammar leaves the text; empty: it takes it whole."""
    data = text.encode()
    at, may_end = followed(name, text)
    if at == len(data):
        return "" if may_end else f"{name}: incomplete at the end: {text[-60:]!r}"
    before, after = data[:at].decode(errors="replace"), data[at : at + 40].decode(errors="replace")
    return f"{name}, line {before.count(chr(10)) + 1}: {before[-60:]!r} >>> {after!r}"


def files(name: str) -> Iterator[str]:
    """At least 50 kB of real or generated files."""
    if name in GENERATORS:
        yield from (generated(name, 10_000, seed) for seed in range(5))
        return
    size = 0
    for _, text in real_files(name):
        yield text
        size += len(text.encode())
        if size > 400_000:
            return


def test_the_built_in_grammars_are_known_by_name() -> None:
    assert set(NAMES) == MAPPED.keys()


def test_every_dialect_has_a_built_in_grammar_to_learn_from() -> None:
    dialects = {library(name).dialect for name in NAMES}
    assert dialects == {"bnf", "ebnf", "w3c", "abnf", "gbnf", "lark", "antlr4"}


@pytest.mark.parametrize("name", NAMES)
def test_it_compiles_without_a_word_and_is_mapped_as_editors_call_the_language(name: str) -> None:
    compiled = library(name)
    assert [one.located(name) for one in compiled.diagnostics if one.severity != "note"] == []
    dialect, languages, glob = MAPPED[name]
    assert (compiled.name, compiled.dialect, compiled.languages) == (name, dialect, languages)
    assert (glob in compiled.globs) if glob else compiled.globs == ()


def test_comments_in_a_json_file_are_not_hidden_by_its_name() -> None:
    """tsconfig.json is of the language jsonc, as editors say."""
    assert "*.json" not in library("json").globs


@pytest.mark.parametrize("name", NAMES)
def test_its_examples_are_of_the_language(name: str) -> None:
    examples = sorted((LIBRARY / name / "examples").iterdir())
    assert len(examples) >= 2
    assert [found for path in examples if (found := problem(name, path.read_text()))] == []


@pytest.mark.parametrize("name", NAMES)
def test_fifty_kilobytes_of_files_are_of_the_language(name: str) -> None:
    texts = list(files(name))
    assert sum(len(text.encode()) for text in texts) >= 50_000
    assert [found for text in texts if (found := problem(name, text))] == []


ACCEPTED: Final = {
    "json": [
        "{}",
        "[]",
        " null ",
        '"a\\u00e9\\n"',
        "-0.5e+10",
        '{"a": [1, {"b": true}], "ü": ""}',
        "\t[ 1 ,\n2 ]\n",
    ],
    "proto3": [
        "",
        'syntax = "proto3";',
        'edition = "2023";\noption features.(pb.go).api_level = API_OPAQUE;',
        "message message { message message = 1; }",
        "message A { optional group Result = 1 { required string url = 2 [default = \"a\" 'b']; } extensions 4 to max; }",
        'message A { reserved 2, 15, 9 to 11, -3 to max; reserved "foo"; map<string, .a.b.C> m = 3; oneof o { int32 i = 4; } }',
        "enum E { option allow_alias = true; A = 0; B = -0x1 [(x).y = {a: 1, b <c: inf> d: [1.5, 'e']; [t.co/x.Y]: {}}]; }",
        "service S { rpc Get(stream A) returns (stream .b.C) { option (google.api.http) = { get: '/v1' }; }; }",
        "extend google.protobuf.FieldOptions { string note = 50001; } /* a **/ // b",
    ],
    "graphql": [
        "",
        "{ a }",
        "query Q($a: [Int!]! = [1, 2] @d) @x { b: a(c: {d: $a, e: ON, f: null}) ...F ...on T @y { id } ... { g } }",
        '"d" type type implements & A & B @x { type(query: on = "q"): [on!]! }',
        '"""a "quoted" \\""" ""\n""" enum E { A @deprecated B }',
        'extend schema @link(url: "x") { query: Q }\nextend union U = | A | B',
        "directive @d(a: Int) repeatable on | FIELD | OBJECT input I { a: Float = -1.5e3 }",
        "interface A implements B interface C",
        'type Q { a(b: String = ""): ID }',
    ],
    "promql": [
        "",
        "up",
        "up;\nrate(a:b[5m]);",
        "SUM BY (job) (a) / ON(x, y,) GROUP_LEFT(z) b",
        "sum(a) without (b) > bool -1.5e-3 ^ 2 atan2 0x1F",
        'a{b="c", d=~\'e\', "f.g"!~`h`,} offset -1h30m @ end()',
        "max_over_time(rate(a[1m])[1h:5m]) or vector(0) unless time() % 5m == NaN",
        'a = b\nc{d="e"} = f ALERT G IF h > 1 FOR 5m LABELS {i="j"} ANNOTATIONS {}',
        '{__name__=~"a.*"} # 注释',
    ],
    "dot": [
        "",
        "graph{}",
        'STRICT DiGraph "a b" { a -> b -> {c; d} [x=1, y=.5; z="q\\"" + "r"][w=<b<i>x</i> & c>]; e:f:sw; g=h }',
        'graph g { node [shape=box] subgraph cluster_1 { a -- -1.5 } 节点 -- "🙂" /* c */ # d\n // e\n }',
        "digraph { subgraph {a} -> subgraph s {b} edge [] }",
    ],
    "st": [
        "",
        "PROGRAM p END_PROGRAM",
        "program P var x : int := 16#FF; y : ARRAY[0..15, -1..+1] OF STRING[20]; end_var x := y[0,1].z^; END_PROGRAM",
        "FUNCTION f : BOOL VAR_INPUT CONSTANT t : TIME := T#1d2h_3m4.5s; u : DT := DT#2026-01-02-03:04:05; END_VAR f := NOT TRUE; END_FUNCTION",
        "PROGRAM p CASE x OF 0..15: a := 1; 1, X.Y, 16#20: ; ELSE b(); END_CASE; END_PROGRAM",
        "PROGRAM p FOR i := 10 TO 0 BY -1 DO EXIT; END_FOR WHILE a<>b DO RETURN; END_WHILE REPEAT x:=1; UNTIL x>=2 END_REPEAT END_PROGRAM",
        "PROGRAM p IF a AND_THEN (b OR c) THEN d(e := 1, f => g); ELSIF %IX0.1 THEN ; ELSE END_IF; END_PROGRAM",
        "TYPE a : (b := 1, c) INT; d : STRUCT e : REF_TO INT := NULL; END_STRUCT; f : INT(1..5); END_TYPE",
        "(* 注释 ** *) VAR_GLOBAL 变量 AT %QW* : WORD; s : STRING := 'a$'b$$'; END_VAR // 🙂",
        "CONFIGURATION c RESOURCE r ON PLC TASK t(INTERVAL := T#20ms, PRIORITY := 0); PROGRAM i WITH t : p; END_RESOURCE END_CONFIGURATION",
        "NAMESPACE a.b INTERFACE I METHOD m : BOOL VAR_INPUT x : INT; END_VAR END_METHOD END_INTERFACE END_NAMESPACE",
        "IF a THEN b := 1; END_IF;",
        "FUNCTION_BLOCK F EXTENDS a.B METHOD PRIVATE m : INT m := 1 + 2 * 3 MOD 4 ** 2; END_METHOD END_FUNCTION_BLOCK",
    ],
    "fsm_zh": [
        "",
        "状态机 甲 {}",
        "状态机 甲（乙：整数，丙）｛ 变量 丁：列表《文本》 ＝ “戊”； ｝",
        "状态机 a { 事件 b(c: 时长); 初始 状态 d { 当 b 且 非 真 时 转到 e, 执行 f()、g(1 秒); } }",
        "常量 上限：整数 ＝ 1 ＋ 2 × 3；枚举 颜色 { 红，绿 } // 🙂",
        '状态机 甲 { 函数 乙（）：布尔 { 如果 a 等于 1 { 返回 真；} 否则 如果 b { 返回；} 否则 { 记录 "c"；} } }',
        "状态机 甲 { 从 a，b 到 c 当 任何事件 时；状态 d { 进入时：发送 e（1）给 f；状态 g；} } ※ 说明",
    ],
    "sql": [
        "",
        ";;",
        "SELECT 1",
        "select a.*, count(*) c, \"x\" AS 'y' from s.t a left outer join u using (id), v where a.b is not null and c not in (1, 2)",
        "SELECT DISTINCT ON (a) a, -b::numeric(10, 2)[1] FROM f(x => 1) WITH ORDINALITY AS t(a int) WHERE (a, b) = ANY ($1) OR c LIKE 'x''y' ESCAPE '\\'",
        "WITH RECURSIVE a (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM a) SELECT CASE n WHEN 1 THEN 'a' ELSE NULL END FROM a ORDER BY 1 DESC NULLS LAST LIMIT 5 OFFSET 1",
        "SELECT sum(x) FILTER (WHERE y > 0) OVER (PARTITION BY z ORDER BY w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM t",
        "SELECT CAST(a AS double precision), EXTRACT(YEAR FROM b), TRIM(BOTH ' ' FROM c), SUBSTRING(d FROM 1 FOR 2), POSITION('a' IN e)",
        "SELECT DATE '2026-01-01' + INTERVAL 1 DAY, TIMESTAMP WITH TIME ZONE '2026-01-01', a AT TIME ZONE 'UTC', x -> 'y' ->> 'z'",
        "INSERT IGNORE INTO t (a, `b`) VALUES (1, DEFAULT), (:x, %(y)s) ON DUPLICATE KEY UPDATE a = VALUES(a)",
        "UPDATE t SET a = a + 1, (b, c) = (1, 2) FROM u WHERE t.id = u.id RETURNING *; DELETE FROM t WHERE CURRENT OF c",
        "CREATE TABLE IF NOT EXISTS t (id INT UNSIGNED NOT NULL AUTO_INCREMENT, x VARCHAR(10) CHARACTER SET utf8 COLLATE utf8_bin DEFAULT 'a' COMMENT 'b', PRIMARY KEY (id), KEY k (x)) ENGINE=InnoDB DEFAULT CHARSET=utf8",
        "ALTER TABLE t ADD COLUMN a int, DROP CONSTRAINT IF EXISTS c CASCADE, ALTER COLUMN b TYPE text USING b::text",
        "CREATE FUNCTION f(a int, OUT b text) RETURNS SETOF t LANGUAGE sql STABLE AS $body$ SELECT $1 $body$",
        "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY; SAVEPOINT a; ROLLBACK TO SAVEPOINT a; COMMIT",
        "-- 注释 🙂\nSELECT [a b], N'ü' /* c */ FROM #temp GO",
    ],
}

REJECTED: Final = {
    "json": ["{", "{a: 1}", "[1,]", "'a'", "01", "1.", '"a\nb"', "{} {}", "nul", "// c\n{}", '{"a" 1}'],
    "proto3": [
        "message { }",
        "message A { string a = 1 }",
        "message A { string = 1; }",
        "enum E { A; }",
        'syntax "proto3";',
        "service S { rpc A returns (B); }",
        "message A { map<string> m = 1; }",
        'option a = "b',
    ],
    "graphql": ["{", "{ }", "type { a: B }", "type A { a: }", "query Q(a: Int) { b }", "{ a(b) }", "enum E { 1 }", "type A { a: [B }"],
    "promql": ["sum by job (a)", "a{b}", "a{b=c}", "rate(a[])", "a +", "a b", "(a", "a == = b", "ALERT IF a > 1", "a[5m"],
    "dot": ["graph", "digraph { a -> }", "graph { a [b] }", "{ a }", "graph { a -- b", 'graph { "a }', "graph { a [b=] }"],
    "st": [
        "PROGRAM END_PROGRAM",
        "PROGRAM p x = 1; END_PROGRAM",
        "PROGRAM p IF a THEN END_PROGRAM",
        "PROGRAM p x := ; END_PROGRAM",
        "PROGRAM p VAR x INT; END_VAR END_PROGRAM",
        "x := 1",
        "PROGRAM p CASE a OF 1 b := 1; END_CASE; END_PROGRAM",
        "PROGRAM p s := 'a; END_PROGRAM",
    ],
    "fsm_zh": [
        "状态机 {}",
        "状态机 甲 { 状态 }",
        "状态机 甲 { 变量 乙：；}",
        "状态机 甲 { 状态 乙 { 当 丙 转到 丁；} }",
        "状态机 甲 { 事件 乙（丙：文本；}",
        "甲 ＝ 1；",
    ],
    "sql": [
        "SELECT FROM WHERE (",
        "SELECT (1",
        "SELECT 'a",
        "INSERT VALUES",
        "CREATE TABLE t (a int,",
        "SELECT a FROM t WHERE )",
        "UPDATE SET a = 1",
        "SELECT 1 SELECT 2 FROM",
        "DROP t",
    ],
}  # fmt: skip

UNFINISHED: Final = {
    "json": ["{", '{"a', '{"a": [1, ', "tr", '"\\u00', "-"],
    "proto3": ["mess", 'syntax = "pro', "message A { repea", "message A { string a = 1 [(x", "service S { rpc G(", "// c", "/* c"],
    "graphql": ["ty", "type A impl", 'type A { """d', "query Q($a: [In", "{ a(b: {c: ", "directive @d on FIELD_DEF", "# c"],
    "promql": ["su", "sum by (jo", 'a{b=~"c', "rate(a[5", "ALERT A IF b > 1 FO", "a / on (b) group_l", "a off"],
    "dot": ["digr", "digraph { a -", 'graph { a [label="b', "graph { a [label=<b<i", "graph { subgr"],
    "st": ["PROG", "PROGRAM p VAR x : ARRAY[0.", "PROGRAM p x := T#5", "PROGRAM p IF a TH", "PROGRAM p x := 'a", "(* c", "FUNCTION_BL"],
    "fsm_zh": ["状态", "状态机 甲 { 变量 乙：整", "状态机 甲 { 状态 乙 { 当 丙 且 ", "状态机 甲 { 说明：“丁", "// 注"],
    "sql": ["SEL", "SELECT a, b FR", "SELECT a FROM t WHERE b = 'c", "CREATE TABLE t (a varch", "INSERT INTO t (a", "WITH a AS (SELECT 1", "-- c"],
}  # fmt: skip


def table_of(cases: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, text) for name, texts in cases.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), table_of(ACCEPTED))
def test_what_is_legal_is_taken(name: str, text: str) -> None:
    assert problem(name, text) == ""


@pytest.mark.parametrize(("name", "text"), table_of(REJECTED))
def test_what_is_not_legal_is_refused(name: str, text: str) -> None:
    assert problem(name, text) != ""


@pytest.mark.parametrize(("name", "text"), table_of(UNFINISHED))
def test_half_a_text_is_followed_to_its_end(name: str, text: str) -> None:
    assert followed(name, text)[0] == len(text.encode())


@pytest.mark.parametrize("name", NAMES)
def test_accepting_and_refusing_agree_with_an_independent_parser(name: str) -> None:
    """lark's Earley over the same compiled text, on original files and on files with a slip."""
    differing, legal = [], 0
    count = max(8, JUDGED // len(NAMES))
    for number in range(count):
        source = Random(f"{name} {number}")
        text = slipped(small_file(name, source), source)
        ours = problem(name, text)
        legal += not ours
        if accepts(library(name).text, text) == bool(ours):
            differing.append(f"{'refused' if ours else 'taken'} by the engine alone: {ours or text}")
    assert differing == []
    assert 0 < legal < count
