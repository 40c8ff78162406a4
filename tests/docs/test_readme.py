"""The examples in README.md and CONTRIBUTING.md work: commands after `$ anabranch` run in order."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
WORDS = (ROOT / "docs" / "words.md").read_text()
PROGRAM = Path(sys.executable).parent / "anabranch"
FEW = 3
"""So many examples run with `make test`, from the first on."""
NUMBER = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True, slots=True)
class Example:
    """A command and its output in the README; `…` stands for any text."""

    arguments: str
    printed: str

    def fits(self, output: str) -> bool:
        """Whether `output` fits: an answer has to be the same, in other output the numbers may differ."""
        said, plain = self.printed.strip(), "\n".join(line.rstrip() for line in output.strip().splitlines())
        if not self.arguments.startswith("ask"):
            said, plain = NUMBER.sub("0", said), NUMBER.sub("0", plain)
        return re.fullmatch(".*?".join(re.escape(part) for part in said.split("…")), plain, re.S) is not None


def examples() -> Iterator[Example]:
    """Return the examples, in their order."""
    for block in re.findall(r"^```console\n(.*?)^```", README + CONTRIBUTING, re.S | re.M):
        if not block.startswith("$ anabranch"):
            continue
        for one in re.split(r"^\$ anabranch ", block, flags=re.M)[1:]:
            arguments, _, printed = one.partition("\n")
            yield Example(arguments, printed)


def test_the_readme_has_examples() -> None:
    """Otherwise a change of their form would leave the test below with nothing to check."""
    assert len(list(examples())) >= 5


@pytest.mark.parametrize("count", [FEW, pytest.param(None, marks=pytest.mark.long)])
def test_the_examples_print_what_the_readme_says(tmp_path: Path, count: int | None) -> None:
    """On a new data folder, in order, as a reader would type them."""
    environ = os.environ | {
        "ANABRANCH_DATA": str(tmp_path / "data"),
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
    }
    for example in islice(examples(), count):
        run = subprocess.run(
            f"anabranch {example.arguments}",
            shell=True,
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert example.fits(run.stdout), f"anabranch {example.arguments}\n{run.stdout}"


@pytest.mark.parametrize("target", ["run", "test", "check", "docs", "bench"])
def test_the_documented_make_targets_exist(target: str) -> None:
    """Each is in the Makefile with its purpose."""
    assert f"make {target}" in CONTRIBUTING
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text(), re.M)


def test_each_term_is_explained_once() -> None:
    """The table of words has one row for each word."""
    words = re.findall(r"^\| ([^|]+) \|", WORDS, re.M)
    assert len(words) == len(set(words))
    assert {"event", "projection", "manifest", "leaf", "step"} <= set(words)


def test_the_documented_folders_exist() -> None:
    """Every folder of the layout."""
    drawn = re.findall(r"^    ([a-z_]+)/ ", CONTRIBUTING, re.M)
    assert len(drawn) == 6
    assert [name for name in drawn if not (ROOT / name).is_dir()] == []


def test_the_paths_that_the_documents_name_exist() -> None:
    """Files and folders in code marks that look like paths of the project."""
    named = re.findall(r"`((?:events|engine|ui|tests|docs|sample_bundles)/[\w./-]+)`", README + CONTRIBUTING)
    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []
