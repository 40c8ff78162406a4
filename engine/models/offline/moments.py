"""Times as conditions: which column they are about, and what `since`, `in` or `from … to` make of them."""

from engine.models.offline.intent import Filter
from engine.models.offline.items import Item
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column
from engine.models.offline.times import MONTHS, Period, year_period

__all__ = ["read_moment", "take_negation", "time_column"]


def take_negation(reader: Reader, first: Item) -> bool:
    """Whether a negation stands right before `first`; it is marked as used."""
    before = reader.before(first)
    if before is not None and before.kind == "neg" and not before.used:
        reader.take(before)
        return True
    return False


def time_column(reader: Reader, beside: Item | None) -> Column | None:
    """The column that times are about: the one named beside, else the table's own."""
    years = [column for column in reader.table.columns if column.year]
    dates = reader.table.dates
    if beside is not None:
        named = [column for column in beside.columns if column in dates or column in years]
        if len(named) == 1:
            reader.take(beside)
            return named[0]
    mentioned = [
        c
        for i in reader.of("col", unused=False)
        for c in i.columns
        if c in dates or (c in years and i.kind == "col")
    ]
    if len(set(mentioned)) == 1:
        return mentioned[0]
    if len(dates) == 1:
        return dates[0]
    if not dates and len(years) == 1:
        return years[0]
    return main_date(dates)


def main_date(dates: list[Column]) -> Column | None:
    """Of several date columns, the one that rows are dated by: the first with few missing."""
    full = [column for column in dates if column.missing == 0] or dates
    return full[0] if full else None


def read_moment(reader: Reader, item: Item) -> None:
    """Turn a span of time and what stands before it into a condition."""
    assert item.when is not None
    before = reader.before(item)
    column = time_column(
        reader, reader.before(item, ("soft", "since", "after", "before", "from", "until", "between"))
    )
    if (
        (column is None or column.role != "date")
        and isinstance(item.when, Period)
        and _month_of_year(reader, item)
    ):
        return
    if column is None or column.role != "date":
        if column is not None and isinstance(item.when, Period) and item.when.grain in ("year", "decade"):
            first, end = int(item.when.start[:4]), int(item.when.end[:4]) - 1
            shift = 1900 if column.short_year else 0
            reader.add(Filter("between", column, (first - shift, end - shift)), item)
            reader.take(item)
        else:
            reader.fail("there is no column of dates")
        return
    after = reader.after(item)
    other = reader.after(after) if after is not None else None
    if (
        before is not None
        and before.kind in ("between", "from")
        and after is not None
        and after.kind in ("and", "to")
        and other is not None
        and isinstance(item.when, Period)
        and (last := _as_period(other)) is not None
    ):
        span = Period(item.when.start, last.end, "range", f"{item.when.label} to {last.label}")
        reader.add(Filter("when", column, when=span), before, other)
        reader.take(before, item, after, other)
        return
    op = "when"
    if before is not None and before.kind in ("since", "after", "before", "until"):
        op = {"since": ">=", "after": ">", "before": "<", "until": "<="}[before.kind]
        reader.take(before)
    elif before is not None and before.kind in ("from", "to") and isinstance(item.when, Period):
        op = ">=" if before.kind == "from" and after is not None and after.kind == "onward" else "when"
        reader.take(before, after if op == ">=" else None)
    negated = take_negation(reader, item)
    reader.add(
        Filter(op, column, when=item.when, negated=negated), before if op != "when" and before else item, item
    )
    reader.take(item)


def _month_of_year(reader: Reader, item: Item) -> bool:
    """A month of a year, where year and month stand in columns of their own."""
    when = item.when
    years = [c for c in reader.table.columns if c.year]
    months = [c for c in reader.table.columns if c.words == ("month",)]
    if not isinstance(when, Period) or when.grain != "month" or len(years) != 1 or len(months) != 1:
        return False
    number = int(when.start[5:7])
    spelled = [
        v for v in months[0].values if MONTHS.get(v.lower()) == number or (v.isdigit() and int(v) == number)
    ]
    if len(spelled) != 1:
        return False
    value: str | float = float(number) if months[0].role == "number" else spelled[0]
    reader.add(Filter("=", years[0], (float(when.start[:4]),)), item)
    reader.add(Filter("=", months[0], (value,)), item)
    reader.take(item)
    return True


def _as_period(item: Item) -> Period | None:
    if isinstance(item.when, Period):
        return item.when
    return year_period(int(item.number)) if item.number is not None and 1500 <= item.number <= 2200 else None
