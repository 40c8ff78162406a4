"""Declares a read model once; everything else is compiled from that declaration.

A table of registers has a key and columns. A column contains either the last value that some events gave it, or a count
of events. Three things are compiled from that:

- `rebuild_sql`: the whole table from a batch of events, grouped by key, for rebuilds, past states and large batches;
- `statements`: for one event, an UPDATE of the columns that listen to its type, and an INSERT if there was no row,
  which is about ten times cheaper than planning the set-based form for one event;
- `fold`: the whole table from the events of one chat, in Python.

Values come from `Field`s, each of which is defined both as SQL over the log and as Python over a row. Property tests
check that both give the same values (PRJ-3). Long texts stay in the log and are joined by position in a view.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from events.late_dataclass import dataclass
from events.projections.decoded_event import DecodedEvent
from events.projections.fields import Field, SqlType, of_types, quoted
from events.upcasters import current_version

__all__ = ["Column", "Count", "Last", "Table", "View"]


@dataclass(frozen=True, slots=True)
class Last:
    """The value from the last event that this column listens to."""

    sources: Mapping[str, Field]
    """Event type → value."""
    where: Mapping[str, str] | None = None
    """Event type → a boolean of the payload that must be true for the event to count. It must be the payload's first
    key: payloads are canonical, so the boolean is read from the beginning of the text without parsing a long message.
    """


@dataclass(frozen=True, slots=True)
class Count:
    """The number of events of these types."""

    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its type and its register."""

    sql_type: SqlType
    register: Last | Count


@dataclass(frozen=True, slots=True)
class Table:
    """A table of registers, one row for each key.

    Every event type that it listens to must set at least one column unconditionally, so that the event creates a row in
    every compiled form.
    """

    name: str
    key: str
    key_type: SqlType
    key_field: Field
    columns: Mapping[str, Column]
    streams: str = ""
    """The common prefix of stream names, if all events of the table are in a few streams; other streams are not
    read."""

    def __post_init__(self) -> None:
        for event_type in self.event_types:
            if not any(_always(c.register, event_type) for c in self.columns.values()):
                raise ValueError(f"{self.name}: {event_type} sets no column unconditionally.")

    @property
    def event_types(self) -> tuple[str, ...]:
        """The event types that the columns listen to, sorted."""
        return tuple(sorted({t for c in self.columns.values() for t in _types(c.register)}))

    def create_sql(self) -> str:
        """Return the SQL that creates the empty table."""
        columns = "".join(f", {name} {c.sql_type}" for name, c in self.columns.items())
        return f"CREATE TABLE {self.name} ({self.key} {self.key_type}{columns})"

    def rebuild_sql(self, condition: str = "true") -> str:
        """Return a SELECT that computes all rows from the events in the relation `event_log` that meet `condition`."""
        key = f"CAST({self.key_field.sql} AS {self.key_type})"
        columns = "".join(f",\n  {_aggregate(c)} AS {name}" for name, c in self.columns.items())
        if self.streams:
            condition += f" AND stream >= '{self.streams}' AND stream < '{self.streams}~'"
        return (
            f"SELECT {key} AS {self.key}{columns}\nFROM event_log\n"
            f"WHERE {condition} AND {of_types(*self.event_types)} AND {self.key_field.sql} IS NOT NULL\nGROUP BY 1"
        )

    def statements(self, event: DecodedEvent) -> tuple[str, str, list[Any]] | None:
        """Return the UPDATE, the INSERT and their parameters for one event; None if no column listens to it.

        The parameters of both are the columns' values followed by the key.
        """
        if event.type not in self.event_types or not event.stream.startswith(self.streams):
            return None
        key = self.key_field.of(event)
        if key is None or event.schema_version > current_version(event.type):
            return None
        sets: list[str] = []
        names: list[str] = []
        values: list[Any] = []
        for name, flag, value in self._listening(event.type):
            if value is None:
                sets.append(f"{name} = {name} + ?")
            elif flag is None or event.payload.get(flag) is True:
                sets.append(f"{name} = ?")
            else:
                continue
            names.append(name)
            values.append(1 if value is None else value(event))
        update = f"UPDATE {self.name} SET {', '.join(sets)} WHERE {self.key} = ?"
        return update, self._insert_sql(names), [*values, key]

    def fold(self, events: Iterable[DecodedEvent]) -> dict[str, dict[str, Any]]:
        """Fold `events`, in the order given, into rows: key → row. Each row also contains its key."""
        rows: dict[str, dict[str, Any]] = {}
        listening = {event_type: self._listening(event_type) for event_type in self.event_types}
        empty = {n: 0 if isinstance(c.register, Count) else None for n, c in self.columns.items()}
        key_of = self.key_field.of
        for event in events:
            columns = listening.get(event.type)
            if columns is None or not event.stream.startswith(self.streams):
                continue
            key = key_of(event)
            if key is None:
                continue
            row = rows.get(key)
            if row is None:
                row = rows[key] = {**empty, self.key: key}
            for name, flag, value in columns:
                if value is None:
                    row[name] += 1
                elif flag is None or event.payload.get(flag) is True:
                    row[name] = value(event)
        return rows

    def fold_stream(self, of_type: Mapping[str, Sequence[DecodedEvent]]) -> dict[str, dict[str, Any]]:
        """Return the same rows as `fold` for a table that is keyed by stream, given the events of one stream by type.

        Only the last event of each type is read, so a long chat takes no more time than a short one.
        """
        first = next((of_type[one][0] for one in self.event_types if of_type.get(one)), None)
        if first is None or not first.stream.startswith(self.streams):
            return {}
        key = self.key_field.of(first)
        row: dict[str, Any] = {name: _in_stream(c.register, of_type) for name, c in self.columns.items()}
        return {key: row | {self.key: key}}

    def _listening(
        self, event_type: str
    ) -> list[tuple[str, str | None, Callable[[DecodedEvent], Any] | None]]:
        """Return the columns that an event of this type sets, each as its name, the flag that must be true, and the
        function that reads the value from the event (None if the column is a count).
        """
        found: list[tuple[str, str | None, Callable[[DecodedEvent], Any] | None]] = []
        for name, declared in self.columns.items():
            register = declared.register
            if isinstance(register, Count):
                if event_type in register.types:
                    found.append((name, None, None))
            elif event_type in register.sources:
                found.append((name, (register.where or {}).get(event_type), register.sources[event_type].of))
        return found

    def _insert_sql(self, names: list[str]) -> str:
        zeros = [n for n, c in self.columns.items() if isinstance(c.register, Count) and n not in names]
        columns = ", ".join([*names, self.key, *zeros])
        marks = ", ".join(["?"] * (len(names) + 1) + ["0"] * len(zeros))
        return f"INSERT INTO {self.name} ({columns}) VALUES ({marks})"


