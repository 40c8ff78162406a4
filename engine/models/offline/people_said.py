"""The grammar's functions for people: joining, leaving, earning. Each method is named after the rule function that it
implements.
"""

from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.describing import Describing
from engine.models.offline.form import Form, Measure, Order
from engine.models.offline.meanings import Part, Readings, one
from engine.models.offline.merging_numbers import with_filters
from engine.models.offline.people import of_people, salaries

__all__ = ["PeopleSaid"]

_WAGES = frozenset({"salary", "pay", "wage", "wages"})
_REASONS = frozenset({"reason", "reasons", "cause", "causes", "motive"})


class PeopleSaid(Describing):
    """The functions for people."""

    def _works_here(self) -> Part:
        """Read “people who work here” as people without a leaving date; as everybody if there is no column of such
        dates."""
        found = self._still_there()
        return Part("skip") if found is None else Part("where", (found,))

    def _earns(self, how: Any, amount: Number) -> Readings:
        """Read “earn more than 150,000” as a condition on the only column with salaries."""
        paid = salaries(self.table)
        return [self._by_amount(paid[0], how, amount)] if len(paid) == 1 else []

    def _paid_more(self, how: Any, amount: Number) -> Readings:
        """Read “are paid more than 3,000”. The salary column must be called salary, pay or wage: with an income column,
        “who paid more than 500” may be about payments.
        """
        wages = all(_WAGES & set(column.words) for column in salaries(self.table))
        return self._earns(how, amount) if wages and of_people(self.table) else []

    def _earns_between(self, low: Number, high: Number) -> Readings:
        """Read “earn between 40k and 50k”."""
        paid = salaries(self.table)
        return [self._by_amount(paid[0], "between", low, high)] if len(paid) == 1 else []

    def _event_last(self, date: Column, *, sign: int = 1) -> Part | None:
        """Read “who joined most recently” as the rows with the last date."""
        if date.role != "date":
            return None
        return Part("sup", (None, Adjective("sup", sign, (date,), word="latest"), None))

    def _event_first(self, date: Column) -> Part | None:
        return self._event_last(date, sign=-1)

    def _count_during(self, date: Column, period: Any) -> Readings:
        """Read “how many people did we hire in 2022”."""
        found = self._periods("=", (period,), date)
        return [self._form(measures=(Measure("count"),), filters=(when,)) for when in found]

    def _reasons_of(self, column: Column, date: Column) -> Form | None:
        """Read “the reasons why people left” as the number of leavers by reason."""
        if column.role != "text" or not _REASONS & set(column.words) or date.role != "date":
            return None
        form = self._form(measures=(Measure("count"),), groups=(column.ref,), order=Order(0))
        return with_filters(form, (one(date, "present"),))
