"""Which rows a question speaks of: values, numbers with a comparison, times, missing values, yes and no."""

from engine.models.offline.column_names import concept_columns
from engine.models.offline.comparisons import nearest_before, read_number
from engine.models.offline.intent import Filter
from engine.models.offline.items import Item
from engine.models.offline.moments import read_moment
from engine.models.offline.named_values import read_parts, read_values
from engine.models.offline.reader import Reader
from engine.models.offline.schema import Column
from engine.models.offline.times import When
from engine.models.offline.words import root

__all__ = ["merge", "read_conditions"]


_PASSED_OVER = ("soft", "row", "filled", "which", "both", "ifonly", "from")


def read_conditions(reader: Reader) -> None:
    """Find every condition; what they were read from is marked as used."""
    _zeros(reader)
    _freezing(reader)
    _signs(reader)
    _tops(reader)
    for item in list(reader.items):
        if item.kind == "num" and not item.used:
            read_number(reader, item)
    for item in reader.of("when"):
        read_moment(reader, item)
    _against_average(reader)
    _missing(reader)
    read_values(reader)
    _flags(reader)
    read_parts(reader)


def _signs(reader: Reader) -> None:
    """`a negative delay`, `whose change was positive`: below or above zero."""
    for item in reader.of("sign"):
        after, before = reader.after(item), reader.before(item)
        for beside in (after, before):
            columns = reader.measure_columns(beside) if beside is not None and beside.kind == "col" else ()
            if beside is not None and len(columns) == 1:
                first, last = sorted((item, beside), key=lambda i: i.start)
                reader.add(Filter("<" if item.value == "neg" else ">", columns[0], (0.0,)), first, last)
                reader.take(item, beside)
                break


def _tops(reader: Reader) -> None:
    """Numbers that say how many rows to show are no conditions."""
    for item in reader.of("num"):
        before, after = reader.before(item, ()), reader.after(item)
        if (
            (
                (before is not None and before.kind in ("top",))
                or (
                    before is not None
                    and before.kind == "sup"
                    and before.value in ("first", "last", "max", "min", "most", "least", "adj")
                )
            )
            or (
                after is not None
                and after.kind in ("sup", "top")
                and item.number is not None
                and item.number <= 100
            )
            or (
                after is not None
                and item.number is not None
                and 1 <= item.number <= 100
                and _heads_a_ranking(reader, item, after)
            )
        ):
            item.kind = "limit"
        elif after is not None and after.kind == "agg" and after.value == "pctl":
            item.kind = "quantile"


def _heads_a_ranking(reader: Reader, item: Item, after: Item) -> bool:
    """`five distributors with the highest …`: a number, what is ranked, and a superlative later on."""
    if after.kind not in ("col", "row", "unknown", "time", "val"):
        return False
    if reader.before(item) is not None and reader.before(item).kind not in ("which", "list", "chart", "them"):  # type: ignore[union-attr]
        return False
    if after.kind == "col" and all(column.measure and not column.category for column in after.columns):
        return False
    later = [other for other in reader.items if other.start > after.start]
    return any(other.kind in ("sup", "top") for other in later)


def _zeros(reader: Reader) -> None:
    """`a zero in x, y or z`: any of these columns is 0."""
    for item in reader.of("num"):
        after = reader.after(item, ())
        if item.number != 0 or after is None or after.text.lower() not in ("in", "for", "as"):
            continue
        columns: list[Item] = []
        following = reader.after(after)
        while following is not None and following.kind in ("col", "or", "and"):
            columns += [following] if following.kind == "col" else []
            following = reader.after(following, ())
        parts = tuple(Filter("=", c.columns[0], (0.0,)) for c in columns if c.columns[0].role == "number")
        if parts and len(parts) == len(columns):
            reader.add(Filter("any", parts=parts) if len(parts) > 1 else parts[0], item, columns[-1])
            reader.take(item, *columns)


def _freezing(reader: Reader) -> None:
    for item in reader.of("freezing"):
        columns = _temperatures(reader, -1)
        if len(columns) == 1:
            freezing = 32.0 if columns[0].unit in ("f", "fahrenheit") else 0.0
            reader.add(Filter("<", columns[0], (freezing,)), item)
            reader.take(item)
            for other in reader.of("col", "change", "time"):
                if (
                    set(other.columns) & set(concept_columns(reader.table, ("temperature",)))
                    or other.kind == "change"
                ):
                    reader.take(other)


def _temperatures(reader: Reader, direction: int) -> tuple[Column, ...]:
    return narrow(concept_columns(reader.table, ("temperature",)), direction)


def narrow(columns: tuple[Column, ...], direction: int) -> tuple[Column, ...]:
    """Of several columns, the one for the upper or the lower end, where names tell: `temp_max`, `temp_min`."""
    if len(columns) < 2 or direction == 0:
        return columns
    ends = ("max", "maximum", "high", "highest") if direction > 0 else ("min", "minimum", "low", "lowest")
    found = tuple(column for column in columns if set(ends) & set(column.words))
    return found if len(found) == 1 else columns


def _against_average(reader: Reader) -> None:
    for item in reader.of("above", "belowavg"):
        op = "above_avg" if item.kind == "above" else "below_avg"
        after = reader.after(item)
        left = (
            after
            if after is not None and after.kind == "col" and reader.measure_columns(after)
            else nearest_before(reader, item)
        )
        columns = reader.measure_columns(left) if left is not None else ()
        if len(columns) == 1:
            reader.add(Filter(op, columns[0]), item)
            reader.take(item, left)


