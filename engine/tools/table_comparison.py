"""Compares two tables by all their rows, in a tool process: finds added, removed and changed rows."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from engine.chats.workspaces import Workspaces
from engine.errors import Invalid
from engine.tools.file_tables import TableReads, TableSource
from engine.workspace.blobs import BlobStore
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Column", "RowCounts", "RowPair", "TableComparisons", "TableDiff", "Verdict", "WorkbookDiff"]

Verdict = Literal["identical", "equal", "differs"]
"""`identical`: the same bytes. `equal`: the same columns, types and rows (doubles: to 12 significant digits)."""

_BEFORE, _AFTER = "before.parquet", "after.parquet"
_WRITTEN = "differences.csv"
_MOST = 100


@dataclass(frozen=True, slots=True)
class Column:
    """A column of either table."""

    name: str
    before: str | None
    """The DuckDB type in the first table; None if that table does not have the column."""
    after: str | None


@dataclass(frozen=True, slots=True)
class RowCounts:
    """The row counts of both whole tables."""

    before: int
    after: int
    same: int
    changed: int
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class RowPair:
    """A row of one or both tables."""

    before_row: int | None
    """The row's number in the first table, from 0; None for an added row."""
    after_row: int | None
    before: Mapping[str, JSON] | None
    """The row's cells by column; infinite numbers and NaN are texts."""
    after: Mapping[str, JSON] | None

    def to_json(self) -> JSONObject:
        """Return the row pair as JSON for the command line and the API."""
        return {"before": _object(self.before), "after": _object(self.after)}


@dataclass(frozen=True, slots=True)
class TableDiff:
    """The differences between two tables."""

    verdict: Verdict
    columns: tuple[Column, ...]
    """The columns of both tables, beginning with the columns of the first table."""
    rows: RowCounts
    key: tuple[str, ...] | None
    """The columns by which rows are matched; None if equal rows are matched with each other, and all other rows by
    their positions.
    """
    key_from: Literal["given", "found", "position"]
    order_differs: bool
    """Whether the same rows are in a different order."""
    changed_columns: Mapping[str, int]
    """Column → the number of changed rows where it differs."""
    changed: tuple[RowPair, ...] = ()
    """The first 100 changed rows."""
    added: tuple[RowPair, ...] = ()
    removed: tuple[RowPair, ...] = ()
    same: tuple[RowPair, ...] = ()

    @property
    def columns_added(self) -> tuple[str, ...]:
        """The columns that only the second table has."""
        return tuple(column.name for column in self.columns if column.before is None)

    @property
    def columns_removed(self) -> tuple[str, ...]:
        """The columns that only the first table has."""
        return tuple(column.name for column in self.columns if column.after is None)

    @property
    def columns_retyped(self) -> tuple[Column, ...]:
        """The columns whose types differ."""
        return tuple(c for c in self.columns if c.before and c.after and c.before != c.after)

    @property
    def told(self) -> str:
        """The differences in words: `2 of 3 rows changed, 1 only in B`."""
        rows = self.rows
        said = []
        if rows.changed:
            said.append(f"{rows.changed:,} of {rows.before:,} rows changed")
        said += [f"{n:,} rows only in {side}" for n, side in ((rows.removed, "A"), (rows.added, "B")) if n]
        said += [f"column {name} only in A" for name in self.columns_removed]
        said += [f"column {name} only in B" for name in self.columns_added]
        said += [f"{c.name} is {c.after}, was {c.before}" for c in self.columns_retyped]
        if self.order_differs:
            said.append("the same rows in another order")
        return ", ".join(said).replace("1 rows only", "1 row only") or "the same rows"

    def to_json(self) -> JSONObject:
        """Return the table diff as JSON for the command line and the API."""
        rows = self.rows
        return {
            "verdict": self.verdict,
            "told": self.told,
            "key": list(self.key) if self.key is not None else None,
            "key_from": self.key_from,
            "rows": {"before": rows.before, "after": rows.after, "same": rows.same},
            "added": rows.added,
            "removed": rows.removed,
            "changed": rows.changed,
            "order_differs": self.order_differs,
            "columns_added": list(self.columns_added),
            "columns_removed": list(self.columns_removed),
            "columns_retyped": [
                {"name": c.name, "before": c.before, "after": c.after} for c in self.columns_retyped
            ],
            "changed_columns": dict(self.changed_columns),
            "changed_rows": [pair.to_json() for pair in self.changed],
            "added_rows": [_object(pair.after) for pair in self.added],
            "removed_rows": [_object(pair.before) for pair in self.removed],
        }


@dataclass(frozen=True, slots=True)
class WorkbookDiff:
    """The differences between the cells of two workbooks."""

    sheets: tuple[JSONObject, ...]
    """The sheets, each with `sheet`, `what` (`same`, `changed`, `added`, `removed`) and the number of changed
    `cells`."""
    cells: tuple[JSONObject, ...]
    """The first changed cells: `sheet`, `cell`, `before`, `now`."""
    order_differs: bool
    """Whether the same sheets are in a different order."""

    @property
    def same(self) -> bool:
        """Whether all cells are the same."""
        return all(sheet["what"] == "same" for sheet in self.sheets) and not self.order_differs

    @property
    def told(self) -> str:
        """The differences in words: `2 cells of Sheet1 changed`."""
        said = []
        for sheet in self.sheets:
            if sheet["what"] == "changed":
                count = sheet["cells"]
                said.append(f"{count:,} {'cell' if count == 1 else 'cells'} of {sheet['sheet']} changed")
            elif sheet["what"] != "same":
                said.append(f"sheet {sheet['sheet']} {sheet['what']}")
        return ", ".join(said) or (
            "its sheets are in another order" if self.order_differs else "the same cells"
        )

    def to_json(self) -> JSONObject:
        """Return the workbook diff as JSON for the command line and the API."""
        return {"told": self.told, "sheets": list(self.sheets), "cells": list(self.cells)}


