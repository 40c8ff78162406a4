"""Finds columns that match between tables, by the share of one column's values that the other column contains.

The shares are computed over all rows. Candidates come from the profiles: columns of the same kind with equal names or
some equal values. A result of a call can be on the left of a join but not on the right: a result that was computed from
a table contains the table's keys, so the table would always match it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.column_types import quote
from anabranch_tool.result_names import FOLDER
from anabranch_tool.tables import open_tables, profile

__all__ = ["find_joins", "run"]

_MOST_TABLES = 20
_MOST_PAIRS = 60
_MOST_ROWS = 5_000_000
"""Tables with more rows than this are not compared."""
_LEAST = 0.1
"""Columns match if at least this share of the left column's values is in the right column."""
_KEYS = ("id", "key", "code", "no", "nr", "number", "sku")
_COUNTERS = {"id", "key", "no", "nr", "num", "number", "index", "row", "rowid", "pk", "n"}
"""Names of columns that may contain only the row numbers of their own table."""


def run(workspace: Path) -> dict[str, Any]:
    """Return the joins of all tables, as `{"joins": [{"left", "left_column", "right", "right_column", …}]}`."""
    tables = profile(workspace)["tables"]
    opened = open_tables(workspace)
    try:
        return {"joins": find_joins(opened.connection, tables)}
    finally:
        opened.close()


def find_joins(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the joins of `tables`, the best match first. The tables are described as in `profile`'s result, and open
    in `connection`.

    `share` is the share of the left column's different values that are also in the right column; `each_once` says
    whether each row of the left table matches at most one row of the right table.
    """
    compared = [table for table in tables[:_MOST_TABLES] if table["rows"] <= _MOST_ROWS]
    pairs = sorted(_candidates(compared), key=lambda pair: -pair[0])[:_MOST_PAIRS]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for _, left, mine, right, its in pairs:
        share = _share(connection, left["name"], mine["name"], right["name"], its["name"])
        between = (left["name"], right["name"])
        if share >= _LEAST and (between not in found or share > found[between]["share"]):
            found[between] = {
                "left": left["name"],
                "left_column": mine["name"],
                "right": right["name"],
                "right_column": its["name"],
                "share": round(share, 4),
                "each_once": its["distinct"] >= right["rows"] - its["missing"]
                and not its["distinct_estimated"],
            }
    return sorted(found.values(), key=lambda one: (-one["share"], one["left"], one["right"]))


def _candidates(
    tables: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[float, Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]]:
    for left in tables:
        for right in tables:
            own = left is right or right["path"].startswith(f"{FOLDER}/")
            for mine in () if own else left["columns"]:
                for its in right["columns"]:
                    likely = _likely(mine, its)
                    if likely and not _count_apart(left, mine, right, its):
                        yield likely, left, mine, right, its


def _likely(mine: Mapping[str, Any], its: Mapping[str, Any]) -> float:
    """Return a score for how likely it is that two columns contain the same thing, judging by their types, names and
    frequent values; 0 if this is hardly possible.
    """
    if _kind(mine["type"]) != _kind(its["type"]) or _kind(mine["type"]) == "other" or its["distinct"] < 2:
        return 0.0
    names = [set(re.findall(r"[a-z]+|\d+", str(one["name"]).lower())) for one in (mine, its)]
    same, shared = names[0] == names[1], names[0] & names[1]
    values = set(mine["values"]) & set(its["values"])
    overlap = len(values) / max(1, min(len(mine["values"]), len(its["values"])))
    if _kind(mine["type"]) == "number" and not (same or (shared & set(_KEYS))):
        return 0.0
    if not (same or (shared and overlap) or overlap > 0.5):
        return 0.0
    return 2.0 * same + len(shared & set(_KEYS)) + overlap + 0.1


def _count_apart(
    left: Mapping[str, Any], mine: Mapping[str, Any], right: Mapping[str, Any], its: Mapping[str, Any]
) -> bool:
    """Return whether two columns, such as `id`, contain only the row numbers of their own tables. Equal values then
    mean nothing.

    If both contain the same range of numbers, the tables may be parts of one table, so the match is kept.
    """
    ends = [(one["minimum"], one["maximum"]) for one in (mine, its)]
    return ends[0] != ends[1] and _counts_rows(left, mine) and _counts_rows(right, its)


def _counts_rows(table: Mapping[str, Any], column: Mapping[str, Any]) -> bool:
    words = re.findall(r"[a-z]+", str(column["name"]).lower())
    if _kind(column["type"]) != "number" or not words or not set(words) <= _COUNTERS:
        return False
    if (
        column["distinct"] != table["rows"] or not table["rows"]
    ):  # if all values are missing, there is no smallest value
        return False
    rows: int = table["rows"]
    return int(column["maximum"]) - int(column["minimum"]) == rows - 1


def _kind(type_: str) -> str:
    if type_ == "VARCHAR":
        return "text"
    return "number" if re.fullmatch(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", type_) else "other"


def _share(connection: duckdb.DuckDBPyConnection, left: str, mine: str, right: str, its: str) -> float:
    one, other = quote(mine), quote(its)
    row: Any = connection.execute(
        f"SELECT count(*), count(r.v) FROM (SELECT DISTINCT {one} AS v FROM {quote(left)} WHERE {one} IS NOT NULL) l "
        f"LEFT JOIN (SELECT DISTINCT {other} AS v FROM {quote(right)} WHERE {other} IS NOT NULL) r ON l.v = r.v"
    ).fetchone()
    return row[1] / row[0] if row[0] else 0.0
