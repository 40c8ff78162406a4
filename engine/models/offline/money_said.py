"""The grammar's functions for amounts that a question does not name: “money”, “the total”, “average order value”."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.form import Measure
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Expression, Measures, Noun, Readings, same_unit
from engine.models.offline.measuring import Measuring
from engine.models.offline.money import (
    MONEY,
    is_sold,
    main_amount,
    money_meant,
    only_money,
    paid_rows,
    takings,
)
from engine.models.offline.parser import Costly
from engine.models.offline.vocabulary import ROW_NOUNS
from engine.models.offline.words import base_forms

__all__ = ["MoneySaid"]

_MOST_AMOUNTS = 4


class MoneySaid(Measuring):
    """The functions for amounts that a question does not name."""

    def _takings(self, column: Column) -> Measures:
        """Read “the total” or “money” as the sum of the only amount in the table."""
        return Measures((Measure("sum", column.ref),))

    def _how_much_taken(self) -> Measures | None:
        """Read “how much did we take” as the sum of the only amount of money of each sale."""
        found = takings(self.table)
        return self._takings(found[0]) if len(found) == 1 else None

    def _amount_done(self, name: Any, *_: Hashable) -> Measures | None:
        """Read “the invoiced amount” or “average amount lent” as the main amount of money of the rows."""
        main = main_amount(self.table)
        return None if main is None else Measures((Measure(name or "sum", main.ref),))

    def _aggregate_rows(self, name: Any, *_: Hashable) -> Readings:
        """Read “average gift” as the average of the rows' amount. “Total gifts” may also ask how many
        gifts there are.
        """
        main = main_amount(self.table)
        if self._line_amount() is not None and self.of_lines() is not None:
            return []  # see `_aggregate_lines`
        able = [main] if main else [c for c in self.table.columns if c.measure and same_unit("$", c)]
        able = able if name != "sum" and (main or 1 < len(able) < _MOST_AMOUNTS) else []
        return [Costly(Measures((Measure(name, c.ref),)), 2) for c in able]

    def _aggregates_rows(self, first: str, others: tuple[str, ...]) -> Measures | None:
        """Read “average and median gift” as the average and the median of the rows' main amount."""
        main = main_amount(self.table)
        able = main is not None and self.of_lines() is None
        return None if not able or main is None else self._aggregates(first, others, Expression(main))

    def _aggregate_lines(self, name: Any, _: Hashable, rows: Rows) -> Measures | None:
        """Read “average order value” in a list of order lines as the average of the orders' totals."""
        main, key = self._line_amount(), self.of_lines()
        if name != "mean" or main is None or key is None or base_forms(rows.word) & ROW_NOUNS:
            return None
        return Measures((Measure("sum", main.ref, per=key.ref),))

    def _line_amount(self) -> Column | None:
        """Return the amount of money of each line of an order."""
        named = [c for c in self.table.columns if c.measure and any(base_forms(w) & MONEY for w in c.words)]
        return named[0] if len(named) == 1 else main_amount(self.table)

    def _value_of_rows(self, noun: Noun) -> Measures | None:
        """Read “the value of unpaid fines” as the sum of their amounts."""
        prices = [c for c in self.table.columns if c.measure and c.words in (("price",), ("sale", "price"))]
        main = only_money(self.table) or (prices[0] if len(prices) == 1 and is_sold(self.table) else None)
        if main is None or not (noun.rows or noun.filters):
            return None
        return Measures((Measure("sum", main.ref),), filters=noun.filters)

    def _total_rows(self, noun: Noun) -> Readings | None:
        """Read “total orders” as the number of orders, and “total expenses” as an amount."""
        return self._money_or_rows(noun, self._count_np(noun), total=True) if noun.rows else None

    def _summed_rows(self, rows: Rows) -> Readings:
        """Read “average orders per month” as an average of counts, “average expenses per month” as an average of
        amounts."""
        noun = Noun((), True, rows.word)
        return self._money_or_rows(noun, self._count_np(noun), total=True)

    def _money_or_rows(self, noun: Noun, counts: Readings, *, total: bool = False) -> Readings:
        """Return the amount that a noun for rows means, or `counts`, or both."""
        main, rows = money_meant(noun.word, self.table, total=total)
        amounts = [] if main is None else [Measures((Measure("sum", main.ref),), filters=noun.filters)]
        return [*amounts, *(counts if rows else [])]

    def _how_much_counted(self, found: Measures) -> Measures | None:
        """Read “how much expenses” as an amount, and not as the number of rows."""
        main = paid_rows(self.table)
        counted = found.measures == (Measure("count"),)
        return replace(found, measures=(Measure("sum", main.ref),)) if counted and main is not None else found

    def _billed(self, *_: Hashable) -> Measures | None:
        """Read “what did we invoice” as the sum of the invoices' amounts, not their number."""
        main = main_amount(self.table)
        return None if main is None else self._takings(main)
