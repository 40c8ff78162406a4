"""Runs one SELECT and keeps its result as a Parquet file in `results/`."""

import re
from pathlib import Path
from typing import Any

from tools.select import Result, run_select

SHOWN = 50
"""Rows that stand in the result itself, for whoever asked; the file has them all."""


def run(workspace: Path, sql: str, title: str | None = None, save_as: str | None = None) -> dict[str, Any]:
    """Answer with the result's size, columns and first rows, and the file that holds all of it."""
    result = run_select(workspace, sql)
    try:
        file = _free(workspace, save_as or title or "result")
        _write(result, workspace / file)
        sample = result.fetch(SHOWN)
    finally:
        result.opened.close()
    return {
        "title": title or "Result",
        "rows": result.rows,
        "columns": result.columns,
        "sample": sample,
        "shown_to_model": len(sample),
        "file": file,
        "sql": sql.strip(),
    }


def _free(workspace: Path, name: str) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", Path(name).stem.lower() if name.endswith(".parquet") else name.lower())
    stem = stem.strip("-")[:60].strip("-") or "result"
    path, number = f"results/{stem}.parquet", 2
    while (workspace / path).exists():
        path, number = f"results/{stem}-{number}.parquet", number + 1
    return path


def _write(result: Result, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # a sum of whole numbers is a HUGEINT, which Parquet would keep as a rounded DOUBLE
    fits = "CASE WHEN max(abs(c)) < 9223372036854775807 THEN 1 END"
    kept = []
    for column in result.columns:
        name = '"' + column["name"].replace('"', '""') + '"'
        if column["type"] == "HUGEINT":
            row = result.opened.connection.execute(
                f"SELECT {fits} FROM (SELECT {name} AS c FROM result)"
            ).fetchone()
            if row and row[0]:
                name = f"CAST({name} AS BIGINT) AS {name}"
        kept.append(name)
    target = str(file.resolve()).replace("'", "''")
    result.opened.connection.execute(
        f"COPY (SELECT {', '.join(kept)} FROM result) TO '{target}' (FORMAT parquet)"
    )
