"""How the columns of a new file fit those of the file that it replaces. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.system.input_limits import nearest
from engine.workspace.table_facts import ColumnProfile, TableProfile
from events.canonical import JSONObject

__all__ = ["ColumnChange", "TableChange", "column_changes"]

_LIKE = 0.6
_MOST = 20


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What became of one column."""

    name: str
    what: str
    """`same`, `missing`, `new` or `other type`."""
    before: str | None = None
    """Its type."""
    now: str | None = None
    like: str | None = None
    """For a missing column: the new one that may be the same under another name."""

    def to_json(self) -> JSONObject:
        """As the command line and the API give it."""
        return {
            "name": self.name,
            "what": self.what,
            "before": self.before,
            "now": self.now,
            "like": self.like,
        }


@dataclass(frozen=True, slots=True)
class TableChange:
    """How a new table fits the one that it replaces."""

    path: str
    columns: tuple[ColumnChange, ...]
    """What needs a look comes first."""
    rows_before: int = 0
    rows_now: int = 0
    values_gone: tuple[str, ...] = ()
    """Sentences: values that later calls quote and that the new file lacks."""
    problem: str | None = None
    """Why the two cannot be compared."""

    @property
    def fits(self) -> bool:
        """Whether nothing of the old file is missing in the new one."""
        whole = all(column.what in ("same", "new") for column in self.columns)
        return whole and not self.values_gone and self.problem is None

    def to_json(self) -> JSONObject:
        """As the command line and the API give it."""
        return {
            "path": self.path,
            "fits": self.fits,
            "rows_before": self.rows_before,
            "rows_now": self.rows_now,
            "columns": [column.to_json() for column in self.columns],
            "values_gone": list(self.values_gone),
            "problem": self.problem,
        }


_ORDER = ("missing", "other type", "new", "same")


def column_changes(before: TableProfile, now: TableProfile, quoted: Iterable[str]) -> TableChange:
    """Compare the columns of two tables by name; `quoted` are the values that calls quote."""
    old = {column.name: column for column in before.columns}
    new = {column.name: column for column in now.columns}
    fresh = [name for name in new if name not in old]
    found = [_changed(column, new.get(column.name), fresh) for column in before.columns]
    found += [ColumnChange(name, "new", now=new[name].type) for name in fresh]
    found.sort(key=lambda column: _ORDER.index(column.what))
    gone = _gone(old.values(), new, frozenset(quoted))
    return TableChange(before.path, tuple(found), before.rows, now.rows, gone)


def _changed(before: ColumnProfile, now: ColumnProfile | None, fresh: Sequence[str]) -> ColumnChange:
    if now is None:
        folded = {name.casefold(): name for name in fresh}
        like = nearest(before.name.casefold(), folded, 1, _LIKE)
        return ColumnChange(before.name, "missing", before.type, None, folded[like[0]] if like else None)
    what = "same" if before.type == now.type else "other type"
    return ColumnChange(before.name, what, before.type, now.type)


def _gone(
    old: Iterable[ColumnProfile], new: dict[str, ColumnProfile], quoted: frozenset[str]
) -> tuple[str, ...]:
    told = []
    for column in old:
        now = new.get(column.name)
        if now is None or not now.values_complete:
            continue
        missing = [value for value in column.values if value in quoted and value not in now.values]
        told += [
            f"“{value}” is not a value of {column.name} any more, and a call quotes it" for value in missing
        ]
    return tuple(told[:_MOST])
