"""Finds the formats in a column of dates: how each format is read, and whether the day or the month comes
first. Pure.
"""

from collections.abc import Sequence

from engine.commands.steps import ReadDates
from engine.tools.shaping.dates import format_of
from engine.tools.shaping.looked import Choice, Looked, Reading, Rows, number, texts
from engine.tools.shaping.statement import Found
from engine.tools.shaping.writing import counted

__all__ = ["looked_at_dates"]

_OTHERS = ("other date can only have", "other dates can only have")


def looked_at_dates(step: ReadDates, rows: Rows) -> Looked:
    """Interpret the result of `look_at_dates`."""
    order = step.order or _suggested_order(rows)[0] or "empty"
    readings, either, examples = [], 0, list[str]()
    for row in rows:
        name, example = str(row["format"]), str(row["example"] or "")
        if name in ("empty", "unread"):
            words = "no value" if name == "empty" else "not a date"
            shown = " ".join(dict.fromkeys(text.strip() for text in texts(row["examples"])))[:60] or "(empty)"
            readings.append(Reading(shown, "", number(row["n"]), words))
            continue
        words, which = format_of(name)
        if which == "either":
            either += number(row["n"])
            examples += texts(row["examples"])
            reads = "" if order == "empty" else str(row[order] or "")
            words = format_of(name.replace("either", "month"))[0] if order == "month_first" else words
        else:
            reads = str(row["day_first"] or row["month_first"] or "")
        readings.append(Reading(example, reads.removesuffix(" 00:00:00"), number(row["n"]), words))
    timed = any(number(row["timed"]) for row in rows if row["format"] not in ("empty", "unread"))
    notes = []
    if any(number(row["zoned"]) for row in rows):
        notes.append("Times with a zone are converted to UTC.")
    if any("short" in str(row["format"]) for row in rows):
        notes.append("Years of two digits: 00 to 68 are 2000 to 2068, 69 to 99 are 1969 to 1999.")
    found = Found(formats=tuple(str(row["format"]) for row in rows), timed=timed)
    choices = (_order_choice(step, rows, either, examples),) if either else ()
    return Looked(found, tuple(readings), choices, notes=tuple(notes))


def _suggested_order(rows: Rows) -> tuple[str | None, str]:
    counts = {
        way: sum(number(row["n"]) for row in rows if str(row["format"]).endswith(f":{way}"))
        for way in ("day", "month")
    }
    if counts["day"] and not counts["month"]:
        return "day_first", counted(counts["day"], *_OTHERS) + " the day first."
    if counts["month"] and not counts["day"]:
        return "month_first", counted(counts["month"], *_OTHERS) + " the month first."
    if counts["month"] and counts["day"]:
        return (
            None,
            f"{counted(counts['day'], *_OTHERS)} the day first, {counts['month']:,} only the month.",
        )
    return None, "No other date shows whether the day or the month comes first."


def _order_choice(step: ReadDates, rows: Rows, either: int, examples: Sequence[str]) -> Choice:
    suggested, why = _suggested_order(rows)
    row = next(row for row in rows if str(row["format"]).endswith(":either"))
    day, month = (str(row[way] or "")[:10] for way in ("day_first", "month_first"))
    return Choice(
        "order",
        f"{counted(either, 'date')} can be read in two ways. {row['example']} is {day} or {month}.",
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
