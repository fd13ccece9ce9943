"""The target's own continuation, token by token with no draft: what verified text must equal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from speculation.sampling import GREEDY
from verifier.engine import Decided, Failed, Request, Rule, TargetEngine
from verifier.errors import EngineFailed

_REFERENCE_SESSION = -1

GREEDY_RULE = Rule("match", GREEDY, 0)


def greedy_continuation(
    engine: TargetEngine, context: Sequence[int], n: int, stop_ids: Collection[int] = ()
) -> list[int]:
    """The first `n` tokens the target says after `context` at temperature 0; fewer if it says one of `stop_ids`."""
    return continuation(engine, context, n, GREEDY_RULE, stop_ids)


def continuation(
    engine: TargetEngine, context: Sequence[int], n: int, rule: Rule, stop_ids: Collection[int] = ()
) -> list[int]:
    """The target's own continuation under any rule. A stop token is its last. Raises EngineFailed.

    It takes a cache slot of the engine for the time of the call.
    """
    tokens = list(context)
    try:
        while len(tokens) < len(context) + n:
            tokens.append(_next_token(engine, tokens, rule))
            if tokens[-1] in stop_ids:
                break
    finally:
        engine.release(_REFERENCE_SESSION)
    return tokens[len(context) :]


def _next_token(engine: TargetEngine, tokens: list[int], rule: Rule) -> int:
    """One plain decode step, after as many prefill steps as it takes."""
    while True:
        [result] = engine.verify([Request(_REFERENCE_SESSION, tokens.copy(), rule, epoch=0)])
        if isinstance(result, Decided):
            return result.next_id
        if isinstance(result, Failed):
            raise EngineFailed(result.reason)
