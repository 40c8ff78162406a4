"""SQL access to events: the log's rows and the read models, as of the store's position.

Today both are in the log's own database and are committed together (`DuckDBReadStore`), which is fast. Code outside
this folder must not rely on that: a writer that must see its own events calls `wait_for`. `FollowingReadStore`
follows any log.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import duckdb

from events.log_reads import export_log
from events.projections.registry import TABLES
from events.read_models import chat_reads, read_model, write_parquet

__all__ = ["DuckDBReadStore", "ReadStore"]


class ReadStore(Protocol):
    """A DuckDB database with the table `event_log` and the read models."""

    def position(self) -> int:
        """Return the last position that the store shows."""
        ...

    def wait_for(self, position: int, seconds: float | None = None) -> None:
        """Wait until the store shows `position`.

        Raises:
            ReadStoreBehind: the store did not reach it within `seconds`.
        """
        ...

    def reader(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Yield a separate cursor, which shows everything that the log contained when the cursor was requested."""
        ...

    def read(self, name: str, *, at: int | None = None, chat_id: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a read model for one chat or all chats, now or as of position `at`."""
        ...

    def of_chat(
        self, chat_id: str, *, at: int | None = None, since: int | None = None
    ) -> AbstractContextManager[Callable[..., list[dict[str, Any]]]]:
        """Yield a `read` over one chat's events, which are fetched once, to read several models as of the same
        position."""
        ...

    def registers(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of every table that the read models are based on, in the order of their keys."""
        ...

    def rebuild(self) -> None:
        """Drop and compute all read models again."""
        ...

    def export(self, file: Path) -> int:
        """Write all events as Parquet through Arrow; return their number."""
        ...

    def write_parquet(self, folder: Path, chat_id: str | None) -> None:
        """Write the events and the read models of one chat, or of all, as Parquet files into `folder`."""
        ...

    def close(self) -> None:
        """Release the resources of the store."""
        ...


class DuckDBReadStore:
    """A `ReadStore` over one DuckDB database: here the log's own, in which events and read models are committed
    together.
    """

    def __init__(
        self,
        reader: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
        position: Callable[[], int],
        rebuild: Callable[[], None],
    ) -> None:
        self._reader, self._position, self._rebuild = reader, position, rebuild

    def position(self) -> int:
        """See `ReadStore.position`."""
        return self._position()

    def wait_for(self, position: int, seconds: float | None = None) -> None:
        """See `ReadStore.wait_for`. Returns at once, because all appends to the log are visible here."""

    def reader(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """See `ReadStore.reader`."""
        return self._reader()

    def read(self, name: str, *, at: int | None = None, chat_id: str | None = None) -> list[dict[str, Any]]:
        """See `ReadStore.read`."""
        with self.reader() as cursor:
            return read_model(cursor, name, at=at, chat_id=chat_id)

    @contextmanager
    def of_chat(
        self, chat_id: str, *, at: int | None = None, since: int | None = None
    ) -> Iterator[Callable[..., list[dict[str, Any]]]]:
        """See `ReadStore.of_chat`."""
        with self.reader() as cursor, chat_reads(cursor, chat_id, at=at, since=since) as read:
            yield read

    def registers(self) -> dict[str, list[tuple[Any, ...]]]:
        """See `ReadStore.registers`."""
        with self.reader() as cursor:
            return {t.name: cursor.execute(f"FROM {t.name} ORDER BY {t.key}").fetchall() for t in TABLES}

    def rebuild(self) -> None:
        """See `ReadStore.rebuild`."""
        self._rebuild()

    def export(self, file: Path) -> int:
        """See `ReadStore.export`."""
        with self.reader() as cursor:
            return export_log(cursor, file)

    def write_parquet(self, folder: Path, chat_id: str | None) -> None:
        """See `ReadStore.write_parquet`."""
        with self.reader() as cursor:
            write_parquet(cursor, folder, chat_id)

    def close(self) -> None:
        """See `ReadStore.close`. Does nothing, because the database belongs to the log."""
