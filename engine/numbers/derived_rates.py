"""Quotients and products of two cells of a row: rates, margins, unit prices. Pure."""

import re
from collections.abc import Iterator, Sequence

from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derivation_words import EACH
from engine.numbers.evidence import Cell
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.units import conversion
from engine.numbers.words import forms, name_words

__all__ = [
    "WORTH",
    "converted",
    "divides",
    "is_mean_of",
    "is_priced",
    "margins",
    "per_many",
    "rates",
    "worth",
]


_FOR_EACH = forms("every each")


WORTH = forms("worth at total cost costs value add adds sum revenue for fee")


_PRICE = forms("price fee cost rate unit charge wage tariff")


def worth(names: TableNames, a: Cell, b: Cell) -> Iterator[Derivation]:
    """Yield a quantity times its price, from one row."""
    for many, price in ((a, b), (b, a)):
        if is_priced(names, many.column, price.column) and many.value and price.value not in (0, 1):
            formula = f"{told_number(many.value)} × {told_number(price.value)}"
            value = many.value * price.value * converted(names, many.column, price.column)
            yield Derivation("product", (price, many), value, formula)


def is_priced(names: TableNames, many: int, price: int) -> bool:
    """Return whether one column is a count or weight and the other is its price."""
    priced = set(names.column_words[price]) & _PRICE and not set(names.column_words[many]) & _PRICE
    if not priced or many == price:
        return False
    weighed = names.units[many].unit is not None and names.units[price].per is not None
    return weighed or all(one.is_integer() for one in names.table.numbers(many))


def converted(names: TableNames, many: int, price: int) -> float:
    """Return the factor from a quantity's unit to the unit in its price: 1,000 for tonnes and a price per kilogram."""
    unit, per = names.units[many].unit, names.units[price].per
    factor = conversion(unit, per) if unit is not None and per is not None else None
    return 1.0 if factor is None else factor


def divides(text: Text, place: Place, names: TableNames, a: Cell, b: Cell) -> bool:
    """Return whether a number may be one cell divided by another: a word such as "per" says so, or the number has
    decimals before the name of a column of whole numbers, as in "2.5 orders".
    """
    if a.row != b.row:
        return bool(place.words & _FOR_EACH)
    if (place.words | text.question_words) & EACH:
        return True
    return any(is_mean_of(text, place, names, cell.column) for cell in (a, b))


def is_mean_of(text: Text, place: Place, names: TableNames, column: int) -> bool:
    """Return whether a number must be a mean of a column, because it has decimals but is directly before the name of a
    column of whole numbers: "2.5 orders".
    """
    mention = place.mention
    if mention.value.is_integer() or abs(mention.value) > 1000 or mention.readings[0].step >= 1:
        return False
    whole = all(one.is_integer() for one in names.table.numbers(column))
    behind = (mention.end, mention.end + 3)
    return whole and any(one.column == column for one in text.columns_in(names.at, behind))


_RATES = forms(
    "often frequent frequently rarely ever likely rate ratio margin share percentage per divided conversion converts"
)


def rates(text: Text, place: Place, names: TableNames, a: Cell, b: Cell) -> Iterator[Derivation]:
    """Yield the ratio of two cells of a row if the text has a word for a rate and names the smaller cell's column."""
    topic = place.words | text.question_words | text.words_in(place.passage.around[:2])
    if not topic & _RATES and not place.passage.cells:
        return
    for over, under in ((a, b), (b, a)):
        told = set(names.column_words[over.column]) & topic
        if told and 0 < over.value < under.value:
            formula = f"{told_number(over.value)} ÷ {told_number(under.value)}"
            yield Derivation("share", (over, under), over.value / under.value, formula)


def margins(place: Place, names: TableNames, rows: Sequence[int]) -> Iterator[Derivation]:
    """Yield a named row as a share of the revenue row: "the operating margin" in an income statement."""
    if not place.words & _MARGIN or place.mention.kind not in ("percent", "part"):
        return
    for base in range(len(names.table.rows)):
        if not any(_REVENUE & set(name_words(names.label(base, column))) for column in names.dimensions):
            continue
        for row, column in ((row, column) for row in rows if row != base for column in names.measures):
            over, under = names.table.number(row, column), names.table.number(base, column)
            if over is not None and under:
                cells = (Cell(names.at, row, column, over), Cell(names.at, base, column, under))
                formula = f"{told_number(over)} ÷ {told_number(under)}"
                yield Derivation("share", cells, abs(over / under), formula)


_MARGIN, _REVENUE = forms("margin ratio"), forms("revenue")


def per_many(text: Text, place: Place) -> tuple[float, str]:
    """Return the base of a rate ("per million", "per 1,000") and the text for it in a formula."""
    found = text.said(_RATE, place.passage)
    if found is None:
        return 1.0, ""
    scale = 1e6 if found["million"] else 1e3 if found["thousand"] else 100.0
    return scale, f" × {scale:,.0f}"


_RATE = re.compile(
    r"(?P<million>\bper million\b|\bppm\b|\bper 1,?000,?000\b)|(?P<thousand>\bper (?:thousand|1,?000)\b)"
    r"|\bper (?:hundred|100)\b"
)
