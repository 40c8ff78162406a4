"""A log in memory with the same contract as the one on disk: for tests and for data that need not outlive the
process."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from threading import RLock

from events.batch import number
from events.chain import holds
from events.codec import decode
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now
from events.log import Append, Condition, LogClosed, Verification, Watcher
from events.stored_row import GENESIS, Row
from events.watchers import RowSubscription, Watchers

__all__ = ["MemoryLog", "NoUpkeep"]


class MemoryLog:
    """An `EventLog` whose rows are a list."""

    def __init__(self, clock: Clock = utc_now, new_id: NewId | None = None) -> None:
        self._clock = clock
        self._new_id = new_id or UuidV7(clock)
        self._lock = RLock()
        self._rows: list[Row] = []
        self._streams: defaultdict[str, list[Row]] = defaultdict(list)
        self._ids: dict[str, Row] = {}
        self._watchers = Watchers()
        self._closed = False

    def append(self, *batch: Append) -> list[Recorded]:
        """See `EventLog.append`."""
        with self._lock:
            if self._closed:
                raise LogClosed("The log is closed; open it again to write.")
            known = [self._ids.get(event_id) for append in batch for event_id in append.event_ids or ()]
            if known and all(known):
                return [decode(row) for row in known if row]
            last = self._rows[-1] if self._rows else None
            rows = number(
                batch,
                head=(last.position, last.hash) if last else (0, GENESIS),
                stream_version=lambda stream: len(self._streams[stream]),
                now=self._clock(),
                new_id=self._new_id,
            )
            for row in rows:
                self._rows.append(row)
                self._streams[row.stream].append(row)
                self._ids[row.event_id] = row
            recorded = [decode(row) for row in rows]
            if recorded:
                self._watchers.tell(recorded)
        return recorded

    def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `EventLog.read_stream`."""
        return [decode(row) for row in self._streams[stream][after:]]

    def read_all(self, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        """See `EventLog.read_all`."""
        end = None if limit is None else after + limit
        return map(decode, self._rows[after:end])

    def head(self) -> int:
        """See `EventLog.head`."""
        return len(self._rows)

    def stream_version(self, stream: str) -> int:
        """See `EventLog.stream_version`."""
        return len(self._streams[stream])

    def verify(self) -> Verification:
        """See `EventLog.verify`."""
        previous = GENESIS
        for row in self._rows:
            if not holds(previous, row):
                return Verification(
                    False,
                    len(self._rows),
                    len(self._rows),
                    row.position,
                    "The event was changed after it was written.",
                )
            previous = row.hash
        return Verification(True, len(self._rows), len(self._rows))

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`."""
        return self._watchers.add(watcher)

    def subscribe(self, after: int = 0) -> RowSubscription:
        """See `EventLog.subscribe`."""
        return self._watchers.subscribe(lambda at, most: self._rows[at : at + most], after)

    def close(self) -> None:
        """See `EventLog.close`."""
        self._closed = True
        self._watchers.close()


class NoUpkeep:
    """The `LogUpkeep` of a log without files."""

    condition: Condition = "well"
    problem: str | None = None
    damage: str | None = None
    restored = 0
    can_accept = False

    def accept(self) -> list[Recorded]:
        """See `LogUpkeep.accept`; there is never anything to accept."""
        return []

    def notices(self) -> tuple[str, ...]:
        """See `LogUpkeep.notices`."""
        return ()

    def checkpoint(self) -> None:
        """See `LogUpkeep.checkpoint`."""

    def mend_copy(self) -> bool:
        """See `LogUpkeep.mend_copy`; there is no copy."""
        return False

    def kept_bytes(self) -> int:
        """See `LogUpkeep.kept_bytes`."""
        return 0
