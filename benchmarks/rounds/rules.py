"""Rules for when draft tokens go to the verifier, for `benchmarks.gamma`: the daemon's, and those that it was chosen
from.

*Blocks* wait for their verdict: the next goes out when that has come. *Streams* do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.dsl.thumb_blocks import block_length
from benchmarks.rounds.rounds import Setting
from daemon.target.acceptance_estimate import AcceptanceEstimate
from daemon.target.acceptances import Acceptances
from daemon.target.gamma import LEAST_REACHED, tokens_to_send


class _Rule:
    """What rules share. patient: the target waits for drafts as long as they may take."""

    def __init__(self, *, patient: bool = False) -> None:
        self.patient = patient

    def wait_ms(self, setting: Setting) -> float:
        return setting.round_trip_ms + 8 * setting.token_ms if self.patient else 0.0

    def begin(self, language: str, setting: Setting) -> None:
        pass

    def heard(self, tail: Sequence[int], entropies: Sequence[float], ids: Sequence[int]) -> None:
        pass


class Alone(_Rule):
    """No drafts."""

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        return 0


class FixedBlocks(_Rule):
    """Blocks of `gamma` tokens."""

    def __init__(self, gamma: int, *, patient: bool) -> None:
        super().__init__(patient=patient)
        self.gamma = gamma

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        if sent:
            return 0
        return self.gamma if len(entropies) >= self.gamma else len(entropies) * ended


class ThumbBlocks(_Rule):
    """Blocks by the rule of thumb."""

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        length, finished = block_length(entropies)
        return length if not sent and (finished or ended) else 0


class FixedStream(_Rule):
    """`frame` tokens at a time, whatever is in flight."""

    def __init__(self, frame: int) -> None:
        super().__init__()
        self.frame = frame

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        unsent = len(entropies) - sent
        return unsent if unsent >= self.frame or ended else 0


class _Learning(_Rule):
    """A rule that learns the acceptance by language as it goes."""

    def __init__(self, *, patient: bool = False) -> None:
        super().__init__(patient=patient)
        self._acceptances = Acceptances()
        self._language = ""
        self.setting = Setting(0, 0, 0)

    def begin(self, language: str, setting: Setting) -> None:
        self._language, self.setting = language, setting

    @property
    def estimate(self) -> AcceptanceEstimate:
        return self._acceptances.of(self._language).estimate

    def heard(self, tail: Sequence[int], entropies: Sequence[float], ids: Sequence[int]) -> None:
        self._acceptances.heard(self._language, tail, entropies, ids, 0.0)


class MarginalBlocks(_Learning):
    """Blocks that grow while one more token is worth the time to draft it (facts: the optimum without pipelining)."""

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        if sent or not entropies:
            return 0
        reached = self.estimate.survival(entropies)
        setting, length = self.setting, len(reached)
        duration = setting.round_trip_ms + setting.verify_ms + length * setting.token_ms
        worth = reached[-1] > setting.token_ms * (1 + sum(reached)) / duration
        if worth and not ended:
            return 0
        return max(1, sum(chance >= LEAST_REACHED for chance in reached))


class Shipped(_Learning):
    """What the daemon does, its verifier being on a machine of its own."""

    def due(self, entropies: list[float], sent: int, *, ended: bool) -> int:
        return tokens_to_send(self.estimate.survival(entropies), sent, ended=ended)
