"""Finds which tables can be joined, and which tables a question may use."""

from collections.abc import Sequence
from functools import lru_cache

from engine.models.offline.columns import columns_of
from engine.models.offline.form import Form, FormError, Join, Ref
from engine.models.offline.schema import Table, single
from engine.workspace.table_facts import TableProfile

__all__ = ["joined_once", "key_between", "not_joined", "place_of", "scopes", "table_of"]


def place_of(profile: TableProfile) -> str:
    """Return the source that contains a table; "" if it is in a file. A SELECT can only read tables that are in the
    same place.
    """
    return profile.source.name if profile.source is not None else ""


def not_joined(profile: TableProfile, joins: Sequence[Join]) -> str:
    """Return why the question's joins cannot be made because a table is in a source; "" if no join is needed, or all
    tables
    are in files.

    Only for files can we check that each key occurs once. A source can change at any time, and often only its first
    rows were read. If a key occurred twice there, rows would be counted twice.
    """
    if profile.source is None or not joins:
        return ""
    return (
        f"it needs both `{profile.name}` and `{joins[0].table}`, and I do not join tables of a source: a row could "
        f"match several rows there and be counted more than once. Write a query that joins the tables in the "
        f"source `{profile.source.name}`, and then ask about the query's result."
    )


def key_between(left: TableProfile, right: TableProfile) -> tuple[str, str, float] | None:
    """Return a column of each table by which each row of `left` matches at most one row of `right`, and the share of
    rows that match."""
    best: tuple[str, str, float] | None = None
    if place_of(left) != place_of(right):
        return None
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
    """Return each table by itself, then each table joined to another table, if each of its rows matches at most one row
    there.
    """
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
    """Return the table that a form is about; raise FormError if this table or a joined one is missing, or cannot be
    joined."""
    by_name = {profile.name: profile for profile in profiles}
    for name in (form.table, *(join.table for join in form.joins)):
        if name not in by_name:
            raise FormError(f"There is no table {name} in this chat.")
    own = by_name[form.table]
    if not form.joins:
        return single(own)
    if refused := not_joined(own, form.joins):
        raise FormError(f"I can't answer that: {refused}")
    others = tuple(by_name[join.table] for join in form.joins)
    columns = [*columns_of(own), *(column for other in others for column in columns_of(other, True))]
    return Table(own, tuple(columns), form.joins, others)


def joined_once(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """If the same tables are joined in both directions, keep the forms that measure columns of their own main table."""
    ways: dict[frozenset[str], str] = {}
    for form in (one for one in forms if one.joins):
        tables = frozenset((form.table, *(join.table for join in form.joins)))
        if tables not in ways or all(m.of is not None and not m.of.table for m in form.measures):
            ways[tables] = form.table
    return tuple(
        form for form in forms
        if not form.joins or ways[frozenset((form.table, *(join.table for join in form.joins)))] == form.table
    )  # fmt: skip
