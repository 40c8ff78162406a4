"""The grammar's functions for comparisons of things: “more than”, “the difference between A and B”."""

from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.form import Filter, Measure
from engine.models.offline.meanings import Measures, Noun, Part, Readings, either
from engine.models.offline.merging_numbers import with_filters
from engine.models.offline.money import takings
from engine.models.offline.sharing import Sharing

__all__ = ["ComparingSaid"]


class ComparingSaid(Sharing):
    """The functions for comparisons of things."""

    def _cmp(self, how: Adjective) -> Part:
        return Part("cmp", (how, None))

    def _cmp_priced(self, how: Adjective) -> Part | None:
        """Read “do waterfront homes sell for more than the others”."""
        main = self._price()
        if main is None or how.columns or how.counts:
            return None
        return Part("cmp", (how, Measures((Measure("mean", main.ref),))))

    def _cmp_sold(self, how: Adjective) -> Part | None:
        """Read “did we sell more in May than in June” as a comparison of the money from sales."""
        found = takings(self.table)
        if len(found) != 1 or how.columns or how.counts:
            return None
        return Part("cmp", (how, self._takings(found[0])))

    def _how_much_cmp(self, *said: Any) -> Part:
        """Read “how many grams lighter”, which asks for the difference."""
        return Part("cmp", (said[-1], None), "difference")

    def _cmp_measure(self, how: Adjective, found: Measures) -> Part | None:
        if how.columns or how.counts or found.filters:
            return None
        return Part("cmp", (how, found))

    def _cmp_noun(self, how: Adjective, noun: Noun) -> Part | None:
        if how.columns or not noun.rows:
            return None
        return Part("cmp", (how, Measures(self._counts(noun), filters=noun.filters)))

    def _than_rest(self) -> Part:
        return Part("than", None)

    def _difference_of(self, found: Measures, first: Filter, second: Filter) -> Readings:
        """Read “the difference in average salary between men and women”."""
        versus = self._versus(first, second)
        if versus is None or len(found.measures) > 1 or (found.bare is not None and found.bare.operator):
            return []
        ref, values = versus.value
        values = values or self.table.column(ref).profile.values  # a flag is compared by its two values
        form = self._form(measures=found.measures, groups=(ref,), compares="difference")
        return [with_filters(form, (*found.filters, either(ref, values)))] if len(values) == 2 else []

    def _compare_on(self, first: Filter, second: Filter, found: Measures) -> Readings:
        """Read “compare A and B on price”."""
        versus = self._versus(first, second)
        if versus is None or not versus.value[1]:
            return []
        ref, values = versus.value
        form = self._form(measures=found.measures, groups=(ref,))
        return [with_filters(form, (*found.filters, either(ref, values)))]
