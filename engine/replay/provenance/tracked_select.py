"""Walks through a SELECT and replaces the tables that it reads with numbered views. Pure.

In the mode `numbered`, each table is a view with an additional column for the row number. Joins pass this column on;
groups, DISTINCT and UNION collect it in lists. In the mode `again`, each table is a view of the rows that were found,
and nothing else changes. Both modes visit the tables in the same order, so a number refers to the same place in both.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from sqlglot import exp

from engine.replay.provenance.aggregates import (
    clauses_of,
    is_aggregated,
    named_in,
    own_nodes,
    row_condition,
    used_columns,
)
from engine.replay.provenance.combined_queries import in_parentheses, same_names, widened, without_doubles
from engine.replay.provenance.refusals import refuse_select, refuse_table, refuse_windows
from engine.replay.provenance.row_columns import (
    FromItem,
    Kind,
    collected,
    computed_columns,
    exclude_rows,
    passed_on,
)
from engine.replay.provenance.rows_refused import RowsRefused
from events.late_dataclass import dataclass

__all__ = ["Place", "Tracked", "Tracking"]

_MOST_PLACES = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A place at which a query reads a table."""

    number: int
    schema: str
    table: str

    @property
    def rows(self) -> str:
        """The name of the column with the row numbers."""
        return f"ab_rows_{self.number}"


@dataclass(frozen=True, slots=True)
class Tracked:
    """A rewritten query."""

    query: exp.Query
    rows: Mapping[int, Kind]
    """The row-number columns of the query, by the number of the place."""
    computed: frozenset[str]
    """Names of the query's columns that are computed over several rows."""


@dataclass(frozen=True, slots=True)
class _Cte:
    query: exp.Query
    columns: tuple[exp.Expr, ...]
    ctes: "Mapping[str, _Cte]"


