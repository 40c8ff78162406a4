"""Measures how far words are from a column's name: synonyms, abbreviations, omitted words."""

from functools import lru_cache

from rapidfuzz.distance import OSA

from engine.models.offline.columns import Column
from engine.models.offline.vocabulary import GENERIC_NOUNS, words
from engine.models.offline.words import alike, base_forms, past, related, same_family

__all__ = ["DATE_TAIL", "is_sort_of", "is_thing", "name_cost", "says_another", "sorts_only", "things_first"]

_NAME_TAIL = frozenset({"name", "title"})
_GENERIC_TAIL = _NAME_TAIL | {"type", "category", "group", "class", "kind"}
_KEY_TAIL = frozenset({"id", "code", "key", "number", "no", "nr", "num"})
_SORTS = frozenset({"type", "kind", "category", "group", "class"})
"""Words that may refer to a column of kinds whose name ends in another word: “member type” for `member_casual`."""
_WAYS = frozenset({"method", "mode", "channel", "source", "reason"})
"""Words for columns that say how or why something happened."""
_ANY_NAME = frozenset({"number", "code", "field", "column", "value", "count", "figure", "use", "usage"})
"""Words that may follow a name whose end was left out: “customer number” for `customer_id`."""
_PREFIXES = words("joined prefixes")
"""Words that column names join to the next word: `tripduration`."""
_AMOUNTS = words("amounts")
DATE_TAIL = frozenset({"date", "time", "at", "on", "datetime", "timestamp", "day", "dt", "ts", "d"})
_CHANGES_MEANING = words("changes meaning")
"""Words that cannot be left out of a name, such as “rate”: unemployment is not the unemployment rate."""
_NEWEST = frozenset({"last", "latest", "recent"})
"""Words in the names of date columns that may be left out: “inspected in May”, for `last_inspected`."""
_DATE_NOUNS = frozenset({"time", "date", "datetime", "timestamp"})
_STATISTICS = frozenset({"median", "mean", "average", "avg"})
_EARNINGS = frozenset({"earnings", "income", "salary", "pay", "wage", "wages"})
_ENDS_OF_ROWS = frozenset({"start", "end", "begin", "finish"})
_TRAITS = words("traits")
"""Words for traits, such as “color” and “age”. If a column's name ends in one, it cannot be left out."""
_NO_NAMES_ALONE = words("no names alone")
_EVERYBODY = words("people") - {"member", "one"}


def is_thing(span: tuple[str, ...], column: Column) -> bool:
    """Return whether “how many” followed by these words asks for the number of a column's different values: the words
    are its name, perhaps without `id` or `name`.
    """
    left = [word for word in column.words if all(related(said, word) is None for said in span)]
    return set(left) <= _NAME_TAIL | _KEY_TAIL


def says_another(span: tuple[str, ...], after: str, column: Column) -> bool:
    """Return whether the word after a shortened name makes it a different name: “donor type” is not `donor_id`."""
    last = column.words[-1]
    cut = len(column.words) > 1 and all(related(said, last) is None for said in span)
    sorts = bool(base_forms(after) & _SORTS) and column.role != "date" and last not in _KEY_TAIL | _NAME_TAIL
    number = column.role == "number" and not column.key
    if not cut or sorts or number or past(after) or not base_forms(after) & GENERIC_NOUNS:
        return False
    same = {after, last} <= _NAME_TAIL or related(after, last) is not None
    return not same and not base_forms(after) & _ANY_NAME


def sorts_only(word: str, before: str, column: Column) -> bool:
    """Return whether a plural means things, and not the column with the kinds of these things: “jobs” is not
    `job_type`."""
    sorts = len(column.words) > 1 and column.words[-1] in _SORTS | _WAYS
    return sorts and word.endswith("s") and before not in _SORTED_BY and not alike(word, column.words[-1])


def is_sort_of(word: str, column: Column) -> bool:
    """Return whether a column contains the kinds of the things that a word refers to: `room_type` for “rooms”."""
    named = len(column.words) == 2 and column.words[1] in _SORTS
    return named and related(word, column.words[0]) is not None


_SORTED_BY = frozenset(
    {"by", "per", "each", "every", "different", "distinct", "unique", "across", "between", "and"}
)


