"""Removes secrets from text that arrives in pieces. If the end of a piece may be the beginning of a secret, this end is
held back until the next piece arrives.
"""

from collections.abc import Callable

from engine.secrets.scrubber import Scrubber

__all__ = ["StreamScrubber"]


class StreamScrubber:
    """Passes text on without secrets, even if a secret is split between pieces."""

    def __init__(self, scrubber: Scrubber, pass_on: Callable[[str], None]) -> None:
        self._scrubber = scrubber
        self._pass_on = pass_on
        self._held = ""

    def add(self, text: str) -> None:
        """Accept more text."""
        text = self._scrubber.text(self._held + text)
        keep = self._scrubber.may_begin(text)
        self._held = text[len(text) - keep :]
        self._send(text[: len(text) - keep])

    def end(self) -> None:
        """Pass on the held-back text, which is not a secret, because the input has ended."""
        held, self._held = self._held, ""
        self._send(held)

    def _send(self, text: str) -> None:
        if text:
            self._pass_on(text)
