"""A line of the workings whose calculation gives its number, with the sentence of the number. A plain value."""

import re
from dataclasses import dataclass
from functools import cached_property

from engine.numbers.arithmetic import Expression
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.working_shapes import Shape, shape_of
from engine.numbers.working_words import Naming

__all__ = ["Checked"]

_AROUND, _BEFORE = 28, 60


@dataclass(frozen=True)
class Checked:
    """A line of the workings whose calculation gives its number, with the sentence of the number."""

    text: Text
    place: Place
    made: Derivation
    expression: Expression
    naming: Naming
    factor: float = 1.0
    """The factor by which the calculated value was multiplied for the unit of the number."""

    @cached_property
    def shape(self) -> Shape:
        """The kind of arithmetic that the line does with its cells."""
        return shape_of(self.made.template)

    def names(self, cell: Cell) -> TableNames:
        """Return the names of a cell's result."""
        return self.text.labels.tables[cell.table]

    @property
    def around(self) -> str:
        """The words directly before and after the number."""
        mention = self.place.mention
        return self.text.text[max(0, mention.start - _AROUND) : mention.end + _AROUND]

    @property
    def before(self) -> str:
        """The words before the number, up to another number."""
        start = self.place.mention.start
        told = self.text.text[max(self.place.passage.start, start - _BEFORE) : start]
        return re.split(r"\d", told)[-1]
