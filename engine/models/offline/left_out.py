"""Finds readings that say less than their question, because a word that changes the meaning was ignored. Pure.

A question of this kind is declined: “most violations in a single inspection” does not ask for a sum over several
inspections.
"""

from collections.abc import Sequence
from itertools import pairwise

from engine.models.offline.column_naming import DATE_TAIL
from engine.models.offline.columns import Column
from engine.models.offline.form import Form, Order, Ref
from engine.models.offline.lengths import is_result
from engine.models.offline.row_nouns import is_row_noun
from engine.models.offline.schema import RECURRING, Table, is_time
from engine.models.offline.vocabulary import GRAINS, words
from engine.models.offline.words import Token, base_forms, past, related

__all__ = ["leaves_out_words"]

_MOST = frozenset({"most", "least"})
_PAID = frozenset({"spent", "spend", "spends", "paid", "pay", "pays", "donated", "gave"})
_SOLD = frozenset({"sold", "sell", "bought", "buy", "delivered", "ordered", "shipped", "produced"})
_ONE = frozenset({"single", "any", "one"})
_LEVELS = frozenset({"low", "high", "medium"})
_WE = frozenset({"we", "they", "you", "i"})
_PIECES = words("quantities")


def leaves_out_words(form: Form, table: Table, tokens: Sequence[Token]) -> bool:
    """Return whether a word of the question changes its meaning, and the form does not contain that change."""
    said = [token.word for token in tokens]
    return (
        _leaves_out_both(form, said)
        or _leaves_out_single(form, said, table)
        or _ranks_the_slowest(form, said, table)
        or _counts_together(form, said)
        or _splits_by_a_flag(form, said, table)
        or _ranks_payments(form, said, table)
        or ("top" in said and form.show == "rows" and form.limit is not None and form.order is None)
        or _counts_lines(form, said, table)
        or _uses_another_date(form, tokens, table)
        or _takes_a_level_for_a_value(form, said, table)
        or _groups_by_a_length(form, tokens)
        or _leaves_out_not(form, said, table)
        or _keeps_years_apart(form, said, table)
        or _gives_no_hour(form, said, table)
        or _adds_up_missing(form, said, table)
        or _gives_a_ratio_twice(form)
        or _splits_by_a_way(form, said, table)
    )


def _leaves_out_both(form: Form, said: Sequence[str]) -> bool:
    """Whether “both” was ignored: “with both a crew and a payload” sets two conditions."""
    conditions = [c for f in (*form.filters, *(f for m in form.measures for f in m.where)) for c in f.any]
    two = len(conditions) > 1 or any(len(c.values) > 1 for c in conditions)
    return "both" in said and not (two or form.groups or len(form.measures) > 1)


