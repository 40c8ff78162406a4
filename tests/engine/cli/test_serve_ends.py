"""Ctrl C at `anabranch serve` ends it with a word, and with the exit code of a program that SIGINT ended."""

import signal
from pathlib import Path

import pytest

from tests.engine.cli.served import served
from tests.support.long_cases import mostly_long


@pytest.mark.parametrize(
    ("how", "said"),
    mostly_long([(signal.SIGINT, ["Anabranch has ended."]), (signal.SIGTERM, [])], quick=(1,)),
)
def test_serve_ends_with_a_plain_word(tmp_path: Path, how: signal.Signals, said: list[str]) -> None:
    with served(tmp_path / "data", tmp_path / "config") as service:
        service.end(how)
        lines = [line for line in (tmp_path / "server.log").read_text().splitlines() if line.strip()]
    assert lines[0].startswith("Anabranch is running at http://127.0.0.1:")
    assert lines[1:] == said
    if how is signal.SIGINT:
        assert service.process.returncode == 128 + signal.SIGINT
