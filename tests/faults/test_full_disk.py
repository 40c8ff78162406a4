"""A disk that fills up and gets free space again: reading works, and the open log accepts events again by itself."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.long_cases import mostly_long

ROOT = Path(__file__).parents[2]
SMALL = "mount -t tmpfs -o size=8m,mode=700 none {0} && exec {1} -m tests.support.full_disk {0} {2}"
LEVELS = (0, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 400_000, 524_288, 1_048_576, 2_000_000)
"""Bytes that are left when the disk begins to be short."""
EVERY_TIME = (0, 16_384, 524_288)


def has_small_disks() -> bool:
    """Whether this system lets a user mount a file system in a namespace."""
    unshare = shutil.which("unshare")
    tried = [unshare or "false", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return unshare is not None and subprocess.run(tried, check=False, capture_output=True).returncode == 0


needs_small_disks = pytest.mark.skipif(
    not has_small_disks(), reason="no user may mount a tmpfs on this system"
)


def on_a_disk_with(free: int, folder: Path) -> dict[str, object]:
    words = ["unshare", "-Urm", "sh", "-c", SMALL.format(folder, sys.executable, free)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3_000:]
    found: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
    return found


def assert_it_went_on_by_itself(free: int, folder: Path) -> None:
    found = on_a_disk_with(free, folder)
    acknowledged, recorded = found["acknowledged"], found["recorded"]
    assert isinstance(acknowledged, int)
    assert isinstance(recorded, int)
    assert found["refusals"], "the disk was never full"
    assert found["read_meanwhile"] == acknowledged or recorded, "reading went on"
    assert found["problem"] is None
    assert found["ok"]
    assert found["verified"]
    assert found["projected"]
    assert found["events"] == acknowledged + recorded + 1, (
        "what was acknowledged or said to be recorded, and one more"
    )
    assert found["reopened"] == found["events"]


@needs_small_disks
@pytest.mark.parametrize("free", mostly_long(EVERY_TIME, quick=(1,)))
def test_a_log_continues_by_itself_once_there_is_free_space_again(free: int, tmp_path: Path) -> None:
    assert_it_went_on_by_itself(free, tmp_path)


@pytest.mark.long
@needs_small_disks
@pytest.mark.parametrize("free", LEVELS)
def test_a_log_continues_by_itself_wherever_the_disk_filled_up(free: int, tmp_path: Path) -> None:
    assert_it_went_on_by_itself(free, tmp_path)
