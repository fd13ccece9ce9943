"""Which file the draft model is: the bundled one in the form that is fastest here, or the user's own.

The bundled model is converted once and kept in the cache folder, under a name made of the source's digest, the
conversion and llama.cpp's version; so a new version of either never meets an old file. Loading is
`llama_engine.py`'s business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.draft.engine import EngineFailed
from daemon.draft.file_records import digest_of, exclusively, keep_record, known_record
from daemon.draft.gguf_file import GgufInvalid, check_gguf
from daemon.draft.llama_library import llama_cpp_version, rewrite_model
from daemon.draft.model_probe import probe_model
from daemon.draft.model_source import bundled_source, is_bundled, own_source

Progress = Callable[[str, float], None]
"""Called with what is being done and the fraction of it that is done."""


@dataclass(frozen=True, slots=True)
class DraftModelFile:
    """A file that is there, with the name shown to people and its "sha256:<hex>"."""

    path: Path
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a variant is made of the bundled file."""

    name: str
    quantisation: str | None
    """None: as the file has it."""
    drop_layers: tuple[int, ...] = ()


VARIANTS: dict[str, Conversion] = {
    "bundled": Conversion("smollm2-135m-q4_0", "q4_0"),
    "bundled:q4_1": Conversion("smollm2-135m-q4_1", None),
    "bundled:shallow28": Conversion("smollm2-135m-q4_0-shallow28", "q4_0", (8, 9)),
    "bundled:shallow26": Conversion("smollm2-135m-q4_0-shallow26", "q4_0", (20, 21, 22, 23)),
}
"""The bundled model's forms. Q4_0 prefills 2 to 6 times faster than the Q4_1 it is shipped in. The shallow ones are
poor drafts on purpose: their first choice is the full model's in 51 % and 37 % of positions."""


def resolve_draft_model(spec: str, cache_dir: Path, progress: Progress | None = None) -> DraftModelFile:
    """The file that `spec` means: one of VARIANTS, or a path to a GGUF file.

    Converts (1 to 5 s, once) and hashes where needed, and tries an unknown file in a process of its own. Raises
    ModelMissing, EngineFailed.
    """
    report = progress or (lambda what, fraction: None)
    try:
        _records(cache_dir).mkdir(parents=True, exist_ok=True)
        if is_bundled(spec):
            return _bundled(spec, cache_dir, report)
        return _own(own_source(spec), cache_dir, report)
    except OSError as failure:
        raise EngineFailed(
            f"the draft model can't be prepared ({failure}): check that {cache_dir} can be written and has "
            "200 MB free, or set draft.cache_dir"
        ) from failure


def drop_layers(source: Path, target: Path, layers: Sequence[int]) -> None:
    """Write `source` to `target` without the blocks `layers` (numbers from 0); the others are renumbered.

    `target` appears complete or not at all. Raises EngineFailed; ValueError if the model has no such block.
    """
    _convert(source, target, Conversion(target.stem, None, tuple(layers)), lambda fraction: None)


def _bundled(spec: str, cache_dir: Path, report: Progress) -> DraftModelFile:
    conversion = VARIANTS.get(spec)
    if conversion is None:
        raise EngineFailed(
            f"there is no draft model {spec!r}: choose one of {', '.join(VARIANTS)}, or a .gguf file"
        )
    source = bundled_source()
    source_digest = _digest(source, cache_dir, report)
    if conversion.quantisation is None and not conversion.drop_layers:
        return DraftModelFile(source, conversion.name, source_digest)
    key = hashlib.sha256(f"{source_digest} {conversion} {llama_cpp_version()}".encode()).hexdigest()[:16]
    target = cache_dir / f"{conversion.name}-{key}.gguf"
    record = known_record(target, _records(cache_dir))
    if record is None:
        with exclusively(target.with_suffix(".lock")):
            record = known_record(
                target, _records(cache_dir)
            )  # another process may have made it while we waited
            if record is None:
                what = f"preparing the draft model {conversion.name} (once, {_size(source)})"
                _convert(source, target, conversion, lambda fraction: report(what, fraction))
                report(what, 1.0)
                digest = digest_of(target, lambda fraction: None)
                record = keep_record(target, digest, _records(cache_dir))
    return DraftModelFile(target, conversion.name, record.digest)


def _own(path: Path, cache_dir: Path, report: Progress) -> DraftModelFile:
    try:
        check_gguf(path)
    except GgufInvalid as invalid:
        raise EngineFailed(str(invalid)) from invalid
    record = known_record(path, _records(cache_dir))
    if record is None:
        report(f"trying {path.name}", 0.0)
        probe_model(path)
        return DraftModelFile(path, path.stem, _digest(path, cache_dir, report))
    return DraftModelFile(path, path.stem, record.digest)


def _digest(path: Path, cache_dir: Path, report: Progress) -> str:
    record = known_record(path, _records(cache_dir))
    if record is None:
        digest = digest_of(path, lambda fraction: report(f"checking {path.name} ({_size(path)})", fraction))
        record = keep_record(path, digest, _records(cache_dir))
    return record.digest


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


def _records(cache_dir: Path) -> Path:
    """A file that one llama.cpp loads may end the next: each version keeps its own records."""
    return cache_dir / f"records-{llama_cpp_version()}"


def _convert(source: Path, target: Path, how: Conversion, progress: Callable[[float], None]) -> None:
    """Into a file beside `target`, which then takes its name: `target` is never seen half written."""
    part = target.with_suffix(".part")
    try:
        rewrite_model(
            source, part, quantisation=how.quantisation, drop_layers=how.drop_layers, progress=progress
        )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
