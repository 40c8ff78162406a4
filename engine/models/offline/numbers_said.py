"""The grammar's functions for numbers: the columns and expressions that a question measures."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Expression, Measures, same_unit
from engine.models.offline.row_nouns import is_own_noun
from engine.models.offline.schema import Table
from engine.models.offline.words import alike, base_forms, past

__all__ = ["NumbersSaid"]

_PARTS = frozenset({"group", "class", "category", "type", "kind", "grade"})
"""After the name of a number column, these words ask for parts of its range: “age groups”."""
_SEXES = frozenset({"men", "women", "male", "female", "males", "females", "boys", "girls"})
_STATISTICS = frozenset({"max", "min", "maximum", "minimum", "avg", "average", "mean", "high", "low"})


class NumbersSaid:
    """The functions for numbers. Each method is named after the rule function that it implements."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def _one(self, value: Hashable) -> Hashable:
        return value

    def _form(self, **values: Any) -> Form:
        return Form(self.table.name, self.table.joins, **values)

    def _number(self, column: Column, *nouns: Hashable) -> Expression | None:
        parted = any(isinstance(noun, str) and base_forms(noun) & _PARTS for noun in nouns)
        return Expression(column) if column.measure and not parted else None

    @staticmethod
    def joined(sign: str, first: Any, second: Any) -> Any:
        """Return two columns with an operator between them."""
        return replace(first, operator=sign, other=second.column)

    def _share_done(self, whole: Expression, part: Expression) -> Expression | None:
        """Read “what percentage of everything we baked was wasted”."""
        able = not whole.operator and not part.operator and whole.column is not part.column
        return replace(part, operator="%", other=whole.column) if able else None

    def _number_of_unit(self, unit: str) -> Expression | None:
        """Read “ride length in km” as the only column in kilometers."""
        able = [c for c in self.table.columns if c.measure and c.unit and same_unit(unit, c)]
        return Expression(able[0]) if len(able) == 1 else None

    def _gap_between(self, first: Expression, second: Expression) -> Expression:
        """Read “the gap between A and B” as the larger column minus the smaller one, if the table shows which is
        larger; else as A minus B.
        """
        ends = [(c.low or 0, c.high or 0) for c in (first.column, second.column)]
        smaller = ends[0] != ends[1] and all(one <= other for one, other in zip(*ends, strict=True))
        found: Expression = self.joined("-", second, first) if smaller else self.joined("-", first, second)
        return found

    def _share_of_everybody(self, part: Column) -> Expression | None:
        """Read “percent women” as the count of women in percent of all people, if no column has that share."""
        whole = self.table.everybody
        told = any(c.adds is False and set(part.words) <= set(c.words) for c in self.table.columns)
        if whole is None or whole is part or told or not part.whole or not set(part.words) <= _SEXES:
            return None
        return Expression(part, "%", whole)

    def _share_then_done(self, whole: Expression, verb: str) -> Expression | None:
        """Read “what share of the loaded parcels was delivered”, for two columns that differ only in their verbs."""
        named = set(whole.column.words)
        found = []
        for column in (c for c in self.table.columns if c.measure and len(c.words) == len(named)):
            other = set(column.words) - named
            if len(other) == 1 and any(alike(verb, word) for word in other):
                found.append(column)
        return self._share_done(whole, Expression(found[0])) if past(verb) and len(found) == 1 else None

    def _number_percent(self, column: Column) -> Expression | None:
        named = {"percent", "pct", "share", "rate", "percentage"} & set(
            column.all_words
        ) or "%" in column.name
        return Expression(column) if column.measure and named else None

    def _number_people(self, _: str, column: Column) -> Expression | None:
        """Read “people who were injured”, for a column `injured`."""
        done = past(column.words[-1]) and column.whole and column.adds is not False
        return Expression(column) if column.measure and done else None

    def _number_in_unit(self, column: Column, unit: str) -> Expression | None:
        """Read “total (EUR)” as the column with that unit."""
        return Expression(column) if column.measure and same_unit(unit, column) else None

    def _people_where(self, people: str, found: Filter, column: Column) -> Measures | None:
        """Read “how many people with a degree are unemployed”, for a column that counts the unemployed."""
        named = self._number_people(people, column) or self._number_of_people(column, people)
        return None if named is None else Measures((named.measure("sum"),), filters=(found,))

    def _number_of_people(self, column: Column, _: str) -> Expression | None:
        """Read “unemployed people”, for a column that counts them."""
        able = column.measure and column.whole and column.adds is True
        return Expression(column) if able else None

    def _number_daily(self, grain: str, column: Column) -> Expression | None:
        """Read “daily maximum temperature” as the column of maxima, in a table of days."""
        daily = grain == "day" and any(c.profile.type.upper() == "DATE" for c in self.table.times)
        named = _STATISTICS & {*column.words, *column.spelled}
        return Expression(column) if column.measure and daily and named else None

    def _number_by(self, column: Column, rows: Rows) -> Expression | None:
        """Read “structures destroyed by fires”, in a table of fires."""
        able = column.measure and past(column.words[-1]) and is_own_noun(rows.word, self.table)
        return Expression(column) if able else None

    def _number_time(self, column: Column) -> Expression | None:
        timed = any(same_unit(unit, column) for unit in ("ms", "s", "min", "hours", "hrs", "days", "weeks"))
        return Expression(column) if column.measure and timed else None

    def _unit_to(self, unit: str, column: Column) -> Expression | None:
        """Read “hours to resolve”."""
        return self._number_time(column) if same_unit(unit, column) else None
