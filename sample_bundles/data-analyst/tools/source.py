"""Runs a SELECT at a database or query engine and stores its whole result; lists the tables there."""

import json
import tempfile
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.connections import connect
from anabranch_tool.context import given
from anabranch_tool.opened_tables import OpenTables
from anabranch_tool.source_query import capture
from tools.select import Result

__all__ = ["describe_source", "run_at_source"]

_MOST_BYTES = 8_000
_MOST_NAMES = 40


def run_at_source(sql: str) -> Result:
    """Run one SELECT at the call's source; the caller closes `result.opened`.

    Raises:
        ToolError: the SELECT does more than read, its result exceeds the source's limits, or the source did not answer.
    """
    if "source" not in given:
        raise ToolError(
            "This call names a source, but no connection to it was provided. "
            "To query the workspace, leave out `source`."
        )
    captured = capture(sql)
    connection = connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("result", captured.rows.table)
    described = connection.execute("DESCRIBE result").fetchall()
    columns = [{"name": name, "type": kind} for name, kind, *_ in described]
    opened = OpenTables(connection, tempfile.TemporaryDirectory(prefix="source-"))
    return Result(opened, captured.rows.table.num_rows, columns, captured.rows.notes, captured.source)


def describe_source(table: str | None, like: str | None) -> dict[str, Any]:
    """List the tables of the call's source in at most 8 KB; the result says what was left out."""
    found = given["source_tables"]
    tables = _wanted(found["tables"], table, like)
    if not tables:
        asked = f"named “{table}”" if table else f"with “{like}” in a name" if like else "that may be read"
        raise ToolError(f"{found['name']} has no table {asked}. {_names(found['tables'])}")
    head = {"source": found["name"], "sql": found["language"], "listed_at": found["read_at"]}
    left_out = {"not_listed": found["left_out"]} if found["left_out"] else {}
    full = [_table(one) for one in tables]
    answer: dict[str, Any] = {**head, "tables": full, **left_out}
    if _size(answer) <= _MOST_BYTES:
        return answer
    note = "Columns are left out: name one table, or give a narrower `like`, to see them."
    short = [{"name": one["name"], "rows": one["rows"], "columns": len(one["columns"])} for one in tables]
    answer = {**head, "tables": short, **left_out, "note": note}
    while _size(answer) > _MOST_BYTES - 100 and len(short) > 1:
        del short[-max(1, len(short) // 10) :]
        answer["tables_left_out"] = len(tables) - len(short)
    if "tables_left_out" in answer:
        answer["schemas"] = _counts(tables)[:_MOST_NAMES]
        answer["note"] = "There is too much for 8 KB: give `like` to find tables by a part of their name."
    return answer


def _wanted(tables: list[dict[str, Any]], table: str | None, like: str | None) -> list[dict[str, Any]]:
    if table:
        wanted = table.lower().removeprefix(f"{given['source_tables']['name']}.")
        return [
            one for one in tables if wanted in (one["name"].lower(), one["name"].lower().rpartition(".")[2])
        ]
    if like:
        text = like.lower()
        return [one for one in tables if text in one["name"].lower()] or [
            one for one in tables if any(text in column["name"].lower() for column in one["columns"])
        ]
    return tables


def _table(one: dict[str, Any]) -> dict[str, Any]:
    columns = [
        f"{column['name']} {column['type']}{' (' + column['note'] + ')' if column['note'] else ''}"
        for column in one["columns"]
    ]
    rows = {} if one["rows"] is None else {"about_rows": one["rows"]}
    return {"name": one["name"], "kind": one["kind"], **rows, "columns": columns}


def _names(tables: list[dict[str, Any]]) -> str:
    names = [one["name"] for one in tables]
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"Its tables are: {', '.join(names[:_MOST_NAMES]) or 'none'}{more}."


def _counts(tables: list[dict[str, Any]]) -> list[str]:
    counts: dict[str, int] = {}
    for one in tables:
        schema = one["name"].rpartition(".")[0]
        counts[schema] = counts.get(schema, 0) + 1
    return [f"{schema}: {count:,} tables" for schema, count in counts.items()]


def _size(answer: dict[str, Any]) -> int:
    return len(json.dumps(answer, ensure_ascii=False).encode())
