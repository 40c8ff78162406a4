"""Questions without arithmetic: what a table holds, what is missing, which rows, which values, from when to when."""

from engine.models.offline.asks_numbers import filters_of
from engine.models.offline.intent import Filter, Intent, Measure
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column, Table

__all__ = ["ask_describe", "ask_extent", "ask_having", "ask_list", "ask_missing_table"]

_SOME_ROWS, _EVERY_ROW = 20, 1000
_ROWS = frozenset({"row", "rows", "record", "records", "entries"})


def ask_having(reader: Reader) -> Intent | None:
    """Read groups that are kept by how many rows they have."""
    if reader.having is None:
        return None
    reader.take(*reader.of("which", "list", "row", "tail"))
    filters = (*filters_of(reader), Filter("notnull", reader.groups[-1].column))
    return Intent(
        "top", reader.table, (Measure("count"),), tuple(reader.groups[-1:]), filters, having=reader.having, limit=1000,
    )  # fmt: skip


def ask_missing_table(reader: Reader) -> Intent | None:
    """Read a question about missing values of all columns."""
    missing = reader.of("missing")
    if not missing or reader.of("agg") or any(c.filter.op in ("null", "notnull") for c in reader.conditions):
        return None
    if reader.has("col"):
        return None
    lead = next(
        (i for i in reader.of("sup") if i.value in ("most", "max") or i.text.lower() == "worst"), None
    )
    if lead is not None:
        reader.take(lead, *missing, *reader.of("describe", "count", "which", "groups"))
        return Intent("missing_table", reader.table, filters=filters_of(reader), limit=1)
    reader.take(*missing, *reader.of("describe", "count", "and", "share", "by", "which", "groups"))
    return Intent("missing_table", reader.table, filters=filters_of(reader))


def ask_describe(reader: Reader) -> Intent | None:
    """Read a wish to see what a table or a column holds."""
    item = reader.first("describe", "head")
    if (
        item is None
        or reader.conditions
        or reader.groups
        or reader.has("agg", "sup", "top", "chart", "vs", "than")
    ):
        return None
    columns = [c for other in reader.of("col") if other.text.lower() != "table" for c in other.columns]
    if item.kind == "head":
        reader.take(item, *reader.of("list", "limit", "num", "row"))
        return Intent("head", reader.table, limit=10)
    numbers = tuple(column for column in columns if column.measure)
    reader.take(item, *reader.of("col", "describe", "list", "count", "which", "row", "head", "time", "dist"))
    if len(numbers) == 1 and len(columns) == 1:
        return _spread(reader.table, numbers[0])
    return Intent("describe", reader.table, columns=tuple(columns))


def _spread(table: Table, column: Column) -> Intent:
    quartiles = tuple(Measure("pctl", column, share) for share in (0.25, 0.75))
    low, high = Measure("min", column), Measure("max", column)
    middle = (Measure("avg", column), Measure("median", column), Measure("stddev", column))
    return Intent("aggregate", table, (*middle, low, *quartiles, high))


def ask_extent(reader: Reader) -> Intent | None:
    """Read from when to when, or from what to what, something goes."""
    span, minmax = reader.first("extent"), reader.first("range")
    if minmax is not None:
        columns = [c for item in reader.of("col") for c in item.columns if c.role in ("number", "date")]
        dates = reader.of("time")
        if not columns and dates and (date := main_date(reader.table.dates)):
            columns = [date]
        if len(columns) == 1:
            reader.take(minmax, *reader.of("col", "time"))
            pair = (Measure("min", columns[0]), Measure("max", columns[0]))
            return Intent("aggregate", reader.table, pair, tuple(reader.groups), filters_of(reader))
    if span is None:
        return None
    column = main_date(reader.table.dates) or next((c for c in reader.table.columns if c.year), None)
    if column is None:
        reader.fail("there is no column of dates")
        return None
    reader.take(span, *reader.of("time", "from", "to", "extent", "whenq"))
    for item in reader.of("col"):
        if column in item.columns:
            reader.take(item)
    pair = (Measure("min", column), Measure("max", column))
    return Intent("extent", reader.table, pair, filters=filters_of(reader))


def ask_list(reader: Reader) -> Intent | None:
    """Read a wish for rows, or for the different values of a column."""
    if _only_rows(reader):
        reader.take(*reader.of("list", "row"))
        every = any(token.word in ("all", "every", "whole") for token in reader.tokens)
        return Intent("head", reader.table, limit=_EVERY_ROW if every else _SOME_ROWS)
    asked = reader.first("which", "list")
    columns = [item for item in reader.of("col") if not item.used]
    labels = [c for item in columns for c in item.columns[:1] if not c.measure]
    distinct = [item for item in reader.of("agg") if item.value == "distinct"]
    if len(columns) == 1 and labels and not labels[0].naming and (asked or distinct or not reader.conditions):
        if asked is None and not distinct and not _shows(reader):
            return None
        if labels[0].role == "date" and not labels[0].unique:
            return None
        if not labels[0].unique and labels[0].role != "date":
            reader.take(columns[0], asked, *distinct, *reader.of("row"))
            return Intent(
                "distinct",
                reader.table,
                columns=(labels[0],),
                filters=filters_of(reader),
                groups=tuple(reader.groups),
            )
    rows = reader.of("row") or reader.of("unknown", "time")
    if asked is None and rows and rows[0] is reader.items[0] and reader.conditions and not columns:
        asked = rows[0]
    if not (reader.conditions or columns) or reader.groups or (asked is None and not rows and not columns):
        return None
    if not reader.conditions and not any(c.naming or c.unique for c in labels):
        return None
    if asked is None and not reader.of("row") and not _shows(reader) and not labels:
        return None
    if (asked is None or asked.text.lower() == "what") and any(
        c.measure for item in columns for c in item.columns
    ):
        return None
    if any(len(item.columns) > 1 for item in columns):
        return None
    reader.take(asked, *columns, *rows[:1] if rows and rows[0].kind != "unknown" else ())
    shown = tuple(column for item in columns for column in item.columns)
    return Intent("list", reader.table, columns=shown, filters=filters_of(reader))


def _only_rows(reader: Reader) -> bool:
    """Whether rows are wished for and nothing else is said of them: `list all rows`."""
    kinds = {item.kind for item in reader.items if not item.used}
    named = "row" in kinds or any(token.word in _ROWS for token in reader.tokens)
    return named and kinds <= {"row", "list", "soft"} and not reader.conditions and _shows(reader)


def _shows(reader: Reader) -> bool:
    return any(
        token.word in ("show", "list", "give", "display", "find", "get") for token in reader.tokens[:4]
    )
