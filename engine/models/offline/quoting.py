"""Quotes names and values for SQL."""

import re

from engine.models.offline.form import SECONDS, Form, Ref, Scalar
from engine.models.offline.vocabulary import ALIKE_UNITS
from engine.models.offline.words import name_words

__all__ = ["laid_out", "literal", "name_sql", "quoted", "seconds_in"]

_RESERVED = frozenset(
    [
        "all",
        "analyse",
        "analyze",
        "and",
        "any",
        "array",
        "as",
        "asc",
        "asymmetric",
        "at",
        "both",
        "by",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "constraint",
        "create",
        "cross",
        "default",
        "deferrable",
        "desc",
        "describe",
        "distinct",
        "do",
        "else",
        "end",
        "except",
        "false",
        "fetch",
        "filter",
        "for",
        "foreign",
        "freeze",
        "from",
        "full",
        "glob",
        "grant",
        "group",
        "having",
        "ilike",
        "in",
        "initially",
        "inner",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "lambda",
        "lateral",
        "leading",
        "left",
        "like",
        "limit",
        "map",
        "natural",
        "not",
        "notnull",
        "null",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "outer",
        "over",
        "overlaps",
        "pivot",
        "pivot_longer",
        "pivot_wider",
        "placing",
        "position",
        "positional",
        "primary",
        "qualify",
        "references",
        "returning",
        "right",
        "row",
        "rows",
        "select",
        "semi",
        "set",
        "show",
        "similar",
        "some",
        "summarize",
        "symmetric",
        "table",
        "tablesample",
        "then",
        "time",
        "timestamp",
        "to",
        "trailing",
        "true",
        "try_cast",
        "union",
        "unique",
        "unpivot",
        "using",
        "values",
        "variadic",
        "verbose",
        "when",
        "where",
        "window",
        "with",
    ]
)


def quoted(name: str) -> str:
    """Return a name, in quotes if SQL requires them."""
    if re.fullmatch(r"[a-z_][a-z0-9_]*", name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def seconds_in(name: str) -> int | None:
    """Return how many seconds the unit of time at the end of a column's name has; None if there is no such unit.

    It is 1 for `duration_sec`, and 60 for `delay_min`.
    """
    last = name_words(name)[-1:]
    alike = next((units for units in ALIKE_UNITS if last and last[0] in units), frozenset())
    return next((seconds for unit, seconds in SECONDS.items() if unit in alike), None)


def name_sql(ref: Ref, form: Form) -> str:
    """Return the SQL of a column, with its table if the form joins tables; a time between two columns becomes a
    calculation."""
    table = f"{quoted(ref.table or form.table)}." if form.joins else ""
    column = f"{table}{quoted(ref.column)}"
    if ref.width:
        lower = f"floor({column} / {ref.step})"
        return f"{f'CAST({lower} AS BIGINT)' if ref.width % 1 == 0 else lower} * {ref.step}"
    if ref.unit and not ref.until:
        own, wanted = seconds_in(ref.column) or 1, SECONDS[ref.unit]  # one is a multiple of the other
        return f"{column} * {own // wanted}" if own > wanted else f"{column} / {wanted // own}"
    if not ref.until:
        return column
    return f"(epoch({table}{quoted(ref.until)}) - epoch({column})) / {SECONDS[ref.unit]}"


def literal(value: Scalar) -> str:
    """Return a value as SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


_BREAKS = re.compile(r"(FROM|WHERE|GROUP BY|HAVING|QUALIFY|ORDER BY|LIMIT)\b")


def laid_out(sql: str) -> str:
    """Return SQL with each clause and each column on its own line, except in brackets and quotes."""
    lines: list[str] = []
    depth, quote, line, place = 0, "", "", 0
    if sql.startswith("SELECT "):
        lines, place = ["SELECT"], len("SELECT ")
        line = "  "
    listing = bool(lines)
    while place < len(sql):
        letter = sql[place]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
        elif not depth and letter == " " and (clause := _BREAKS.match(sql, place + 1)):
            lines.append(line)
            line, listing, place = clause.group(), False, clause.end()
            continue
        elif not depth and letter == "," and listing:
            lines.append(f"{line},")
            line, place = "  ", place + 2
            continue
        line += letter
        place += 1
    return "\n".join([*lines, line])
