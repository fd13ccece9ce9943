"""A target without a model: it says the text, errs as often as told, and is a target in every other way."""

from __future__ import annotations

import random

import pytest

from benchmarks.emulation.known_texts import KnownTexts
from benchmarks.emulation.oracle_target import Oracle, OracleTarget
from benchmarks.emulation.pace import Pace
from speculation.messages import Context, Draft, Open
from speculation.paths import EMPTY_PATH, path_hash
from speculation.sampling import Sampling
from tests.fakes.engine import FIRST_EXTRA, byte_vocabulary
from tests.fakes.oracle import byte_oracle, byte_tokens
from tests.fakes.verifier_client import served
from verifier.engine import Block, Decided, Prefilled, Request, Rule
from verifier.errors import EngineFailed
from verifier.reference import GREEDY_RULE, continuation, greedy_continuation

TEXT = "".join(f"line {n}: value_{n * 7919 % 1000} = compute({n})  # é 你 🤗\n" for n in range(80))
SPECIAL = byte_vocabulary().special_ids
EOS = SPECIAL["eos"]


def said(engine: OracleTarget, before: str, n: int = 40) -> str:
    ids = greedy_continuation(engine, list(before.encode()), n, {EOS})
    return bytes(token for token in ids if token != EOS).decode(errors="replace")


@pytest.mark.parametrize("cut", [0, 1, 5, 100, 257, 2000])
def test_it_says_what_is_being_typed(cut: int) -> None:
    before, rest = TEXT[:cut] or TEXT[:1], TEXT[max(cut, 1) :]
    assert said(byte_oracle(TEXT), before, len(rest[:30].encode())) == rest[:30]


def test_it_ends_where_the_text_does_and_where_it_knows_nothing() -> None:
    for before in (TEXT, "ZQX"):
        assert greedy_continuation(byte_oracle(TEXT), list(before.encode()), 5, {EOS}) == [EOS]


def test_tokens_are_the_tokenisers_and_bytes_inside_a_character() -> None:
    """A text that goes on in the middle of a character can only be said in bytes."""
    tokens = byte_tokens(
        b"line", tokenize=lambda t: [FIRST_EXTRA] if t.startswith("line") else list(t.encode())
    )
    oracle = Oracle(KnownTexts([TEXT]), tokens)
    assert oracle.next_token(list(b"\n") + list(TEXT[:-1].encode())[-3:]) == ord("\n")
    first_line = TEXT[: TEXT.index("\n") + 1].encode()
    assert oracle.next_token(list(first_line)) == FIRST_EXTRA
    inside = first_line[: first_line.index("你".encode()) + 1]
    assert oracle.next_token(list(inside)) == "你".encode()[1]


@pytest.mark.parametrize("suffix_first", [True, False])
def test_a_prompt_that_fills_in_the_middle(suffix_first: bool) -> None:
    """The text before the cursor is what counts, wherever it stands in the prompt."""
    pre, suf, mid = (SPECIAL[name] for name in ("fim_pre", "fim_suf", "fim_mid"))
    before, after = list(TEXT[:500].encode()), list(TEXT[520:900].encode())
    prompt = [pre, suf, *after, mid, *before] if suffix_first else [pre, *before, suf, *after, mid]
    expected = list(TEXT[500:].encode())
    assert greedy_continuation(byte_oracle(TEXT), prompt, 10) == expected[:10]
    assert greedy_continuation(byte_oracle(TEXT), [*prompt, *expected[:10]], 10) == expected[10:20]


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_errors_come_as_often_as_asked(rate: float) -> None:
    oracle = Oracle(KnownTexts([TEXT]), byte_tokens(), error_rate=rate, seed=1)
    data = list(TEXT.encode())
    wrong = sum(oracle.next_token(data[:cut]) != data[cut] for cut in range(300, 2300)) / 2000
    assert wrong == pytest.approx(rate, abs=0.04 if rate else 0)


def test_errors_are_the_seeds() -> None:
    """The same seed says the same, however it is asked; another one says another text."""
    texts = {seed: said(byte_oracle(TEXT, error_rate=0.2, seed=seed), TEXT[:400], 60) for seed in range(4)}
    assert len(set(texts.values())) == 4
    assert texts[0] == said(byte_oracle(TEXT, error_rate=0.2, seed=0), TEXT[:400], 60)