def _leaves_out_single(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether “single” was ignored: “the most passengers in a single flight” is not a sum over flights."""
    rows = any(one in _ONE and is_row_noun(two, table) for one, two in pairwise(said))
    return rows and bool(form.groups) and form.limit is not None


def _ranks_the_slowest(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether “top” was read as the longest race times: the top clubs by time are the fastest ones."""
    ranked = "top" in said and form.order is not None and form.order.descending
    return ranked and any(is_result(column) for column in _ordered_by(form, table))


def _ordered_by(form: Form, table: Table) -> list[Column]:
    by = form.order.by if isinstance(form.order, Order) else None
    if isinstance(by, int):
        by = form.measures[by].of
    return [table.column(by)] if isinstance(by, Ref) else []


def _counts_together(form: Form, said: Sequence[str]) -> bool:
    """Whether “how many of each” was read as a question for one number."""
    each = any(pair in (("of", "each"), ("of", "both")) for pair in pairwise(said))
    return each and "many" in said and form.show == "numbers" and not form.groups and len(form.measures) == 1


def _splits_by_a_flag(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether “ordered the most by members” was read as a group for each value of the flag `member`."""
    by = any(one in _MOST and two == "by" for one, two in pairwise(said))
    return by and any(table.column(ref).role == "flag" for ref in (*form.groups, *form.within))


def _ranks_payments(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether single payments were ranked: “who paid the most” is about each person's sum, unless each person has one
    row.
    """
    paid = bool(_PAID.intersection(said)) and bool(_MOST.intersection(said))
    named = [c for c in table.columns if c.role == "text" or c.key]
    return (
        paid
        and form.show == "rows"
        and not any(c.profile.distinct >= 0.95 * c.rows and c.naming for c in named)
    )


def _counts_lines(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether rows were counted: “how many lamps were sold” asks for the sum of their quantities."""
    pieces = any(c.measure and _PIECES & set(c.words) for c in table.columns)
    counted = all(measure.aggregate == "count" for measure in form.measures) and form.show == "numbers"
    texts = [table.column(c.of) for f in form.filters for c in f.any if c.compare in ("=", "contains")]
    sort = any(c.role == "text" and not c.key and c.profile.distinct > 2 for c in texts)
    rows = any(is_row_noun(word, table) for word in said)
    return pieces and counted and sort and not rows and "many" in said and bool(_SOLD.intersection(said))


def _uses_another_date(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Whether a verb names a date that the form does not use: “shipped in May” is not about the order date."""
    refs = (*form.groups, *form.columns, *(c.of for f in form.filters for c in f.any))
    used = {table.column(ref).name for ref in refs if table.column(ref).role == "date"}
    dates = [c for c in table.dates if not c.table]
    if not used or len(dates) < 2:
        return False
    verbs = [token.word for before, token in pairwise(tokens) if past(token.word) or before.word in _WE]
    own = {c.name: set(c.words) - DATE_TAIL for c in dates}
    named = {c.name for c in dates for verb in verbs if any(related(verb, word) == 0 for word in own[c.name])}
    return bool(named) and not named & used


def _keeps_years_apart(form: Form, said: Sequence[str], table: Table) -> bool:
    """Return whether a form has a group for each month, although the question combines the same months of all years:
    “in which calendar month”, “all years taken together”.
    """
    together = ("calendar", "month") in pairwise(said) or ("years" in said and "together" in said)
    timed = [ref for ref in form.groups if is_time(ref, table)]
    return together and any(ref.grain not in RECURRING for ref in timed)


def _gives_no_hour(form: Form, said: Sequence[str], table: Table) -> bool:
    """Return whether “what time of day is busiest”, which asks for an hour, was read as hours of single days."""
    timed = [ref for ref in form.groups if is_time(ref, table)]
    return "time of day" in " ".join(said) and any(ref.grain != "hour of day" for ref in timed)


def _adds_up_missing(form: Form, said: Sequence[str], table: Table) -> bool:
    """Return whether a column that the question does not name is added up over rows without a value: “where is the
    weight missing most often” asks for a number of rows.
    """
    missing = "missing" in said and any(c.compare == "missing" for f in form.filters for c in f.any)
    sums = [table.column(m.of) for m in form.measures if m.aggregate == "sum" and m.of is not None]
    return missing and any(
        all(related(word, name) is None for word in said for name in c.words) for c in sums
    )


def _gives_a_ratio_twice(form: Form) -> bool:
    """Return whether a form has both the average of a ratio and the ratio of two sums: “cost per click: total cost over
    total clicks” asks for one number.
    """
    ratios = [(m.of, m.operator, m.other) for m in form.measures if m.operator in ("/", "%")]
    return len(set(ratios)) < len(ratios)


def _splits_by_a_way(form: Form, said: Sequence[str], table: Table) -> bool:
    """Return whether a form groups by how something happened, although the question only names what happened:
    “acquisitions per year” does not ask for `acquisition_method`.
    """
    ways = [c for c in map(table.column, form.groups) if len(c.words) > 1 and c.words[-1] in _WAYS]
    by = {two for one, two in pairwise(said) if one in ("by", "per", "each", "every")}
    named = {word for word in said if word not in by}
    return any(
        all(related(word, c.words[-1]) is None for word in said)
        and any(related(word, c.words[0]) is not None for word in named)
        for c in ways
    )


_WAYS = frozenset({"method", "mode", "channel", "source", "reason"})


def _groups_by_a_length(form: Form, tokens: Sequence[Token]) -> bool:
    """Whether a length was read as groups: “within 30 days” does not ask for a number for each day."""
    grains = {ref.grain for ref in form.groups if ref.grain}
    if not grains or len(tokens) < 3:
        return False
    for before, number, grain in zip(tokens, tokens[1:], tokens[2:], strict=False):
        length = number.number is not None and GRAINS.get(grain.word.removesuffix("s")) in grains
        others = [
            token
            for token in tokens
            if token is not grain and base_forms(token.word) & {grain.word.removesuffix("s")}
        ]
        if length and before.word in _BEFORE_LENGTHS and not others:
            return True
    return False


_BEFORE_LENGTHS = frozenset(
    {"within", "than", "least", "most", "over", "under", "above", "below", "about", "exactly"}
)
_NOT = frozenset(
    {"no", "not", "without", "never", "none", "neither", "nobody", "except", "excluding", "nothing"}
)


def _leaves_out_not(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether a negation was ignored: “patients without insurance”. “No more than 5” is not a negation."""
    denied = [at for at, word in enumerate(said) if word in _NOT]
    denied = [at for at in denied if said[at + 1 : at + 2] and said[at + 1] not in _COMPARING]
    denied = [at for at in denied if not at or said[at - 1] not in _BESIDE]
    if not denied:
        return False
    filters = (*form.filters, *(f for m in form.measures for f in m.where))
    negative = any(
        c.compare in _DENYING or set(c.values) & {0, "0", "0.0"} or table.column(c.of).role == "flag"
        or any(str(value).lower().startswith(("no", "un", "not", "without")) for value in c.values)
        for f in filters for c in f.any
    )  # fmt: skip
    missing = any(measure.aggregate == "missing" for measure in form.measures)
    return not (negative or missing or form.having or form.show in ("missing", "duplicates", "values"))


_COMPARING = frozenset(
    {"more", "less", "fewer", "later", "earlier", "longer", "shorter", "greater", "higher", "lower"}
)
_BESIDE = frozenset({"or", "and", "vs", "versus", "if"})
_DENYING = frozenset({"!=", "missing", "present", "not contains", "not between"})


def _takes_a_level_for_a_value(form: Form, said: Sequence[str], table: Table) -> bool:
    """Whether a level was read as a value of another column: “low satisfaction” is not a low priority."""
    values = {str(value).lower() for f in form.filters for c in f.any for value in c.values}
    named = {word for column in table.columns if column.measure for word in column.words}
    return any(one in _LEVELS & values and two in named for one, two in pairwise(said))