def _missing(reader: Reader) -> None:
    """`no sex recorded`, `missing a rating`, `whose sex is unknown`, `without a title`."""
    for item in reader.of("neg", "missing"):
        after = reader.after(item, ("soft", "missing", "filled"))
        before = reader.before(item, ("soft", "filled"))
        column_item = after if after is not None and after.kind == "col" else None
        if (
            column_item is None
            and item.kind == "missing"
            and before is not None
            and before.kind in ("col", "neg")
        ):
            column_item = before if before.kind == "col" else reader.before(before)
            column_item = column_item if column_item is not None and column_item.kind == "col" else None
        if (
            column_item is None
            or column_item.used
            or len(column_item.columns) != 1
            or column_item.kind != "col"
        ):
            continue
        following = reader.after(column_item, ())
        if item.kind == "neg" and following is not None and following.kind in ("val", "num"):
            continue
        column = column_item.columns[0]
        if (nothing := _says_none(column)) is not None and item.kind == "neg":
            reader.add(Filter("=", column, (nothing,)), item, column_item)
            reader.take(item, column_item)
            continue
        left_out = item.kind == "missing" and (cut := _cut(reader, item, column_item)) is not None
        if item.kind == "neg" and column.yes is not None:
            continue
        if item.kind == "neg" and column.role == "number" and column.missing == 0:
            if (column.low or 0.0) > 0.0:
                continue
            reader.add(Filter("=", column, (0.0,)), item, column_item)
        elif item.kind == "neg" and item.text.lower() not in _LACKING and not reader.has("missing", "filled"):
            continue
        else:
            reader.add(Filter("notnull" if left_out else "null", column), item, column_item)
            if left_out:
                reader.take(cut)
        reader.take(
            item,
            column_item,
            *[
                other
                for other in reader.of("filled", "missing")
                if abs(reader.index(other) - reader.index(column_item)) <= 4
            ],
        )


def _says_none(column: Column) -> str | None:
    """The value of a column of texts that says there is none, where there is one."""
    found = [value for value in column.values if value.lower() in ("none", "nil", "nothing")]
    return found[0] if len(found) == 1 and column.role == "text" else None


_LACKING = (
    "no",
    "without",
    "lack",
    "lacks",
    "lacking",
    "lacked",
    "have no",
    "has no",
    "had no",
    "having no",
    "with no",
    "do not",
    "does not",
    "did not",
    "not",
)


def _cut(reader: Reader, *items: Item) -> Item | None:
    """A word that leaves rows out, before a missing value is spoken of: `leaving out birds whose sex is unknown`."""
    first = min(items, key=lambda item: item.start)
    for other in reversed(reader.items[: reader.index(first)]):
        if other.kind == "neg" and not other.used:
            return other
        if other.kind not in ("soft", "row", "unknown", "which", "missing", "filled"):
            return None
    return None


_OPPOSITES = {
    "died": "surviv", "dead": "surviv", "perished": "surviv", "drowned": "surviv", "unpaid": "paid",
    "inactive": "activ",
    "lost": "won", "failed": "pass", "absent": "present", "unmarried": "marri", "nonsmoker": "smok",
    "nonsmokers": "smok",
    "uninsured": "insur", "unemployed": "employ",
}  # fmt: skip


def _flags(reader: Reader) -> None:
    """Columns of yes and no, named as if they were adjectives: `smokers`, `cancelled flights`, `not returned`."""
    for item in reader.of("unknown", "soft", "verb"):
        if (known := _OPPOSITES.get(item.text.lower())) is not None:
            opposite = [
                c
                for c in reader.table.columns
                if c.no is not None and any(root(word) == known for word in c.words)
            ]
            if len(opposite) == 1:
                reader.add(Filter("is", opposite[0], (opposite[0].no or "",)), item)
                item.kind = "flag"
                reader.take(item)
    for item in reader.of("col"):
        column = item.columns[0]
        if len(item.columns) != 1 or column.yes is None or column.no is None:
            continue
        before, after = reader.before(item), reader.after(item)
        if (
            before is not None
            and before.kind in ("by", "which", "corr", "dist", "and", "between")
            and not (before.kind == "and" and reader.conditions)
        ):
            continue
        if reader.has("corr") or (after is not None and after.kind in ("rate", "share", "vs")):
            continue
        negation = before if before is not None and before.kind == "neg" and not before.used else None
        reader.add(Filter("is", column, (column.no if negation else column.yes,)), negation or item, item)
        reader.take(item, negation)


def merge(filters: list[Filter]) -> tuple[Filter, ...]:
    """Values of one column become one list; those left out another; conditions on different columns all hold."""
    merged: list[Filter] = []
    for new in filters:
        for index, old in enumerate(merged):
            if (
                old.column is new.column
                and old.negated == new.negated
                and new.op in ("=", "in")
                and old.op in ("=", "in")
            ):
                values = tuple(dict.fromkeys([*old.values, *new.values]))
                merged[index] = Filter(
                    "in" if len(values) > 1 else "=", old.column, values, negated=old.negated
                )
                break
            if (
                old.column is new.column
                and new.op == old.op
                and new.op in ("contains", "begins", "when")
                and old.negated == new.negated
            ):
                if new != old:
                    merged[index] = Filter("any", parts=(*(old.parts or (old,)), new), negated=False)
                break
            if old.op == "any" and old.parts[0].column is new.column and new.op == old.parts[0].op:
                merged[index] = Filter("any", parts=(*old.parts, new))
                break
        else:
            merged.append(new)
    return tuple(merged)


def whens(filters: list[Filter]) -> list[When]:
    """Times among the conditions."""
    return [item.when for item in filters if item.when is not None]
