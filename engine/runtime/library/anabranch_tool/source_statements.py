"""Checks a statement before it runs in a source. It must be one read-only SELECT of allowed tables.

The connection is read-only too, if the database supports that. The SQL that runs is generated from the parsed
statement, so that the server cannot read it in another way than this check. A statement that cannot be parsed is
refused.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from anabranch_tool import ToolError
from anabranch_tool.source_functions import REFUSED_KINDS, SAFE

__all__ = ["Statement", "check"]

_LONGEST = 200_000
_MOST_NAMES = 40
_CHANGES = (
    exp.DML, exp.DDL, exp.Command, exp.Into, exp.Lock, exp.Pragma, exp.Attach, exp.Detach, exp.Set, exp.Use, exp.Kill,
    exp.Transaction, exp.Commit, exp.Rollback, exp.Drop, exp.Alter, exp.TruncateTable, exp.Describe, exp.Show,
    exp.Analyze, exp.Grant, exp.Revoke, exp.LoadData, exp.Cache, exp.Uncache, exp.Refresh, exp.Comment, exp.Summarize,
    exp.Semicolon,
)  # fmt: skip
_NOT_HERE = (exp.Parameter, exp.Placeholder, exp.SessionParameter, exp.Operator)


# unreadable SQL is reported as an error, so no warning is logged
logging.getLogger("sqlglot").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Statement:
    """A SELECT that may run."""

    sql: str
    """The SQL in the source's dialect."""
    tables: tuple[str, ...]
    """The tables that the SELECT reads, as `schema.table`, or as `table` if the schema is not known."""


@dataclass(frozen=True, slots=True)
class _Rules:
    source: str
    dialect: str
    allowed: Sequence[str]
    """The schemas and tables (`schema.table`) that may be read; if it is empty, all of them."""
    known: Mapping[str, Collection[str]]
    """Schema → the tables in it that may be read, as far as the catalog lists them."""


def check(sql: str, source: Mapping[str, Any]) -> Statement:
    """Return the statement to run at `source`, according to its `name`, `dialect`, and `allowed` and `known` tables.

    Raises:
        ToolError: the SQL is not a single read-only SELECT, or reads a table that may not be read.
    """
    rules = _Rules(source["name"], source["dialect"], source["allowed"], source["known"])
    tree = _parsed(sql, rules.dialect)
    for node in tree.walk():
        _allow(node)
    tables = [_named(table, rules) for table in _real_tables(tree)]
    written = tree.sql(dialect=rules.dialect, comments=False, normalize_functions="lower")
    return Statement(written, tuple(dict.fromkeys(tables)))


def _parsed(sql: str, dialect: str) -> exp.Expr:
    if len(sql) > _LONGEST:
        raise ToolError(f"The SQL has {len(sql):,} characters; at most {_LONGEST:,} are read.")
    try:
        found = [one for one in parse(sql, dialect=dialect) if one and not isinstance(one, exp.Semicolon)]
    except (SqlglotError, RecursionError, ValueError) as error:
        raise ToolError(f"This SQL could not be read as {dialect}: {_first_line(error)}") from None
    if len(found) != 1:
        raise ToolError(f"Send one SELECT at a time; there are {len(found)} statements here.")
    (tree,) = found
    if not isinstance(tree, exp.Query):
        raise ToolError(f"This statement is of the kind {_kind(tree)}, but a source runs only SELECT.")
    return tree


def _allow(node: exp.Expr) -> None:
    """Refuse a part of a statement that could do more than read the tables it names."""
    if isinstance(node, _CHANGES):
        raise ToolError(f"{_kind(node)} is not allowed: a source is only read, never changed or locked.")
    if isinstance(node, _NOT_HERE):
        raise ToolError(f"{node.sql()[:60]} is not allowed here: write the value itself.")
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
        raise ToolError(
            f"{node.sql()[:60]}: functions in a schema are not allowed here, because they can write."
        )
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc | exp.CombinedAggFunc):
        name = str(node.this if isinstance(node.this, str) else node.name).lower()
        if name not in SAFE:
            raise _refused(name)
    elif isinstance(node, exp.Func) and type(node).__name__.lower() in REFUSED_KINDS:
        raise _refused(node.sql_name().lower())


