"""Finds the columns about people: names, dates of birth, and dates of joining and leaving. Pure."""

from engine.models.offline.column_naming import DATE_TAIL
from engine.models.offline.columns import Column
from engine.models.offline.row_nouns import is_row_noun
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words

__all__ = ["births", "hiring_dates", "leaving_date", "of_people", "person_names", "salaries"]

_FIRST = frozenset({"first", "given", "fore", "forename", "firstname"})
_LAST = frozenset({"last", "family", "sur", "surname", "lastname"})
_FULL = frozenset({"forename", "firstname", "surname", "lastname"})
_BORN = frozenset({"birth", "born", "birthday", "birthdate", "dob", "birthyear"})
_PEOPLE = frozenset(
    {"person", "people", "employee", "member", "volunteer", "player", "student", "worker", "staff"}
)
_PERSONS = words("persons")
_HIRED = frozenset(
    {"hire", "hired", "hiring", "join", "joined", "joining", "employed", "onboarded", "onboarding"}
)
_STARTED = frozenset({"start", "started", "starting", "entry"})
_ENDS_OF_STAYS = words("ends of stays")
_PLANNED = frozenset({"end", "ended", "termination", "closed"})
"""Words in the names of date columns whose dates may be in the future: a contract that ends in two years is still
current."""
_PAY = frozenset({"salary", "pay", "wage", "wages", "earnings", "income", "compensation"})


def _ends_a_stay(column: Column) -> bool:
    """Whether a date is the end of somebody's stay: `left_on`, but not `last_leave` or `exam_end`."""
    named = [word for word in column.words if word not in DATE_TAIL]
    return len(named) == 1 and named[0] in _ENDS_OF_STAYS


def leaving_date(table: Table) -> Column | None:
    """Return the only date column for the end of somebody's stay, if some rows have no date, and the column's dates are
    not only planned.
    """
    dates = [c for c in table.dates if not c.table]
    ends = [c for c in dates if _ends_a_stay(c)]
    newest = max((str(c.profile.maximum) for c in dates if c not in ends), default="")
    ends = [c for c in ends if not _PLANNED & set(c.words) or _year(c.profile.maximum) <= _year(newest) + 1]
    return ends[0] if len(ends) == 1 and ends[0].profile.missing else None


def _year(date: str | None) -> int:
    return int(str(date)[:4]) if str(date)[:4].isdigit() else 0


def hiring_dates(table: Table) -> list[Column]:
    """Return the columns with the dates on which people joined; none if the rows are not people."""
    dates = [c for c in table.dates if not c.table and of_people(table)]
    return [c for c in dates if _HIRED & set(c.words)] or [c for c in dates if _STARTED & set(c.words)]


def births(table: Table) -> list[Column]:
    """Return the columns with dates or years of birth."""
    return [
        c for c in table.columns if (c.role == "date" or c.year) and _BORN & set(c.all_words) and not c.table
    ]


def salaries(table: Table) -> list[Column]:
    """Return the columns with people's pay."""
    return [c for c in table.columns if c.measure and _PAY & set(c.words) and not c.table]


def of_people(table: Table) -> bool:
    """Return whether each row is a person, judging by the nouns for the rows and by columns with names or dates of
    birth. The rows are not people if each row has a different id of something else, such as an order. Orders may
    contain the names and the sex of customers.
    """
    ids = [c.words[:-1] for c in table.columns if c.key and not c.table and c.profile.distinct == c.rows]
    if any(named and not set(named) & (_PEOPLE | _PERSONS) for named in ids):
        return False
    return bool(_PEOPLE & (table.kinds | table.nouns)) or bool(_PERSONS & table.nouns)


def person_names(table: Table) -> tuple[Column, ...]:
    """Return the columns with the first and the last name of the people that the rows are about; empty unless
    there are two such columns.
    """
    if not of_people(table):
        return ()
    found = []
    for part in (_FIRST, _LAST):
        named = [c for c in table.columns if c.role == "text" and not c.table and _is_name(c, part, table)]
        found += named[:1] if len(named) == 1 else []
    return tuple(found) if len(found) == 2 else ()


def _is_name(column: Column, part: frozenset[str], table: Table) -> bool:
    said = set(column.all_words)
    rest = said - part - {"name"}
    named = bool(said & part) and ("name" in said or bool(said & _FULL))
    return named and all(is_row_noun(word, table) for word in rest)
