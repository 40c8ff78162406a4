"""Makes SQL that keeps, sorts, drops and renames rows and columns of a table. Pure."""

from collections.abc import Mapping, Sequence

from engine.commands.steps import DropDuplicates, KeepRows, PickColumns, RenameColumns, SortRows
from engine.errors import Invalid
from engine.tools.shaping.writing import literal, quote

__all__ = [
    "duplicates_sql",
    "filter_sql",
    "is_text",
    "look_at_duplicates",
    "pick_sql",
    "rename_sql",
    "sort_sql",
]

_TEMPORAL = ("DATE", "TIME")


def is_text(kind: str) -> bool:
    """Return whether a DuckDB type is a text type."""
    return kind == "VARCHAR" or kind.startswith("ENUM")


def filter_sql(source: str, step: KeepRows, kind: str) -> str:
    """Return the SELECT of the rows to keep; `kind` is the column's DuckDB type.

    Raises:
        Invalid: the value does not have the column's type (`step_value`).
    """
    name = quote(step.column)
    if step.test in ("empty", "filled"):
        missing = f"{name} IS NULL" + (f" OR trim({name}) = ''" if is_text(kind) else "")
        return f"SELECT * FROM {source} WHERE {'' if step.test == 'empty' else 'NOT '}({missing})"
    if step.test in ("contains", "contains_not"):
        test = f"contains(lower(CAST({name} AS VARCHAR)), {literal(step.value.lower())})"
        return f"SELECT * FROM {source} WHERE {test if step.test == 'contains' else f'NOT coalesce({test}, false)'}"
    value = _value(step, kind)
    sign = {"is": "=", "is_not": "IS DISTINCT FROM", "at_least": ">=", "at_most": "<="}[step.test]
    return f"SELECT * FROM {source} WHERE {name} {sign} {value}"


def _value(step: KeepRows, kind: str) -> str:
    if is_text(kind):
        return literal(step.value)
    if kind == "BOOLEAN":
        if step.value.lower() not in ("true", "false"):
            raise Invalid(
                "step_value",
                f"{step.column} contains only true and false. Write true or false, not “{step.value}”.",
            )
        return step.value.lower()
    if kind.startswith(_TEMPORAL):
        return f"CAST({literal(step.value)} AS {kind})"
    text = step.value.replace(",", "").strip()
    try:
        float(text)
    except ValueError:
        raise Invalid(
            "step_value", f"{step.column} is a column of numbers, and “{step.value}” is not a number."
        ) from None
    return text if text.lstrip("+-").replace(".", "", 1).isdigit() else f"CAST({literal(text)} AS DOUBLE)"


def sort_sql(source: str, step: SortRows) -> str:
    """Return the SELECT of the rows in order; rows with the same value keep their order."""
    way = "DESC" if step.descending else "ASC"
    rows = f"(SELECT *, row_number() OVER () AS ab_row FROM {source})"
    return f"SELECT * EXCLUDE (ab_row) FROM {rows} ORDER BY {quote(step.column)} {way} NULLS LAST, ab_row"


def pick_sql(source: str, step: PickColumns) -> str:
    """Return the SELECT of the step's columns."""
    return f"SELECT {', '.join(map(quote, step.columns))} FROM {source}"


def rename_sql(source: str, step: RenameColumns, columns: Sequence[str]) -> str:
    """Return the SELECT that renames columns; `columns` lists the columns of `source`."""
    names: Mapping[str, str] = step.names
    listed = [f"{quote(c)} AS {quote(names[c])}" if c in names else quote(c) for c in columns]
    return f"SELECT {', '.join(listed)} FROM {source}"


def duplicates_sql(source: str, step: DropDuplicates, columns: Sequence[str]) -> str:
    """Return the SELECT of one row for each combination of values; the rows keep their order."""
    keys = ", ".join(map(quote, step.columns or columns))
    rows = f"(SELECT *, row_number() OVER () AS ab_row FROM {source})"
    way = "ASC" if step.keep == "first" else "DESC"
    return (
        f"SELECT * EXCLUDE (ab_row) FROM {rows} "
        f"QUALIFY row_number() OVER (PARTITION BY {keys} ORDER BY ab_row {way}) = 1 ORDER BY ab_row"
    )


def look_at_duplicates(source: str, step: DropDuplicates, columns: Sequence[str]) -> str:
    """Return a SELECT of three counts: repeated combinations, dropped rows, and combinations whose rows differ in other
    columns."""
    keys, whole = (", ".join(map(quote, names)) for names in (step.columns or columns, columns))
    groups = f"SELECT count(*) AS n, count(DISTINCT hash({whole})) AS forms FROM {source} GROUP BY {keys} HAVING n > 1"
    return (
        "SELECT count(*) AS repeated, coalesce(sum(n - 1), 0)::BIGINT AS dropped, "
        f"count(*) FILTER (forms > 1) AS differing FROM ({groups})"
    )
