"""Finds the row and column that a number refers to, by names next to it, then in its clause and further away."""

from engine.numbers.column_scopes import ColumnScopes
from engine.numbers.row_scopes import RowScopes

__all__ = ["Text"]


class Text(RowScopes, ColumnScopes):
    """A text with the names in it. Finds the rows and columns that its numbers refer to."""
