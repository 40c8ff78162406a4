"""The steps that shape a table. Each step is one change, which becomes SQL. Commands and queries contain steps."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator

from events.late_dataclass import dataclass

__all__ = [
    "DropDuplicates",
    "FillDown",
    "KeepRows",
    "PickColumns",
    "ReadDates",
    "ReadNumbers",
    "RenameColumns",
    "SortRows",
    "SplitColumn",
    "Step",
    "UnifyText",
]

_CONFIG: dict[str, Any] = {"extra": "forbid", "use_attribute_docstrings": True}


@dataclass(frozen=True, slots=True)
class ReadDates:
    """Read a column as dates, each value in the format in which it is written."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    order: Literal["day_first", "month_first", "empty"] | None = None
    """How to read dates such as 07/08/2026, which can be read in two ways; `empty` leaves their cells empty. Required
    if the column has such dates."""
    kind: Literal["dates"] = "dates"


@dataclass(frozen=True, slots=True)
class ReadNumbers:
    """Read a column as numbers: without units, currencies, thousands separators and words such as "about"."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    decimal: Literal[".", ","] | None = None
    """The decimal sign in values such as 1,234, which can be read in two ways. Required if the column has such
    values."""
    units: Mapping[str, float | None] = field(default_factory=dict)
    """Unit in lower case → the factor for its values; None leaves their cells empty. Required if the column has several
    units.
    """
    approximate: bool = False
    """Whether values such as "about 900", "~1200" and "<5" are read as numbers; otherwise their cells become empty."""
    kind: Literal["numbers"] = "numbers"


@dataclass(frozen=True, slots=True)
class UnifyText:
    """Trim a column's texts, replace some values with others, and convert all to the same case."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    case: Literal["keep", "lower", "upper", "title"] = "keep"
    """How to change the case of letters."""
    merges: Mapping[str, str] = field(default_factory=dict)
    """Value → the value that replaces it."""
    kind: Literal["unify"] = "unify"


@dataclass(frozen=True, slots=True)
class FillDown:
    """Fill empty cells of a column with the last value above them."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    kind: Literal["fill_down"] = "fill_down"


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """Replace a column with its parts. If there are more parts than new columns, the last column contains the rest."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    separator: str
    """The text between the parts."""
    names: Sequence[str]
    """The names of the new columns for the parts: two or more."""
    kind: Literal["split"] = "split"


@dataclass(frozen=True, slots=True)
class RenameColumns:
    """Rename columns."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    names: Mapping[str, str]
    """Current name → new name."""
    kind: Literal["rename"] = "rename"


@dataclass(frozen=True, slots=True)
class DropDuplicates:
    """Keep only one of the rows that have equal values in some columns."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    columns: Sequence[str] = ()
    """The columns that are compared; empty: all columns."""
    keep: Literal["first", "last"] = "first"
    """Whether the first or the last of the equal rows is kept."""
    kind: Literal["duplicates"] = "duplicates"


@dataclass(frozen=True, slots=True)
class KeepRows:
    """Keep only the rows whose value in a column passes a test."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    test: Literal["is", "is_not", "contains", "contains_not", "at_least", "at_most", "empty", "filled"]
    """How to compare the column's values with `value`."""
    value: str = ""
    """The value to compare with, as text. Columns of numbers and dates are compared as numbers and dates."""
    kind: Literal["filter"] = "filter"


@dataclass(frozen=True, slots=True)
class SortRows:
    """Sort the rows by a column. Empty cells come last."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    column: str
    descending: bool = False
    """Whether the largest value comes first."""
    kind: Literal["sort"] = "sort"


@dataclass(frozen=True, slots=True)
class PickColumns:
    """Keep only these columns, in this order."""

    __pydantic_config__: ClassVar[Any] = _CONFIG
    columns: Sequence[str]
    """The columns to keep, in their new order."""
    kind: Literal["columns"] = "columns"


Step: TypeAlias = Annotated[
    ReadDates
    | ReadNumbers
    | UnifyText
    | FillDown
    | SplitColumn
    | RenameColumns
    | DropDuplicates
    | KeepRows
    | SortRows
    | PickColumns,
    Discriminator("kind"),
]
"""One change of a table."""
