"""Which tables can be joined, and the tables that a question may be asked of."""

from collections.abc import Sequence
from functools import lru_cache

from engine.models.offline.columns import columns_of
from engine.models.offline.form import Form, FormError, Join, Ref
from engine.models.offline.schema import Table, single
from engine.workspace.table_facts import TableProfile

__all__ = ["key_between", "scopes", "table_of"]


def key_between(left: TableProfile, right: TableProfile) -> tuple[str, str, float] | None:
    """Return the columns by which each row of `left` finds at most one of `right`, and the share that match."""
    best: tuple[str, str, float] | None = None
    for one in columns_of(left):
        for other in columns_of(right):
            mine, its = one.profile, other.profile
            if (
                its.distinct != right.rows - its.missing
                or its.distinct < 2
                or one.role != other.role
                or one.role == "date"
            ):
                continue
            if one.role == "number" and not (one.key or other.key):
                continue
            shared = set(mine.values) & set(its.values)
            share = len(shared) / max(1, len(mine.values))
            same = one.words == other.words or one.name.lower() == other.name.lower()
            named = set(one.words) & set(other.words)
            if (
                (same or (named and share > 0.5) or share > 0.9)
                and share > 0.1
                and (best is None or share > best[2])
            ):
                best = (one.name, other.name, share)
    return best


@lru_cache(maxsize=64)
def scopes(profiles: tuple[TableProfile, ...]) -> tuple[Table, ...]:
    """Return each table, then each with another joined to it whose key finds at most one row."""
    found = [single(profile) for profile in profiles]
    for left in profiles[:20]:
        for right in profiles[:20]:
            if left is not right and (key := key_between(left, right)) is not None:
                found.append(_joined(left, right, key[0], key[1]))
    return tuple(found)


def _joined(left: TableProfile, right: TableProfile, mine: str, its: str) -> Table:
    join = Join(right.name, Ref(mine), Ref(its, right.name))
    mine_names = {column.name.lower() for column in left.columns}
    extra = tuple(c for c in columns_of(right, True) if c.name != its and c.name.lower() not in mine_names)
    return Table(left, (*columns_of(left), *extra), (join,), (right,))


def table_of(form: Form, profiles: Sequence[TableProfile]) -> Table:
    """Return the table that a form is about; raise FormError if it, or one that it joins, is not there."""
    by_name = {profile.name: profile for profile in profiles}
    for name in (form.table, *(join.table for join in form.joins)):
        if name not in by_name:
            raise FormError(f"There is no table {name} in this chat.")
    own = by_name[form.table]
    if not form.joins:
        return single(own)
    others = tuple(by_name[join.table] for join in form.joins)
    columns = [*columns_of(own), *(column for other in others for column in columns_of(other, True))]
    return Table(own, tuple(columns), form.joins, others)
