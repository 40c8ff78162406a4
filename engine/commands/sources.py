"""Commands about sources: databases and query engines (SRC-2)."""

from collections.abc import Sequence
from dataclasses import field

from engine.commands.base import Command
from events.late_dataclass import dataclass

__all__ = [
    "AddSource",
    "ChangeSource",
    "ProfileSourceTable",
    "RefreshSourceTables",
    "RemoveSource",
    "SourceAnswer",
    "TestSource",
]


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """A source's answer to a test."""

    name: str
    connected: bool
    server: str | None = None
    """The name of the server that answered."""
    tables: int | None = None
    """The number of tables that may be read."""
    schemas: int | None = None
    """The number of schemas that were found."""
    kind: str | None = None
    """The reason why the source did not answer: `cannot_connect`, `wrong_key`, `no_right`, `too_slow`,
    `driver_missing` and others.
    """
    message: str | None = None
    """What happened, and what to do about it."""
    code: str | None = None
    """The error code that the server returned."""


@dataclass(frozen=True, slots=True)
class AddSource(Command[None]):
    """Add a database or query engine that can then be queried in chats. This does not connect to the source; test it
    next.

    A password in the address is removed from the address and stored with the other keys, never in the log.
    """

    name: str
    """The source's name in SQL: lower-case letters, digits and _."""
    driver: str
    """`postgresql`, `sqlite` or `flightsql`."""
    address: str
    user: str | None = None
    key: str | None = field(default=None, repr=False)
    """The source's password or token, which is never written to the log."""
    allowed: Sequence[str] = ()
    """The schemas, or tables named as `schema.table`, that may be read; empty: everything that the database user may
    read."""
    dialect: str = ""
    """The SQL dialect; empty: the driver's default."""
    max_rows: int = 1_000_000
    max_bytes: int = 1 << 30
    max_seconds: int = 60


@dataclass(frozen=True, slots=True)
class ChangeSource(Command[None]):
    """Change a source. Fields that are None stay unchanged."""

    name: str
    address: str | None = None
    user: str | None = None
    key: str | None = field(default=None, repr=False)
    """The new password or token; an empty string deletes the stored one; None: unchanged."""
    allowed: Sequence[str] | None = None
    """The schemas and tables that may be read; empty: all."""
    dialect: str | None = None
    """The SQL dialect, if the address does not determine it."""
    max_rows: int | None = None
    max_bytes: int | None = None
    max_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveSource(Command[None]):
    """Remove a source and delete its password. Recorded results from it stay."""

    name: str


@dataclass(frozen=True, slots=True)
class TestSource(Command[SourceAnswer]):
    """Connect to a source, list its tables, and record whether that worked. A source that cannot be reached is not an
    error."""

    __test__ = False  # pytest must not collect this class as a test

    name: str


@dataclass(frozen=True, slots=True)
class RefreshSourceTables(Command[SourceAnswer]):
    """Read the list of a source's tables again, and record whether that worked, like `TestSource`."""

    name: str


@dataclass(frozen=True, slots=True)
class ProfileSourceTable(Command[int]):
    """Read up to 100,000 rows of a source's table once. Returns the number of rows in the table; if the source does not
    say it, the number of rows that were read.

    The query builder and the offline analyst need the table's values. The profile is stored with the time of reading.
    """

    name: str
    table: str
    """The table's name as it is listed, such as `sales.orders`."""
