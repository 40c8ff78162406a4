"""Checks the lines in which a model states how it computed numbers, one after the other (TIM-11)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from engine.numbers.arithmetic import Expression, evaluated
from engine.numbers.cells import Cells, Match
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.digits import Reading
from engine.numbers.fitting import fits
from engine.numbers.labels import Named
from engine.numbers.mentions import find_mentions
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.traced_number import Likely, TracedNumber
from engine.numbers.working_cells import Earlier, Source, column_sums, computed_from, in_one_line, sources_of
from engine.numbers.working_checked import Checked
from engine.numbers.working_objections import objection_to
from engine.numbers.working_scales import explains, power_of_ten, scaled_to, times
from engine.numbers.working_shapes import parts_of
from engine.numbers.working_words import Naming, naming_of
from engine.numbers.workings import Working, same_number

__all__ = ["WorkingChecks"]

_SHARES = ("percent", "points")
_MOST_WAYS, _MOST_EARLIER = 60, 400
_SURE_DIGITS = 4
"""A value with this many digits needs no named row or column if only one cell has it."""
_ROUNDED = re.compile(r"\brounded\b", re.IGNORECASE)


class WorkingChecks:
    """Checks the lines in the workings of one answer."""

    def __init__(self, text: Text, cells: Cells, known: frozenset[float]) -> None:
        self._text, self._cells, self._known = text, cells, known
        self._labels = text.labels
        self._earlier: list[Earlier] = column_sums(text.labels)
        self._told: dict[str, set[tuple[int, int, str]]] = {}
        """The rows and columns that are named by the words of each line."""

    def places_of(
        self, working: Working, workings: Sequence[Working], places: Sequence[Place]
    ) -> Iterator[Place]:
        """Yield the numbers in the answer to which a line belongs. If several lines have the same number, each
        occurrence in the answer belongs to the line that shares the most names with its sentence.
        """
        alike = [one for one in workings if same_number(one.label, working.label)]
        exactly = any(
            one.mention.kind == working.label.kind and same_number(one.mention, working.label)
            for one in places
        )
        able = (one for one in places if one.mention.kind != "plain")
        for at, place in enumerate(
            one for one in able if same_number(one.mention, working.label, loosely=not exactly)
        ):
            shared = [self.shared(place, one) for one in alike]
            best = max(shared)
            chosen = alike[min(at, len(alike) - 1)] if shared.count(best) > 1 else alike[shared.index(best)]
            if chosen is working:
                yield place

    def shared(self, place: Place, working: Working) -> int:
        """Return how many rows and columns are named both by a number's sentence and by a line."""
        told = self._told.get(working.words)
        if told is None:
            told = {(one.table, one.column, one.label) for one in self._labels.named(working.words)}
            self._told[working.words] = told
        here = {(one.table, one.column, one.label) for one in self._sentence(place)}
        return len(told & here)

    def _sentence(self, place: Place) -> list[Named]:
        spans = [(place.passage.start, place.passage.end), *place.passage.cells]
        return [one for span in spans for one in self._text.named_in(span)]

    def keep(self, working: Working) -> None:
        """Remember the number of a line. Call this if the answer does not contain the number, because other lines may
        use it."""
        naming = naming_of(working.words, self._labels, ())
        for expression in working.readings:
            sources = self._sources(expression, naming, self._known)
            for made, _ in islice(computed_from(expression, sources), 1):
                if (scaled := scaled_to(made, working.label, expression, self._text)) is not None:
                    self._keep(working, scaled)
                    return

    def values_of(self, working: Working) -> Iterator[Derivation]:
        """Yield the likeliest computation from cells for each reading of a line, even if it gives another number."""
        naming = naming_of(working.words, self._labels, ())
        for expression in working.readings:
            sources = self._sources(expression, naming, self._known)
            yield from (made for made, _ in islice(computed_from(expression, sources), 1))

    def _sources(self, expression: Expression, naming: Naming, known: frozenset[float]) -> list[list[Source]]:
        return in_one_line(
            [
                sources_of(one, self._cells, self._labels, naming, self._earlier, known)
                for one in expression.operands
            ]
        )

    def _said(self, place: Place, working: Working) -> frozenset[float]:
        """Return the other numbers in the answer or in the words of a line: "for a flat of 70 m²"."""
        own = abs(place.mention.value)
        told = (*self._text.mentions, *find_mentions(working.words))
        said = {
            abs(one.value) * scale
            for one in told
            for scale in ((1.0, 0.01) if one.kind == "percent" else (1.0,))
        }
        return frozenset(one for one in said if one != own)

    def checked(self, place: Place, working: Working) -> TracedNumber:
        """Return a number with the result of checking the line that the model gave for it."""
        naming = naming_of(working.words, self._labels, self._sentence(place))
        doubt = TracedNumber(place.mention, "unbacked", working=working.written)
        if not working.readings:
            return replace(doubt, objection="it cannot be read as arithmetic")
        objection, gives = "", None
        for expression in working.readings:
            known = self._known | self._said(place, working)
            sources = self._sources(expression, naming, known)
            missing = [one.text for one, found in zip(expression.operands, sources, strict=True) if not found]
            if missing:
                objection = objection or f"{missing[0]} is in no result"
                continue
            found = self._found(place, working, expression, sources, naming)
            if found.status != "unbacked":
                return found
            gives = gives or found
        return gives or replace(doubt, objection=objection)

    def _found(
        self,
        place: Place,
        working: Working,
        expression: Expression,
        sources: Sequence[Sequence[Source]],
        naming: Naming,
    ) -> TracedNumber:
        mention = place.mention
        doubt = TracedNumber(mention, "unbacked", working=working.written)
        if _ROUNDED.search(working.words):
            mention = replace(mention, hedge=mention.hedge or "about")
        if expression.is_one:
            return self._same_cell(place, expression, sources[0], naming, doubt)
        unclear: TracedNumber | None = None
        first: Derivation | None = None
        best: tuple[Derivation, tuple[str, ...]] | None = None
        differ = any(len({one.value for one in every}) > 1 for every in sources)
        for made, kinds in islice(computed_from(expression, sources), _MOST_WAYS):
            first = first or made
            scaled = scaled_to(made, mention, expression, self._text)
            if scaled is None and not differ:
                break
            if scaled is None or (best is not None and _is_less_likely((made, kinds), best)):
                continue
            best = best or (made, kinds)
            objection = objection_to(Checked(self._text, place, scaled, expression, naming))
            if unclear is None:
                self._keep(working, scaled)
            if not objection:
                return replace(doubt, status="derived", derivation=scaled)
            unclear = unclear or replace(
                doubt, status="unclear", maybe=scaled, objection=objection, settled=True
            )
        if unclear is not None:
            return unclear
        if first is None:
            return replace(doubt, objection="none of the numbers in its arithmetic is in a result")
        return self._in_other_unit(place, working, expression, first, naming, doubt)

    def _in_other_unit(
        self,
        place: Place,
        working: Working,
        expression: Expression,
        made: Derivation,
        naming: Naming,
        doubt: TracedNumber,
    ) -> TracedNumber:
        """Return a number whose line gives a different value. The value may be in another unit (cents for euros), or
        wrong.
        """
        mention = place.mention
        ten = power_of_ten(made, mention)
        if ten is None:
            shown = told_number(made.value * 100 if mention.kind in _SHARES else made.value)
            unit = " %" if mention.kind in _SHARES else ""
            return replace(doubt, objection=f"it gives {shown}{unit}", settled=True)
        scaled = times(made, ten)
        objection = objection_to(Checked(self._text, place, scaled, expression, naming, ten))
        if not explains(ten, self._text, place, working, made):
            objection = f"it gives {told_number(made.value)}, and nothing says that this is in another unit"
        if objection:
            return replace(doubt, status="unclear", maybe=scaled, objection=objection, settled=True)
        self._keep(working, scaled)
        return replace(doubt, status="derived", derivation=scaled)

    def _keep(self, working: Working, made: Derivation) -> None:
        """Remember a computed number and the parts of its computation, because later lines may use them."""
        label = working.label
        self._earlier.append(Earlier(label.readings, made, label.kind in _SHARES))
        for template in parts_of(made.template)[: _MOST_EARLIER - len(self._earlier)]:
            value = evaluated(template, [cell.value for cell in made.cells])
            if value is not None:
                part = replace(made, value=value, template=template, formula=told_number(value))
                self._earlier.append(Earlier((Reading(value, abs(value) * 1e-9),), part))

    def _same_cell(
        self,
        place: Place,
        expression: Expression,
        sources: Sequence[Source],
        naming: Naming,
        doubt: TracedNumber,
    ) -> TracedNumber:
        """Return a number that the model only identifies with a cell: "412 = 412 | orders of West"."""
        own = {one.cell for one in sources if one.cell is not None}
        matches = [one for one in self._cells.fitting(place.mention) if one.cell in own]
        matches = matches or [Match(cell, 1.0, 1) for cell in own if fits(cell.value, place.mention)]
        matches.sort(key=lambda one: -naming.score(self._labels, one.cell))
        if not matches:
            return replace(
                doubt, objection="no cell has this value" if not own else "it gives another number"
            )
        best = matches[0]
        row, column = naming.names(self._labels, best.cell)
        only = len(own) == 1 and place.mention.digits >= _SURE_DIGITS
        if not only and not self._is_named(best, row=row, column=column):
            return replace(doubt, objection="it does not say which row and column the value comes from")
        made = Derivation("working", (best.cell,), best.cell.value, "", template="n0")
        if objection := objection_to(Checked(self._text, place, made, expression, naming)):
            likely = Likely(best.cell, best.factor, row, column)
            return replace(doubt, status="unclear", likely=(likely,), objection=objection, settled=True)
        return replace(doubt, status="exact", cell=best.cell, factor=best.factor)

    def _is_named(self, best: Match, *, row: bool, column: bool) -> bool:
        names = self._labels.tables[best.cell.table]
        keys = best.cell.column in names.ordinals
        return (row or keys or len(names.table.rows) < 2) and (column or len(names.measures) < 2)


def _is_less_likely(
    way: tuple[Derivation, tuple[str, ...]], best: tuple[Derivation, tuple[str, ...]]
) -> bool:
    """Return whether a computation is too unlikely to overrule an objection to the best computation: it takes other
    operands as constants or sums, uses fewer cells, or uses cells of more columns.
    """
    columns = [len({(cell.table, cell.column) for cell in made.cells}) for made, _ in (way, best)]
    return way[1] != best[1] or len(way[0].cells) < len(best[0].cells) or columns[0] > columns[1]
