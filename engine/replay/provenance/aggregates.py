"""Finds what determines a cell of a SELECT's result: columns, aggregates, and the rows that these aggregates
use. Pure.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

__all__ = ["aggregates_in", "is_aggregated", "named_in", "own_nodes", "row_condition", "used_columns"]

_AGGREGATES = frozenset(
    """
    any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null
    arg_min arg_min_null array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr
    count count_if count_star countif covar_pop covar_samp entropy favg first fsum geomean
    geometric_mean group_concat histogram histogram_exact kahan_sum kurtosis kurtosis_pop last list
    listagg mad max max_by mean median min min_by mode product quantile quantile_cont quantile_disc
    regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    reservoir_quantile sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow
    sumkahan var_pop var_samp variance weighted_avg
    """.split()  # noqa: SIM905 -- words in columns
)
"""DuckDB's aggregates. The list is needed for the aggregates that the parser does not know."""
_CLAUSES = ("where", "group", "having")


def own_nodes(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a SELECT or an expression, without the insides of subqueries."""
    yield from node.walk(prune=lambda one: isinstance(one, exp.Query) and one is not node)


def aggregates_in(node: exp.Expr) -> list[exp.Expr]:
    """Return the aggregates of an expression, without window functions."""
    found = []
    for one in node.walk(prune=lambda one: isinstance(one, exp.Window | exp.Query)):
        named = isinstance(one, exp.Anonymous) and one.name.lower() in _AGGREGATES
        if (isinstance(one, exp.AggFunc) or named) and not isinstance(one, exp.Window | exp.Query):
            found.append(one)
    return found


def is_aggregated(select: exp.Select) -> bool:
    """Return whether a SELECT combines rows."""
    if select.args.get("group"):
        return True
    having = select.args.get("having")
    return any(aggregates_in(one) for one in select.expressions) or (
        having is not None and bool(aggregates_in(having))
    )


def named_in(nodes: Sequence[exp.Expr]) -> frozenset[str]:
    """Return the names of the columns in expressions, including columns of the outer query that a subquery uses."""
    return frozenset(one.name.lower() for node in nodes for one in node.find_all(exp.Column) if one.name)


def used_columns(select: exp.Select, needed: frozenset[str] | None) -> list[exp.Expr]:
    """Return the columns of a SELECT that determine the columns `needed` (None: all of them) or the selection of
    rows."""
    columns = list(select.expressions)
    if needed is None or select.args.get("distinct"):
        return columns
    keys = _keys(select) if is_aggregated(select) else []
    used = [
        one
        for one in columns
        if one.is_star or one.alias_or_name.lower() in needed or any(one is key for key in keys)
    ]
    rest = [one for one in columns if not any(one is other for other in used)]
    while True:
        names = named_in([*used, *clauses_of(select)])
        more = [
            one
            for one in rest
            if isinstance(one, exp.Alias) and one.alias.lower() in names and not _is_own_name(one)
        ]
        if not more:
            return used
        used += more
        rest = [one for one in rest if not any(one is other for other in more)]


def _keys(select: exp.Select) -> list[exp.Expr]:
    """Return the columns of a grouped SELECT whose values are the same for all rows of a group."""
    found: list[exp.Expr] = []
    computed: set[str] = set()
    for one in select.expressions:
        if aggregates_in(one) or _windowed(one) or named_in([one]) & computed:
            computed.add(one.alias_or_name.lower())
        else:
            found.append(one)
    return found


def _windowed(column: exp.Expr) -> bool:
    return column.find(exp.Window) is not None or column.find(exp.Query) is not None


def _is_own_name(alias: exp.Alias) -> bool:
    """Return whether a column's alias is the same as the column's name."""
    return isinstance(alias.this, exp.Column) and alias.this.name.lower() == alias.alias.lower()


def clauses_of(select: exp.Select) -> list[exp.Expr]:
    """Return the clauses that determine the selection of rows."""
    found = [select.args[name] for name in _CLAUSES if select.args.get(name) is not None]
    if select.args.get("limit") is not None and select.args.get("order") is not None:
        found.append(select.args["order"])
    for join in select.args.get("joins") or ():
        found += [one for one in (join.args.get("on"), *(join.args.get("using") or ())) if one is not None]
    return found


def row_condition(select: exp.Select, used: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the condition, from a FILTER or CASE, for the rows of a group that the aggregates in `used` combine; None
    if they combine all rows, or if there is a HAVING."""
    if select.args.get("having") is not None:
        return None
    conditions: list[exp.Expr] = []
    for column in used:
        for one in aggregates_in(column):
            condition = _taken_by(one)
            if condition is None:
                return None
            conditions.append(condition)
    if not conditions:
        return None
    return exp.or_(*conditions, copy=True) if len(conditions) > 1 else conditions[0].copy()


def _taken_by(aggregate: exp.Expr) -> exp.Expr | None:
    filtered = aggregate.parent
    if isinstance(filtered, exp.Filter):
        where: exp.Expr = filtered.expression
        return where.this if isinstance(where, exp.Where) else where
    case = aggregate.this
    plain = isinstance(aggregate, exp.Sum | exp.Count | exp.Avg | exp.Min | exp.Max)
    if not plain or not isinstance(case, exp.Case) or case.this is not None or len(case.args["ifs"]) != 1:
        return None
    default = case.args.get("default")
    zero = (
        isinstance(aggregate, exp.Sum) and isinstance(default, exp.Literal) and default.this in ("0", "0.0")
    )
    if default is None or isinstance(default, exp.Null) or zero:
        condition: exp.Expr = case.args["ifs"][0].this
        return condition
    return None
