"""Makes SQL from a form: one readable SELECT that depends only on the form."""

from dataclasses import replace

from engine.models.offline.checks import checked
from engine.models.offline.conditions_sql import filters_sql, period_sql
from engine.models.offline.form import Form, FormError, Ref, refs_of
from engine.models.offline.lengths_sql import drawn_label, drawn_name, minutes_sql, typed_sql
from engine.models.offline.measures_sql import (
    beside_numbers,
    having_sql,
    measure_label,
    measure_sql,
    value_sql,
)
from engine.models.offline.quoting import laid_out, literal, name_sql, quoted
from engine.models.offline.schema import Table, is_time
from engine.models.offline.vocabulary import MONTHS, WEEKDAYS
from events.late_dataclass import dataclass

__all__ = ["Query", "query", "ref_label"]


@dataclass(frozen=True, slots=True)
class Query:
    """The SQL, and the column names of the result: first labels, then numbers."""

    sql: str
    labels: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


def query(form: Form, table: Table) -> Query:
    """Return the SQL of a form; raise FormError if the form uses something that `table` does not have."""
    if not checked(form, table):
        raise FormError(
            "The parts of this form do not go together, for example a running total without a time."
        )
    for ref in refs_of(form):
        table.column(ref)
    built = _MAKERS.get(form.show, _numbers)(form, table)
    return replace(built, sql=laid_out(built.sql))


def _source(form: Form) -> str:
    joins = "".join(
        f" JOIN {quoted(join.table)} ON {quoted(form.table)}.{quoted(join.left.column)}"
        f" = {quoted(join.table)}.{quoted(join.right.column)}"
        for join in form.joins
    )
    return f"{quoted(form.table)}{joins}"


def shown_sql(ref: Ref, form: Form) -> str:
    """Return the SQL of a column of the result, with its name if it is computed from two dates."""
    return f"{name_sql(ref, form)} AS {quoted(ref.name)}" if ref.until else name_sql(ref, form)


def _where(form: Form, table: Table, *more: str) -> str:
    found = [*filters_sql(form.filters, form, table), *more]
    return f" WHERE {' AND '.join(found)}" if found else ""


def ref_label(ref: Ref) -> str:
    """Return the name of a group's column in the result."""
    return f"{ref.column}_{ref.grain}".replace(" ", "_") if ref.grain not in ("", "day") else ref.name


def _named(sql: str, label: str) -> str:
    return sql if sql == label else f"{sql} AS {label}"


def _numbers(form: Form, table: Table) -> Query:
    labels = _distinct_names([ref_label(ref) for ref in form.groups])
    said = [drawn_label(measure_label(m), m, form, table) for m in form.measures]
    names = _distinct_names(said, labels)
    shown = [
        _named(period_sql(ref, form, table), quoted(label))
        for ref, label in zip(form.groups, labels, strict=True)
    ]
    shown += [
        f"{measure_sql(m, form, table)} AS {quoted(name)}"
        for m, name in zip(form.measures, names, strict=True)
    ]
    extra = beside_numbers(form, table, names)
    shown += [f"{sql} AS {quoted(name)}" for name, sql in extra.items()]
    dropped = [
        f"{name_sql(ref, form)} IS NOT NULL" for ref in form.groups if _drops_missing(form, ref, table)
    ]
    sql = f"SELECT {', '.join(shown)} FROM {_source(form)}{_where(form, table, *dropped)}"
    if form.groups:
        sql += f" GROUP BY {', '.join(str(place) for place in range(1, len(form.groups) + 1))}"
    having = [
        f"{having_sql(form.measures[h.measure], form, table)} {h.compare} {literal(h.value)}"
        for h in form.having
    ]
    sql += f" HAVING {' AND '.join(having)}" if having else ""
    if form.window is not None:
        return _along(form, table, sql, labels, names)
    numbers = (*names, *extra)
    if form.groups and form.limit is not None and (form.within or form.ties):
        return Query(_limited(form, table, sql, labels, names), labels, numbers)
    sql += _order(form, table, labels, names)
    return Query(sql + (f" LIMIT {form.limit}" if form.limit is not None else ""), labels, numbers)


def _drops_missing(form: Form, ref: Ref, table: Table) -> bool:
    """Whether groups without a value are left out. They are if the groups are ranked or compared, or follow each other
    in time.
    """
    if not table.column(ref).profile.missing:
        return False
    return form.limit is not None or bool(form.compares) or is_time(ref, table) or form.window is not None


