"""Our own questions to the offline analyst: tables, questions, and the true answers, computed by SQL over the raw
files.

The true answers do not depend on the product's reader: each table has a view that defines how its file is read, and
each question has one SELECT, or several if it can be understood in several ways.
"""

import datetime as dt
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

HERE = Path(__file__).resolve().parents[1] / "engine" / "models" / "offline"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its true answer."""

    id: str
    table: str
    question: str
    type: str
    """The kind of answer: `scalar`, `rows`, `first`, `ordered`, `set`, `chart` or `none`."""
    sql: tuple[str, ...] = ()
    previous: str | None = None
    percent: bool = False
    mark: str = ""
    fields: tuple[str, ...] = ()


def own_questions() -> dict[str, Asked]:
    """Return all questions by id, in the order of the file."""
    found = {}
    for line in (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row["sql"], row["fields"] = tuple(row.get("sql", ())), tuple(row.get("fields", ()))
        found[row["id"]] = Asked(**row)
    return found


def truth(asked: Asked) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the correct rows for each valid reading of the question."""
    views = json.loads((HERE / "views.json").read_text(encoding="utf-8"))
    file = str(HERE / "tables" / asked.table)
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS " + views[asked.table.removesuffix(".csv")].replace("FILE", file)
        )
        for sql in asked.sql:
            yield connection.execute(sql).fetchall()


def verdict(asked: Asked, document: dict[str, Any]) -> str:
    """Return `right`, `wrong` or `declined` for the answer in `document`."""
    calls = document["tool_calls"]
    if not calls:
        offers = len(re.findall(r"(?m)^- ", document["answer"]))
        return ("right" if offers == 3 else "wrong") if asked.type == "none" else "declined"
    if asked.type == "none" or calls[-1]["status"] != "success":
        return "wrong"
    result = calls[-1]["result"]
    if asked.type == "chart":
        given = calls[-1]["args"]
        mark = "bar" if given["mark"] == "histogram" else given["mark"]
        drawn = json.dumps([given, result["_spec"]])
        return "right" if mark == asked.mark and all(field in drawn for field in asked.fields) else "wrong"
    if "rows" not in result:
        return "wrong"
    return (
        "right" if any(_holds(asked, rows, result, document["answer"]) for rows in truth(asked)) else "wrong"
    )


def _holds(asked: Asked, rows: list[tuple[Any, ...]], result: dict[str, Any], answer: str) -> bool:
    shown = [[_plain(cell) for cell in row] for row in result["rows"]]
    if asked.type == "scalar":
        said = [float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*(?:\.\d+)?", answer)]
        cells = [cell for row in shown[:1] for cell in row] + said if len(shown) == 1 else said
        return all(any(_same(value, cell, asked.percent) for cell in cells) for value in rows[0][:1])
    if asked.type == "set":
        return sorted(str(row[0]) for row in rows) == sorted(str(row[0]) for row in shown)
    wanted = rows[:50]
    if asked.type == "rows" and len(shown) != len(wanted) and not _only_missing(shown, wanted):
        return False
    if asked.type in ("first", "ordered"):
        return len(shown) >= len(wanted) and all(
            _row_in(w, s, asked.percent) for w, s in zip(wanted, shown, strict=False)
        )
    return all(any(_row_in(want, row, asked.percent) for row in shown) for want in wanted)


def _only_missing(shown: list[list[Any]], wanted: list[tuple[Any, ...]]) -> bool:
    return len([row for row in shown if row[0] not in (None, 0)]) == len(
        [row for row in wanted if row[0] is not None]
    )


def _row_in(wanted: tuple[Any, ...], row: list[Any], percent: bool) -> bool:
    return all(any(_same(value, cell, percent) for cell in row) for value in wanted if value is not None)


def _plain(cell: Any) -> Any:
    return (
        cell.replace("T", " ").removesuffix(" 00:00:00")
        if isinstance(cell, str) and re.match(r"\d{4}-\d\d-\d\dT", cell)
        else cell
    )


def _same(wanted: Any, cell: Any, percent: bool) -> bool:
    if isinstance(wanted, dt.date):
        return str(cell) == str(wanted).removesuffix(" 00:00:00")
    if isinstance(wanted, str) or isinstance(cell, str):
        return str(cell) == str(wanted)
    if not isinstance(cell, int | float) or isinstance(cell, bool):
        return False
    wholes = [float(wanted), float(wanted) * 100] if percent else [float(wanted)]
    return any(math.isclose(whole, cell, rel_tol=0.005, abs_tol=0.006) for whole in wholes)