class TableComparisons:
    """Compares tables by their hash. Thread-safe."""

    def __init__(self, workspaces: Workspaces, reads: TableReads) -> None:
        self._workspaces = workspaces
        self._reads = reads

    def compare(
        self,
        before: TableSource,
        after: TableSource,
        *,
        key: Sequence[str] | None = None,
        blobs: BlobStore | None = None,
    ) -> TableDiff:
        """Return how the tables differ. Rows are matched by `key`; if it is None, by columns that identify the rows; if
        there are none, by position.

        `blobs` must contain both files if the stores of their chats do not.

        Raises:
            Invalid: the key does not identify the rows of both tables (`not_a_key`).
            Unavailable: one of the files cannot be read as a table (`result_unread`).
            NotFound: one of the files is no longer stored.
        """
        with self._scratch(before, after, blobs) as scratch:
            found = self._run(scratch, "compare", key, {"most": _MOST})
        identical = (before.sha256, before.sheet) == (after.sha256, after.sheet)
        return _diff(found, identical)

    def compare_workbooks(self, before: TableSource, after: TableSource, blobs: BlobStore) -> WorkbookDiff:
        """Return how the cells of two workbooks in `blobs` differ.

        Raises:
            Unavailable: one of the workbooks cannot be read (`result_unread`).
            NotFound: one of the workbooks is no longer stored.
        """
        names = [
            f"{side}{PurePosixPath(one.path).suffix}" for side, one in (("before", before), ("after", after))
        ]
        with tempfile.TemporaryDirectory(prefix="anabranch-compare-") as folder:
            for source, name in zip((before, after), names, strict=True):
                with (Path(folder) / name).open("wb") as target:
                    blobs.copy_to(source.sha256, target.fileno())
            found = self._reads.call(
                Path(folder),
                "anabranch_tool.compare_workbooks:compare",
                {"before": names[0], "after": names[1]},
            )
        return WorkbookDiff(tuple(found["sheets"]), tuple(found["cells"]), found["order_differs"])

    def differences(
        self, before: TableSource, after: TableSource, *, key: Sequence[str] | None = None
    ) -> bytes:
        """Return every differing row as CSV, with the columns of both tables. Raises like `compare`."""
        with self._scratch(before, after, None) as scratch:
            self._run(scratch, "write_differences", key, {"target": _WRITTEN})
            return (scratch / _WRITTEN).read_bytes()

    @contextmanager
    def _scratch(self, before: TableSource, after: TableSource, blobs: BlobStore | None) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="anabranch-compare-") as folder:
            scratch = Path(folder)
            for source, name in ((before, _BEFORE), (after, _AFTER)):
                self._reads.fetch(source, scratch / name, blobs or self._workspaces.blobs(source.chat_id))
            yield scratch

    def _run(
        self, scratch: Path, function: str, key: Sequence[str] | None, more: Mapping[str, JSON]
    ) -> Mapping[str, Any]:
        arguments: dict[str, JSON] = {"before": _BEFORE, "after": _AFTER, **more}
        arguments["key"] = list(key) if key else None
        found = self._reads.call(scratch, f"anabranch_tool.compare_tables:{function}", arguments)
        if "problem" in found:
            raise Invalid("not_a_key", f"These columns are not a key: {found['problem']}")
        return found


def _diff(found: Mapping[str, Any], identical: bool) -> TableDiff:
    """Return the differences that the tool process found."""
    before, after = (
        {column["name"]: column["type"] for column in found["columns"][side]} for side in ("before", "after")
    )
    names = dict.fromkeys([*before, *after])
    rows = RowCounts(**found["rows"])
    pairs = {
        kind: tuple(_pair(pair, list(before), list(after)) for pair in listed)
        for kind, listed in found["pairs"].items()
    }
    same = before == after and not (rows.changed or rows.added or rows.removed)
    return TableDiff(
        verdict="identical" if identical else "equal" if same else "differs",
        columns=tuple(Column(name, before.get(name), after.get(name)) for name in names),
        rows=rows,
        key=tuple(found["key"]) if found["key"] is not None else None,
        key_from="given" if found["given"] else "found" if found["key"] is not None else "position",
        order_differs=found["order_differs"],
        changed_columns=found["changed_columns"],
        **pairs,
    )


def _pair(pair: Mapping[str, Any], before: Sequence[str], after: Sequence[str]) -> RowPair:
    return RowPair(
        pair["before_row"],
        pair["after_row"],
        dict(zip(before, pair["before"], strict=True)) if pair["before"] is not None else None,
        dict(zip(after, pair["after"], strict=True)) if pair["after"] is not None else None,
    )


def _object(cells: Mapping[str, JSON] | None) -> JSONObject | None:
    return dict(cells) if cells is not None else None
