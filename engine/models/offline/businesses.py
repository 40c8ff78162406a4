"""Matches words for businesses with columns of another name: “restaurants”, for `business_name`. Pure."""

from engine.models.offline.columns import Column
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words
from engine.models.offline.words import base_forms, related

__all__ = ["business_column", "business_keys", "business_meant"]

_BUSINESSES = words("businesses")
_ANY_KIND = frozenset({"business", "establishment", "facility", "dba", "premises", "outlet"})
_FIRMS = frozenset({"company", "firm", "business"})
_SITES = frozenset({"place", "establishment", "facility", "venue", "premises", "outlet"})
_KEYS = _BUSINESSES | {"license", "licence", "permit", "registration"}
_NAMING = frozenset({"name", "dba", "legal", "trade", "trading", "as"})


def business_column(table: Table) -> Column | None:
    """Return the only column that names a business, if the rows are not businesses and several rows are about the same
    business.
    """
    found = [c for c in table.columns if c.role == "text" and not c.table and _names_a_business(c)]
    if len(found) != 1 or base_forms(found[0].words[0]) & table.nouns:
        return None
    filled = found[0].rows - found[0].profile.missing
    return found[0] if found[0].profile.distinct < 0.95 * filled else None


def _fits(forms: frozenset[str], named: set[str]) -> bool:
    """Return whether a noun can refer to a column of businesses: “restaurants” can refer to establishments but not to
    stores, and “places” cannot refer to companies.
    """
    if named & _ANY_KIND or forms & named:
        return True
    return bool(forms & _FIRMS) or (bool(forms & _SITES) and not named & _FIRMS)


def business_keys(column: Column, table: Table) -> list[Column]:
    """Return the columns with business numbers, such as licence numbers, if several businesses have the same name."""
    able = [c for c in table.columns if c.key and not c.table and _KEYS & set(c.words)]
    return [c for c in able if column.profile.distinct < c.profile.distinct < 0.95 * c.rows]


def _names_a_business(column: Column) -> bool:
    said = set(column.words)
    kinds = said - _NAMING
    return ("dba" in said and not kinds) or (len(kinds) == 1 and bool(_BUSINESSES & kinds))


def business_meant(word: str, table: Table) -> Column | None:
    """Return the column that a noun such as “restaurants” refers to, if no other column or value has this name."""
    forms = base_forms(word)
    column = business_column(table) if forms & _BUSINESSES else None
    if column is None or forms & (table.nouns | table.kinds):
        return None
    if not _fits(forms, set(column.words)):
        return None
    others = [c for c in table.columns if c is not column]
    named = any(related(word, other) is not None for c in others for other in c.all_words)
    values = (value.lower() for c in others if c.profile.values_complete for value in c.profile.values)
    return None if named or not forms.isdisjoint(values) else column
