"""Charts of the sample data. They are shown in docs/charts.md, and a test compares each with the rows behind it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["GALLERY", "Example", "page"]


@dataclass(frozen=True, slots=True)
class Example:
    """One chart, and the numbers that its marks must show."""

    title: str
    arguments: Mapping[str, Any]
    mark: str
    """The kind of scenegraph mark that shows the numbers."""
    says: str
    """The title that a mark gives to its number."""
    truth: str
    """SQL that computes the same numbers in another way."""


_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY 1"
_MONTH = (
    "SELECT date_trunc('month', ordered_at)::DATE AS month, sum(revenue) AS revenue FROM orders "
    "GROUP BY 1 ORDER BY 1"
)
_LINES = (
    "SELECT date_trunc('month', ordered_at)::DATE AS month, product_line, sum(revenue) AS revenue FROM orders "
    "WHERE ordered_at < DATE '2024-01-01' GROUP BY ALL ORDER BY 1, 2"
)
_CELLS = "SELECT region, product_line, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY ALL"
_RAW = "SELECT region, product_line, units, revenue FROM orders"
_FEW = f"{_RAW} ORDER BY order_id LIMIT 300"
_SUMS = "SELECT sum(revenue) FROM orders GROUP BY region"
_OF_LINES = (
    "SELECT sum(revenue) FROM orders WHERE year(ordered_at) < 2024 "
    "GROUP BY product_line, year(ordered_at), month(ordered_at)"
)
_OF_CELLS = "SELECT sum(revenue) FROM orders GROUP BY product_line, region"
_OF_MONTHS = "SELECT sum(revenue) FROM orders GROUP BY year(ordered_at), month(ordered_at)"
_OF_FEW = "SELECT revenue FROM (FROM orders ORDER BY order_id LIMIT 300)"
_WEEKDAYS = "SELECT dayname(ordered_at) AS weekday, count(*) AS orders FROM orders GROUP BY 1 ORDER BY 2"
_X_Y = {"x": "region", "y": "revenue"}
_T_Y = {"x": "month", "y": "revenue"}


def _example(title: str, mark: str, says: str, truth: str, /, **arguments: Any) -> Example:
    return Example(title, arguments, mark, says, truth)


GALLERY = (
    _example("Bars", "rect", "revenue", _SUMS, sql=_REGION, mark="bar", **_X_Y),
    _example("Bars, largest first", "rect", "revenue", _SUMS, sql=_REGION, mark="bar", sort="-y", **_X_Y),
    _example(
        "Horizontal bars, chosen from the column types",
        "rect",
        "revenue",
        _SUMS,
        sql=_REGION,
        mark="bar",
        x="revenue",
        y="region",
    ),
    _example(
        "Horizontal bars, by option",
        "rect",
        "revenue",
        _SUMS,
        sql=_REGION,
        mark="bar",
        orientation="horizontal",
        **_X_Y,
    ),
    _example(
        "Values on bars",
        "rect",
        "revenue",
        _SUMS,
        sql=_REGION,
        mark="bar",
        labels=True,
        format=",.2f",
        **_X_Y,
    ),
    _example(
        "Bars with a reference line",
        "rect",
        "revenue",
        _SUMS,
        sql=_REGION,
        mark="bar",
        rule_at=5000,
        rule_label="Target",
        **_X_Y,
    ),
    _example(
        "Grouped bars", "rect", "revenue", _OF_CELLS, sql=_CELLS, mark="bar", color="product_line", **_X_Y
    ),
    _example(
        "Stacked bars",
        "rect",
        "revenue",
        _OF_CELLS,
        sql=_CELLS,
        mark="bar",
        color="product_line",
        stack="stacked",
        **_X_Y,
    ),
    _example(
        "Shares of a whole",
        "rect",
        "revenue",
        _OF_CELLS,
        sql=_CELLS,
        mark="bar",
        color="product_line",
        stack="normalize",
        **_X_Y,
    ),
    _example("Bars over months", "rect", "revenue", _OF_MONTHS, sql=_MONTH, mark="bar", **_T_Y),
    _example(
        "Weekdays in calendar order",
        "rect",
        "orders",
        "SELECT count(*) FROM orders GROUP BY isodow(ordered_at)",
        sql=_WEEKDAYS,
        mark="bar",
        x="weekday",
        y="orders",
    ),
    _example(
        "Bars of means",
        "rect",
        "mean of revenue",
        "SELECT sum(revenue) / count(revenue) FROM orders GROUP BY region",
        sql=_RAW,
        mark="bar",
        aggregate="mean",
        **_X_Y,
    ),
    _example(
        "A count of rows",
        "rect",
        "rows",
        "SELECT sum(1) FROM orders GROUP BY region",
        table="orders",
        mark="bar",
        aggregate="count",
        x="region",
    ),
    _example(
        "Panels of bars", "rect", "revenue", _OF_CELLS, sql=_CELLS, mark="bar", facet="product_line", **_X_Y
    ),
    _example("A line", "symbol", "revenue", _OF_MONTHS, sql=f"SELECT * FROM ({_MONTH})", mark="line", **_T_Y),
    _example(
        "Lines named at their ends",
        "symbol",
        "revenue",
        _OF_LINES,
        sql=_LINES,
        mark="line",
        color="product_line",
        **_T_Y,
    ),
    _example(
        "Panels of lines", "symbol", "revenue", _OF_LINES, sql=_LINES, mark="line", row="product_line", **_T_Y
    ),
    _example(
        "Two columns as lines",
        "symbol",
        "value",
        "SELECT unnest([sum(revenue), sum(units)::DOUBLE]) FROM orders GROUP BY year(ordered_at), month(ordered_at)",
        sql=_MONTH.replace("AS revenue ", "AS revenue, sum(units) AS units "),
        mark="line",
        x="month",
        series=["revenue", "units"],
    ),
    _example(
        "A line over bars",
        "rect",
        "revenue",
        _OF_MONTHS,
        sql=f"SELECT month, revenue, 2000 AS target FROM ({_MONTH})",
        mark="bar",
        layers=[{"mark": "line", "y": "target"}],
        **_T_Y,
    ),
    _example(
        "Raw rows by month",
        "symbol",
        "sum of revenue",
        _OF_MONTHS,
        table="orders",
        mark="line",
        grain="month",
        aggregate="sum",
        x="ordered_at",
        y="revenue",
    ),
    _example(
        "A range, and titles of the axes",
        "symbol",
        "Revenue in euros",
        _OF_MONTHS,
        sql=_MONTH,
        mark="line",
        range=[0, 20_000],
        x_title="",
        y_title="Revenue in euros",
        **_T_Y,
    ),
    _example(
        "Colours for any colour vision",
        "rect",
        "revenue",
        _OF_CELLS,
        sql=_CELLS,
        mark="bar",
        color="product_line",
        palette="safe",
        **_X_Y,
    ),
    _example("An area", "area", "revenue", _OF_MONTHS, sql=_MONTH, mark="area", **_T_Y),
    _example(
        "Stacked areas", "area", "revenue", _OF_LINES, sql=_LINES, mark="area", color="product_line", **_T_Y
    ),
    _example("Points", "symbol", "revenue", _OF_FEW, sql=_FEW, mark="point", x="units", y="revenue"),
    _example(
        "Points on log scales",
        "symbol",
        "revenue",
        _OF_FEW,
        sql=_FEW,
        mark="point",
        x="units",
        y="revenue",
        color="region",
        size="units",
        scale="log",
        x_scale="log",
    ),
    _example("A strip of ticks", "rect", "revenue", _OF_FEW, sql=_FEW, mark="tick", x="revenue", y="region"),
    _example("A pie", "arc", "revenue", _SUMS, sql=_REGION, mark="arc", labels=True, format=",.2f", **_X_Y),
    _example(
        "A heat map",
        "rect",
        "revenue",
        _OF_CELLS,
        sql=_CELLS,
        mark="rect",
        x="region",
        y="product_line",
        color="revenue",
    ),
    _example(
        "Box plots over all rows",
        "rect",
        "median",
        "SELECT quantile_cont(revenue::DOUBLE, 0.5) FROM orders GROUP BY region, units > 0",
        sql=_RAW,
        mark="boxplot",
        **_X_Y,
    ),
    _example(
        "A histogram over all rows",
        "rect",
        "rows",
        "SELECT count(*) FROM orders WHERE revenue IS NOT NULL GROUP BY floor(revenue::DOUBLE / 200)",
        sql="SELECT revenue FROM orders",
        mark="histogram",
        x="revenue",
        bins=20,
    ),
    _example(
        "A density over all rows",
        "area",
        "density",
        "",
        sql="SELECT revenue FROM orders",
        mark="density",
        x="revenue",
    ),
    _example(
        "Names as marks",
        "text",
        "revenue",
        _SUMS,
        sql="SELECT region, sum(units) AS units, sum(revenue) AS revenue FROM orders GROUP BY 1",
        mark="text",
        x="units",
        y="revenue",
        text="region",
    ),
    _example(
        "Numbers as marks",
        "text",
        "revenue",
        "SELECT sum(revenue) FROM orders GROUP BY year(ordered_at), quarter(ordered_at)",
        sql=_MONTH.replace("'month'", "'quarter'").replace("AS month", "AS quarter"),
        mark="text",
        text="revenue",
        format=",.2f",
        x="quarter",
        y="revenue",
    ),
    _example(
        "Horizontal lines at values",
        "rule",
        "revenue",
        _SUMS,
        sql=_REGION,
        mark="rule",
        y="revenue",
        color="region",
    ),
    _example(
        "Vertical lines at values",
        "rule",
        "units",
        "SELECT sum(units) FROM orders GROUP BY product_line",
        sql="SELECT product_line, sum(units) AS units FROM orders GROUP BY 1",
        mark="rule",
        x="units",
        color="product_line",
        zero=True,
    ),
    _example(
        "A whole specification",
        "rect",
        "Mean of revenue",
        "SELECT sum(revenue) / count(revenue) FROM orders GROUP BY region",
        sql=_RAW,
        spec={
            "mark": "bar",
            "encoding": {"x": {"field": "region"}, "y": {"field": "revenue", "aggregate": "mean"}},
        },
    ),
)


def page() -> str:
    """Return every chart of the gallery as Markdown: its name, and the arguments of the call."""
    parts = []
    for example in GALLERY:
        arguments = json.dumps(dict(example.arguments), indent=2, ensure_ascii=False)
        parts.append(f"## {example.title}\n\n```json\n{arguments}\n```")
    return "\n\n".join(parts)
