"""What is looked for in a column before a step is written, and what is concluded from it. Pure.

A step that could be done in two ways says so: it is a choice for the user, with a suggestion where the column gives a
reason for one. Without it the step is refused, since a guess would change values silently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands import steps as given
from engine.commands.steps import ReadDates, ReadNumbers, Step
from engine.tools.shaping.dates import format_of, look_at_dates
from engine.tools.shaping.numbers import look_at_numbers, suggested_factor
from engine.tools.shaping.rows import look_at_duplicates
from engine.tools.shaping.statement import Found, Shape
from engine.tools.shaping.texts import (
    Merge,
    look_at_near_values,
    look_at_parts,
    look_at_values,
    merges_of,
)
from events.canonical import JSON

__all__ = ["MOST_VALUES", "Choice", "Looked", "Reading", "concluded", "looks"]

MOST_VALUES = 5_000
"""Different values of a column that are compared: the most frequent ones."""
_SAME = {
    "€": "eur",
    "euro": "eur",
    "euros": "eur",
    "$": "usd",
    "us$": "usd",
    "£": "gbp",
    "pct": "%",
    "percent": "%",
}
"""Units that are written in several ways."""
Rows = Sequence[Mapping[str, JSON]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Values of one way of writing."""

    example: str
    reads: str
    """What the example becomes; empty for no value."""
    rows: int
    words: str = ""
    """The way of writing in words."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that the user must choose, since the values can be read in several ways."""

    name: str
    """The step's field: `order`, `decimal` or `units`."""
    question: str
    rows: int
    examples: tuple[str, ...]
    options: tuple[tuple[JSON, str], ...]
    """Value and what it means. For units: each unit, with its rows."""
    suggested: JSON = None
    why: str = ""
    """The reason for the suggestion."""
    needed: bool = True
    """Whether the step is refused without it; False once it is chosen."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found."""

    found: Found = field(default_factory=Found)
    readings: tuple[Reading, ...] = ()
    choices: tuple[Choice, ...] = ()
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[Choice, ...]:
        """The choices that are still to be made."""
        return tuple(choice for choice in self.choices if choice.needed)


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
    """Return what the results of `looks` say of a step."""
    match step:
        case given.ReadDates():
            return _dates(step, results[0])
        case given.ReadNumbers():
            return _numbers(step, results[0])
        case given.UnifyText():
            return _values(results[0], results[1])
        case given.SplitColumn():
            return Looked(notes=_of_parts(results[0], len(step.names)))
        case given.DropDuplicates():
            return Looked(notes=_of_duplicates(results[0]))
        case _:
            return Looked()


def _int(value: JSON) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _dates(step: ReadDates, rows: Rows) -> Looked:
    order = step.order or _suggested_order(rows)[0] or "empty"
    readings, either, examples = [], 0, list[str]()
    for row in rows:
        name, example = str(row["format"]), str(row["example"] or "")
        if name in ("empty", "unread"):
            words = "no value" if name == "empty" else "not a date"
            shown = (
                " ".join(dict.fromkeys(text.strip() for text in _texts(row["examples"])))[:60] or "(empty)"
            )
            readings.append(Reading(shown, "", _int(row["n"]), words))
            continue
        words, which = format_of(name)
        if which == "either":
            either += _int(row["n"])
            examples += _texts(row["examples"])
            reads = "" if order == "empty" else str(row[order] or "")
            words = format_of(name.replace("either", "month"))[0] if order == "month_first" else words
        else:
            reads = str(row["day_first"] or row["month_first"] or "")
        readings.append(Reading(example, reads.removesuffix(" 00:00:00"), _int(row["n"]), words))
    timed = any(_int(row["timed"]) for row in rows if row["format"] not in ("empty", "unread"))
    notes = []
    if any(_int(row["zoned"]) for row in rows):
        notes.append("Times with a zone are converted to UTC.")
    if any("short" in str(row["format"]) for row in rows):
        notes.append("Years of two digits: 00 to 68 are 2000 to 2068, 69 to 99 are 1969 to 1999.")
    found = Found(formats=tuple(str(row["format"]) for row in rows), timed=timed)
    choices = (_order_choice(step, rows, either, examples),) if either else ()
    return Looked(found, tuple(readings), choices, notes=tuple(notes))


