"""The time between two date columns, as a number column: “ride duration”, “days from issued to paid”."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.models.offline.columns import Column
from engine.models.offline.form import SECONDS, Ref, SpanUnit
from engine.models.offline.vocabulary import words
from engine.workspace.table_facts import ColumnProfile

__all__ = ["Span", "in_unit", "span_between", "span_meant", "span_until", "spans_offered"]

_STARTS = words("starts")
_ENDS = words("ends")
_PLANNED = words("planned dates")


@dataclass(frozen=True, eq=False)
class Span(Column):
    """The time from one date column to a later one of the same table. Spans are equal if their columns and units are
    equal."""

    until: str = ""
    span_unit: SpanUnit = "days"
    start: str = ""

    def __eq__(self, other: object) -> bool:
        """See the class."""
        return isinstance(other, Span) and self.ref == other.ref

    def __hash__(self) -> int:
        """See the class."""
        return hash(self.ref)

    @property
    def ref(self) -> Ref:
        """See `Column.ref`."""
        return Ref(self.start, self.table, until=self.until, unit=self.span_unit)

    @property
    def words(self) -> tuple[str, ...]:
        """See `Column.words`."""
        return ("duration",)

    @property
    def unit(self) -> str:
        """See `Column.unit`."""
        return self.span_unit

    @property
    def adds(self) -> bool:
        """See `Column.adds`. False, because people who name no aggregate mean the average."""
        return False


def span_between(start: Column, end: Column, unit: str = "") -> Span | None:
    """Return the time between two columns in `unit`: one of `SECONDS`, else days between dates and minutes between
    times. None if they are not two date columns of one table.
    """
    if start.role != "date" or end.role != "date" or start.table != end.table or start.name == end.name:
        return None
    said = next((known for known in SECONDS if known.removesuffix("s") == unit.removesuffix("s")), None)
    dates = all(column.profile.type.upper() == "DATE" for column in (start, end))
    used: SpanUnit = said or ("days" if dates else "minutes")
    profile = ColumnProfile(
        name=Ref(start.name, until=end.name, unit=used).name,
        type="DOUBLE",
        distinct=start.rows,
        missing=max(start.profile.missing, end.profile.missing),
    )
    return Span(profile, start.rows, start.table, end.name, used, start.name)


def in_unit(span: Span, unit: str, columns: Iterable[Column]) -> Span | None:
    """Return the same time in another unit."""
    named = {column.name: column for column in columns if column.table == span.table}
    return span_between(named[span.start], named[span.until], unit)


def span_meant(columns: Iterable[Column]) -> Span | None:
    """Return the only time between two columns that “duration” can mean: from the only start to the only end, or else
    between the only two dates, if neither is clearly the first; None if it is not clear.
    """
    dates = [column for column in columns if column.role == "date" and not column.table]
    starts = [column for column in dates if _STARTS & set(column.all_words)]
    ends = [column for column in dates if _ENDS & set(column.all_words)]
    ends = [column for column in ends if not _PLANNED & set(column.all_words)] or ends
    if len(starts) == len(ends) == 1:
        return span_between(starts[0], ends[0])
    if len(dates) != 2 or len(starts) + len(ends) == 0:
        return None
    first, last = sorted(dates, key=lambda column: (column in ends, column not in starts))
    return span_between(first, last) if _follows(first, last) else None


def span_until(end: Column, columns: Iterable[Column]) -> Span | None:
    """Return the time to `end` from the date column that comes before all others: “days to pay”; None if there is
    none."""
    dates = [column for column in columns if column.role == "date" and column.table == end.table]
    first = [one for one in dates if all(_follows(one, other) for other in dates if other is not one)]
    return span_between(first[0], end) if len(first) == 1 and end is not first[0] else None


def spans_offered(columns: Iterable[Column], now: Ref | None) -> Iterator[Span]:
    """Yield the times between two dates that a menu offers. If `now` is such a time, offer it in each unit; otherwise
    the time that “duration” means or, if that is not clear, the times from the first date to each other date.
    """
    known = list(columns)
    if now is not None and now.until:
        named = {column.name: column for column in known if column.table == now.table}
        start, end = named.get(now.column), named.get(now.until)
        if start is not None and end is not None:
            yield from filter(None, (span_between(start, end, unit) for unit in SECONDS))
        return
    meant = span_meant(known)
    ends = [column for column in known if column.role == "date" and not column.table]
    yield from filter(None, [meant] if meant is not None else (span_until(end, known) for end in ends[:6]))


def _follows(first: Column, last: Column) -> bool:
    """Whether the values of `last` begin and end no earlier than those of `first`."""
    pairs = zip(_bounds(first), _bounds(last), strict=True)
    return all(one and other and one[:10] <= other[:10] for one, other in pairs)


def _bounds(column: Column) -> Iterator[str | None]:
    yield column.profile.minimum
    yield column.profile.maximum
