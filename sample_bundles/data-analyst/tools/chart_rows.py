"""Prepares the rows of a chart in SQL: folds series, aggregates as requested, and lets no two rows share a mark."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.cells import moment_cell
from tools.chart_asked import Asked, Used
from tools.chart_bounds import check_groups, one_row_a_mark
from tools.chart_columns import Column, columns_of, find, quote
from tools.chart_data import MOST_MARKS, Rows, count_of_marks, count_of_rows, number_of

__all__ = ["fetched", "prepared"]

NO_VALUE = "(no value)"
_ONE_EACH = ("bar", "line", "area", "rect", "arc")
"""Mark types that need one row per place, because two at the same place would overlap or be added up."""


def prepared(connection: Any, asked: Asked, used: Used, columns: Sequence[Column], total: int) -> Rows:
    """Make the table `charted` with the drawn columns, folded and aggregated as requested.

    Raises:
        ToolError: there is nothing to draw, or rows share marks; the error says what to change.
    """
    if not total:
        raise ToolError(
            "The result has no rows, so there is nothing to draw. Check the conditions of the SQL."
        )
    rows = Rows(connection, used, total)
    if asked.series:
        _fold(rows, asked, columns)
    else:
        layers = [find(columns, str(layer.get("y")), "layers") for layer in asked.layers]
        rows.layers = [column for column in layers if column is not None]
        _select(rows, asked.grain)
    if asked.aggregate != "none":
        _aggregate(rows, asked)
    _drop_empty(rows, asked)
    check_groups(rows, asked)
    if asked.mark in _ONE_EACH:
        one_row_a_mark(rows, asked)
    return rows


def parts(used: Used, layers: Sequence[Column] = ()) -> list[Column]:
    """Return the distinct columns of a chart."""
    listed = (used.x, used.y, used.color, *used.panels(), used.size, used.text, *layers)
    return list({column.field: column for column in listed if column is not None}.values())


def _taken(column: Column, grain: str = "none") -> str:
    """Return the SQL for a column's drawn values: infinite numbers become missing, missing text gets a label.

    Times become the beginning of their `grain`.
    """
    name = quote(column.name)
    if grain != "none" and column.kind == "time":
        kind = "DATE" if grain != "hour" and column.type == "DATE" else "TIMESTAMP"
        return f"CAST(date_trunc('{grain}', {name}) AS {kind})"
    if column.kind in ("text", "flag"):
        name = f"coalesce(CAST({name} AS VARCHAR), '{NO_VALUE}')"
    elif column.type in ("FLOAT", "DOUBLE", "REAL"):
        name = f"CASE WHEN isfinite({name}) THEN {name} END"
    return name


def _select(rows: Rows, grain: str) -> None:
    listed = ", ".join(
        f"{_taken(c, grain if c is rows.used.x else 'none')} AS {quote(c.field)}"
        for c in parts(rows.used, rows.layers)
    )
    rows.connection.execute(
        f"CREATE TEMP TABLE charted AS SELECT {listed or '1 AS one'} FROM result ORDER BY rowid"
    )


def _fold(rows: Rows, asked: Asked, columns: Sequence[Column]) -> None:
    """Turn each value of the `series` columns into a row."""
    found = [find(columns, name, "series") for name in asked.series]
    measures = [column for column in found if column is not None]
    for column in measures:
        if column.kind != "number":
            raise ToolError(f"series: “{column.name}” is not a column of numbers.")
    keys = parts(rows.used)
    listed = "".join(
        f"{_taken(c, asked.grain if c is rows.used.x else 'none')} AS {quote(c.field)}, " for c in keys
    )
    taken = {c.field.lower() for c in keys}
    names = [name + "_" * (name in taken) for name in ("series", "value")]
    selects = [
        f"SELECT {listed}{_literal(c.title)} AS {quote(names[0])}, CAST({_taken(c)} AS DOUBLE) AS "
        f"{quote(names[1])}, "
        f"rowid AS anabranch_row, {at} AS anabranch_column FROM result"
        for at, c in enumerate(measures)
    ]
    rows.connection.execute(
        "CREATE TEMP TABLE charted AS SELECT * EXCLUDE (anabranch_row, anabranch_column) FROM "
        f"({' UNION ALL '.join(selects)}) ORDER BY anabranch_row, anabranch_column"
    )
    rows.folded = True
    color = Column(names[0], "VARCHAR", names[0], "series", "text")
    y = Column(names[1], "DOUBLE", names[1], "value", "number")
    rows.used = replace(rows.used, color=color, y=y)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_FUNCTIONS = {"mean": "avg"}


def _aggregate(rows: Rows, asked: Asked) -> None:
    """Combine the rows of each mark by the requested aggregate."""
    used = rows.used
    over = used.color if asked.mark == "rect" else used.y
    if asked.aggregate == "count":
        keys = [
            c for c in parts(replace(used, size=None, text=None)) if asked.mark == "rect" or c is not over
        ]
        keys = [c for c in keys if asked.mark != "rect" or c is not used.color]
        expression, title = "count(*)", "rows"
    else:
        keys = [c for c in parts(replace(used, size=None, text=None)) if c is not over]
        expression = f"{_FUNCTIONS.get(asked.aggregate, asked.aggregate)}({quote(over.field)})"
        title = f"{asked.aggregate} of {over.title}"
    if rows.layers or used.size or used.text:
        raise ToolError("aggregate: leave out layers, size and text, or aggregate in the SQL.")
    listed = ", ".join(quote(c.field) for c in keys)
    made = title.replace("$", "")
    while made in {c.field for c in keys}:
        made += "_"
    missing = number_of(
        rows.connection,
        f"SELECT count(*) FROM charted WHERE {quote(over.field)} IS NULL" if over else "SELECT 0",
    )
    if missing and asked.aggregate != "count":
        rows.notes.append(
            f"{count_of_rows(missing)} without {over.title}: not included in the {asked.aggregate}."
        )
    rows.connection.execute("ALTER TABLE charted RENAME TO single")
    grouped = f"{listed}, " if listed else ""
    rows.connection.execute(
        f"CREATE TEMP TABLE charted AS SELECT {grouped}{expression} AS {quote(made)} FROM single "
        f"{f'GROUP BY {listed}' if listed else ''} ORDER BY min(rowid)"
    )
    column = Column(made, "DOUBLE", made, title, "number")
    rows.measured = title if asked.aggregate != "count" else "number of rows"
    rows.used = replace(used, **{"color" if asked.mark == "rect" else "y": column})


def _drop_empty(rows: Rows, asked: Asked) -> None:
    """Remove rows that lack a number or time to draw, and add a note with their number; a line or area shows a gap
    instead.
    """
    used, execute = rows.used, rows.connection.execute
    before = number_of(rows.connection, "SELECT count(*) FROM charted")
    for column in parts(used, ()):
        if column.kind not in ("number", "time"):
            continue
        missing = number_of(
            rows.connection, f"SELECT count(*) FROM charted WHERE {quote(column.field)} IS NULL"
        )
        if not missing:
            continue
        if missing == before:
            raise ToolError(
                f"“{column.title}” has no value in any of the {before:,} rows, so nothing can be drawn."
            )
        if asked.mark in ("line", "area") and column is used.y:
            rows.notes.append(
                f"{count_of_marks(rows, missing)} without {column.title}: the {asked.mark} has a gap there."
            )
        else:
            execute(f"DELETE FROM charted WHERE {quote(column.field)} IS NULL")
            verb = "is" if missing == 1 else "are"
            rows.notes.append(f"{count_of_marks(rows, missing)} without {column.title} {verb} not drawn.")
            before = number_of(rows.connection, "SELECT count(*) FROM charted")
    if not before:
        raise ToolError("No row has a value for every channel, so nothing can be drawn.")


def fetched(rows: Rows, asked: Asked) -> None:
    """Read the rows to draw. If there are too many points, read a sample and add a note."""
    columns = columns_of(
        {"name": name, "type": kind}
        for name, kind, *_ in rows.connection.execute("DESCRIBE charted").fetchall()
    )
    count = number_of(rows.connection, "SELECT count(*) FROM charted")
    chosen = ""
    if count > MOST_MARKS:
        chosen = _part(rows, asked)
    found = rows.connection.execute(f"SELECT * FROM charted {chosen} ORDER BY rowid").fetchall()
    names = [column.name for column in columns]
    rows.values = [dict(zip(names, map(moment_cell, row), strict=True)) for row in found]
    if len(found) < count:
        what = "points" if asked.mark != "line" else "points of the lines"
        how = (
            "the lowest and highest point of each section"
            if asked.mark == "line"
            else "chosen at random, with the extremes of each axis"
        )
        rows.notes.insert(0, f"{len(found):,} of {count:,} {what} are drawn: {how}.")


def _part(rows: Rows, asked: Asked) -> str:
    used = rows.used
    by = ", ".join(
        quote(c.field) for c in (used.color, *used.panels()) if c is not None and c.kind != "number"
    )
    within = f"PARTITION BY {by} " if by else ""
    if asked.mark == "line" and used.x is not None and used.y is not None:
        x, y = quote(used.x.field), quote(used.y.field)
        lines = number_of(rows.connection, f"SELECT count(*) FROM (SELECT DISTINCT {by or '1'} FROM charted)")
        stretches = max(1, MOST_MARKS // 2 // max(1, lines) - 1)
        group = f"{by}, " if by else ""
        return (
            "WHERE rowid IN (SELECT unnest([arg_min(r, y), arg_max(r, y)]) FROM (SELECT rowid AS r, "
            f"{y} AS y, {f'{by}, ' if by else ''}ntile({stretches}) OVER ({within}ORDER BY {x}) AS "
            "stretch FROM charted) "
            f"GROUP BY {group}stretch)"
        )
    extremes = [
        f"(SELECT arg_{end}(rowid, {quote(c.field)}) FROM charted)"
        for c in (used.x, used.y)
        if c is not None and c.kind in ("number", "time")
        for end in ("min", "max")
    ]
    each = f"UNION ALL SELECT min(rowid) FROM charted GROUP BY {by}" if by else ""
    groups = (
        number_of(rows.connection, f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM charted)") if by else 0
    )
    fair = max(1, MOST_MARKS - len(extremes) - groups)
    return (
        "WHERE rowid IN ((SELECT r FROM (SELECT rowid AS r FROM charted ORDER BY hash(rowid), rowid "
        f"LIMIT {fair}) {each}) "
        f"UNION ALL SELECT unnest([{', '.join(extremes) or 'NULL'}]))"
    )
