"""Ctrl C ends `anabranch serve` with a message and with the exit code of a program that SIGINT ended."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.engine.cli.served import ROOT, command, served
from tests.support.long_cases import mostly_long


@pytest.mark.parametrize(
    ("how", "said"),
    mostly_long([(signal.SIGINT, ["Anabranch has ended."]), (signal.SIGTERM, [])], quick=(1,)),
)
def test_serve_ends_with_a_plain_message(tmp_path: Path, how: signal.Signals, said: list[str]) -> None:
    with served(tmp_path / "data", tmp_path / "config") as service:
        service.end(how)
        lines = [line for line in (tmp_path / "server.log").read_text().splitlines() if line.strip()]
    assert lines[0].startswith("Anabranch is running at http://127.0.0.1:")
    assert lines[1:] == said
    if how is signal.SIGINT:
        assert service.process.returncode == 128 + signal.SIGINT


def test_serve_ends_with_the_reason_if_its_folder_cannot_be_opened(tmp_path: Path) -> None:
    data = tmp_path / "shared"
    data.mkdir()
    data.chmod(0o755)
    (data / "notes.txt").write_text("not Anabranch's")
    environ = os.environ | {"ANABRANCH_CONFIG": str(tmp_path / "config"), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        command(data, "serve", "--port", 18_471),
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == (
        f"The data folder {data} can be opened by other users, and it contains files that are not Anabranch's, so its "
        "permissions were not changed. Choose a folder of your own, with mode 700.\n"
    )
