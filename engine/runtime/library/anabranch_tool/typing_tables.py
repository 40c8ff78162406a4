"""Converts a raw table to a typed Parquet file: each value is read exactly in its column's format, or reported.

The formats come from a sample. The formats are tried on all rows in one pass that stops at the first value that does
not fit. If such a value is found, all of them are counted, and the formats are decided again with these values. Words
for a missing value, such as `NA`, count as values that do not fit: a note says how many there were and what they
became.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

import duckdb

from anabranch_tool import progress
from anabranch_tool.column_checks import Checked, check_formats, count_words, has_words, share_words
from anabranch_tool.column_types import Format, Text, decide_all, quote
from anabranch_tool.raw_tables import RawTable, sample_of, sql_text
from anabranch_tool.table_shape import TOTAL, quoted
from anabranch_tool.typed_doubts import column_doubts, total_by_sum

__all__ = ["TypedColumn", "TypedTable", "column_facts", "type_table", "typed_select"]

_MISFIT = "anabranch-misfit"
_LOADED = "raw_rows"
"""The temporary table for rows that are read more than once. Readers of formats other than text fill it themselves."""
_EXAMPLES = 5
_WATCHED = 0.3
"""Seconds between two checks of a statement's progress."""
_CELLS = 2_000_000
"""The number of values in one row group. The values of a row group are in memory together."""
_DICTIONARY = 500
"""A column with at most this many different values is written as a dictionary. A higher limit would cost more time than
it saves.
"""


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """One column of a typed table."""

    name: str
    type: str
    unreadable: int = 0
    """The number of values that do not have the type and are NULL in the table."""
    examples: tuple[str, ...] = ()
    """Some of the unreadable values, in order of appearance."""
    note: str | None = None
    """The assumptions that were made."""
    loss: str | None = None
    """Sentences about the unreadable values, and about how values that could mean two things were read."""


@dataclass(frozen=True, slots=True)
class TypedTable:
    """The facts about a table that was written as Parquet."""

    sheet: str | None
    rows: int
    columns: tuple[TypedColumn, ...]
    notes: tuple[str, ...]
    losses: tuple[str, ...]


def type_table(
    connection: duckdb.DuckDBPyConnection, raw: RawTable, target: Path, share: float, label: str
) -> TypedTable:
    """Write `raw` to the Parquet file `target`; at most the share `share` of a column's values may be unreadable.

    `label` is the name of the table in progress messages.
    """
    with _progress(connection, label):
        return _typed(connection, raw, target, share)


def _typed(connection: duckdb.DuckDBPyConnection, raw: RawTable, target: Path, share: float) -> TypedTable:
    sample = sample_of(connection, raw)
    written = {name: sample[name] for name, kind in raw.columns if kind == "VARCHAR"}
    formats, habits = decide_all(written, share)
    texts = {name: Checked(found) for name, found in formats.items()}
    clean = not any(has_words(sample[name]) for name, checked in texts.items() if _is_typed(checked))
    if not (clean and _write_strictly(connection, raw, texts, target)):
        _load(connection, raw)
        check_formats(connection, raw, texts, sample, share, habits)
        count_words(connection, raw.source, texts, [name for name in texts if _is_typed(texts[name])])
        share_words(connection, raw.source, texts, sample)
        _write(connection, raw, texts, target, strict=False)
    source = f"read_parquet('{sql_text(target)}')"
    kept = [
        name
        for name, checked in texts.items()
        if not _is_typed(checked) and not checked.words and has_words(sample[name])
    ]
    count_words(connection, source, texts, kept)
    counted: Any = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    _drop_nameless(connection, raw, target)
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    kinds = [(name, kind) for name, kind, *_ in described]
    doubts = column_doubts(connection, sql_text(target), kinds, nameless=_is_nameless(raw))
    columns = tuple(column_facts(name, kind, texts.get(name), doubts.get(name)) for name, kind in kinds)
    losses = list(raw.losses)
    if not any(loss.startswith(TOTAL) for loss in losses):
        total = total_by_sum(connection, sql_text(target), kinds, int(counted[0]))
        losses += [total] if total else []
    return TypedTable(raw.sheet, int(counted[0]), columns, tuple(raw.notes), tuple(losses))


def _is_nameless(raw: RawTable) -> bool:
    """Return whether the file's first column has no name."""
    return bool(raw.columns) and any(raw.columns[0][0] in note and " name" in note for note in raw.notes)


def _is_typed(checked: Checked) -> bool:
    return not isinstance(checked.format, Text)


def _write_strictly(
    connection: duckdb.DuckDBPyConnection, raw: RawTable, texts: Mapping[str, Checked], target: Path
) -> bool:
    """Write the table if every value fits the format of its column; return whether it was written."""
    try:
        _write(connection, raw, texts, target, strict=True)
    except duckdb.Error as error:
        if _MISFIT not in str(error):
            raise
        return False
    return True


def _load(connection: duckdb.DuckDBPyConnection, raw: RawTable) -> None:
    """Load the rows of a text file, so that the following passes need not read the file again."""
    if raw.source != _LOADED:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {_LOADED} AS SELECT * FROM {raw.source}")
        raw.source = _LOADED


