"""Write the recordings: `python -m benchmarks.recordings [vscode] [neovim]`; with no name, both."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from benchmarks.recordings import neovim, vscode

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "recordings"
RECORDERS: Final = {"vscode": vscode.record, "neovim": neovim.record}


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.recordings", description=__doc__)
    parser.add_argument("editors", nargs="*", metavar="EDITOR", help=" or ".join(RECORDERS))
    editors = parser.parse_args().editors or list(RECORDERS)
    if unknown := set(editors) - set(RECORDERS):
        parser.error(f"no editor: {', '.join(sorted(unknown))}; there are {' and '.join(RECORDERS)}")
    FOLDER.mkdir(exist_ok=True)
    for editor in editors:
        try:
            files = RECORDERS[editor](FOLDER)
        except AssertionError as error:
            raise SystemExit(
                f"{editor}: {error}\nOn a busy machine it may have been too slow: try again."
            ) from error
        for file in files:
            print(f"{file.name}: {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