def things_first(span: tuple[str, ...], matched: list[tuple[int, Column]]) -> list[tuple[int, Column]]:
    """Return the columns that a span may name, but no column of kinds if another column names the things: “patrons” are
    `patron_id`, not `patron_type`.
    """
    named = {column.words[:-1] for _, column in matched if column.words[-1] in _KEY_TAIL | _NAME_TAIL}
    return [
        (cost, column)
        for cost, column in matched
        if column.words[-1] not in _SORTS
        or column.words[:-1] not in named
        or any(related(said, column.words[-1]) is not None for said in span)
    ]


def name_cost(span: tuple[str, ...], column: Column) -> int | None:
    """Return how far a span is from a column's name: 0 if equal, more for synonyms and omissions; None if unrelated."""
    if column.role == "flag" and len(span) == 1 < len(column.words) and base_forms(span[0]) & _EVERYBODY:
        return None  # “guests” are all guests, and not those with `repeat_guest`
    if column.measure and len(span) == 1 < len(column.words) and base_forms(span[0]) & _ENDS_OF_ROWS:
        return None  # “rides start” is not about `battery_start`
    if column.sexes and len(span) == 1 and span[0] in ("gender", "sex"):
        return 1
    if (
        column.role in ("flag", "date")
        and len(span) == len(column.words) == 1
        and _bare_verb(*span, *column.words)
    ):
        return None
    shortened = column.spelled[-1:] == ("percentile",) and span == column.spelled[:1]  # “25th percentile”
    if shortened or (len(span) == 2 and span[1] in _EARNINGS and _bare_statistic(span[0], column)):
        return 3
    if column.role == "date" and len(span) == 2 and (timed := _time_cost(span, column)) is not None:
        return timed if timed >= 0 else None
    cost = _cost(span, column.words, column.all_words, column.role)
    return (
        cost
        if cost is not None or not column.spelled
        else _cost(span, column.spelled, column.spelled, column.role)
    )


def _time_cost(span: tuple[str, ...], column: Column) -> int | None:
    """Return how far two words, such as “start time”, are from the name of a date column; -1 if they cannot be the
    name; None if this function cannot decide it.
    """
    if span[1] in _DATE_NOUNS and span[1] not in column.all_words:
        done = {span[0], f"{span[0]}ed", f"{span[0]}d"}
        if set(column.words) <= done:
            return 1  # “start time”, for `started_at`
        acts = [word for word in column.words if word not in DATE_TAIL | _NEWEST]
        return 2 if len(acts) == 1 and past(acts[0]) and same_family(span[0], acts[0]) else -1
    named = [word for word in column.words if word not in DATE_TAIL]
    if not past(span[0]) or len(named) != 1:
        return None
    # “picked up”, for `pickup_datetime`, and “taken in”, for `intake_date`
    joined = {one for verb in base_forms(span[0]) for one in (verb + span[1], span[1] + verb)}
    return 0 if named[0] in joined else None


def _bare_statistic(said: str, column: Column) -> bool:
    """Whether a column's name is only the statistic `said`, and its values may be money: “median earnings” for
    `Median`."""
    named = len(column.words) == 1 and column.words[0] in _STATISTICS and alike(said, column.words[0])
    return named and column.measure and (column.high or 0) >= 1000


def _bare_verb(said: str, named: str) -> bool:
    """Whether a word and a name only share a verb but mean different things: “cancel” is an order, not the flag
    `cancelled`; “posting” is a thing, not the date `posted_on`; “income” is money, not the flag `paid`.
    """
    family = same_family(said, named) or any(said.startswith(form) for form in base_forms(named))
    if past(named) and not family and not alike(said, named):
        return True  # a synonym of the noun: “income”, for the flag `paid`
    bare = said in base_forms(named) or (said.endswith(("ing", "ings")) and alike(said, named))
    return named.endswith("ed") and said != named and bare


