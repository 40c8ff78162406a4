"""Makes ids and times. Both are injected, so that a test or a replay can use fixed ones."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import TypeAlias

__all__ = ["Clock", "NewId", "UuidV7", "utc_now"]

Clock: TypeAlias = Callable[[], datetime]
NewId: TypeAlias = Callable[[], str]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class UuidV7:
    """Makes UUIDs of version 7 (RFC 9562 §5.7): 48 bits of milliseconds, 74 bits of randomness.

    Ids from one object are always increasing. Within a millisecond, or if the clock steps back, the next id is the
    last id plus one.
    """

    def __init__(self, clock: Clock = utc_now, random_bits: Callable[[int], int] = secrets.randbits) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._lock = Lock()
        self._last_millisecond = -1
        self._last_random = 0

    def __call__(self) -> str:
        """Return the next id as text."""
        with self._lock:
            millisecond = int(self._clock().timestamp() * 1000)
            if millisecond > self._last_millisecond:
                self._last_millisecond, self._last_random = millisecond, self._random_bits(73)
            else:
                self._last_random += 1
            high, low = self._last_random >> 62, self._last_random & ((1 << 62) - 1)
            bits = self._last_millisecond << 80 | 7 << 76 | (high & 0xFFF) << 64 | 0b10 << 62 | low
        text = f"{bits:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
