"""Profiles the columns of a table in bounded memory: ranges, missing and distinct values, frequent texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.column_types import quote
from anabranch_tool.linked_tables import READ_WHOLE
from anabranch_tool.raw_tables import sql_text
from anabranch_tool.read_tables import MISREAD, describe_parquet, parquet_source, reason, typing_connection

__all__ = ["profile_linked", "profile_parquet"]

_LONGEST_VALUE = 80
_LONGEST_BOUND = 200
_MOST_VALUES = 5_000
_FEW_NUMBERS = 50
_GROUP = 12
"""The number of columns that are examined in one pass."""
_FEW_ROWS = 2_000
"""In a table with at most this many rows, all values of many columns are examined together, because a query for each
column would take longer.
"""
_SMALL_GROUP = 100
_COUNTED_ROWS = 2_000_000
_COUNTED_VALUES = 200_000
"""The number of different values is exact if the table has at most `_COUNTED_ROWS` rows or if there are at most about
this many different values; otherwise it is an estimate.
"""
_FIRST_ROWS = 200_000
"""The number of rows that are searched for frequent values if there are too many different ones."""
_SOME_FILES = 20
_SOME_ROWS = 100_000
"""The number of rows of large linked files that are examined."""
_TEXTS = ("VARCHAR", "BOOLEAN", "ENUM")
_WITHOUT_ORDER = ("STRUCT", "MAP", "LIST", "UNION", "BLOB", "JSON")
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINY", "USMALL", "UINT", "UBIG", "HUGEINT", "FLOAT",
            "DOUBLE", "DECIMAL")  # fmt: skip


def profile_parquet(files: Sequence[Path], told: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return `rows`, `columns` and `notes` of Parquet files that are one table, each column as a `ColumnProfile`.

    `told` contains the facts from typing: `columns`, `notes` and `losses`. If files cannot be read, `unread` has the
    reason.
    """
    connection = typing_connection()
    try:
        described = describe_parquet(connection, files)
        facts: list[dict[str, Any]] = []
        source = parquet_source(files)
        size = _SMALL_GROUP if described.rows <= _FEW_ROWS else _GROUP
        for at in range(0, len(described.columns), size):
            group = [(column.name, column.type) for column in described.columns[at : at + size]]
            facts += _facts(connection, source, group, described.rows)
    except MISREAD as error:
        return {"unread": reason("parquet", error)}
    finally:
        connection.close()
    losses = {column.name: column.loss for column in described.columns}
    _add_told(facts, told, described.rows, losses)
    notes = [*told["losses"], *told["notes"]] if told else list(described.losses)
    return {"rows": described.rows, "columns": facts, "notes": notes}


