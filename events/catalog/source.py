"""Databases and query engines that can be queried in chats. Stream `source-<name>`. The events contain no passwords."""

from typing import Literal

from events.event import Event, Value

__all__ = ["SourceAdded", "SourceChanged", "SourceFacts", "SourceRemoved", "SourceTested"]


class SourceFacts(Value):
    """The facts about a source, without its password or token, which is stored elsewhere."""

    driver: str
    """`postgresql`, `sqlite` or `flightsql`."""
    address: str
    """The address: `db.lan:5432/analytics`, `grpc://cluster.lan:50051`, or the full path of a file."""
    user: str | None = None
    """The user to log in as."""
    allowed: tuple[str, ...] = ()
    """The schemas (`sales`) and tables (`sales.refunds`) that may be read; empty: everything that `user` may read."""
    dialect: str = ""
    """The SQL dialect, by its name in `sqlglot`; empty: the driver's default."""
    max_rows: int = 1_000_000
    """The maximum number of rows in a result."""
    max_bytes: int = 1 << 30
    """The maximum size of a result in memory, in bytes."""
    max_seconds: int = 60
    """The time limit for a query at the source, in seconds."""


class SourceAdded(Event):
    """The user added a data source."""

    type: Literal["SourceAdded"] = "SourceAdded"
    facts: SourceFacts
    """The facts about the source, without its password or token."""

    def sentence(self) -> str:
        """See `Event.sentence`: says where the source is."""
        return f"You added a source at {self.facts.address}."


class SourceChanged(Event):
    """The user changed a source's address, login, readable tables or limits."""

    type: Literal["SourceChanged"] = "SourceChanged"
    facts: SourceFacts
    """All facts after the change."""

    def sentence(self) -> str:
        """See `Event.sentence`: says where the source is."""
        return f"You changed a source; it is at {self.facts.address}."


class SourceRemoved(Event):
    """The user removed a source. Recorded results from it stay in the chats."""

    type: Literal["SourceRemoved"] = "SourceRemoved"

    def sentence(self) -> str:
        """See `Event.sentence`."""
        return "You removed a source; recorded results stay."


class SourceTested(Event):
    """A source was tested. Only the result is recorded."""

    type: Literal["SourceTested"] = "SourceTested"
    connected: bool
    kind: str | None = None
    """The reason why the test failed: `cannot_connect`, `wrong_key`, `no_right`, `too_slow`, `driver_missing`
    and others.
    """
    message: str | None = None
    """The problem and what to do about it, in a sentence or two."""
    server: str | None = None
    """The server that answered, such as `PostgreSQL 16.14`."""
    tables: int | None = None
    """The number of tables that may be read."""
    schemas: int | None = None
    """The number of schemas that contain those tables."""

    def sentence(self) -> str:
        """See `Event.sentence`: says whether the source answered."""
        return f"{self.server} answered." if self.connected else f"The source did not answer: {self.message}"