def _refused(name: str) -> ToolError:
    return ToolError(
        f"The function {name} is not allowed at a source, because it may do more than read its arguments. "
        "Use the usual functions of SELECT, or query the columns and compute in a second query over the result."
    )


def _real_tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """Yield the real tables, not the names that the statement's own WITH defines."""
    own: set[int] = set()
    try:
        for scope in traverse_scope(tree):
            own |= {id(node) for node, found in scope.selected_sources.values() if isinstance(found, Scope)}
    except (SqlglotError, RecursionError) as error:
        raise ToolError(f"The tables of this SQL could not be found: {_first_line(error)}") from None
    for table in tree.find_all(exp.Table):
        is_function = not isinstance(table.this, exp.Identifier)
        if id(table) not in own and not is_function:
            yield table


def _named(table: exp.Table, rules: _Rules) -> str:
    """Return the full name of a table. If its schema is known, also write the schema into the statement."""
    parts = [part for part in table.parts if isinstance(part, exp.Identifier)]
    if len(parts) > 1 and parts[0].name.lower() == rules.source.lower() and rules.source not in rules.known:
        parts = parts[1:]
        table.set("catalog", None)
        table.set("db", parts[0].copy() if len(parts) > 1 else None)
    if len(parts) > 2:
        raise ToolError(f"{table.sql()}: refer to the table as schema.table.")
    schema = _folded(parts[0], rules) if len(parts) == 2 else None
    name = _folded(parts[-1], rules)
    if schema is None:
        schema = _schema_of(name, rules)
    if schema is None:
        if rules.allowed:
            raise _unknown(name, rules)
        return name
    if rules.allowed and not _may_read(schema, name, rules.allowed):
        raise _unknown(f"{schema}.{name}", rules)
    table.set("db", exp.to_identifier(schema, quoted=True) if len(parts) == 1 else table.args["db"])
    return f"{schema}.{name}"


def _folded(part: exp.Identifier, rules: _Rules) -> str:
    """Return a name as the server reads it: PostgreSQL converts unquoted names to lower case. Other databases ignore
    case, so their names are spelled as in the catalog.
    """
    if rules.dialect == "postgres" and part.quoted:
        return part.name
    return part.name.lower() if rules.dialect == "postgres" else _spelled(part.name, rules)


def _spelled(name: str, rules: _Rules) -> str:
    """Return a name as the catalog spells it."""
    names = [*rules.known, *(table for tables in rules.known.values() for table in tables)]
    return next((one for one in names if one.lower() == name.lower()), name)


def _schema_of(name: str, rules: _Rules) -> str | None:
    """Return the schema that has a table; None if no schema has it. If several schemas have the table and all may be
    read, return `public` if it is one of them.

    Raises:
        ToolError: several schemas have the table, so that it is unclear which one is meant.
    """
    found = [
        schema
        for schema, tables in rules.known.items()
        if name in tables and (not rules.allowed or _may_read(schema, name, rules.allowed))
    ]
    if len(found) > 1:
        if not rules.allowed and "public" in found:
            return "public"
        told = ", ".join(f"{schema}.{name}" for schema in found)
        raise ToolError(f"There are several tables {name}: {told}. Write the name with its schema.")
    return found[0] if found else None


def _may_read(schema: str, name: str, allowed: Sequence[str]) -> bool:
    wanted = {one.lower() for one in allowed}
    return schema.lower() in wanted or f"{schema}.{name}".lower() in wanted


def _unknown(name: str, rules: _Rules) -> ToolError:
    names = [
        f"{schema}.{table}"
        for schema, tables in rules.known.items()
        for table in tables
        if _may_read(schema, table, rules.allowed)
    ]
    listed = ", ".join(sorted(names)[:_MOST_NAMES]) or "none"
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ToolError(
        f"{name} is not among the tables of {rules.source} that may be read. They are: {listed}{more}."
    )


def _kind(node: exp.Expr) -> str:
    names: dict[type[exp.Expr], str] = {exp.Into: "SELECT INTO", exp.Lock: "FOR UPDATE or FOR SHARE"}
    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return names.get(type(node), type(node).__name__.upper())


def _first_line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply."
    return (str(error).splitlines() or [""])[0][:300]
