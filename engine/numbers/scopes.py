"""Which row and column a number belongs to: the names next to it, in its clause, its sentence, and so on outwards."""

from engine.numbers.column_scopes import ColumnScopes
from engine.numbers.row_scopes import RowScopes

__all__ = ["Text"]


class Text(RowScopes, ColumnScopes):
    """A text with the names in it, and what its numbers refer to."""
