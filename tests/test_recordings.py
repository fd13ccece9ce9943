"""The pictures that the READMEs show are there, small, and all shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "docs" / "recordings"
READMES = ["README.md", "README.zh.md", "editors/vscode/README.md", "editors/neovim/README.md"]
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
MOST_BYTES, MOST_BYTES_OF_A_FILM, MOST_BYTES_OF_ALL = 100_000, 400_000, 1_000_000


def shown_in(readme: str) -> list[tuple[str, Path]]:
    """The words that stand for each picture, and its file."""
    file = ROOT / readme
    return [(words, (file.parent / path).resolve()) for words, path in IMAGE.findall(file.read_text("utf-8"))]


@pytest.mark.parametrize("readme", READMES)
def test_every_picture_of_a_readme_is_there_and_has_words(readme: str) -> None:
    pictures = shown_in(readme)
    assert pictures
    for words, file in pictures:
        assert words.strip(), file
        assert file.parent == RECORDINGS
        with Image.open(file) as picture:
            assert picture.width >= 640, "wide enough to be read"


def test_every_recording_is_shown_and_all_are_small() -> None:
    shown = {file for readme in READMES for _, file in shown_in(readme)}
    files = set(RECORDINGS.iterdir())
    assert files == shown
    for file in files:
        assert file.stat().st_size < (MOST_BYTES_OF_A_FILM if file.suffix == ".gif" else MOST_BYTES), file
    assert sum(file.stat().st_size for file in files) < MOST_BYTES_OF_ALL