def _distinct_names(names: list[str], taken: tuple[str, ...] = ()) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        free, number = name, 2
        while free in found or free in taken:
            free, number = f"{name}_{number}", number + 1
        found.append(free)
    return tuple(found)


def group_order(ref: Ref, label: str, form: Form, table: Table) -> str:
    """Return the SQL that sorts a group's labels; months and weekdays are in calendar order."""
    part = {"month of year": "month", "weekday": "isodow"}.get(ref.grain)
    if not ref.grain and table.column(ref).ordinal_values:
        names = WEEKDAYS if table.column(ref).profile.values[0].lower() in WEEKDAYS else MONTHS
        listed = ", ".join(literal(name) for name in names)
        return f"min(list_position([{listed}], lower({name_sql(ref, form)})))"
    return f"min({part}({name_sql(ref, form)}))" if part else quoted(label)


def _order(form: Form, table: Table, labels: tuple[str, ...], names: tuple[str, ...]) -> str:
    groups = [group_order(ref, label, form, table) for ref, label in zip(form.groups, labels, strict=True)]
    if form.order is None or form.order.by == "groups":
        down = " DESC" if form.order is not None and form.order.descending else ""
        return f" ORDER BY {', '.join([groups[0] + down, *groups[1:]])}" if groups else ""
    assert isinstance(form.order.by, int)
    first = f"{quoted(names[form.order.by])}{' DESC' if form.order.descending else ''} NULLS LAST"
    return f" ORDER BY {', '.join([first, *groups])}" if groups else ""


