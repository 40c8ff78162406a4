"""Hundreds of hostile archives: rejected with a code or installed completely, within 256 MiB and two seconds each."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.hostile_archives import MUTATORS

ROOT = Path(__file__).parents[2]


def put_through(folder: Path, first: int, count: int) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.hostile_archives", folder, str(first), str(count)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def test_two_hundred_hostile_archives_are_rejected_or_installed_completely(tmp_path: Path) -> None:
    count = 200 - 200 % len(MUTATORS) + len(MUTATORS)
    told = put_through(tmp_path, 0, count)
    assert told["broken"] == {}
    assert {"path_traversal", "yaml_alias", "encrypted", "compression_ratio", "installed"} <= set(
        told["seen"]
    )


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_ten_thousand_hostile_archives_are_rejected_or_installed_completely(tmp_path: Path) -> None:
    assert put_through(tmp_path, 10_000, 10_000)["broken"] == {}
