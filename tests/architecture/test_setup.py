"""What `make` relies on: Chromium is found, installed or asked for, and stamps are written last."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT
from tests.support.chromium import find_chromium


def program(folder: Path, name: str, text: str = "") -> Path:
    """Write a small shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def sought(path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the search with PATH set to `path`."""
    return subprocess.run(
        [sys.executable, "-m", "tests.support.chromium"],
        cwd=ROOT,
        env={"PATH": str(path), **environ},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_chromium_named_by_the_user_takes_precedence(tmp_path: Path) -> None:
    """`CHROMIUM` comes before PATH; if it points to nothing, no other Chromium is used."""
    named = program(tmp_path, "my-chrome")
    assert find_chromium({"CHROMIUM": str(named)}) == str(named)
    assert find_chromium({"CHROMIUM": str(tmp_path / "absent")}) is None


def test_a_chromium_on_the_path_is_found(tmp_path: Path) -> None:
    """Under any of its usual names."""
    program(tmp_path, "google-chrome")
    run = sought(tmp_path)
    assert (run.returncode, run.stdout) == (0, f"Browser tests drive {tmp_path}/google-chrome.\n")


def test_without_a_chromium_the_reader_is_told_what_to_do(tmp_path: Path) -> None:
    """In one line on stderr, with exit code 1."""
    run = sought(tmp_path)
    assert run.returncode == 1
    assert "CHROMIUM=/path/to/chrome make test" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root installs packages")
@pytest.mark.parametrize(
    ("has", "tried"),
    [
        ("chromium-headless-shell", ["chromium-headless-shell"]),
        ("chromium", ["chromium-headless-shell", "chromium"]),
    ],
)
def test_root_on_debian_installs_chromium_as_a_package(tmp_path: Path, has: str, tried: list[str]) -> None:
    """It fetches the index and installs the first package that exists; a stand-in replaces apt-get here."""
    program(
        tmp_path,
        "apt-get",
        f"""echo "$@" >> {tmp_path}/asked
for name; do :; done
[ "$1" = update ] && exit 0
[ "$name" = {has} ] || exit 100
echo "#!" > {tmp_path}/{has}; /bin/chmod 755 {tmp_path}/{has}""",
    )
    run = sought(tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith(f"Browser tests drive {tmp_path}/{has}.\n")
    assert (tmp_path / "asked").read_text().splitlines() == [
        "update",
        *(f"install -y --no-install-recommends {name}" for name in tried),
    ]


def test_a_make_rule_writes_its_stamp_file_last() -> None:
    """So an interrupted installation starts again."""
    rules = re.findall(r"^\.venv/\w+\.stamp:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    assert len(rules) >= 3
    assert [rule.strip().splitlines()[-1].strip() for rule in rules] == ["touch $@"] * len(rules)
