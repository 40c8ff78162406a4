"""The system's keyring, if there is one and it works. Every request to it has a time limit.

A machine without a desktop has no keyring, a locked keyring may ask its owner, and a broken one may never answer. So
each request runs in the background with a time limit, and a keyring that does not answer in time is not asked again for
a while.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

__all__ = ["KeyringStore", "NoKeyring", "SystemKeyring", "system_keyring"]

SERVICE = "anabranch"
_SECONDS = 20.0
"""The time limit in seconds for reading and removing, which the keyring's owner may have to allow first. Writing has a
longer limit.
"""
_SECONDS_TO_WRITE = 60.0
_REST = 60.0
"""The seconds during which a keyring that did not answer is not asked again."""


class KeyringStore(Protocol):
    """Stores values by name, outside of Anabranch's own files."""

    def get(self, name: str) -> str | None:
        """Return the value; None if there is none or the keyring did not answer."""

    def set(self, name: str, value: str) -> bool:
        """Store a value; return whether it was stored and can be read back."""

    def remove(self, name: str) -> None:
        """Remove a value, if the keyring allows it."""


class NoKeyring:
    """Used when no keyring is allowed."""

    def get(self, name: str) -> str | None:  # noqa: ARG002
        """Return None, because nothing is stored."""
        return None

    def set(self, name: str, value: str) -> bool:  # noqa: ARG002
        """Return False, because nothing is stored."""
        return False

    def remove(self, name: str) -> None:
        """Do nothing, because nothing is stored."""


class SystemKeyring:
    """The keyring that the package `keyring` finds. The package is loaded at the first request."""

    def __init__(self, seconds: float = _SECONDS, seconds_to_write: float = _SECONDS_TO_WRITE) -> None:
        self._seconds = seconds
        self._seconds_to_write = seconds_to_write
        self._usable = True
        self._rests_until = 0.0

    def get(self, name: str) -> str | None:
        """See `KeyringStore`."""
        value = self._asked(lambda ring: ring.get_password(SERVICE, name), self._seconds)
        return value if isinstance(value, str) else None

    def set(self, name: str, value: str) -> bool:
        """See `KeyringStore`."""

        def keep(ring: Any) -> bool:
            ring.set_password(SERVICE, name, value)
            return bool(ring.get_password(SERVICE, name) == value)

        return self._asked(keep, self._seconds_to_write) is True

    def remove(self, name: str) -> None:
        """See `KeyringStore`."""
        self._asked(lambda ring: ring.delete_password(SERVICE, name), self._seconds)

    def _asked(self, question: Callable[[Any], Any], seconds: float) -> Any:
        """Return the keyring's answer; None if there is no keyring, if it refused, or if it did not answer in time."""
        if not self._usable or time.monotonic() < self._rests_until:
            return None
        answers: list[Any] = []

        def ask() -> None:
            try:
                ring = _backend()
                if ring is None:
                    self._usable = False
                else:
                    answers.append(question(ring))
            except Exception:  # each keyring has its own errors; after any of them, the file is used
                answers.append(None)

        asking = threading.Thread(target=ask, name="keyring", daemon=True)
        asking.start()
        asking.join(seconds)
        if asking.is_alive():
            self._rests_until = time.monotonic() + _REST
            return None
        return answers[0] if answers else None


def system_keyring(environ: Mapping[str, str]) -> KeyringStore:
    """Return the keyring of this system; a `NoKeyring` with `ANABRANCH_KEYRING=off`, or on Linux without a session
    bus."""
    if environ.get("ANABRANCH_KEYRING", "").lower() == "off":
        return NoKeyring()
    if sys.platform == "linux" and not _has_session_bus(environ):
        return NoKeyring()
    return SystemKeyring()


def _has_session_bus(environ: Mapping[str, str]) -> bool:
    if environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return True
    return (Path(environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}") / "bus").exists()


def _backend() -> Any:
    """Return the keyring to use; None if the only keyring stores nothing or stores secrets unencrypted."""
    import keyring  # noqa: PLC0415 - takes 50 ms, and few processes need it

    ring = keyring.get_keyring()
    return ring if float(ring.priority) >= 1 else None