def _suggested_order(rows: Rows) -> tuple[str | None, str]:
    counts = {
        way: sum(_int(row["n"]) for row in rows if str(row["format"]).endswith(f":{way}"))
        for way in ("day", "month")
    }
    if counts["day"] and not counts["month"]:
        return "day_first", f"{counts['day']:,} other dates can only have the day first."
    if counts["month"] and not counts["day"]:
        return "month_first", f"{counts['month']:,} other dates can only have the month first."
    if counts["month"] and counts["day"]:
        return (
            None,
            f"{counts['day']:,} other dates can only have the day first, {counts['month']:,} only the month.",
        )
    return None, "No other date tells which is meant."


def _order_choice(step: ReadDates, rows: Rows, either: int, examples: Sequence[str]) -> Choice:
    suggested, why = _suggested_order(rows)
    row = next(row for row in rows if str(row["format"]).endswith(":either"))
    day, month = (str(row[way] or "")[:10] for way in ("day_first", "month_first"))
    return Choice(
        "order",
        f"{either:,} {'date' if either == 1 else 'dates'} can be read in two ways. "
        f"{row['example']} is {day} or {month}.",
        either,
        tuple(examples[:5]),
        (
            ("month_first", f"Month first: {month}"),
            ("day_first", f"Day first: {day}"),
            ("empty", "Leave empty"),
        ),
        suggested,
        why,
        step.order is None,
    )


def _numbers(step: ReadNumbers, rows: Rows) -> Looked:
    read = [row for row in rows if row["kind"] not in ("empty", "unread")]
    choices = []
    decimal, why = _suggested_decimal(read)
    either = [row for row in read if str(row["kind"]).startswith("either")]
    if either:
        choices.append(_decimal_choice(step, either, decimal, why))
    decimal = step.decimal or decimal or "."
    units = {
        unit: sum(_int(row["n"]) for row in read if row["unit"] == unit) for unit in _ordered_units(read)
    }
    factors: dict[str, float | None] = dict.fromkeys(units, 1.0)
    if len(units) > 1:
        main = next((unit for unit in units if unit), "")
        suggested = {unit: _factor(unit, main) for unit in units}
        factors = {unit: step.units.get(unit, suggested[unit]) for unit in units}
        lacking = [unit for unit in units if unit and unit not in step.units]
        choices.append(_unit_choice(units, read, suggested, main, bool(lacking)))
    notes = [f"The unit “{unit}” is left out of the values." for unit in units if unit and len(units) == 1]
    about = sum(_int(row["n"]) for row in read if row["about"])
    if about:
        told = "are read as the number that they name" if step.approximate else "are left empty"
        example = next(text for row in read if row["about"] for text in _texts(row["examples"]))
        notes.append(f"{about:,} values such as “{example}” are not exact; they {told}.")
    found = Found(factors=factors, kind=_type(read, decimal, factors), decimal=decimal)
    return Looked(found, _number_readings(rows, factors, step), tuple(choices), notes=tuple(notes))


def _ordered_units(rows: Rows) -> list[str]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[str(row["unit"])] = counts.get(str(row["unit"]), 0) + _int(row["n"])
    return sorted(counts, key=lambda unit: (-counts[unit], unit))


def _factor(unit: str, main: str) -> float | None:
    one, other = _SAME.get(unit, unit), _SAME.get(main, main)
    return 1.0 if one == other or not unit else suggested_factor(unit, main)


def _suggested_decimal(rows: Rows) -> tuple[str | None, str]:
    points, commas = (
        sum(_int(row["n"]) for row in rows if row["kind"] == kind) for kind in ("point", "comma")
    )
    if points and not commas:
        return ".", f"{points:,} other values have a decimal point."
    if commas and not points:
        return ",", f"{commas:,} other values have a decimal comma."
    return None, (
        f"{points:,} other values have a decimal point, {commas:,} a decimal comma."
        if points
        else "No other value tells which is meant."
    )


def _decimal_choice(step: ReadNumbers, rows: Rows, suggested: str | None, why: str) -> Choice:
    count = sum(_int(row["n"]) for row in rows)
    example = _texts(rows[0]["examples"])[0]
    digits = "".join(sign for sign in example if sign.isdigit() or sign in ".,")
    whole, part = digits.replace(",", "").replace(".", ""), digits.replace(",", ".")
    as_comma = part if rows[0]["kind"] == "either_comma" else whole
    as_point = whole if rows[0]["kind"] == "either_comma" else part
    return Choice(
        "decimal",
        f"{count:,} {'number' if count == 1 else 'numbers'} can be read in two ways, such as {example}.",
        count,
        tuple(text for row in rows for text in _texts(row["examples"]))[:5],
        ((".", f"Decimal point: {as_point}"), (",", f"Decimal comma: {as_comma}")),
        suggested,
        why,
        step.decimal is None,
    )


