"""Finds the number formats in a column: the decimal sign, units, and the type of the result. Pure."""

from collections.abc import Mapping

from engine.commands.steps import ReadNumbers
from engine.tools.shaping.looked import Choice, Looked, Reading, Rows, number, texts
from engine.tools.shaping.numbers import suggested_factor
from engine.tools.shaping.statement import Found
from engine.tools.shaping.writing import counted

__all__ = ["looked_at_numbers"]

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
"""Other spellings of units → the usual spelling."""
_OTHERS = ("other value has", "other values have")


def looked_at_numbers(step: ReadNumbers, rows: Rows) -> Looked:
    """Interpret the result of `look_at_numbers`."""
    read = [row for row in rows if row["kind"] not in ("empty", "unread")]
    choices = []
    decimal, why = _suggested_decimal(read)
    either = [row for row in read if str(row["kind"]).startswith("either")]
    if either:
        choices.append(_decimal_choice(step, either, decimal, why))
    decimal = step.decimal or decimal or "."
    units = {
        unit: sum(number(row["n"]) for row in read if row["unit"] == unit) for unit in _ordered_units(read)
    }
    factors: dict[str, float | None] = dict.fromkeys(units, 1.0)
    if len(units) > 1:
        main = next((unit for unit in units if unit), "")
        suggested = {unit: _factor(unit, main) for unit in units}
        factors = {unit: step.units.get(unit, suggested[unit]) for unit in units}
        lacking = [unit for unit in units if unit and unit not in step.units]
        choices.append(_unit_choice(units, read, suggested, main, bool(lacking)))
    notes = [f"The unit “{unit}” is left out of the values." for unit in units if unit and len(units) == 1]
    about = sum(number(row["n"]) for row in read if row["about"])
    if about:
        example = next(text for row in read if row["about"] for text in texts(row["examples"]))
        notes.append(
            counted(
                about,
                f"value, “{example}”, is not exact; it is {_inexact(step, 'it names')}.",
                f"values such as “{example}” are not exact; they are {_inexact(step, 'they name')}.",
            )
        )
    found = Found(factors=factors, kind=_type(read, decimal, factors), decimal=decimal)
    return Looked(found, _number_readings(rows, factors, step), tuple(choices), notes=tuple(notes))


def _inexact(step: ReadNumbers, names: str) -> str:
    return f"read as the number that {names}" if step.approximate else "left empty"


def _ordered_units(rows: Rows) -> list[str]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[str(row["unit"])] = counts.get(str(row["unit"]), 0) + number(row["n"])
    return sorted(counts, key=lambda unit: (-counts[unit], unit))


def _factor(unit: str, main: str) -> float | None:
    one, other = _SAME.get(unit, unit), _SAME.get(main, main)
    return 1.0 if one == other or not unit else suggested_factor(unit, main)


def _suggested_decimal(rows: Rows) -> tuple[str | None, str]:
    points, commas = (
        sum(number(row["n"]) for row in rows if row["kind"] == kind) for kind in ("point", "comma")
    )
    if points and not commas:
        return ".", counted(points, *_OTHERS) + " a decimal point."
    if commas and not points:
        return ",", counted(commas, *_OTHERS) + " a decimal comma."
    return None, (
        f"{counted(points, *_OTHERS)} a decimal point, {commas:,} a decimal comma."
        if points
        else "No other value shows which is meant."
    )


def _decimal_choice(step: ReadNumbers, rows: Rows, suggested: str | None, why: str) -> Choice:
    count = sum(number(row["n"]) for row in rows)
    example = texts(rows[0]["examples"])[0]
    digits = "".join(sign for sign in example if sign.isdigit() or sign in ".,")
    whole, part = digits.replace(",", "").replace(".", ""), digits.replace(",", ".")
    as_comma = part if rows[0]["kind"] == "either_comma" else whole
    as_point = whole if rows[0]["kind"] == "either_comma" else part
    return Choice(
        "decimal",
        f"{counted(count, 'number')} can be read in two ways, such as {example}.",
        count,
        tuple(text for row in rows for text in texts(row["examples"]))[:5],
        ((".", f"Decimal point: {as_point}"), (",", f"Decimal comma: {as_comma}")),
        suggested,
        why,
        step.decimal is None,
    )


def _unit_choice(
    units: Mapping[str, int], rows: Rows, suggested: Mapping[str, float | None], main: str, needed: bool
) -> Choice:
    examples = {
        unit: next(texts(row["examples"])[0] for row in rows if row["unit"] == unit) for unit in units
    }
    told = tuple((unit, f"{counted(units[unit], 'row')}, such as {examples[unit]}") for unit in units)
    return Choice(
        "units",
        f"The values use {len(units)} different units. By what factor should each one be multiplied?",
        sum(units.values()),
        tuple(examples.values()),
        told,
        dict(suggested),
        f"The suggested factors convert all values to {main}, the most frequent unit." if main else "",
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
        places = max(
            places, number(row["after_comma"]) if comma else number(row["after_point"]) if point else 0
        )
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
    """Return a line for each number format. The lines do not show the converted values, because the preview's sample
    rows show them.
    """
    found = []
    for row in rows:
        kind, unit = str(row["kind"]), str(row["unit"])
        examples = [text.strip() for text in texts(row["examples"])]
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
        found.append(Reading(shown or "(empty)", "" if refused else "number", number(row["n"]), words))
    return tuple(found)