def profile_linked(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same as `profile_parquet` for linked files.

    If the files are large, only the first rows of up to 20 files are read, and a note of the table says so.
    """
    told, parts = table["told"], table["reads"]
    connection = typing_connection()
    try:
        source, rows = f"({table['select']})", told["rows"]
        notes = [*told["losses"], *told["notes"]]
        if table["bytes"] > READ_WHOLE:
            some = parts[:: max(1, -(-len(parts) // _SOME_FILES))]
            each = _SOME_ROWS // len(some)
            listed = " UNION ALL ".join(
                f"(SELECT * FROM ({_of_part(table['select'], parts, part)}) LIMIT {each})" for part in some
            )
            connection.execute(f"CREATE TEMP TABLE looked_at AS {listed}")
            source = "looked_at"
            counted: Any = connection.execute("SELECT count(*) FROM looked_at").fetchone()
            rows = int(counted[0])
            notes.append(
                f"Values, ranges and missing values are those of {rows:,} rows that were examined, from "
                f"{len(some):,} of {len(parts):,} files."
                if len(parts) > 1
                else f"Values, ranges and missing values are those of the first {rows:,} rows."
            )
        facts: list[dict[str, Any]] = []
        for at in range(0, len(told["columns"]), _GROUP):
            group = [(column["name"], column["type"]) for column in told["columns"][at : at + _GROUP]]
            facts += _facts(connection, source, group, rows)
    except MISREAD as error:
        return {"unread": reason("csv", error)}
    finally:
        connection.close()
    if source == "looked_at":
        for column in facts:
            column |= {"distinct_estimated": True, "values_complete": False}
    _add_told(facts, told, rows, {})
    return {"rows": told["rows"], "columns": facts, "notes": notes}


def _of_part(select: str, parts: Sequence[str], part: str) -> str:
    """Return `select` changed so that it reads only the file `part`."""
    listed = ", ".join(f"'{sql_text(one)}'" for one in parts)
    return select.replace(f"[{listed}]", f"['{sql_text(part)}']", 1)


def _add_told(
    facts: Sequence[dict[str, Any]],
    told: Mapping[str, Any] | None,
    rows: int,
    losses: Mapping[str, str | None],
) -> None:
    """Add the facts that typing found out to the facts about the columns."""
    typed = {column["name"]: column for column in told["columns"]} if told else {}
    for column in facts:
        found = typed.get(column["name"], {})
        column["unreadable"] = found.get("unreadable", 0)
        column["unreadable_examples"] = list(found.get("examples", ()))
        column["missing"] = rows - column.pop("filled") - column["unreadable"]
        known = losses.get(column["name"])
        column["notes"] = [text for text in (found.get("note"), found.get("loss"), known) if text]


def _facts(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]], rows: int
) -> list[dict[str, Any]]:
    small = rows <= _FEW_ROWS
    parts = []
    for name, kind in columns:
        c = quote(name)
        ordered = not kind.startswith(_WITHOUT_ORDER) and not kind.endswith("[]")
        parts += [f"count({c})", "0" if small else f"approx_count_distinct({c})"]
        parts += [_text(f"min({c})", kind), _text(f"max({c})", kind)] if ordered else ["NULL", "NULL"]
    row: Any = connection.execute(f"SELECT {', '.join(parts)} FROM {source}").fetchone()
    texts = _all_texts(connection, source, columns) if small else {}
    facts = []
    for index, (name, kind) in enumerate(columns):
        filled, about, low, high = row[index * 4 : 4 + index * 4]
        few = small or rows <= _COUNTED_ROWS or about <= _COUNTED_VALUES
        exact = _distinct(connection, source, name) if few and not small else about
        distinct = len(texts[name]) if small else exact
        values: list[str] = []
        if kind.startswith(_TEXTS) or (kind.startswith(_NUMBERS) and distinct <= _FEW_NUMBERS):
            short = [text for text in texts.get(name, ()) if len(text) <= _LONGEST_VALUE]
            values = short if small else _values(connection, source, name, kind, few=few)
        facts.append(
            {
                "name": name,
                "type": kind,
                "distinct": distinct,
                "distinct_estimated": not few,
                "filled": filled,
                "minimum": low if low is None else low[:_LONGEST_BOUND],
                "maximum": high if high is None else high[:_LONGEST_BOUND],
                "values": values,
                "values_complete": few and len(values) == distinct,
            }
        )
    return facts


def _all_texts(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]]
) -> dict[str, list[str]]:
    """Return the values of each column as texts, the most frequent first. One query reads all columns, so the table
    must have few rows.
    """
    listed = ", ".join(_text(quote(name), kind) for name, kind in columns)
    rows = connection.execute(f"SELECT {listed} FROM {source}").fetchall()
    found = {}
    for at, (name, _) in enumerate(columns):
        counted = Counter("0.0" if row[at] == "-0.0" else row[at] for row in rows if row[at] is not None)
        found[name] = sorted(counted, key=lambda text: (-counted[text], text))
    return found


def _text(value: str, kind: str) -> str:
    """Return SQL for a value as text. Zeros at the end of a DECIMAL are removed, because they come from the type and
    not from the value.
    """
    text = f"CAST({value} AS VARCHAR)"
    if kind.startswith("DECIMAL") and not kind.endswith(",0)"):
        return f"rtrim(rtrim({text}, '0'), '.')"
    return text


def _distinct(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> int:
    row: Any = connection.execute(f"SELECT count(DISTINCT {quote(name)}) FROM {source}").fetchone()
    return int(row[0])


def _values(
    connection: duckdb.DuckDBPyConnection, source: str, name: str, kind: str, *, few: bool
) -> list[str]:
    c, text = quote(name), _text(quote(name), kind)
    looked_at = source if few else f"(SELECT {c} FROM {source} LIMIT {_FIRST_ROWS})"
    rows = connection.execute(
        f"SELECT {text} FROM {looked_at} WHERE {c} IS NOT NULL AND length({text}) <= {_LONGEST_VALUE} "
        f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {_MOST_VALUES}"
    ).fetchall()
    return [row[0] for row in rows]
