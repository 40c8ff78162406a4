"""The running checks of standing questions, at most one for each question. Later requests wait for the running one."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

from events.late_dataclass import dataclass

__all__ = ["RunningChecks"]


@dataclass(frozen=True, slots=True)
class _Running:
    check_id: str
    ended: Event


class RunningChecks:
    """Keeps track of the running checks. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_pin: dict[str, _Running] = {}

    @property
    def pins(self) -> frozenset[str]:
        """The pins whose check is running, or is waiting for another pin's check to end."""
        with self._lock:
            return frozenset(self._by_pin)

    @contextmanager
    def entered(self, pin_id: str, check_id: str) -> Iterator[str | None]:
        """Register a check during the block, and yield None.

        If a check of the same pin is running, wait for its end instead, yield that check's id, and register nothing.
        """
        mine = _Running(check_id, Event())
        with self._lock:
            other = self._by_pin.setdefault(pin_id, mine)
        if other is not mine:
            other.ended.wait()
            yield other.check_id
            return
        try:
            yield None
        finally:
            with self._lock:
                del self._by_pin[pin_id]
            mine.ended.set()
