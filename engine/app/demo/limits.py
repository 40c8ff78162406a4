"""Limits for each visitor of a public demo, from the host's environment."""

import os
from collections.abc import Mapping

from engine.config import Bounds
from events.late_dataclass import dataclass

__all__ = ["DemoLimits", "demo_limits", "ignored_limits", "is_demo", "public_hosts"]

_MIB = 1 << 20
_SHIPS = ("data-analyst", "app-builder")
"""The bundles that a demo installs, because they need neither keys nor the network."""
_WITHHELD = frozenset({"app-builder:run_command", "data-analyst:python"})


@dataclass(frozen=True, slots=True)
class DemoLimits:
    """The limits. Each can be set by an environment variable; see docs/demo.md."""

    visitors: int = 20
    """The maximum number of visitors at the same time."""
    idle_minutes: float = 30.0
    """The minutes without use after which a visitor's data is deleted."""
    grace_seconds: float = 60.0
    """The seconds after which a closed tab's data is deleted. If the page is reloaded sooner, the data is kept."""
    upload_bytes: int = 20 * _MIB
    """The maximum size of one file, in bytes."""
    total_bytes: int = 100 * _MIB
    """The maximum number of bytes that a visitor may store in total."""
    files: int = 50
    """The maximum number of files in one chat."""
    chats: int = 20
    turns_at_once: int = 2
    turn_seconds: float = 60.0
    turn_calls: int = 20
    tool_memory_bytes: int = 1024 * _MIB
    """The maximum memory of one tool process, in bytes."""
    text_characters: int = 20_000
    """The maximum number of characters in one question."""

    @property
    def brought_bytes(self) -> int:
        """The limit for a restored file: twice a visitor's storage limit, since running work may exceed that limit."""
        return 2 * self.total_bytes

    @property
    def bounds(self) -> Bounds:
        """The limits that a visitor's engine enforces itself."""
        return Bounds(
            only_offline=True,
            ships=_SHIPS,
            withheld=_WITHHELD,
            turn_seconds=self.turn_seconds,
            turn_calls=self.turn_calls,
            call_memory_bytes=self.tool_memory_bytes,
            call_file_bytes=self.upload_bytes,
        )


def is_demo(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether this process serves a public demo, whose visitors must not get access to the machine (UI-9)."""
    return environ.get("ANABRANCH_DEMO", "").strip() == "1"


def demo_limits(environ: Mapping[str, str] = os.environ) -> DemoLimits:
    """Return the limits that the host has set. A value that is not a positive number is ignored."""
    usual = DemoLimits()

    def number(name: str, default: float, unit: int = 1) -> float:
        try:
            given = float(environ.get(name, ""))
        except ValueError:
            return default
        return given * unit if 0 < given < 1e9 else default

    return DemoLimits(
        visitors=int(number("ANABRANCH_DEMO_VISITORS", usual.visitors)) or 1,
        idle_minutes=number("ANABRANCH_DEMO_IDLE_MINUTES", usual.idle_minutes),
        grace_seconds=number("ANABRANCH_DEMO_GRACE_SECONDS", usual.grace_seconds),
        upload_bytes=int(number("ANABRANCH_DEMO_UPLOAD_MB", usual.upload_bytes, _MIB)),
        total_bytes=int(number("ANABRANCH_DEMO_TOTAL_MB", usual.total_bytes, _MIB)),
        files=int(number("ANABRANCH_DEMO_FILES", usual.files)) or 1,
        chats=int(number("ANABRANCH_DEMO_CHATS", usual.chats)) or 1,
        turns_at_once=int(number("ANABRANCH_DEMO_TURNS", usual.turns_at_once)) or 1,
        turn_seconds=number("ANABRANCH_DEMO_TURN_SECONDS", usual.turn_seconds),
        turn_calls=int(number("ANABRANCH_DEMO_TURN_CALLS", usual.turn_calls)) or 1,
        tool_memory_bytes=int(number("ANABRANCH_DEMO_TOOL_MEMORY_MB", usual.tool_memory_bytes, _MIB)),
    )


def ignored_limits(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return a sentence about each limit whose value `demo_limits` ignores."""
    return [
        f"{name} is {given!r}, which is not a positive number. The default applies."
        for name, given in sorted(environ.items())
        if name.startswith("ANABRANCH_DEMO_") and given.strip() and not _is_positive(given)
    ]


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < 1e9
    except ValueError:
        return False


def public_hosts(environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Return a demo's host names from `ANABRANCH_HOSTS`; if it is not set, return `*`, which means any name.

    A demo does not use cookies or anything else that a browser sends automatically, so a page from another site gains
    nothing by reaching the demo under another host name.
    """
    given = environ.get("ANABRANCH_HOSTS", "")
    return frozenset(name.strip().lower() for name in given.split(",") if name.strip()) or frozenset({"*"})
