"""A log in one file that several processes append to: lines of JSON under a lock. Simple and slow."""

import fcntl
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event as Flag
from threading import RLock, Thread

from events.batch import number
from events.chain import holds
from events.codec import decode
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now
from events.log import Append, LogClosed, Verification, Watcher
from events.stored_row import GENESIS, Row, row_from_json, row_to_json
from events.watchers import RowSubscription, Watchers

_LOOKS_EVERY = 0.01


class SharedLog:
    """An `EventLog` whose rows are lines of a file. A thread reads the rows of other processes."""

    def __init__(self, file: Path, clock: Clock = utc_now, new_id: NewId | None = None) -> None:
        self._file = file
        self._file.touch()
        self._clock, self._new_id = clock, new_id or UuidV7(clock)
        self._lock = RLock()
        self._rows: list[Row] = []
        self._offset = 0
        self._watchers = Watchers()
        self._closed = Flag()
        self._take_in()
        self._thread = Thread(target=self._look, name="shared-log", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._closed.wait(_LOOKS_EVERY):
            self._take_in()

    def _take_in(self) -> None:
        """Read the new lines, and notify the watchers."""
        with self._lock, self._file.open("rb") as file:
            file.seek(self._offset)
            lines = file.read()
            whole = lines[: lines.rfind(b"\n") + 1]
            self._offset += len(whole)
            rows = [row_from_json(line) for line in whole.decode().splitlines()]
            self._rows += rows
            if rows:
                self._watchers.tell([decode(row) for row in rows])

    def append(self, *batch: Append) -> list[Recorded]:
        """See `EventLog.append`."""
        if self._closed.is_set():
            raise LogClosed("The log is closed; open it again to write.")
        with self._lock, self._file.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._take_in()
            ids = {event_id for append in batch for event_id in append.event_ids or ()}
            known = [row for row in self._rows if row.event_id in ids]
            if known and len(known) == len(ids):
                return [decode(row) for row in known]
            last = self._rows[-1] if self._rows else None
            rows = number(
                batch,
                head=(last.position, last.hash) if last else (0, GENESIS),
                stream_version=self.stream_version,
                now=self._clock(),
                new_id=self._new_id,
            )
            file.write("".join(f"{row_to_json(row)}\n" for row in rows).encode())
            file.flush()
            self._take_in()
        return [decode(row) for row in rows]

    def _of(self, stream: str) -> Sequence[Row]:
        return [row for row in self._rows if row.stream == stream]

    def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `EventLog.read_stream`."""
        return [decode(row) for row in self._of(stream)[after:]]

    def read_all(self, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        """See `EventLog.read_all`."""
        return map(decode, self._rows[after : None if limit is None else after + limit])

    def head(self) -> int:
        """See `EventLog.head`."""
        return len(self._rows)

    def stream_version(self, stream: str) -> int:
        """See `EventLog.stream_version`."""
        return len(self._of(stream))

    def verify(self) -> Verification:
        """See `EventLog.verify`."""
        previous = [GENESIS, *(row.hash for row in self._rows)]
        bad = [
            row.position for before, row in zip(previous, self._rows, strict=False) if not holds(before, row)
        ]
        return Verification(not bad, self.head(), self.head(), bad[0] if bad else None)

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`."""
        return self._watchers.add(watcher)

    def subscribe(self, after: int = 0) -> RowSubscription:
        """See `EventLog.subscribe`."""
        return self._watchers.subscribe(lambda at, most: self._rows[at : at + most], after)

    def close(self) -> None:
        """See `EventLog.close`."""
        self._closed.set()
        self._watchers.close()
        self._thread.join()
