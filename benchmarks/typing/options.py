"""The command line of `benchmarks.keystrokes`, and what it asks for: who types what, and under which settings."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.emulation.line import Network
from benchmarks.emulation.target import TargetPlan
from benchmarks.typing.corpus import Source, installed, named
from benchmarks.typing.replay import Plan
from benchmarks.typing.rhythm import Pauses
from benchmarks.typing.stage import Setting, daemon_settings

FULL_KEYS: Final = 2_000
QUICK_KEYS: Final = 180
FULL_PAUSE_S: Final = 1.0
QUICK_PAUSE_S: Final = 0.5
MOST_PAUSE_S: Final = 60.0
MOST_SPEED: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure, and how to say it."""

    plan: Plan
    settings: Sequence[Setting]
    threads: int
    """CPU threads of a target that is a model."""
    peer: bool
    """The same is typed at the peer."""
    peer_threads: int
    llama_server: Path | None
    """The peer's program; None: the one that was built here."""
    interrupted: bool
    """The verifier is killed and comes back, in each replay."""
    json: bool
    plot: Path | None


def request_of(arguments: Sequence[str] | None, description: str) -> Request:
    """Read the command line. Raises NothingToType, ValueError (BadSetting too); ends the process on wrong usage."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    _add_options(parser)
    options = parser.parse_args(arguments)
    if options.target_ms and options.no_verifier:
        parser.error("--target-ms is the verifier's: leave it or --no-verifier out")
    if options.target_ms is None and options.target == "oracle":
        parser.error("an oracle is as fast as --target-ms says: give that too")
    if options.interrupt and options.no_verifier:
        parser.error("--interrupt kills the verifier: leave it or --no-verifier out")
    sources = named(options.files) if options.files else installed()
    plan = Plan(
        sources=sources,
        keys=options.keys or (QUICK_KEYS if options.quick else FULL_KEYS),
        seed=options.seed,
        pauses=Pauses(_pause_s(options)),
        least=options.accept_characters,
        speed=options.speed,
    )
    return Request(
        plan=plan,
        settings=_settings(options, sources),
        threads=options.threads,
        peer=options.peer,
        peer_threads=options.peer_threads,
        llama_server=options.llama_server,
        interrupted=options.interrupt,
        json=options.json,
        plot=options.plot,
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--json", action="store_true", help="print one JSON object")
    add("--quick", action="store_true", help=f"{QUICK_KEYS} keys, pauses of at most {QUICK_PAUSE_S} s")
    add("--keys", type=_whole_number, help=f"keys to press under each setting (default {FULL_KEYS})")
    add("--seed", type=int, default=1, help="which keys, and when (default 1)")
    add("--files", nargs="+", type=Path, default=[], help="type these, not those that come with packages")
    add("--round-trip-ms", nargs="+", type=float, default=[0.0], help="of the emulated network (default 0)")
    add("--jitter-ms", type=float, default=0.0, help="a crossing takes up to this much longer")
    add("--loss", type=float, default=0.0, help="share of the segments that are lost: the line stalls")
    add("--bytes-per-s", type=float, default=0.0, help="bandwidth each way; 0: the loopback's")
    add("--target-ms", nargs="+", type=float, help="a forward takes at least so long (default: as it comes)")
    add(
        "--target",
        choices=("bundled", "oracle"),
        default="bundled",
        help="oracle: it knows the files by heart",
    )
    add(
        "--oracle-errors", type=float, default=0.1, help="the chance that it says another token (default 0.1)"
    )
    add("--no-verifier", action="store_true", help="the draft alone")
    add(
        "--threads",
        type=_whole_number,
        default=1,
        help="CPU threads of the bundled model as target (default 1)",
    )
    add(
        "--interrupt",
        action="store_true",
        help="kill the verifier after a third of the keys, restart it later",
    )
    add(
        "--llama-server", type=Path, help="the peer's program (default: built by benchmarks.peer.llama_build)"
    )
    add("--peer-threads", type=_whole_number, default=1, help="the peer's CPU threads (default 1)")
    add("--peer", action="store_true", help="type the same at a peer: llama-server, as llama.vim drives it")
    add(
        "--accept-characters",
        type=_whole_number,
        default=4,
        help="an accepted suggestion spares so many (default 4)",
    )
    add("--pause-s", type=_seconds, help=f"the longest pause (default {FULL_PAUSE_S})")
    add("--speed", type=_speed, default=1.0, help="type so many times faster: not for latencies (default 1)")
    add("--set", nargs="+", default=[], metavar="SECTION.KEY=VALUE", help="settings of the daemon")
    add("--plot", type=Path, metavar="FILE.png", help="draw the latencies; a file for each setting")


def _pause_s(options: argparse.Namespace) -> float:
    default = QUICK_PAUSE_S if options.quick else FULL_PAUSE_S
    return default if options.pause_s is None else float(options.pause_s)


def _whole_number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: give 1 or more")
    return number


def _speed(text: str) -> float:
    times = float(text)
    if not 0 < times <= MOST_SPEED:
        raise argparse.ArgumentTypeError(f"{text}: give more than 0, and at most {MOST_SPEED:g}")
    return times


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= MOST_PAUSE_S:
        raise argparse.ArgumentTypeError(f"{text}: give 0 or more, and at most {MOST_PAUSE_S:g}")
    return seconds


def _settings(options: argparse.Namespace, sources: Sequence[Source]) -> list[Setting]:
    """Every combination of round trip and target that was asked for."""
    daemon = daemon_settings(options.set)
    if options.no_verifier:
        return [Setting(None, daemon=daemon)]
    networks = [
        Network(round_trip, options.jitter_ms, options.loss, bytes_per_s=options.bytes_per_s)
        for round_trip in options.round_trip_ms
    ]
    texts = tuple(source.path for source in sources) if options.target == "oracle" else ()
    targets: list[TargetPlan | None] = [
        TargetPlan(forward_ms, texts, options.oracle_errors, options.seed, threads=options.threads)
        for forward_ms in options.target_ms or ()
    ]
    return [Setting(*pair, daemon) for pair in itertools.product(networks, targets or [None])]