@dataclass(frozen=True, slots=True)
class View:
    """A read model defined as a query over tables of registers, other views and the log."""

    name: str
    sql: str
    order: str
    """Columns that give its rows a unique order, for comparing and printing."""


def _types(register: Last | Count) -> tuple[str, ...]:
    return register.types if isinstance(register, Count) else tuple(register.sources)


def _in_stream(register: Last | Count, of_type: Mapping[str, Sequence[DecodedEvent]]) -> Any:
    """Return the value of a register after the events of one stream."""
    if isinstance(register, Count):
        return sum(len(of_type.get(one, ())) for one in register.types)
    flags = register.where or {}
    newest: DecodedEvent | None = None
    for event_type in register.sources:
        flag = flags.get(event_type)
        told = reversed(of_type.get(event_type, ()))
        last = next((one for one in told if flag is None or one.payload.get(flag) is True), None)
        if last is not None and (newest is None or last.position > newest.position):
            newest = last
    return None if newest is None else register.sources[newest.type].of(newest)


def _always(register: Last | Count, event_type: str) -> bool:
    conditional = isinstance(register, Last) and event_type in (register.where or {})
    return event_type in _types(register) and not conditional


def _aggregate(declared: Column) -> str:
    register = declared.register
    if isinstance(register, Count):
        return f"count(*) FILTER (WHERE type IN ({quoted(register.types)}))"
    where = register.where or {}
    plain = [t for t in register.sources if t not in where]
    tests = [f"type IN ({quoted(plain)})"] if plain else []
    tests += [f"""(type = '{t}' AND starts_with(payload, '{{"{flag}":true'))""" for t, flag in where.items()]
    value = _choose(register.sources, declared.sql_type)
    return f"arg_max_null({value}, position) FILTER (WHERE {' OR '.join(tests)})"


def _choose(sources: Mapping[str, Field], sql_type: SqlType) -> str:
    """Return the SQL that chooses the value by the event's type. It is a CASE, because an aggregate's argument is also
    computed for rows that the aggregate skips.
    """
    expressions = {source.sql for source in sources.values()}
    if len(expressions) == 1 and "payload" not in "".join(expressions):
        return f"CAST({expressions.pop()} AS {sql_type})"
    cases = " ".join(f"WHEN '{t}' THEN CAST({source.sql} AS {sql_type})" for t, source in sources.items())
    return f"CASE type {cases} END"
