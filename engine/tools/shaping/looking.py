"""Examines a column before a step is written, and draws conclusions from it. Pure.

If a step could be done in two ways, the user has to choose, with a suggestion if the column gives a reason for one.
Without a choice the step is refused, since a guess would change values silently.
"""

from collections.abc import Sequence

from engine.commands import steps as given
from engine.commands.steps import Step
from engine.tools.shaping.date_look import looked_at_dates
from engine.tools.shaping.dates import look_at_dates
from engine.tools.shaping.looked import Looked, Rows, number, texts
from engine.tools.shaping.number_look import looked_at_numbers
from engine.tools.shaping.numbers import look_at_numbers
from engine.tools.shaping.rows import look_at_duplicates
from engine.tools.shaping.statement import Shape
from engine.tools.shaping.texts import look_at_near_values, look_at_parts, look_at_values, merges_of
from engine.tools.shaping.writing import counted

__all__ = ["MOST_VALUES", "concluded", "looks"]

MOST_VALUES = 5_000
"""The maximum number of different values of a column that are compared. If there are more, the most frequent values are
compared.
"""


def looks(shape: Shape, step: Step) -> tuple[str, ...]:
    """Return the SELECTs over `shape` that a step needs before it is written."""
    match step:
        case given.ReadDates():
            found: tuple[str, ...] = (look_at_dates(shape.last, step.column),)
        case given.ReadNumbers():
            found = (look_at_numbers(shape.last, step.column),)
        case given.UnifyText():
            found = (
                look_at_values(shape.last, step.column, MOST_VALUES + 1),
                look_at_near_values(shape.last, step.column),
            )
        case given.SplitColumn():
            found = (look_at_parts(shape.last, step),)
        case given.DropDuplicates():
            found = (look_at_duplicates(shape.last, step, shape.names),)
        case _:
            found = ()
    return tuple(shape.select(f"SELECT * FROM ({sql})") for sql in found)


def concluded(step: Step, results: Sequence[Rows]) -> Looked:
    """Return the conclusions from the results of `looks` for a step."""
    match step:
        case given.ReadDates():
            return looked_at_dates(step, results[0])
        case given.ReadNumbers():
            return looked_at_numbers(step, results[0])
        case given.UnifyText():
            return _values(results[0], results[1])
        case given.SplitColumn():
            return Looked(notes=_of_parts(results[0], len(step.names)))
        case given.DropDuplicates():
            return Looked(notes=_of_duplicates(results[0]))
        case _:
            return Looked()


def _values(rows: Rows, pairs: Rows) -> Looked:
    notes = []
    padded = sum(number(row["padded"]) for row in rows)
    if padded:
        where = "at the ends or several in a row"
        notes.append(
            counted(
                padded,
                f"value has spaces {where}: it is trimmed.",
                f"values have extra spaces ({where}), which are removed.",
            )
        )
    if len(rows) > MOST_VALUES:
        rows = rows[:MOST_VALUES]
        notes.append(f"The column has more than {MOST_VALUES:,} values; the most frequent ones are compared.")
    values = [(str(row["value"]), number(row["n"])) for row in rows]
    near = [(str(row["often"]), str(row["seldom"])) for row in pairs]
    return Looked(merges=merges_of(values, near), notes=tuple(notes))


def _of_parts(rows: Rows, wanted: int) -> tuple[str, ...]:
    notes = []
    for row in rows:
        parts, count = number(row["parts"]), number(row["n"])
        example = texts(row["examples"])[0] if texts(row["examples"]) else ""
        if parts < wanted:
            notes.append(
                f"{counted(count, 'row has', 'rows have')} {parts} of {wanted} parts, such as “{example}”: "
                "the rest is empty."
            )
        elif parts > wanted:
            notes.append(
                f"{counted(count, 'row has', 'rows have')} {parts} parts, such as “{example}”: "
                "the extra parts go into the last column."
            )
    return tuple(notes[:6])


def _of_duplicates(rows: Rows) -> tuple[str, ...]:
    row = rows[0]
    if not number(row["dropped"]):
        return ("No rows are the same here, so none would be dropped.",)
    groups = counted(number(row["repeated"]), "group of equal rows", "groups of equal rows")
    notes = [f"{counted(number(row['dropped']), 'row is', 'rows are')} dropped, from {groups}."]
    if number(row["differing"]):
        differing = counted(number(row["differing"]), "of the groups differs", "of the groups differ")
        notes.append(f"{differing} in another column, whose other values are lost.")
    return tuple(notes)
