"""What is put right once all words of a question are linked: ordinals, degrees, heads of names, limits with a unit."""

from engine.models.offline.column_names import GENERIC
from engine.models.offline.reader import Reader
from engine.models.offline.words import word_list

__all__ = ["put_right"]

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6,
}  # fmt: skip
_MOST_STEPS = 15
"""Different values that a column of steps (classes, grades, floors) may have."""
_OFTEN_HEADS = frozenset(
    word_list("""
        color type kind status name code number size level rate date time length weight height age price year score
    """)
)


def put_right(reader: Reader) -> None:
    """Every such pass, one after the other."""
    _ordinals(reader)
    _within(reader)
    _modifiers(reader)


def _ordinals(reader: Reader) -> None:
    """`3rd class`, where the column of classes holds numbers."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        number = _ORDINALS.get(left.text.lower())
        if number is None or right.kind != "col" or left.kind not in ("sup", "unknown", "soft"):
            continue
        steps = [c for c in right.columns if c.whole and c.distinct <= _MOST_STEPS and not c.time_named]
        fits = [c for c in steps if c.low is not None and c.high is not None and c.low <= number <= c.high]
        if len(fits) == 1 and fits[0].yes is None:
            left.kind, left.number, right.columns = "num", float(number), (fits[0],)


def _within(reader: Reader) -> None:
    """`within 50 km`: at most; `within 2010` and `within the first week` are times."""
    for item in reader.of("soft"):
        if item.text.lower() != "within":
            continue
        number = reader.after(item, ())
        unit = reader.after(number, ()) if number is not None and number.kind == "num" else None
        if unit is not None and unit.kind in ("unit", "col"):
            item.kind, item.value = "op", "<="


def _modifiers(reader: Reader) -> None:
    """`detection method`, `payment type`: a word before the whole name of a column that sorts rows, where it is plain
    enough which column is meant."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        if left.kind != "unknown" or left.exact or right.kind != "col" or not right.exact:
            continue
        column = right.columns[0]
        alone = len(right.columns) == 1 and len(column.words) == 1 and column.role == "text"
        others = [c for c in reader.table.columns if c is not column and column.words[-1] in c.words]
        if alone and column.category and not others and column.words[-1] not in GENERIC | _OFTEN_HEADS:
            left.kind = "soft"
