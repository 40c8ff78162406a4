"""The guide for authors works from beginning to end: its files are written and its commands run."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT
from tests.docs.test_readme import PROGRAM, Example

PAGE = ROOT / "docs" / "authoring.md"
GUIDE = PAGE.read_text()
CITIES = "city,degrees\nOslo,4\nLima,19\nRome,15\n"


def steps() -> Iterator[Example | tuple[str, str]]:
    """The examples and the files (path, text) of the guide, in its order."""
    for language, path, block in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", GUIDE, re.S | re.M):
        if language == "console":
            for one in re.split(r"^\$ anabranch ", block, flags=re.M)[1:]:
                arguments, _, printed = one.partition("\n")
                yield Example(arguments, printed)
        elif path:
            yield path, block


@pytest.mark.long
def test_the_guide_works_from_beginning_to_end(tmp_path: Path) -> None:
    """In the folder of an author who has never seen the project."""
    (tmp_path / "cities.csv").write_text(CITIES)
    environ = os.environ | {
        "ANABRANCH_DATA": str(tmp_path / "data"),
        "ANABRANCH_CONFIG": str(tmp_path / "config"),
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
    }
    ran = 0
    for step in steps():
        if not isinstance(step, Example):
            (tmp_path / step[0]).write_text(step[1])
            continue
        run = subprocess.run(
            f"anabranch {step.arguments}",
            shell=True,
            cwd=tmp_path,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert run.returncode == 0, run.stdout
        assert step.fits(run.stdout), f"anabranch {step.arguments}\n{run.stdout}"
        ran += 1
    assert ran >= 9


def test_the_three_commands_are_given_as_one_line() -> None:
    """So that authors can copy them."""
    line = "anabranch toolset new weather && anabranch toolset test weather && anabranch toolset pack weather"
    assert f"$ {line}\n" in GUIDE


def test_the_pages_that_the_guide_links_to_exist() -> None:
    """Relative to the folder of the guide."""
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", GUIDE)
    assert "manifest.md" in linked
    assert [path for path in linked if not (PAGE.parent / path).exists()] == []


def test_everything_that_a_manifest_can_request_is_described() -> None:
    """Every permission by its key."""
    for key in (
        "requires_confirmation",
        "effects",
        "network",
        "requirements",
        "config",
        "examples",
        "command",
    ):
        assert key in GUIDE
