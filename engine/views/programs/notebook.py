"""Writes a program as a Jupyter notebook (nbformat 4.5), with the recorded outputs in it. Pure.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

import base64
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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
from engine.views.programs.sql_script import select_of
from engine.views.reports.html_parts import rows_html
from engine.views.reports.report import FigurePart, TablePart

__all__ = ["notebook"]

_PRELUDE = Path(__file__).parent / "notebook_prelude.txt"
_MOST_SHOWN = 50
"""The maximum number of a table's rows in a recorded output."""


def notebook(program: Program) -> str:
    """Return the notebook as JSON."""
    cells = [
        _markdown(_about(program)),
        _code(_prelude().replace("FOLDER_NAME", json.dumps(program.folder))),
        *(cell for step in program.steps for cell in _cells(step)),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _about(program: Program) -> str:
    packages = " ".join(program.packages)
    return (
        f"# {program.title}\n\nExported from Anabranch on {program.made_at:%Y-%m-%d} at event {program.position:,} "
        f"of its log (chain hash `{program.chain_hash}`). It runs without Anabranch, next to the folder "
        f"`{program.folder}`. The outputs below are the recorded ones until you run it.\n\n    pip install {packages}"
    )


@cache
def _prelude() -> str:
    return _PRELUDE.read_text("utf-8")


def _cells(step: Step) -> Iterator[dict[str, Any]]:
    match step:
        case QuestionStep():
            yield _markdown(f"## {' '.join(step.text.split())}")
        case LoadStep():
            name = f"{step.table.schema}.{step.table.name}" if step.table.schema else step.table.name
            files = ", ".join(json.dumps(file) for file in step.files)
            yield _code(
                f"# {step.origin}\nload({json.dumps(name)}, {files}{', hive=True' if step.hive else ''})"
            )
        case QueryStep():
            statement = _literal(select_of(step.sql))
            yield _code(
                f"# {' '.join(step.title.split())}\nquery({json.dumps(step.table.name)}, {statement})",
                [_table_output(step.shown)] if step.shown else [],
            )
        case ChartStep():
            spec = json.dumps(json.dumps(step.spec, ensure_ascii=False), ensure_ascii=False)
            yield _code(
                f"# {' '.join(step.title.split())}\nsql({_literal(select_of(step.sql))})  # the rows of the chart"
            )
            yield _code(
                f"import json\nchart(json.loads({spec}))", [_figure_output(step.shown)] if step.shown else []
            )
        case PythonStep():
            yield _code(
                f"# {' '.join(step.title.split())}\nbegin()\n{step.code.rstrip()}", _python_outputs(step)
            )
        case OmittedStep():
            yield _markdown(f"*Left out: a call of `{step.tool}`: {step.why}.*")


def _literal(sql: str) -> str:
    """Return SQL as a Python literal, in triple quotes if possible so that it stays readable."""
    plain = '"""' not in sql and "\\" not in sql and not sql.endswith('"')
    return f'"""\n{sql}\n"""' if plain else repr(sql)


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str, outputs: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": list(outputs),
        "source": text,
    }


def _python_outputs(step: PythonStep) -> list[dict[str, Any]]:
    printed = [{"output_type": "stream", "name": "stdout", "text": step.output}] if step.output else []
    shown = [_table_output(one) if isinstance(one, TablePart) else _figure_output(one) for one in step.shown]
    return [*printed, *shown]


def _table_output(part: TablePart) -> dict[str, Any]:
    left = f"<p>The first {_MOST_SHOWN:,} of {part.total:,} rows.</p>" if part.total > _MOST_SHOWN else ""
    html = rows_html(part.columns, part.rows[:_MOST_SHOWN]) + left
    plain = f"{part.title}: {part.total:,} rows"
    return {"output_type": "display_data", "metadata": {}, "data": {"text/html": html, "text/plain": plain}}


def _figure_output(part: FigurePart) -> dict[str, Any]:
    data = {"image/png": base64.b64encode(part.png).decode(), "text/plain": part.title}
    return {"output_type": "display_data", "metadata": {}, "data": data}
