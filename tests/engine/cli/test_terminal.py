"""Text of tools and models is shown in a terminal, but cannot control it."""

import io
import sys

import pytest

from engine.cli.cli_context import say

WRITTEN = "\x1b]0;owned\x07 \x9b2J \u202ea\tb\r\nc\rd\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Terminal(newline=""), "\\x1b]0;owned\\x07 \\x9b2J \\x202ea\tb\r\nc\\x0dd\n"),
        (io.StringIO(newline=""), WRITTEN),
    ],
    ids=["terminal", "file"],
)
def test_escape_codes_are_shown_as_text_in_a_terminal_and_kept_in_a_file(
    target: io.StringIO, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", target)
    say("stdout", WRITTEN)
    assert target.getvalue() == shown
