"""docs/extending.md works: its files and lines are added to a copy of the project, and then used."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text()
COPIED = ("events", "engine", "ui", "docs", "tests", "sample_bundles", ".streamlit")
FILES = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")


def blocks() -> Iterator[tuple[str, str, str]]:
    """The language, path and text of each block that names a file, in the order of the page."""
    yield from re.findall(r"^```(python|diff) (\S+)\n(.*?)^```", PAGE, re.S | re.M)


def patched(text: str, change: str) -> str:
    """Return a file's text with the lines of a diff block; its other lines must be in the file, in that order."""
    lines, place = text.splitlines(), 0
    changes = change.splitlines()
    if changes[0].startswith("+"):
        place = lines.index(changes[1][1:])
    for line in changes:
        if line.startswith("+"):
            lines.insert(place, line[1:])
            place += 1
            continue
        place = lines.index(line[1:], place)
        if line.startswith("-"):
            del lines[place]
        else:
            place += 1
    return "\n".join(lines) + "\n"


def run(copy: Path, *command: str) -> None:
    """Run Python in the copy; the copy's packages come before the installed ones."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=environ | {"PYTHONPATH": str(copy)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all that the page adds."""
    folder = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.png"))
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for language, path, text in blocks():
        file = folder / path
        assert file.exists() == (language == "diff"), path
        file.write_text(text if language == "python" else patched(file.read_text(), text))
    run(folder, "-m", "tests.golden.write")
    run(folder, "-m", "cogapp", "-r", "docs/events.md", "docs/renderers.md", "docs/extending.md")
    return folder


def test_each_addition_touches_one_file_and_its_registration() -> None:
    """A section of the page adds a file and the line that registers it; a renderer's card adds both once more."""
    sections = re.split(r"^## ", PAGE, flags=re.M)[1:]
    touched = [re.findall(r"^```(python|diff) ", section, re.M) for section in sections]
    assert touched == [["python", "diff"], ["python", "diff", "python", "diff"], ["python", "diff"]]


@pytest.mark.long
def test_the_additions_of_the_page_follow_the_code_style(copy: Path) -> None:
    """Readers copy it."""
    added = [path for language, path, _ in blocks()]
    run(copy, "-m", "ruff", "check", "--no-cache", *added)
    run(copy, "-m", "ruff", "format", "--no-cache", "--check", *added)


@pytest.mark.long
def test_the_additions_of_the_page_work(copy: Path) -> None:
    """The event is appended, forked, imported and shown; the renderer draws; the dialect answers."""
    run(copy, "-m", "pytest", "-q", "tests/engine/extended.py")


@pytest.mark.long
def test_the_additions_of_the_page_have_all_declarations(copy: Path) -> None:
    """The test of everything that is registered includes it, and finds nothing missing."""
    run(copy, "-m", "pytest", "-q", "tests/architecture/test_extension_points.py")