@dataclass(slots=True)
class Tracking:
    """One walk through a SELECT."""

    mode: Literal["numbered", "again"]
    narrow: bool = True
    """Whether groups collect only the rows that the cell's aggregates use."""
    sources: list[Place] = field(default_factory=list)
    filters: set[tuple[str, str]] = field(default_factory=set)
    """The schema and name of each table that a filter's subquery reads."""
    narrowed: bool = False
    """Whether a group has fewer rows because of `narrow`."""
    _names: int = 0

    def _alias(self) -> str:
        self._names += 1
        return f"ab_query_{self._names}"

    def query(self, query: exp.Query, ctes: Mapping[str, _Cte], needed: frozenset[str] | None) -> Tracked:
        """Return a query over numbered tables; `query` is changed in place.

        Args:
            query: the query.
            ctes: the common table expressions in scope.
            needed: lower-case names of the columns that are needed; None: all columns.

        Raises:
            RowsRefused: the query cannot be rewritten.
        """
        if isinstance(query, exp.Select):
            return self._select(query, ctes, needed)
        if isinstance(query, exp.Union):
            return self._union(query, ctes, needed)
        if isinstance(query, exp.Subquery) and isinstance(query.this, exp.Query):
            if any(query.args.get(name) for name in ("order", "limit", "offset", "with_")):
                raise RowsRefused("it sorts or limits a query in parentheses")
            return self.query(query.this, ctes, needed)
        if isinstance(query, exp.SetOperation):
            raise RowsRefused(f"{query.key.upper()} compares two results")
        raise RowsRefused("it uses syntax that Anabranch cannot rewrite")

    # SELECT

    def _select(self, select: exp.Select, ctes: Mapping[str, _Cte], needed: frozenset[str] | None) -> Tracked:
        refuse_select(select)
        ctes = self._with(select, ctes)
        used = used_columns(select, needed)
        refuse_windows(used)
        self._note_filters(select, ctes)
        below = None
        if needed is not None:
            below = named_in([*used, *clauses_of(select)]) | (
                needed if any(c.is_star for c in used) else frozenset()
            )
        items = self._from(select, ctes, below)
        computed = computed_columns(select, items)
        if self.mode == "again":
            select.set("offset", None)
            return Tracked(select, {}, computed)
        return self._with_rows(select, items, used, computed)

    def _with(self, query: exp.Query, ctes: Mapping[str, _Cte]) -> Mapping[str, _Cte]:
        """Return the CTEs that a query can use. The query keeps its own CTEs, because the subqueries of filters use
        them.
        """
        found = dict(ctes)
        for one in query.ctes:
            alias = one.args["alias"]
            if not isinstance(one.this, exp.Query):
                raise RowsRefused("it uses syntax that Anabranch cannot rewrite")
            found[alias.name.lower()] = _Cte(
                one.this.copy(), tuple(alias.args.get("columns") or ()), dict(found)
            )
        return found

    def _from(
        self, select: exp.Select, ctes: Mapping[str, _Cte], needed: frozenset[str] | None
    ) -> list[FromItem]:
        items = []
        first = select.args.get("from_")
        if first is not None:
            items += self._item(first, ctes, needed)
        for join in select.args.get("joins") or ():
            if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
                self._note_tables(join.this, ctes)
            else:
                items += self._item(join, ctes, needed)
        # as in `before_cleaning.orders.total`: the table's new name has no schema
        for one in own_nodes(select):
            if isinstance(one, exp.Column) and one.args.get("db"):
                one.set("db", None)
        return items

    def _item(
        self, holder: exp.Expr, ctes: Mapping[str, _Cte], needed: frozenset[str] | None
    ) -> list[FromItem]:
        """Rewrite the table or subquery that a FROM or a JOIN reads."""
        table = holder.this
        refuse_table(table)
        if isinstance(table, exp.Subquery):
            return [self._below(holder, table.this, table.args.get("alias"), ctes, needed)]
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return []
        cte = ctes.get(table.name.lower()) if not table.db else None
        if cte is not None:
            alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name, quoted=True))
            if not alias.args.get("columns") and cte.columns:
                alias.set("columns", [one.copy() for one in cte.columns])
            return [self._below(holder, cte.query.copy(), alias, cte.ctes, needed)]
        return [self._table(holder, table)]

    def _below(
        self,
        holder: exp.Expr,
        query: exp.Query,
        alias: exp.Expr | None,
        ctes: Mapping[str, _Cte],
        needed: frozenset[str] | None,
    ) -> FromItem:
        if alias is None or not alias.name:
            alias = exp.TableAlias(this=exp.to_identifier(self._alias()))
        renamed = bool(alias.args.get("columns"))
        inner = self.query(query, ctes, None if renamed else needed)
        holder.set("this", exp.Subquery(this=inner.query, alias=alias))
        computed = frozenset(one.name.lower() for one in alias.args["columns"]) if renamed else inner.computed
        return FromItem(alias.name, inner.rows, computed)

    def _table(self, holder: exp.Expr, table: exp.Table) -> FromItem:
        if table.catalog or table.db.lower() == "information_schema":
            raise RowsRefused("it reads something other than a table in the chat's files")
        if len(self.sources) >= _MOST_PLACES:
            raise RowsRefused(f"it reads tables in more than {_MOST_PLACES} places")
        schema = "" if table.db.lower() == "main" else table.db
        place = Place(len(self.sources) + 1, schema, table.name)
        self.sources.append(place)
        view = f"ab_{'source' if self.mode == 'numbered' else 'only'}_{place.number}"
        alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name, quoted=True))
        holder.set("this", exp.Table(this=exp.to_identifier(view), alias=alias))
        return FromItem(alias.name, {place.number: "BIGINT"} if self.mode == "numbered" else {})

    # tables that filters read

    def _note_filters(self, select: exp.Select, ctes: Mapping[str, _Cte]) -> None:
        for clause in clauses_of(select):
            for query in clause.find_all(exp.Query):
                self._note_tables(query, ctes)

    def _note_tables(self, node: exp.Expr, ctes: Mapping[str, _Cte]) -> None:
        for table in node.find_all(exp.Table):
            cte = ctes.get(table.name.lower()) if not table.db else None
            if cte is not None:
                self._note_tables(cte.query, cte.ctes)
            elif table.name:
                self.filters.add((table.db, table.name))

    # columns with row numbers

    def _with_rows(
        self,
        select: exp.Select,
        items: list[FromItem],
        used: list[exp.Expr],
        computed: frozenset[str],
    ) -> Tracked:
        distinct = select.args.get("distinct")
        exclude_rows(select, items)
        rows = {number: kind for item in items for number, kind in item.rows.items()}
        if is_aggregated(select):
            condition = row_condition(select, used) if self.narrow else None
            self.narrowed |= condition is not None
            made = [
                collected(item.alias, number, kind, condition)
                for item in items
                for number, kind in item.rows.items()
            ]
            select.set("expressions", [*select.expressions, *made])
            rows = dict.fromkeys(rows, "BIGINT[]")
            if distinct is None:
                return Tracked(select, rows, computed)
            return Tracked(without_doubles(select, rows, self._alias()), rows, computed)
        if distinct is not None:
            made = [
                collected(item.alias, number, kind, None)
                for item in items
                for number, kind in item.rows.items()
            ]
            select.set("expressions", [*select.expressions, *made])
            select.set("distinct", None)
            select.set("group", exp.Group(all=True))
            return Tracked(select, dict.fromkeys(rows, "BIGINT[]"), computed)
        made = [passed_on(item.alias, number) for item in items for number in item.rows]
        select.set("expressions", [*select.expressions, *made])
        return Tracked(select, rows, computed)

    # UNION

    def _union(self, union: exp.Union, ctes: Mapping[str, _Cte], needed: frozenset[str] | None) -> Tracked:
        ctes = self._with(union, ctes)
        left = self.query(union.this, ctes, needed)
        same = needed is not None and same_names(union.this, union.expression)
        right = self.query(union.expression, ctes, needed if same or union.args.get("by_name") else None)
        if self.mode == "again":
            union.set("this", in_parentheses(left.query))
            union.set("expression", in_parentheses(right.query))
            union.set("offset", None)
            return Tracked(union, {}, left.computed | right.computed)
        rows = {**left.rows, **right.rows}
        once = union.args.get("distinct") is not False
        union.set("this", widened(left.query, left.rows, rows, self._alias()))
        union.set("expression", widened(right.query, right.rows, rows, self._alias()))
        if not once:
            return Tracked(union, rows, left.computed | right.computed)
        grouped = without_doubles(union, rows, self._alias())
        return Tracked(grouped, dict.fromkeys(rows, "BIGINT[]"), left.computed | right.computed)