def _limited(form: Form, _table: Table, sql: str, labels: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Return SQL for the first rows of each group, or for the first rows and all rows that tie with the last."""
    assert form.order is not None
    assert isinstance(form.order.by, int)
    within = [label for ref, label in zip(form.groups, labels, strict=True) if ref in form.within]
    parted = f"PARTITION BY {', '.join(map(quoted, within))} " if within else ""
    value, down = quoted(names[form.order.by]), " DESC" if form.order.descending else ""
    ranked = f"rank() OVER ({parted}ORDER BY {value}{down} NULLS LAST)"
    groups = [label for label in labels if label not in within]
    order = ", ".join([*map(quoted, within), f"{value}{down} NULLS LAST", *map(quoted, groups)])
    return f"{sql} QUALIFY {ranked} <= {form.limit} AND {value} IS NOT NULL ORDER BY {order}"


def _along(form: Form, table: Table, sql: str, labels: tuple[str, ...], names: tuple[str, ...]) -> Query:
    """Return the query for a measure along time: running totals, changes, moving averages."""
    assert form.window is not None
    time = next(label for ref, label in zip(form.groups, labels, strict=True) if is_time(ref, table))
    others = [label for label in labels if label != time]
    parts = [*map(quoted, others)]
    if form.window.kind == "year to date":
        ref = next(ref for ref in form.groups if is_time(ref, table))
        parts.append(f"year({quoted(time)})" if ref.grain not in ("year", "") else quoted(time))
    parted = f"PARTITION BY {', '.join(parts)} " if parts else ""
    over = f"({parted}ORDER BY {quoted(time)}"
    value, before = quoted(names[0]), f"lag({quoted(names[0])}) OVER {over})"
    made = {
        "cumulative": ("cumulative", f"sum({value}) OVER {over})"),
        "year to date": ("year_to_date", f"sum({value}) OVER {over})"),
        "change": ("change", f"{value} - {before}"),
        "percent change": ("percent_change", f"100.0 * ({value} - {before}) / nullif(abs({before}), 0)"),
        "moving average": (
            f"moving_average_{form.window.size}",
            f"avg({value}) OVER {over} ROWS BETWEEN {form.window.size - 1} PRECEDING AND CURRENT ROW)",
        ),
    }[form.window.kind]
    order = f" ORDER BY {', '.join(map(quoted, [time, *others]))}"
    return Query(f"SELECT *, {made[1]} AS {quoted(made[0])} FROM ({sql}){order}", labels, (*names, made[0]))


def _rows(form: Form, table: Table) -> Query:
    shown = ", ".join(dict.fromkeys(shown_sql(ref, form) for ref in form.columns)) or "*"
    if shown == "*" and form.order is not None and isinstance(form.order.by, Ref) and form.order.by.until:
        shown = f"*, {shown_sql(form.order.by, form)}"
    more = []
    order = ""
    if form.order is not None and isinstance(form.order.by, Ref):
        column = typed_sql(form.order.by, form, table)
        down = " DESC" if form.order.descending else ""
        order = f" ORDER BY {column}{down} NULLS LAST"
        if form.limit is not None:
            more.append(f"{column} IS NOT NULL")
    sql = f"SELECT {shown} FROM {_source(form)}{_where(form, table, *more)}"
    if form.limit is not None and order and (form.within or form.ties):
        within = ", ".join(name_sql(ref, form) for ref in form.within)
        parted = f"PARTITION BY {within} " if within else ""
        sql += f" QUALIFY rank() OVER ({parted}{order.strip()}) <= {form.limit}"
        return Query(sql + (order.replace("ORDER BY ", f"ORDER BY {within}, ") if within else order))
    return Query(sql + order + (f" LIMIT {form.limit}" if form.limit is not None else ""))


def _values(form: Form, table: Table) -> Query:
    column = name_sql(form.columns[0], form)
    where = _where(form, table, f"{column} IS NOT NULL")
    return Query(
        f"SELECT {column}, count(*) AS count FROM {_source(form)}{where} GROUP BY ALL ORDER BY {column}",
        (form.columns[0].column,),
        ("count",),
    )


def _points(form: Form, table: Table) -> Query:
    where = _where(form, table, *(f"{name_sql(ref, form)} IS NOT NULL" for ref in form.columns[:2]))
    names = tuple(drawn_name(ref, table) for ref in form.columns)
    shown = (
        shown_sql(ref, form) if name == ref.name else f"{minutes_sql(ref, form, table)} AS {quoted(name)}"
        for ref, name in zip(form.columns, names, strict=True)
    )
    return Query(f"SELECT {', '.join(shown)} FROM {_source(form)}{where}", names)


def _missing(form: Form, table: Table) -> Query:
    own = [c for c in table.columns if not c.table]
    parts = [
        f"SELECT {literal(c.name)} AS \"column\", count(*) - count({name_sql(c.ref, form)}) AS missing"
        f" FROM {_source(form)}{_where(form, table)}" for c in own
    ]  # fmt: skip
    return Query(
        f'SELECT * FROM ({" UNION ALL ".join(parts)}) WHERE missing > 0 ORDER BY missing DESC, "column"',
        ("column",),
        ("missing",),
    )


def _duplicates(form: Form, table: Table) -> Query:
    columns = ", ".join(
        name_sql(ref, form) for ref in form.columns or [c.ref for c in table.columns if not c.table]
    )
    present = (f"{name_sql(ref, form)} IS NOT NULL" for ref in form.columns)
    inner = f"SELECT {columns}, count(*) AS copies FROM {_source(form)}{_where(form, table, *present)}"
    inner += " GROUP BY ALL HAVING count(*) > 1"
    return Query(f"SELECT * FROM ({inner}) ORDER BY copies DESC", (), ("copies",))


def _outliers(form: Form, table: Table) -> Query:
    column = name_sql(form.columns[0], form)
    source, where = _source(form), _where(form, table)
    fences = f"SELECT quantile_cont({column}, 0.25) AS q1, quantile_cont({column}, 0.75) AS q3 FROM {source}{where}"
    outside = f"{column} < q1 - 1.5 * (q3 - q1) OR {column} > q3 + 1.5 * (q3 - q1)"
    more = _where(form, table, f"({outside})")
    return Query(
        f"WITH fences AS ({fences}) SELECT {source}.* FROM {source}, fences{more} ORDER BY {column} DESC"
    )


def _change(form: Form, table: Table) -> Query:
    """Return the query for a measure at the first and at the last time."""
    ref, measure = form.columns[0], form.measures[0]
    time, name = name_sql(ref, form), measure_label(measure)
    where = _where(form, table, f"{time} IS NOT NULL")
    shown = f"{period_sql(ref, form, table)} AS t, {value_sql(measure, form, table)} AS v"
    inner = f"SELECT {shown} FROM {_source(form)}{where} GROUP BY ALL"
    first, last = "arg_min(v, t)", "arg_max(v, t)"
    shown = (
        f"min(t) AS first_time, {first} AS first_{name}, max(t) AS last_time, {last} AS last_{name}, "
        f"{last} - {first} AS change, "
        f"100.0 * ({last} - {first}) / nullif(abs({first}), 0) AS percent_change"
    )
    return Query(
        f"SELECT {shown} FROM ({inner})", (), (f"first_{name}", f"last_{name}", "change", "percent_change")
    )


_MAKERS = {
    "rows": _rows, "values": _values, "points": _points, "histogram": _points, "missing": _missing,
    "duplicates": _duplicates, "outliers": _outliers, "change": _change
}  # fmt: skip
