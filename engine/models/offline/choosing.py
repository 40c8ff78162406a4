"""Chooses among the cheapest readings of a question, and completes them. Pure."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.models.offline.column_naming import DATE_TAIL
from engine.models.offline.columns import Column
from engine.models.offline.form import Form
from engine.models.offline.items import Item
from engine.models.offline.left_out import leaves_out_words
from engine.models.offline.lengths import results
from engine.models.offline.named_columns import of_amounts, of_dated_groups, of_named_columns, of_one_period
from engine.models.offline.names_left_out import leaves_out_a_name
from engine.models.offline.one_time import of_end, of_main_date, of_named_date, of_one_time, once, or_happened
from engine.models.offline.people import leaving_date
from engine.models.offline.preferred import of_rows, of_usual_measures
from engine.models.offline.row_nouns import is_row_noun, sorts_named, time_follows
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import GRAIN_ADJECTIVES, GRAINS, words
from engine.models.offline.words import Token, base_forms, past, related

__all__ = ["chosen", "leaves_something_out"]

_MOVED = frozenset({"came", "come", "comes", "brought", "taken", "took", "signed", "turned"})
_PARTICLES = frozenset({"in", "out", "up"})


def chosen(
    forms: tuple[Form, ...], table: Table, tokens: Sequence[Token], items: Mapping[int, Sequence[Item]]
) -> tuple[Form, ...]:
    """Return the readings that remain after the question's words and dates are considered; none if it is unclear which
    date column is meant.
    """
    forms = of_end(of_main_date(of_one_time(forms, table), table, tokens), table, tokens)
    forms = of_named_date(forms, table, tokens)
    forms = tuple(of_one_period(of_dated_groups(form), table, tokens) for form in forms)
    forms = of_named_columns(forms, table, tokens, items)
    forms = of_usual_measures(of_rows(of_amounts(forms, table, tokens)), table)
    return once(or_happened(forms, items)) if forms else ()


def leaves_something_out(
    form: Form, table: Table, tokens: Sequence[Token], items: Mapping[int, Sequence[Item]]
) -> bool:
    """Return whether a form says less than the question, although each word has a meaning."""
    return (
        _leaves_out_a_sort(form, tokens, table)
        or _averages_all(form, tokens, items)
        or _averages_a_level(form, tokens, table)
        or _gives_only_ends(form, tokens)
        or _leaves_out_a_date(form, tokens, table)
        or _mixes_dates(form, tokens, table)
        or _counts_once(form, tokens)
        or _leaves_out_a_win(form, tokens, table)
        or _dates_leavers_wrongly(form, tokens, table)
        or _dates_a_state(form, tokens, table)
        or _mixes_alternatives(form)
        or _groups_an_average(form, tokens, table)
        or leaves_out_words(form, table, tokens)
        or leaves_out_a_name(form, table, tokens, items)
    )


def _dates_a_state(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether “tickets closed in March” was read as the closed tickets that were created in March, although
    another date column may show when they were closed.
    """
    conditions = [c for f in form.filters for c in f.any]
    states = {str(value).lower() for c in conditions if c.compare == "=" for value in c.values}
    dated = [at for at, token in enumerate(tokens) if past(token.word) and time_follows(tokens, at + 1)]
    said = {tokens[at].word for at in dated} & states
    if not said or len([c for c in table.dates if not c.table]) < 2:
        return False
    used = [column for column in _used(form, table) if column.role == "date"]
    created = [
        c for c in used if set(c.words) & _CREATED and all(related(w, n) != 0 for w in said for n in c.words)
    ]
    return bool(created)


_CREATED = words("verbs of creation")


