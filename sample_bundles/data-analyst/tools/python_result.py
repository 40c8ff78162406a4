"""Builds a call's result: at most 8 KB for the model, and everything for the page."""

import json
import re
from pathlib import Path
from typing import Any

from anabranch_tool.samples import sample_rows
from tools.python_frames import columns, rows
from tools.python_output import Output, shortened
from tools.python_shown import Shown, ShownTable

__all__ = ["RESULT_BYTES", "result_of"]

RESULT_BYTES = 8_000
"""The maximum size in bytes of the JSON for the model."""
_ROOM_FOR_ROWS = 2_500
"""Bytes reserved for the rows of tables, if there are any."""
_ROOM_FOR_A_CHART, _ROOM_FOR_CHARTS = 420, 1_700
"""Bytes reserved for the engine's notes about one chart, and about all charts; the engine adds these notes after
drawing."""
_PAGE_OUTPUT = 200_000
"""The maximum number of characters of output on the page."""
_MOST_COLUMNS = 40
_MOST_FILES = 15
_LONGEST_NOTE = 400
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_NOTHING = "(The code ran and showed nothing. End with an expression, or use print() or show().)"


def result_of(shown: Shown, output: Output, files: list[str], workspace: Path) -> dict[str, Any]:
    """Return the result, with keys for the page that begin with an underscore."""

    def clean(text: str) -> str:
        """Remove parts that differ between runs: memory addresses and the workspace's path."""
        return _ADDRESS.sub("", text).replace(f"{workspace}/", "").rstrip()

    page = clean(output.text(_PAGE_OUTPUT))
    answer = _answer(shown, page, files)
    sampled = {table["table"]: len(table.get("rows", ())) for table in answer.get("tables", ())}
    for part in shown.parts:
        if part["renderer"] == "table":
            part["shown_to_model"] = sampled.get(part["name"], 0)
    only = shown.parts[0]["title"] if len(shown.parts) == 1 else "Python"
    return {
        **(answer or {"output": _NOTHING}),
        "_title": shown.title or only,
        "_output": page,
        "_parts": shown.parts,
        "_notes": shown.notes,
        "_pictures": shown.pictures,
    }


def _answer(shown: Shown, page: str, files: list[str]) -> dict[str, Any]:
    """Return the part for the model. To make it fit, shorten output first, then leave out columns, then notes."""
    text, wide, most_notes = 5_000, _MOST_COLUMNS, 20
    most = RESULT_BYTES - 100 - min(_ROOM_FOR_A_CHART * len(shown.charts), _ROOM_FOR_CHARTS)
    while True:
        answer = _without_rows(shown, shortened(page, text), files, wide, most_notes)
        left = most - _size(answer)
        if left >= (_ROOM_FOR_ROWS if shown.tables else 0):
            break
        if text > 600:
            text //= 2
        elif wide > 2:
            wide //= 2
        elif most_notes > 2:
            most_notes //= 2
        elif left >= 0:
            break
        else:  # dozens of parts: only their names fit
            answer["tables"] = [{"table": table.name} for table in shown.tables]
            break
    room = left // max(1, len(shown.tables)) - 180  # 180 bytes for the note about what a sample leaves out
    for told, table in zip(answer.get("tables", ()), shown.tables, strict=False):
        if "rows" in told:
            _add_rows(told, table, room, answer)
    return {key: value for key, value in answer.items() if value}


def _without_rows(shown: Shown, output: str, files: list[str], wide: int, most_notes: int) -> dict[str, Any]:
    said = [*shown.notes, *(f"{table.name}: {note}" for table in shown.tables for note in table.notes)]
    notes = [shortened(note, _LONGEST_NOTE) for note in said[:most_notes]]
    if len(said) > most_notes:
        notes.append(f"{len(said) - most_notes} more notes are on the card.")
    tables = []
    for table in shown.tables:
        listed = columns(table.table)
        if len(listed) > wide:
            notes.append(f"{table.name}: the first {wide} of {len(listed)} columns are listed here.")
        told = {"table": table.name, "columns": listed[:wide], "rows": [], "row_count": table.table.num_rows}
        tables.append(told)
    more = [f"… and {len(files) - _MOST_FILES} more"] if len(files) > _MOST_FILES else []
    return {
        "output": output,
        "tables": tables,
        "charts": list(shown.charts),
        "pictures": list(shown.figures),
        "files": [*files[:_MOST_FILES], *more],
        "notes": notes,
    }


def _add_rows(told: dict[str, Any], table: ShownTable, room: int, answer: dict[str, Any]) -> None:
    wide = len(told["columns"])
    sample = sample_rows((row[:wide] for row in rows(table.table)), room)
    told["rows"] = sample.rows
    answer["notes"] += sample.notes(table.table.num_rows, table.name)


def _size(answer: dict[str, Any]) -> int:
    return len(json.dumps(answer, ensure_ascii=False).encode())