def _unit_choice(
    units: Mapping[str, int], rows: Rows, suggested: Mapping[str, float | None], main: str, needed: bool
) -> Choice:
    examples = {
        unit: next(_texts(row["examples"])[0] for row in rows if row["unit"] == unit) for unit in units
    }
    told = tuple((unit, f"{units[unit]:,} rows, such as {examples[unit]}") for unit in units)
    return Choice(
        "units",
        f"The values have {len(units)} units. What is each multiplied by?",
        sum(units.values()),
        tuple(examples.values()),
        told,
        dict(suggested),
        f"In {main}, the most frequent unit." if main else "",
        needed,
    )


def _type(rows: Rows, decimal: str, factors: Mapping[str, float | None]) -> str:
    if any(factor not in (1.0, None) for factor in factors.values()) or any(
        r["kind"] == "power" for r in rows
    ):
        return "DOUBLE"
    places = 0
    for row in rows:
        kind = str(row["kind"])
        comma = kind == "comma" or (kind == "either_comma" and decimal == ",")
        point = kind == "point" or (kind == "either_point" and decimal == ".")
        places = max(places, _int(row["after_comma"]) if comma else _int(row["after_point"]) if point else 0)
    return "BIGINT" if not places else f"DECIMAL(18,{places})" if places <= 9 else "DOUBLE"


_WRITTEN = {
    "plain": "whole numbers",
    "power": "powers of ten",
    "point": "decimal point",
    "comma": "decimal comma",
    "either_comma": "one comma",
    "either_point": "one point",
    "empty": "no value",
    "unread": "not a number",
}


def _number_readings(
    rows: Rows, factors: Mapping[str, float | None], step: ReadNumbers
) -> tuple[Reading, ...]:
    """One line for each way of writing; what an example becomes is shown by the rows of the preview."""
    found = []
    for row in rows:
        kind, unit = str(row["kind"]), str(row["unit"])
        examples = [text.strip() for text in _texts(row["examples"])]
        refused = (
            kind in ("empty", "unread")
            or (row["about"] and not step.approximate)
            or factors.get(unit, 1.0) is None
        )
        words = _WRITTEN[kind] + (f", {unit}" if unit else "") + (", about" if row["about"] else "")
        shown = (
            (" ".join(examples)[:60] if kind in ("empty", "unread") else examples[0])
            if examples
            else "(empty)"
        )
        found.append(Reading(shown or "(empty)", "" if refused else "number", _int(row["n"]), words))
    return tuple(found)


def _values(rows: Rows, pairs: Rows) -> Looked:
    notes = []
    padded = sum(_int(row["padded"]) for row in rows)
    if padded:
        notes.append(f"{padded:,} values have spaces at their ends or several in a row: they are trimmed.")
    if len(rows) > MOST_VALUES:
        rows = rows[:MOST_VALUES]
        notes.append(f"The column has more than {MOST_VALUES:,} values; the most frequent ones are compared.")
    values = [(str(row["value"]), _int(row["n"])) for row in rows]
    near = [(str(row["often"]), str(row["seldom"])) for row in pairs]
    return Looked(merges=merges_of(values, near), notes=tuple(notes))


def _of_parts(rows: Rows, wanted: int) -> tuple[str, ...]:
    notes = []
    for row in rows:
        parts, count = _int(row["parts"]), _int(row["n"])
        example = _texts(row["examples"])[0] if _texts(row["examples"]) else ""
        if parts < wanted:
            notes.append(
                f"{count:,} rows have {parts} of {wanted} parts, such as “{example}”: the rest is empty."
            )
        elif parts > wanted:
            notes.append(
                f"{count:,} rows have {parts} parts, such as “{example}”: the last column has the rest."
            )
    return tuple(notes[:6])


def _of_duplicates(rows: Rows) -> tuple[str, ...]:
    row = rows[0]
    if not _int(row["dropped"]):
        return ("No rows are the same here, so none would be dropped.",)
    notes = [f"{_int(row['dropped']):,} rows are dropped; {_int(row['repeated']):,} repeat."]
    if _int(row["differing"]):
        notes.append(f"{_int(row['differing']):,} of those differ in another column, which is lost.")
    return tuple(notes)