def _dates_leavers_wrongly(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether “who left in 2022” was read as the people who left at any time and were hired in 2022."""
    left = leaving_date(table)
    conditions = [c for f in form.filters for c in f.any]
    if left is None or not any(c.of == left.ref and c.compare == "present" for c in conditions):
        return False
    others = [table.column(ref) for ref in (*form.groups, *(c.of for c in conditions)) if ref.grain]
    others = [c for c in others if c.role == "date" and c.name != left.name]
    named = {token.word for token in tokens}
    return any(named.isdisjoint(_HIRED) and named.isdisjoint({*c.words} - DATE_TAIL) for c in others)


_HIRED = frozenset(
    {"hired", "hire", "hires", "joined", "join", "recruited", "started", "start", "born", "starters"}
)


def _leaves_out_a_win(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether “who won in 2023”, in a table of a race, was read as everybody who ran in 2023."""
    won = any(token.word in ("win", "wins", "won", "winner", "winners") for token in tokens)
    best = form.limit is not None or any(measure.aggregate == "min" for measure in form.measures)
    named = any(c.compare in ("=", "<=") for f in form.filters for c in f.any if table.column(c.of).measure)
    return won and not best and not named and bool(results(table.columns))


def _groups_an_average(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether “average monthly use” was read as an average for each month, although the question asks for one
    number.
    """
    averaged = {
        two.word for one, two in pairwise(tokens) if one.word in _AVERAGE and two.word in GRAIN_ADJECTIVES
    }
    grains = {GRAINS[word] for word in averaged}
    means = all(measure.aggregate == "mean" for measure in form.measures)
    timed = (
        ref.grain in grains or table.column(ref).words[:1] in {(grain,) for grain in grains}
        for ref in form.groups
    )
    return bool(form.measures) and means and any(timed)


_AVERAGE = frozenset({"average", "mean", "avg", "typical"})


def _mixes_alternatives(form: Form) -> bool:
    """Return whether one of two alternatives was torn apart: “large lattes or large cappuccinos” does not mean “latte
    or large”.
    """
    for found in form.filters:
        columns = {c.of.column for c in found.any}
        others = {c.of.column for f in form.filters if f is not found for c in f.any if c.compare == "="}
        if len(columns) > 1 and columns & others:
            return True
    return False


def _counts_once(form: Form, tokens: Sequence[Token]) -> bool:
    """Return whether a question asks “how many … and how many …” but the form has a single number."""
    words = [token.word for token in tokens]
    asked = sum(pair == ("how", "many") for pair in pairwise(words))
    several = any(len(c.values) > 1 for f in form.filters for c in f.any) or any(
        len(f.any) > 1 for f in form.filters
    )
    return asked > 1 and len(form.measures) == 1 and not several and form.limit is None


def _used(form: Form, table: Table) -> list[Column]:
    refs = (*form.groups, *(c.of for f in form.filters for c in f.any))
    return [column for ref in refs if (column := table.column(ref)).role == "date"]


def _begins_or_ends(column: Column, way: str, table: Table) -> bool:
    """Whether a date column is the earliest one (for “came in”) or the latest one (for “went out”)."""
    if way == "out":
        return all(str(column.profile.maximum) >= str(other.profile.maximum) for other in table.dates)
    return all(str(column.profile.minimum) <= str(other.profile.minimum) for other in table.dates)


def _mixes_dates(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether the groups use one date column, and the period uses another one that the question does not
    name.
    """
    grouped = {ref.column for ref in form.groups if ref.grain and table.column(ref).role == "date"}
    limited = [
        table.column(c.of) for f in form.filters for c in f.any if c.values and c.of.column not in grouped
    ]
    others = [c for c in limited if c.role == "date" and not c.table]
    return bool(grouped) and any(
        all(
            related(token.word, word) is None
            for token in tokens
            for word in column.words
            if word not in DATE_TAIL
        )
        for column in others
    )


def _leaves_out_a_date(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether a verb with a particle may name another date than the form uses: in “dogs that came in in May”,
    May is the month of arrival, not of adoption.
    """
    moved = [
        (one.word, two.word) for one, two in pairwise(tokens) if one.word in _MOVED and two.word in _PARTICLES
    ]
    if len(table.dates) < 2 or not moved:
        return False
    dated = [column for column in _used(form, table) if not _begins_or_ends(column, moved[0][1], table)]
    said = {token.word for token in tokens}
    said |= {
        joined for verb, way in moved for base in base_forms(verb) for joined in (way + base, base + way)
    }
    return bool(dated) and all(said.isdisjoint(column.words) for column in dated)


def _averages_all(form: Form, tokens: Sequence[Token], items: Mapping[int, Sequence[Item]]) -> bool:
    """Return whether some rows are compared with the average of all rows, although the question mentions the average of
    only some rows: “films that are longer than the average film”.
    """
    compared = any(c.compare in ("above average", "below average") for f in form.filters for c in f.any)
    return compared and any(
        token.word in ("average", "mean") and any(item.kind == "val" for item in items.get(place + 1, ()))
        for place, token in enumerate(tokens)
    )


def _gives_only_ends(form: Form, tokens: Sequence[Token]) -> bool:
    """Return whether “which months had no alerts” was read as the first and last date of some rows."""
    ends = [measure.aggregate for measure in form.measures] == ["min", "max"]
    asked = any(one.word in ("which", "what") and two.word in _PERIODS for one, two in pairwise(tokens))
    return ends and bool(form.filters) and asked and {token.word for token in tokens}.isdisjoint(_COVERS)


_PERIODS = frozenset({"month", "months", "year", "years", "dates"})
_COVERS = frozenset({"cover", "covers", "covered", "span", "spans", "first", "last", "earliest", "latest"})

_LEVELS = 12
"""A column with at most this many different numbers may classify rows rather than measure them."""


def _averages_a_level(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether “outcome by triage level” was read as the average level of each outcome, although it may mean how
    often each outcome has each level.
    """
    if len(form.groups) != 1 or len(form.measures) != 1 or form.measures[0].of is None:
        return False
    of, by = table.column(form.measures[0].of), table.column(form.groups[0])
    if (
        form.measures[0].aggregate != "mean"
        or by.role != "text"
        or not of.label
        or of.profile.distinct > _LEVELS
    ):
        return False
    places = [at for at, token in enumerate(tokens) if token.word == "by"]
    if len(places) != 1 or not {token.word for token in tokens}.isdisjoint(_MEANS):
        return False
    return any(related(token.word, word) is not None for token in tokens[: places[0]] for word in by.words)


_MEANS = frozenset(
    {"average", "avg", "mean", "typical", "typically", "highest", "lowest", "ranked", "sorted", "top"}
)


def _leaves_out_a_sort(form: Form, tokens: Sequence[Token], table: Table) -> bool:
    """Return whether a noun was read as all rows although it names one kind of them, and the form has conditions on
    other kinds: “how many films and how many series”.
    """
    filters = (*form.filters, *(f for measure in form.measures for f in measure.where))
    conditions = [c for f in filters for c in f.any]
    nouns = {form for token in tokens if not past(token.word) for form in base_forms(token.word)}
    for token in tokens:
        for column in sorts_named(token.word, table) if is_row_noun(token.word, table) else ():
            values = {str(value).lower() for c in conditions if c.of == column.ref for value in c.values}
            if values & nouns and base_forms(token.word).isdisjoint(values):
                return True
    return False
