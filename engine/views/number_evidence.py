"""Converts call results to tables that are searched for an answer's numbers. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from engine.numbers.evidence import FileFacts, ResultTable, Value
from engine.rendering.plans import ChartPlan, RenderPlan, TablePlan
from engine.system.weighted_cache import WeightedCache
from engine.tools.builtin import READ_SKILL
from engine.views.chat import CallView
from events.json_value import JSON

__all__ = ["ResultTables", "files_told", "program_of", "quoted_numbers", "replaced_results", "result_tables"]

_MOST_CELLS = 20_000
"""The maximum number of cells that are searched in one result. A model never receives so many cells."""
_KEPT = 100_000
"""The maximum number of cells in the cache."""
_MOST_LINES, _MOST_IN_LINE, _LONGEST_LABEL = 500, 50, 200
"""Limits on printed text: lines, numbers in a line, and characters of a line's label."""
_DECIMAL = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?")
_NUMERIC = ("DECIMAL", "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "BIGINT", "UBIGINT", "INTEGER")
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_GIVEN = re.compile(r"(?<![\w.])\d{1,40}(?:\.\d{1,40})?(?![\w.])")
_LONGEST_GIVEN = 20_000
"""The number of characters of a call's arguments that are searched for numbers."""
_TOLD = frozenset({"notes", "sql", "code", "output", "summary", "chart", "title", "table"})
"""Keys of a result whose values are not searched for numbers, because they only describe the result. (Printed output is
searched line by line instead.)
"""


class ResultTables:
    """Converts call results to tables, and caches the tables, since a result never changes."""

    def __init__(self) -> None:
        self._kept: WeightedCache[tuple[str, str], tuple[ResultTable, ...]] = WeightedCache(
            _KEPT, lambda tables: 1 + sum(len(one.rows) * len(one.columns) for one in tables)
        )

    def of(self, chat_id: str, call: CallView) -> tuple[ResultTable, ...]:
        """Return the tables of a successful call. They are cached by chat and call, because an imported chat may have
        the ids of another chat's calls.
        """
        key = chat_id, call.call_id
        found = self._kept.get(key)
        if found is None:
            found = tuple(result_tables(call))
            self._kept.put(key, found)
        return found

    def forget(self) -> None:
        """Drop all cached tables, because the log was replaced."""
        self._kept.clear()


def result_tables(call: CallView) -> list[ResultTable]:
    """Return a call's result as tables: its rows, a profile, the points of a chart, printed lines or other values."""
    result = call.result
    if not isinstance(result, dict) or call.tool_id == READ_SKILL.tool_id:
        return []  # numbers in a skill's text are not data
    plan = call.plan
    found = []
    if (table := _rows_of(result, call, plan)) is not None:
        found.append(table)
    for one in _dicts(result.get("tables")):
        if (table := _rows_of(one, call, None) or _profile(one, call)) is not None:
            found.append(table)
    if isinstance(plan, ChartPlan) and plan.data:
        found.append(_from_dicts(plan.data, plan.name or "chart", plan.title or "", call.call_id))
    if isinstance(printed := result.get("output"), str):
        found += _printed(printed, call)
    if not found:
        found += _values(result, call)
    program = program_of(call)
    return [replace(table, program=program) for table in found if table.rows]


def files_told(calls: Sequence[CallView]) -> tuple[FileFacts, ...]:
    """Return the number of rows and columns that calls reported for the tables in files."""
    found: dict[str, FileFacts] = {}
    for call in calls:
        tables = call.result.get("tables") if isinstance(call.result, dict) else None
        for one in _dicts(tables):
            rows, columns = one.get("rows"), one.get("columns")
            if isinstance(rows, int) and isinstance(columns, list):
                name = str(one.get("path") or one.get("name") or "")
                found[name] = FileFacts(name, rows, len(columns))
    return tuple(found.values())


def program_of(call: CallView) -> str:
    """Return the SQL or code in the arguments of a call; "" if there is none."""
    args = call.args if isinstance(call.args, dict) else {}
    return next((str(args[name]) for name in ("sql", "code") if isinstance(args.get(name), str)), "")


def quoted_numbers(calls: Sequence[CallView]) -> frozenset[float]:
    """Return the numbers in the arguments of calls (SQL, code and others) and in the notes of their results."""
    found: set[float] = set()
    for call in calls:
        notes = call.result.get("notes") if isinstance(call.result, dict) else None
        given = json.dumps([call.args, notes])[:_LONGEST_GIVEN]
        found |= {abs(float(one[0].replace(",", ""))) for one in _GIVEN.finditer(given)}
    return frozenset(found)


def replaced_results(tables: Sequence[ResultTable], calls: Sequence[CallView]) -> dict[int, int]:
    """Return a map from the index of each result that was replaced to the index of the later result that replaced it.

    A result is replaced by a later result that has the same columns and the same SQL or name.
    """
    sql = {call.call_id: _sql(call) for call in calls}
    latest: dict[tuple[object, ...], int] = {}
    replaced: dict[int, int] = {}
    for at, table in enumerate(tables):
        named = "" if table.printed else table.name
        for key in ((table.columns, "name", named), (table.columns, "sql", sql.get(table.call_id))):
            if not key[-1]:
                continue
            if key in latest and (tables[latest[key]].call_id != table.call_id or not table.call_id):
                replaced[latest[key]] = at
            latest[key] = at
    return replaced


def _sql(call: CallView) -> str:
    text = call.args.get("sql") if isinstance(call.args, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def _dicts(value: JSON) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def _rows_of(one: Mapping[str, Any], call: CallView, plan: RenderPlan | None) -> ResultTable | None:
    """Return the table of a result with columns and rows, as queries and `python` return it."""
    columns, rows = one.get("columns"), one.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list) or not columns:
        return None
    names = tuple(str(column.get("name")) if isinstance(column, dict) else str(column) for column in columns)
    read = [_number_or_text if _is_numeric(column) else _cell for column in columns]
    kept = [
        tuple(one(cell) for one, cell in zip(read, row, strict=False))
        for row in rows[: _MOST_CELLS // len(names)]
        if isinstance(row, list)
    ]
    count = one.get("row_count")
    title = (plan.title or "") if isinstance(plan, TablePlan) else ""
    name = one.get("table") or (plan.name if isinstance(plan, TablePlan) else None)
    total = count if isinstance(count, int) else len(rows)
    return ResultTable(str(name or "result"), names, tuple(kept), title, call.call_id, total)


def _is_numeric(column: JSON) -> bool:
    """Return whether a column's type is numeric. Its values may still be texts if floats would lose digits."""
    return isinstance(column, dict) and str(column.get("type", "")).startswith(_NUMERIC)


def _profile(one: Mapping[str, Any], call: CallView) -> ResultTable | None:
    """Return the result of `describe` for a table: one row for each of its columns."""
    described = [column for column in _dicts(one.get("columns")) if "name" in column]
    if not described:
        return None
    names = tuple(
        dict.fromkeys(key for column in described for key in column if key not in ("notes", "examples"))
    )
    rows = tuple(
        tuple(_cell(one.get(name)) if name == "name" else _number_or_text(one.get(name)) for name in names)
        for one in described
    )
    told = str(one.get("name") or "table")
    return ResultTable(told, names, rows, f"Columns of {told}", call.call_id)


def _number_or_text(value: JSON) -> Value:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return float(value)
    return _cell(value)


def _from_dicts(rows: Sequence[Mapping[str, JSON]], name: str, title: str, call_id: str) -> ResultTable:
    names = tuple(dict.fromkeys(key for row in rows for key in row))
    cells = tuple(
        tuple(_cell(row.get(key)) for key in names) for row in rows[: _MOST_CELLS // max(1, len(names))]
    )
    return ResultTable(name, names, cells, title, call_id, len(rows))


def _printed(text: str, call: CallView) -> list[ResultTable]:
    """Return the numbers in printed lines, each labelled with the words of its line."""
    rows: list[tuple[Value, ...]] = []
    for line in text.splitlines()[:_MOST_LINES]:
        label = _NUMBER.sub(" ", line[:_LONGEST_LABEL]).strip(" :=,'\"{}[]()")
        for found in islice(_NUMBER.finditer(line), _MOST_IN_LINE):
            rows.append((label, float(found[0].replace(",", "").replace("−", "-"))))
    if not rows:
        return []
    return [
        ResultTable("output", ("line", "value"), tuple(rows), "What was printed", call.call_id, printed=True)
    ]


def _values(result: Mapping[str, Any], call: CallView) -> list[ResultTable]:
    """Return the numbers in a result of any other kind, each named by its path in the result; lists of objects become
    separate tables.
    """
    rows: list[tuple[Value, ...]] = []
    tables: list[ResultTable] = []
    waiting: list[tuple[str, JSON]] = [(key, value) for key, value in result.items() if key not in _TOLD]
    while waiting and len(rows) < _MOST_CELLS:
        path, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting += [(f"{path} {key}", below) for key, below in value.items()]
        elif isinstance(value, list):
            if value and all(isinstance(one, dict) for one in value):
                tables.append(_from_dicts(value, path, path, call.call_id))  # type: ignore[arg-type]
            else:
                waiting += [(path, below) for below in value[:_MOST_LINES]]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            rows.append((path, value))
        elif isinstance(value, str) and len(value) < 100_000:
            tables += _printed(value, call)
    if rows:
        tables.append(ResultTable("result", ("name", "value"), tuple(rows), "", call.call_id, printed=True))
    return tables


def _cell(value: JSON) -> Value:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
