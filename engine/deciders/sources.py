"""Sources, and the decisions to add, change or remove a source. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.deciders.source_drivers import DIALECTS, DRIVERS, Driver
from engine.errors import Invalid, NotFound, Refused
from events.catalog.source import SourceAdded, SourceChanged, SourceFacts, SourceRemoved
from events.event import Event
from events.late_dataclass import dataclass

__all__ = [
    "Source",
    "SourceState",
    "add",
    "change",
    "checked_facts",
    "find_driver",
    "remove",
    "require_source",
    "source_of_row",
]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = frozenset(
    {"main", "public", "results", "moments", "information_schema", "pg_catalog", "temp", "system"}
)
"""Names that a source cannot have, because in SQL they mean other schemas."""
MOST_ROWS = 10_000_000
MOST_BYTES = 8 << 30
MOST_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class SourceState:
    """The result of a source's last test."""

    connected: bool
    at: datetime
    kind: str | None = None
    message: str | None = None
    server: str | None = None
    tables: int | None = None
    schemas: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A known source."""

    name: str
    facts: SourceFacts
    position: int
    """The position of the event with these facts."""
    state: SourceState | None = None

    @property
    def driver(self) -> Driver:
        """The driver of the source."""
        return DRIVERS[self.facts.driver]

    @property
    def dialect(self) -> str:
        """The name of the SQL dialect in `sqlglot`."""
        return self.facts.dialect or self.driver.dialect

    @property
    def language(self) -> str:
        """The usual name of the SQL dialect."""
        return DIALECTS.get(self.dialect, self.dialect)


def source_of_row(row: Mapping[str, Any]) -> Source:
    """Return the source from a row of the read model `sources`."""
    names = ("driver", "address", "user", "dialect", "max_rows", "max_bytes", "max_seconds")
    facts = SourceFacts(**{name: row[name] for name in names}, allowed=tuple(row["allowed"] or ()))
    told = ("server", "tables", "schemas")
    state = (
        SourceState(
            bool(row["connected"]),
            row["tested_at"],
            row["problem_kind"],
            row["problem"],
            *(row[n] for n in told),
        )
        if row["tested_at"]
        else None
    )
    return Source(row["name"], facts, row["facts_position"], state)


def find_driver(name: str) -> Driver:
    """Return a driver.

    Raises:
        NotFound: no driver has that name.
    """
    if name not in DRIVERS:
        raise NotFound("driver_unknown", f"There is no driver {name}. The drivers are: {', '.join(DRIVERS)}.")
    return DRIVERS[name]


def add(known: Mapping[str, Source], name: str, facts: SourceFacts) -> list[Event]:
    """Add a source.

    Raises:
        Invalid, Refused: the name is not valid or is taken.
    """
    if not _NAME.fullmatch(name) or name in _TAKEN:
        raise Invalid(
            "source_name",
            f"{name!r} cannot be the name of a source. Use at most 40 lower-case letters, digits and _, "
            "starting with a letter, and not a name that databases use themselves, such as public.",
        )
    if name in known:
        raise Refused(
            "source_taken",
            f"A source named {name} already exists. Edit it on the Sources page, or choose another name.",
        )
    return [SourceAdded(facts=facts)]


def change(known: Source, facts: SourceFacts) -> list[Event]:
    """Change a source; no event if nothing changes.

    Raises:
        Refused: the driver would change.
    """
    if facts.driver != known.facts.driver:
        raise Refused(
            "source_driver",
            f"The driver of {known.name} cannot be changed. Add another source for {facts.driver}.",
        )
    return [] if facts == known.facts else [SourceChanged(facts=facts)]


def remove(known: Source) -> list[Event]:  # noqa: ARG001 - all decisions take it
    """Remove a source."""
    return [SourceRemoved()]


def require_source(known: Mapping[str, Source], name: str) -> Source:
    """Return a source.

    Raises:
        NotFound: no source has that name.
    """
    if name not in known:
        there = f"Available sources: {', '.join(known)}." if known else "No sources have been added yet."
        raise NotFound("source_not_found", f"There is no source {name}. {there}")
    return known[name]


def checked_facts(facts: SourceFacts) -> SourceFacts:
    """Return facts whose names and limits are valid.

    Raises:
        Invalid: a name or a limit is not valid.
    """
    for what, value, most in (
        ("rows", facts.max_rows, MOST_ROWS),
        ("bytes", facts.max_bytes, MOST_BYTES),
        ("seconds", facts.max_seconds, MOST_SECONDS),
    ):
        if not 1 <= value <= most:
            raise Invalid(
                "source_limit", f"The maximum number of {what} must be from 1 to {most:,}, not {value:,}."
            )
    if facts.dialect and facts.dialect not in DIALECTS:
        there = ", ".join(DIALECTS)
        raise Invalid("source_dialect", f"There is no dialect {facts.dialect}. The dialects are: {there}.")
    for name in facts.allowed:
        if not 1 <= len(name.split(".")) <= 2 or not all(part.strip() for part in name.split(".")):
            raise Invalid(
                "source_allowed", f"{name!r} is neither a schema nor schema.table, such as sales.refunds."
            )
    return facts
