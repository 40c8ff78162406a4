"""Compares the columns of a new file with the columns of the file that it replaces. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from engine.views.column_likeness import Likeness, suggested
from engine.workspace.table_facts import ColumnProfile, TableProfile
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["ColumnChange", "Side", "TableChange", "column_changes"]

_MOST = 20


@dataclass(frozen=True, slots=True)
class Side:
    """A table, and the values in it that calls quote."""

    table: TableProfile
    holds: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Column → the quoted values that it contains. Columns whose values are not known are left out."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The change of one column."""

    name: str
    what: str
    """The kind of change: `same`, `matched`, `missing`, `new` or `other type`."""
    before: str | None = None
    """The previous type of the column."""
    now: str | None = None
    like: str | None = None
    """For a missing column, a new column that may be the same column under another name. For a matched column, the new
    column to which it was matched.
    """
    why: str = ""
    """The reason for suggesting the column in `like`, in words."""
    calls: int = 0
    """The number of calls that name the column."""

    def to_json(self) -> JSONObject:
        """Return the change as JSON for the command line and the API."""
        return {
            "name": self.name,
            "what": self.what,
            "before": self.before,
            "now": self.now,
            "like": self.like,
            "why": self.why,
            "calls": self.calls,
        }


@dataclass(frozen=True, slots=True)
class TableChange:
    """How a new table fits the table that it replaces."""

    path: str
    columns: tuple[ColumnChange, ...]
    """The columns. Columns that need attention come first."""
    rows_before: int = 0
    rows_now: int = 0
    values_gone: tuple[str, ...] = ()
    """Sentences about values that later calls quote and that the new file lacks."""
    problem: str | None = None
    """The reason why the two tables cannot be compared."""
    unusable: bool = False
    """Whether the calls cannot run because of `problem`."""

    @property
    def blocks(self) -> tuple[str, ...]:
        """Sentences that say why calls would fail with this file. There is no sentence about a missing column that no
        call uses, or about a column that is new or has another type.
        """
        if self.unusable:
            return (self.problem or "",)
        lacking = (one for one in self.columns if one.what == "missing" and one.calls)
        return tuple(
            f"The new {self.path} has no column {one.name}, but {one.calls} "
            f"{'call uses' if one.calls == 1 else 'calls use'} it."
            for one in lacking
        )

    @property
    def fits(self) -> bool:
        """Whether nothing from the old file is missing in the new one."""
        whole = all(column.what in ("same", "new", "matched") for column in self.columns)
        return whole and not self.values_gone and self.problem is None

    def to_json(self) -> JSONObject:
        """Return the change as JSON for the command line and the API."""
        return {
            "path": self.path,
            "fits": self.fits,
            "blocks": list(self.blocks),
            "rows_before": self.rows_before,
            "rows_now": self.rows_now,
            "columns": [column.to_json() for column in self.columns],
            "values_gone": list(self.values_gone),
            "problem": self.problem,
        }


_ORDER = ("missing", "other type", "matched", "new", "same")


def column_changes(
    before: Side, now: Side, named: Mapping[str, int], matched: Mapping[str, str] | None = None
) -> TableChange:
    """Compare the columns of two tables by name, or by `matched`: old column → new column.

    `named`: column → the number of calls that name it.
    """
    new = {column.name: column for column in now.table.columns}
    pairs = {
        column.name: new.get((matched or {}).get(column.name, column.name)) for column in before.table.columns
    }
    used = {column.name for column in pairs.values() if column is not None}
    fresh = [column for column in now.table.columns if column.name not in used]
    lacking = [column for column in before.table.columns if pairs[column.name] is None]
    likes = suggested(lacking, fresh)
    found = [
        replace(_changed(column, pairs[column.name], likes.get(column.name)), calls=named.get(column.name, 0))
        for column in before.table.columns
    ]
    found += [ColumnChange(column.name, "new", now=column.type) for column in fresh]
    found.sort(key=lambda column: _ORDER.index(column.what))
    gone = tuple(_gone(before, now, pairs))[:_MOST]
    return TableChange(before.table.path, tuple(found), before.table.rows, now.table.rows, gone)


def _changed(before: ColumnProfile, now: ColumnProfile | None, like: Likeness | None) -> ColumnChange:
    if now is None:
        if like is None:
            return ColumnChange(before.name, "missing", before.type)
        return ColumnChange(before.name, "missing", before.type, None, like.name, like.why)
    if before.type != now.type:
        called = now.name if now.name != before.name else None
        return ColumnChange(before.name, "other type", before.type, now.type, called)
    if before.name != now.name:
        return ColumnChange(before.name, "matched", before.type, now.type, now.name)
    return ColumnChange(before.name, "same", before.type, now.type)


def _gone(before: Side, now: Side, pairs: Mapping[str, ColumnProfile | None]) -> Iterable[str]:
    for column in before.table.columns:
        new = pairs[column.name]
        if new is None or new.name not in now.holds:
            continue
        left = now.holds[new.name]
        for value in sorted(before.holds.get(column.name, ())):
            if value not in left:
                yield f"“{value}” is no longer a value of {column.name}, but a call quotes it"