def column_facts(name: str, kind: str, checked: Checked | None, doubt: str | None = None) -> TypedColumn:
    """Return the facts about a column after its values were checked; `doubt` is the end of a sentence about it."""
    if checked is None:
        return TypedColumn(name, kind, note=f"{name}: {doubt}." if doubt else None)
    assumed = [text for text in (checked.format.note(), checked.words_note(), doubt) if text]
    note = f"{name}: {'; '.join(assumed)}." if assumed else None
    unsure = f"{name}: {checked.format.doubt}." if checked.format.doubt else None
    if not checked.bad:
        return TypedColumn(name, kind, note=note, loss=unsure)
    examples = tuple(dict.fromkeys(quoted(text.strip(), 40) for text in checked.others))[:_EXAMPLES]
    what = "dates" if kind in ("DATE", "TIMESTAMP") else "numbers"
    listed = ", ".join(f'"{text}"' for text in examples[:3])
    verb, noun, left = (
        ("is", f"not a {what[:-1]}", "is") if checked.bad == 1 else ("are", f"not {what}", "are")
    )
    loss = (
        f"{name}: {checked.bad:,} of {checked.filled:,} values {verb} {noun} and {left} left out: {listed}."
    )
    return TypedColumn(name, kind, checked.bad, examples, note, f"{loss} {unsure}" if unsure else loss)


def _write(
    connection: duckdb.DuckDBPyConnection,
    raw: RawTable,
    texts: Mapping[str, Checked],
    target: Path,
    *,
    strict: bool,
) -> None:
    rows = max(2_048, min(122_880, _CELLS // max(1, len(raw.columns))))
    connection.execute(
        f"COPY ({typed_select(raw, texts, strict=strict)}) TO '{sql_text(target)}' "
        f"(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION snappy, ROW_GROUP_SIZE {rows}, "
        f"DICTIONARY_SIZE_LIMIT {_DICTIONARY})"
    )


def typed_select(raw: RawTable, texts: Mapping[str, Checked], *, strict: bool = False) -> str:
    """Return the SELECT of a raw table's rows with the types of its columns.

    A value that does not fit the format of its column becomes NULL; with `strict`, such a value makes the statement
    fail.
    """
    parts = []
    casts = _Casts("_" * max((len(name) for name, _ in raw.columns), default=0))
    for name, kind in raw.columns:
        column = quote(name)
        checked = texts.get(name)
        value = (
            _plain(column, kind) if checked is None else _value(column, checked.format, casts, strict=strict)
        )
        parts.append(f"{value} AS {column}")
    listed = "".join(f", {cast} AS {name}" for cast, name in casts.names.items())
    return f"SELECT {', '.join(parts)} FROM (SELECT *{listed} FROM {raw.source})"


@dataclass(frozen=True, slots=True)
class _Casts:
    """The casts that are done once for each row: SQL of the cast → the name of a column for its result. The name is
    longer than all names in the table, so that it cannot clash.
    """

    longest: str
    names: dict[str, str] = field(default_factory=dict)

    def name_of(self, cast: str) -> str:
        """Return the name of a cast in SQL."""
        return self.names.setdefault(cast, quote(f"cast{self.longest}{len(self.names)}"))


def _plain(column: str, kind: str) -> str:
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isfinite({column}) THEN {column} END"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"CAST({column} AS TIMESTAMP)"
    if kind in ("HUGEINT", "UHUGEINT"):  # DuckDB writes these to Parquet as DOUBLE, which changes digits
        return f"CAST({column} AS DECIMAL(38,0))"
    if kind.startswith("ENUM") or kind in ("UUID", "JSON"):
        return f"CAST({column} AS VARCHAR)"
    return column


def _value(column: str, form: Format, casts: "_Casts", *, strict: bool) -> str:
    """Return SQL for a value of a text column. If checking a value and reading it need the same cast, the cast is added
    to `casts` so that it runs only once.
    """
    fits, value = form.sql(column)
    if isinstance(form, Text):
        return value
    if value in fits:
        once = casts.name_of(value)
        fits, value = fits.replace(value, once), once
    if not strict:
        return f"CASE WHEN {fits} THEN {value} END"
    empty = f"{column} IS NULL OR trim({column}) = ''"
    return f"CASE WHEN {fits} THEN {value} WHEN {empty} THEN NULL ELSE error('{_MISFIT}') END"


def _drop_nameless(connection: duckdb.DuckDBPyConnection, raw: RawTable, target: Path) -> None:
    """Leave out columns that have no name and no values, such as the column that results from a delimiter at the end of
    each line.
    """
    if not raw.droppable:
        return
    source = f"read_parquet('{sql_text(target)}')"
    counts = ", ".join(f"count({quote(name)})" for name in sorted(raw.droppable))
    row: Any = connection.execute(f"SELECT {counts} FROM {source}").fetchone()
    empty = [name for name, filled in zip(sorted(raw.droppable), row, strict=True) if not filled]
    if not empty or len(empty) == len(raw.columns):
        return
    fresh = target.with_suffix(".fresh")
    listed = ", ".join(quote(name) for name in empty)
    connection.execute(
        f"COPY (SELECT * EXCLUDE ({listed}) FROM {source}) TO '{sql_text(fresh)}' (FORMAT parquet)"
    )
    fresh.replace(target)


@contextmanager
def _progress(connection: duckdb.DuckDBPyConnection, label: str) -> Iterator[None]:
    """Report the progress of the running statements."""
    done = Event()

    def watch() -> None:
        while not done.wait(_WATCHED):
            percent = connection.query_progress()
            if percent > 0:
                progress(min(percent, 99) / 100, f"Reading {label}, {percent:.0f} %")

    progress(None, f"Reading {label}")
    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
