"""Writes a program as one SQL script for DuckDB. Pure."""

import re
from collections.abc import Iterator

from engine.views.programs.program import (
    ChartStep,
    LoadStep,
    OmittedStep,
    Program,
    PythonStep,
    QueryStep,
    QuestionStep,
    Step,
)

__all__ = ["load_statement", "select_of", "sql_script"]

_END = re.compile(r"(?:\s*;\s*(?:--[^\n]*(?:\n|\Z)\s*|/\*.*?\*/\s*)*)+\Z", re.DOTALL)


def sql_script(program: Program) -> str:
    """Return the script. It prints each result, and whether it equals the recorded one."""
    head = [
        f"-- {_line(program.title)}",
        f"-- Exported from Anabranch on {program.made_at:%Y-%m-%d} at event {program.position:,} of its log",
        f"-- (chain hash {program.chain_hash}).",
        f"-- Run it in the folder that has this file and {program.folder}/, with DuckDB 2 or later:",
        "--     duckdb -init THIS_FILE    or, in Python:    duckdb.sql(open(THIS_FILE).read())",
        "",
        "SET threads = 1; -- as recorded: the order of sums of floating-point numbers matters",
        "SET TimeZone = 'UTC';",
    ]
    blocks = ["\n".join(_lines(step, program.folder)) for step in program.steps]
    checks = [_check(step, program.folder) for step in program.steps if isinstance(step, QueryStep)]
    last = "\nUNION ALL ".join(checks)
    ending = f"-- Is each result the recorded one?\n{last};" if checks else "-- There is no query to check."
    return "\n".join(head) + "\n\n" + "\n\n".join([*blocks, ending]) + "\n"


def load_statement(step: LoadStep, folder: str) -> str:
    """Return SQL that makes a table from files in the data folder."""
    files = ", ".join(_text(f"{folder}/{file}") for file in step.files)
    hive = ", hive_partitioning = true" if step.hive else ""
    schema = f'CREATE SCHEMA IF NOT EXISTS "{step.table.schema}";\n' if step.table.schema else ""
    return f"{schema}CREATE OR REPLACE TABLE {step.table.quoted} AS FROM read_parquet([{files}]{hive});"


def select_of(sql: str) -> str:
    """Return a SELECT without the semicolon at its end."""
    return _END.sub("", sql).strip()


def _lines(step: Step, folder: str) -> Iterator[str]:
    match step:
        case QuestionStep():
            yield f"-- {'=' * 100}\n-- {_comment(step.text)}"
        case LoadStep():
            yield f"-- {step.table.name}: {_line(step.origin)}"
            yield load_statement(step, folder)
        case QueryStep():
            yield f"-- {_line(step.title)}"
            yield f"CREATE OR REPLACE TABLE {step.table.quoted} AS (\n{select_of(step.sql)}\n);"
            yield f"FROM {step.table.quoted};"
        case ChartStep():
            yield f"-- The rows of a chart: {_line(step.title)}"
            yield f"{select_of(step.sql)}\n;"
        case PythonStep():
            yield f"-- Left out: {_line(step.title)}, which is Python (see --notebook)."
            yield "-- Tables that it made are read from its recorded results below, where SQL uses them."
        case OmittedStep():
            yield f"-- Left out: a call of {step.tool}: {_line(step.why)}."


def _check(step: QueryStep, folder: str) -> str:
    """Return SQL that checks whether a table has the recorded rows, each the same number of times."""
    recorded, name = _text(f"{folder}/{step.recorded}"), step.table.quoted
    both = f"(FROM {name} EXCEPT ALL FROM {recorded}) UNION ALL (FROM {recorded} EXCEPT ALL FROM {name})"
    verdict = f"CASE (SELECT count(*) FROM ({both})) WHEN 0 THEN 'same as recorded' ELSE 'differs' END"
    return f"SELECT {_text(step.table.name)} AS result, {verdict} AS verdict"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _line(text: str) -> str:
    return " ".join(text.split())


def _comment(text: str) -> str:
    return "\n-- ".join(line.strip() for line in text.strip().splitlines() if line.strip())