def test_a_text_of_one_token_has_no_other() -> None:
    oracle = Oracle(KnownTexts(["a" * 50]), byte_tokens(), error_rate=1.0)
    assert oracle.next_token(list(b"aaaa")) == EOS


@pytest.mark.parametrize(
    "rule", [GREEDY_RULE, Rule("match", Sampling(1.0, 0.95, 0), 5), Rule("match", Sampling(0.7, 1.0, 40), 5)]
)
def test_drafts_change_nothing(rule: Rule) -> None:
    """Blocks and trees, right and wrong, on any sampling: the text is that of plain decoding."""
    engine, chance = byte_oracle(TEXT, error_rate=0.1, seed=2), random.Random(3)
    context = list(TEXT[:700].encode())
    plain, tokens = continuation(engine, context, 60, rule), context.copy()
    while len(tokens) < len(context) + 60:
        at = len(tokens) - len(context)
        ids = [token if chance.random() < 0.8 else 120 for token in plain[at : at + 6]]
        parents = (-1, *range(len(ids) - 1), -1) if chance.random() < 0.5 else None
        block = Block(tuple([*ids, 121] if parents else ids), parents)
        [result] = engine.verify([Request(1, tokens.copy(), rule, 0, block)])
        assert isinstance(result, Decided)
        tokens += [block.ids[node] for node in result.accepted] + [result.next_id]
    assert tokens[len(context) :][:60] == plain


def test_context_is_computed_in_steps_and_once() -> None:
    pace = Pace(0)
    engine = byte_oracle(TEXT, pace=pace, chunk_tokens=100)
    tokens = list(TEXT[:250].encode())
    request = Request(1, tokens, GREEDY_RULE, 0)
    results = [engine.verify([request])[0] for _ in range(3)]
    assert results[:2] == [Prefilled(len(tokens) - 100), Prefilled(len(tokens) - 200)]
    assert isinstance(results[2], Decided)
    ready = Request(1, [*tokens, results[2].next_id], GREEDY_RULE, 0, decide=False)
    assert engine.verify([ready]) == [Prefilled(0)]
    assert pace.forwards == 3, "what was decided on is computed but for the next token"
    assert engine.verify([]) == []


def test_more_sessions_than_slots_is_a_failure_of_the_step() -> None:
    engine = OracleTarget(Oracle(KnownTexts([TEXT]), byte_tokens()), Pace(0), name="two", n_slots=2)
    requests = [Request(session, [97], GREEDY_RULE, 0) for session in range(3)]
    with pytest.raises(EngineFailed, match="slots"):
        engine.verify(requests)
    assert len(engine.verify(requests[:2])) == 2
    engine.release(0)
    assert len(engine.verify(requests[1:])) == 2


@pytest.mark.asyncio
async def test_it_is_served_as_a_model_is() -> None:
    """Through scheduler, session and wire: the target alone, and a draft that is right, then wrong."""
    context = list(TEXT[:300].encode())
    rest = list(TEXT.encode())[len(context) :]
    async with served(byte_oracle(TEXT)) as verifier, verifier.client() as client:
        assert await client.generate(context, session=1, max_tokens=12) == rest[:12]
        await client.send(Open(2, max_tokens=12, draft_wait_ms=10_000))
        epoch = 1 << 20
        await client.send(Context(2, epoch, 0, EMPTY_PATH, context))
        drafted = [*rest[:3], 120]
        await client.send(Draft(2, epoch, 1, len(context), path_hash(context), drafted))
        verdict = await client.verdict()
        assert (verdict.accepted, verdict.next_id) == (3, rest[3])


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_what_is_no_chance_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        Oracle(KnownTexts([TEXT]), byte_tokens(), error_rate=wrong)


def test_it_says_nothing_unlikely() -> None:
    """At temperature 1 as at 0."""
    engine = byte_oracle(TEXT)
    rule = Rule("match", Sampling(1.0, 1.0, 0), 9)
    context = list(TEXT[:300].encode())
    assert continuation(engine, context, 20, rule) == greedy_continuation(engine, context, 20)