@lru_cache(maxsize=200_000)
def _cost(span: tuple[str, ...], words: tuple[str, ...], all_words: tuple[str, ...], role: str) -> int | None:
    if span in (words, all_words) or "".join(span) in ("".join(words), "".join(all_words)):
        return 0
    joined, name = "".join(span), "".join(words)
    if len(span) > 1 and joined.startswith(name) and len(name) >= len(joined) - len(span[-1]) + 3:
        return 2  # `gdpPercap`
    if len(span) >= 3 and "of" in span[1:-1] and len(span) <= len(words) + 2:
        span = tuple(word for word in span if word not in ("of", "the"))
    if (
        not span
        or len(span) > len(all_words)
        or (len(span) == 1 and span[0] in _NO_NAMES_ALONE and len(all_words) > 1)
    ):
        return None
    named = words if len(span) <= len(words) else all_words
    left, cost = list(named), 0
    for word in span:
        near = [
            (far, place) for place, other in enumerate(left) if (far := _far(word, other, span)) is not None
        ]
        if not near:
            return None
        far, place = min(near)
        left.pop(place)
        cost += far
    return _without(tuple(left), span, words, named, role, cost)


def _without(
    left: tuple[str, ...],
    span: tuple[str, ...],
    words: tuple[str, ...],
    named: tuple[str, ...],
    role: str,
    cost: int,
) -> int | None:
    """Return the cost of a name with some words omitted; None if they cannot be omitted."""
    number = role == "number"
    if not left:
        return cost
    if named[0] in left and named[0] in ("not", "no", "non"):
        return None  # “completed” is not `not_completed`
    if len(named) == 3 and named[1] == "of" and left == named[1:] and not number:
        return cost + 2  # “country”, for `country_of_origin`
    if number and set(left) <= {"yr", "year"}:
        return cost + 2
    begins = span == words[: len(span)] and (len(span) > 1 or (left[:1] == ("per",) and len(left) == 2))
    if number and (begins or (set(left) <= _STATISTICS and named[0] in left)):
        return cost + 4  # “salary” is `median_salary` rather than `p25_salary`
    if role == "date" and set(left) <= DATE_TAIL | _NEWEST:
        return cost + 3
    if set(left) <= {"total", "overall", "all", "number", "count", "num", "of"} and number:
        return cost + 1
    if (
        number
        and set(left) <= {"rate", "percent", "pct"}
        and span == words[: len(span)]
        and span[-1][-1:] != "s"
    ):
        return cost + 5
    if set(left) & _CHANGES_MEANING:
        is_ratio = set(left) & {"rate", "ratio", "percent", "pct", "per", "share"}
        # a ticket is not its price, but “visits” may be the visits of the last 90 days
        kept = named[-1] not in left or named[-1] in _CHANGES_MEANING | _AMOUNTS or "last" in left
        return None if not number or is_ratio or not kept else cost + 5
    return _without_tail(left, cost, number=number) if named[-1] in left else cost + 2


def _without_tail(left: tuple[str, ...], cost: int, *, number: bool) -> int | None:
    """Return the cost of a name without its last word, and perhaps without others; None if these words cannot be
    omitted.
    """
    if not number and len(left) > 1 and not set(left) <= _GENERIC_TAIL | _KEY_TAIL:
        return None
    if not number and set(left) & _TRAITS:
        return None  # a customer is not a customer segment
    if set(left) <= _NAME_TAIL:
        return cost + 1
    if set(left) <= _GENERIC_TAIL | _KEY_TAIL:
        return cost + 2
    return None if number and not set(left) <= _AMOUNTS else cost + 4


def _far(said: str, named: str, span: tuple[str, ...]) -> int | None:
    far = related(said, named)
    if far is None and len(said) >= 4 and named.endswith(said) and named[: -len(said)] in _PREFIXES:
        return 2
    if (
        far is None
        and len(span) > 1
        and len(named) >= 3
        and len(said) >= len(named) + 3
        and said.startswith(named)
    ):
        return 2  # an abbreviation: `lifeExp`
    if far is None and len(said) >= 5 and named[1:] == said:
        return 2  # a letter before it: `Pclass`
    if far is None and 3 < len(named) < len(said) <= len(named) + 7 and said.startswith(named):
        return 2  # an abbreviation: `boro` for borough
    if (
        far is None
        and len(span) > 1
        and len(said) >= 3
        and len(named) >= 4
        and said[0] == named[0]
        and OSA.distance(said, named) == 1
    ):
        return 3
    return far
