"""The chart tool: what it draws, what it refuses and how to fix it, and that its schema matches its code."""

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.rendering.charts.renderer import ChartRenderer
from engine.rendering.safety import chart_danger
from tests.support.ask_offline import BUNDLE, bundle_module
from tests.support.long_cases import mostly_long

SALES = (
    "SELECT * FROM (VALUES ('North', 'a', 10.5), ('South', 'a', 20.0), ('North', 'b', 5.0)) "
    "t(region, part, revenue)"
)
MONTHS = "SELECT unnest(['March', 'Jan', 'February']) AS month, unnest([1, 2, 3]) AS n"
SPREAD = (
    "SELECT range AS n, (range * 7919 % 1000) / 10.0 AS v, CAST(range % 3 AS VARCHAR) AS k FROM range(20000)"
)

MEANS_STACKED = {
    "mark": "bar", "x": "part", "y": "revenue", "color": "region", "stack": "stacked", "aggregate": "mean",
}  # fmt: skip
SHARED = {"mark": "bar", "encoding": {"x": {"field": "region"}, "y": {"field": "revenue"}}}
BARS = {"mark": "bar", "x": "a", "y": "b"}
POINTS = {"mark": "point", "x": "a", "y": "b"}


def draw(workspace: Path, **arguments: Any) -> dict[str, Any]:
    made = dict(bundle_module("chart").run(workspace, **arguments))
    json.dumps(made, allow_nan=False)
    assert chart_danger(made["_spec"], made["_values"]) is None
    assert "data" not in made["_spec"]
    return made


def schema() -> dict[str, Any]:
    manifest = yaml.safe_load((BUNDLE / "toolset.yaml").read_text())
    tool = next(tool for tool in manifest["tools"] if tool["id"] == "chart")
    return dict(tool["input_schema"])


def test_the_schema_matches_the_code() -> None:
    properties, asked = schema()["properties"], bundle_module("chart_asked")
    parameters = inspect.signature(bundle_module("chart").run).parameters
    assert list(properties) == [name for name in parameters if name != "workspace"]
    enums = {name: tuple(told["enum"]) for name, told in properties.items() if "enum" in told}
    assert enums == {
        "mark": asked.MARKS,
        "grain": asked.GRAINS,
        "palette": asked.PALETTES,
        "aggregate": asked.AGGREGATES,
        "sort": asked.SORTS,
        "stack": asked.STACKS,
        "orientation": asked.ORIENTATIONS,
        "scale": asked.SCALES,
        "x_scale": asked.SCALES,
    }
    assert tuple(properties["layers"]["items"]["properties"]["mark"]["enum"]) == asked.LAYERS
    defaults = {name: told["default"] for name, told in properties.items() if "default" in told}
    assert defaults == {name: parameters[name].default for name in defaults}


def test_the_model_gets_a_summary_but_never_the_rows(tmp_path: Path) -> None:
    made = draw(tmp_path, sql=SPREAD, mark="point", x="n", y="v", color="k", title="Spread")
    told = {key: value for key, value in made.items() if not key.startswith("_")}
    assert list(told) == ["chart", "title", "summary", "notes"]
    assert len(made["summary"]) <= 500
    assert len(json.dumps(told)) < 1200
    assert made["chart"] == "spread_chart"
    assert any(re.search(r"of 20,000 points are drawn", note) for note in made["notes"])
    assert 4900 < len(made["_values"]) <= 5000


def test_a_box_plot_is_computed_over_all_rows(tmp_path: Path) -> None:
    sql = "SELECT (range * range) % 9973 AS kwh FROM range(4400)"
    values = sorted((n * n) % 9973 for n in range(4400))
    box = draw(tmp_path, sql=sql, mark="boxplot", x="kwh")["_values"][0]
    assert box["median"] == (values[2199] + values[2200]) / 2
    assert box["rows"] == 4400


def test_outliers_are_limited_in_number_and_counted(tmp_path: Path) -> None:
    sql = "SELECT CASE WHEN range < 3000 THEN 1e6 + range ELSE range % 100 END AS v FROM range(100000)"
    made = draw(tmp_path, sql=sql, mark="boxplot", y="v")
    assert sum("outlier" in row for row in made["_values"]) == 1000
    assert any("1,000 of 3,000 outliers are drawn" in note for note in made["notes"])


def test_columns_with_the_names_of_computed_ones_do_no_harm(tmp_path: Path) -> None:
    sql = "SELECT range AS n, range % 2 AS q1, 'x' AS ab FROM range(50)"
    for mark in ("boxplot", "density", "histogram"):
        across = {"y": "n", "x": "q1"} if mark == "boxplot" else {"x": "n", "color": "q1"}
        assert draw(tmp_path, sql=sql, mark=mark, **across)["_values"]


def test_months_are_in_calendar_order_and_a_line_is_drawn_over_them(tmp_path: Path) -> None:
    spec = draw(tmp_path, sql=MONTHS, mark="line", x="month", y="n")["_spec"]
    assert spec["encoding"]["x"]["sort"] == ["Jan", "February", "March"]
    numbers = "SELECT unnest(['10', '9', '100']) AS size, unnest([1, 2, 3]) AS n"
    spec = draw(tmp_path, sql=numbers, mark="bar", x="size", y="n")["_spec"]
    assert spec["encoding"]["x"]["sort"] == ["9", "10", "100"]


def test_bars_are_horizontal_if_the_numbers_are_on_x(tmp_path: Path) -> None:
    spec = draw(
        tmp_path,
        sql=f"SELECT region, sum(revenue) AS revenue FROM ({SALES}) GROUP BY 1",
        mark="bar",
        x="revenue",
        y="region",
    )["_spec"]
    assert spec["encoding"]["y"]["type"] == "nominal"
    assert spec["encoding"]["x"]["type"] == "quantitative"


def test_names_with_special_characters_and_values_with_html_are_safe(tmp_path: Path) -> None:
    sql = """SELECT '<img src=x>' AS "a.b[0]'s ""q"" \\", 1 AS "image" UNION ALL SELECT 'ü', 2"""
    made = draw(tmp_path, sql=sql, mark="bar", x='a.b[0]\'s "q" \\', y="image")
    assert all(set(row) == set(made["_values"][0]) for row in made["_values"])
    assert "image" not in made["_values"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    mostly_long([
        ({"mark": "bar", "x": "region", "y": "revenue"}, "2 rows share one mark"),
        ({"mark": "bar", "x": "region", "y": "part"}, "needs a column of numbers as y"),
        ({"mark": "bar", "x": "region", "y": "revenu"}, "Did you mean “revenue”"),
        ({"mark": "bar", "x": "region"}, "set aggregate: count"),
        ({"mark": "line", "x": "part", "y": "revenue", "color": "region"}, "needs ordered values on the x axis"),
        ({"mark": "bar", "x": "region", "y": "revenue", "scale": "log"}, "starts at zero"),
        ({"mark": "bar", "x": "region", "y": "revenue", "zero": False}, "must start at zero"),
        (MEANS_STACKED, "but mean values do not"),
        ({"mark": "point", "x": "region", "y": "part"}, "mark rect"),
        ({"mark": "pie", "x": "region"}, "not a mark"),
        ({"mark": "rect", "x": "region", "y": "part"}, "needs a column of numbers as color"),
        ({"mark": "histogram", "x": "region"}, "needs a column of numbers as x"),
        ({"spec": {"mark": "bar", "data": {"url": "x"}}}, "must be left out"),
        ({"spec": {"mark": "bar", "encoding": {"x": {"field": "regoin"}}}}, "Did you mean “region”?"),
        ({"spec": SHARED}, "rows share one bar"),
        ({"spec": {"mark": "image"}}, "image marks"),
        ({"spec": {"mark": "bar"}, "mark": "bar"}, "leave out mark"),
        ({"x": "region"}, "Give `mark`"),
    ], quick=range(0, 18, 3)),
)  # fmt: skip
def test_a_chart_that_cannot_be_drawn_is_refused_with_advice(
    tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        draw(tmp_path, sql=SALES, **arguments)


@pytest.mark.parametrize(
    ("sql", "mark", "told"),
    [
        ("SELECT region, sum(revenue) AS r FROM (" + SALES + ") GROUP BY 1", "bar", "region across, r up"),
        (
            "SELECT DATE '2024-01-01' + range::INT AS day, range AS n FROM range(5)",
            "line",
            "day across, n up",
        ),
        ("SELECT range AS a, range * 2 AS b FROM range(5)", "point", "a across, b up"),
    ],
)
def test_a_chart_type_and_axes_are_chosen_for_sql_without_other_arguments_and_noted(
    tmp_path: Path, sql: str, mark: str, told: str
) -> None:
    notes = draw(tmp_path, sql=sql)["notes"]
    assert notes[0].startswith(f"Chosen from the columns: {mark}, {told}")


@pytest.mark.parametrize(
    ("sql", "arguments", "words"),
    [
        ("SELECT 1 AS a, 2 AS b WHERE false", BARS, "no rows"),
        ("SELECT 'x' AS a, NULL::INT AS b", BARS, "has no value in any"),
        ("SELECT range AS a, 1 AS b FROM range(13)", {"mark": "arc", "x": "a", "y": "b"}, "the limit is 12"),
        ("SELECT range AS a, range - 1 AS b FROM range(3)", {"mark": "arc", "x": "a", "y": "b"}, "negative values"),
        ("SELECT range AS a, 1 AS b FROM range(60)", {**POINTS, "facet": "a"}, "the limit is 50"),
        ("SELECT 'x' AS a, range AS c, 1 AS b FROM range(21)", {**BARS, "color": "c"}, "more than 20 colours"),
        ("SELECT range AS a, range AS b FROM range(3)", {**POINTS, "scale": "log"}, "at or below 0"),
        ("SELECT [1] AS a, 1 AS b", BARS, "an axis cannot show"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_charted_are_refused(
    tmp_path: Path, sql: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        draw(tmp_path, sql=sql, **arguments)


def test_a_full_specification_gets_types_and_sort_orders(tmp_path: Path) -> None:
    spec = {"mark": "bar", "encoding": {"x": {"field": "month"}, "y": {"field": "n"}}}
    made = draw(tmp_path, sql=MONTHS, spec=spec)["_spec"]
    assert made["encoding"]["x"] == {
        "field": "month",
        "type": "nominal",
        "sort": ["Jan", "February", "March"],
    }
    assert made["encoding"]["y"]["type"] == "quantitative"


def test_an_aggregate_is_stated_in_axis_and_notes(tmp_path: Path) -> None:
    made = draw(tmp_path, sql=SALES, mark="bar", x="region", y="revenue", aggregate="mean")
    assert made["_spec"]["encoding"]["y"]["title"] == "mean of revenue"
    assert made["notes"][0] == "2 marks from 3 rows. Each mark is the mean of revenue for one region."
    assert [row["mean of revenue"] for row in made["_values"]] == [7.75, 20.0]


def test_values_at_marks_are_rounded_to_about_four_digits_and_whole_numbers_stay_whole(
    tmp_path: Path,
) -> None:
    for value, form in (
        ("7.05483870968", ",.3~f"),
        ("12345.678", ",.0~f"),
        ("1200", ",.0f"),
        ("0.00123", ",.6~f"),
    ):
        made = draw(
            tmp_path, sql=f"SELECT 'a' AS x, {value}::DOUBLE AS y", mark="bar", x="x", y="y", labels=True
        )
        texts = [layer["encoding"]["text"] for layer in made["_spec"]["layer"] if "text" in layer["encoding"]]
        assert [text["format"] for text in texts] == [form]


def test_labels_of_a_heat_map_are_dark_on_light_cells_and_white_on_dark_ones(tmp_path: Path) -> None:
    """They used to be dark with a white outline on every cell, and could not be read on any."""
    made = draw(
        tmp_path,
        sql="SELECT range AS \"the x's\", 'a' AS y, range AS n FROM range(2)",
        mark="rect",
        x="the x's",
        y="y",
        color="n",
        labels=True,
    )
    charts = ChartRenderer()
    try:
        for theme, colours in (("light", ["#182224", "#FFFFFF"]), ("dark", ["#FFFFFF", "#182224"])):
            svg = charts.render(made["_spec"], made["_values"], kind="svg", theme=theme).data.decode()
            marks = svg[svg.index("mark-text role-mark") :]
            assert (
                re.findall(r'<text[^>]*fill="(#182224|#FFFFFF)"[^>]*>\d', marks, re.IGNORECASE)[:2] == colours
            )
    finally:
        charts.close()


BAR = {"x": {"field": "region"}, "y": {"field": "revenue", "aggregate": "sum"}}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"mark": "bar", "encoding": {**BAR, "y": {**BAR["y"], "scale": {"zero": False}}}},
            "must start at zero",
        ),
        ({"mark": "bar", "encoding": {**BAR, "y": {**BAR["y"], "scale": {"type": "log"}}}}, "symlog"),
        (
            {
                "layer": [{"mark": {"type": "area"}}],
                "encoding": {**BAR, "y": {**BAR["y"], "scale": {"domain": [5, 40]}}},
            },
            "an area must start at zero",
        ),
        (
            {
                "mark": "line",
                "encoding": {"x": {"field": "part"}, "y": {"field": "region", "aggregate": "sum"}},
            },
            "VARCHAR",
        ),
    ],
)
def test_a_full_specification_must_not_mislead_by_lengths_or_add_up_texts(
    tmp_path: Path, spec: dict[str, Any], said: str
) -> None:
    with pytest.raises(Exception, match=said) as raised:
        draw(tmp_path, sql=SALES, spec=spec)
    assert type(raised.value).__name__ == "ToolError"


@pytest.mark.parametrize(
    "spec",
    [
        {"mark": "point", "encoding": {**BAR, "y": {**BAR["y"], "scale": {"zero": False, "type": "log"}}}},
        {"mark": "bar", "encoding": {**BAR, "y": {**BAR["y"], "scale": {"domain": [0, 99]}}}},
        {
            "transform": [{"calculate": "length(datum.region)", "as": "region"}],
            "mark": "bar",
            "encoding": {"x": {"field": "part"}, "y": {"field": "region", "aggregate": "sum"}},
        },
    ],
)
def test_a_full_specification_that_does_not_mislead_is_drawn(tmp_path: Path, spec: dict[str, Any]) -> None:
    assert draw(tmp_path, sql=SALES, spec=spec)["_spec"]


def test_colouring_by_the_combined_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot also be the color, because its values are combined"):
        draw(tmp_path, sql=SALES, mark="bar", x="region", y="revenue", aggregate="mean", color="revenue")


def test_years_have_no_thousands_separators_in_the_summary(tmp_path: Path) -> None:
    years = "SELECT 2000 + range AS year, range * 1000 AS v FROM range(9)"
    made = draw(tmp_path, sql=years, mark="line", x="year", y="v")
    assert "year: 2000 to 2008. v: 0 " in made["summary"]
    whole = {"mark": "point", "encoding": {"x": {"field": "year"}, "y": {"field": "v"}}}
    assert "year: 2000 to 2008." in draw(tmp_path, sql=years, spec=whole)["summary"]


@pytest.mark.parametrize(("low", "cut"), [(51, True), (50, False), (0, False), (-80, False)])
def test_the_axis_of_a_line_far_from_zero_does_not_start_at_zero_and_a_note_says_so(
    tmp_path: Path, low: int, cut: bool
) -> None:
    rows = f"SELECT unnest([1, 2, 3]) AS n, unnest([{low}, 90, 100]) AS v"
    made = draw(tmp_path, sql=rows, mark="line", x="n", y="v")
    assert (made["_spec"]["encoding"]["y"].get("scale") == {"zero": False}) is cut
    for said in (made["summary"], " ".join(made["notes"])):
        assert ("The axis of v does not start at 0." in said) is cut
    assert "scale" not in draw(tmp_path, sql=rows, mark="area", x="n", y="v")["_spec"]["encoding"]["y"]


def test_bars_with_a_line_on_top_still_start_at_zero(tmp_path: Path) -> None:
    rows = "SELECT unnest([1, 2, 3]) AS n, unnest([80, 90, 100]) AS v, unnest([9, 8, 7]) AS w"
    made = draw(tmp_path, sql=rows, mark="line", x="n", y="v", layers=[{"mark": "bar", "y": "w"}])
    assert "does not start" not in made["summary"]


def test_a_plural_column_name_is_kept_in_the_summary(tmp_path: Path) -> None:
    rows = "SELECT unnest([1, 2, 3]) AS months_after, unnest([4, 5, 6]) AS v"
    made = draw(tmp_path, sql=rows, mark="line", x="months_after", y="v")
    assert "Each mark is one value of months after." in made["summary"]


DAYS = (
    "SELECT DATE '2026-01-01' + INTERVAL (range) DAY AS day, range % 7 AS n, CAST(range % 2 AS VARCHAR) AS k "
    "FROM range(90)"
)


def test_a_grain_rounds_times_in_the_query_and_names_the_axis(tmp_path: Path) -> None:
    made = draw(tmp_path, sql=DAYS, mark="bar", x="day", y="n", grain="month", aggregate="sum")
    assert [row["sum of n"] for row in made["_values"]] == [
        sum(n % 7 for n in days) for days in (range(31), range(31, 59), range(59, 90))
    ]
    assert made["_spec"]["encoding"]["x"]["title"] == "month of day"
    assert any("Each mark is the sum of n for one month of day" in note for note in made["notes"])


def test_a_grain_on_a_column_without_times_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        Exception, match="grain: needs a column of dates or times as x; “k” is of type VARCHAR"
    ):
        draw(tmp_path, sql=DAYS, mark="bar", x="k", y="n", grain="month", aggregate="sum")


def test_a_range_cuts_the_axis_and_a_note_says_what_is_outside(tmp_path: Path) -> None:
    made = draw(tmp_path, sql=DAYS, mark="point", x="day", y="n", range=[2, 5])
    assert made["_spec"]["encoding"]["y"]["scale"] == {"domain": [2.0, 5.0], "nice": False}
    assert made["_spec"]["mark"]["clip"] is True
    outside = sum(not 2 <= n % 7 <= 5 for n in range(90))
    assert f"{outside} rows outside the range 2 to 5: cut off at the edge of the chart." in made["notes"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"mark": "bar", "range": [2, 5]}, "the range must contain 0"),
        ({"mark": "point", "range": [5, 2]}, "the lower one first"),
        ({"mark": "line", "range": [0, 5], "scale": "log", "color": "k"}, "cannot show 0 or less"),
    ],
)
def test_a_range_that_would_mislead_is_refused(tmp_path: Path, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(Exception, match=told):
        draw(tmp_path, sql=DAYS.replace("% 7", "% 7 + 1"), x="day", y="n", **asked)


def test_axis_titles_belong_to_the_axes_as_drawn(tmp_path: Path) -> None:
    lying = draw(
        tmp_path, sql=SALES, mark="bar", x="revenue", y="region", color="part", x_title="Euros", y_title=""
    )
    encoding = lying["_spec"]["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("Euros", None)


def test_a_palette_colours_groups_shades_and_single_marks(tmp_path: Path) -> None:
    groups = draw(tmp_path, sql=DAYS, mark="point", x="day", y="n", color="k", palette="safe")
    assert groups["_spec"]["encoding"]["color"]["scale"]["range"][0] == "#0072B2"
    shades = draw(tmp_path, sql=DAYS, mark="point", x="day", y="n", color="n", palette="viridis")
    assert shades["_spec"]["encoding"]["color"]["scale"] == {"scheme": "viridis"}
    one = draw(tmp_path, sql=DAYS, mark="point", x="day", y="n", palette="green")
    assert one["_spec"]["mark"]["color"] == "#31A354"
    with pytest.raises(Exception, match="palette: soft is for categories"):
        draw(tmp_path, sql=DAYS, mark="point", x="day", y="n", color="n", palette="soft")


def test_rows_without_a_value_and_marks_that_are_not_drawn_are_counted(tmp_path: Path) -> None:
    rows = "SELECT * FROM (VALUES ('a', 9), ('a', NULL), ('b', 2), ('c', NULL)) t(k, n)"
    made = draw(tmp_path, sql=rows, mark="bar", x="k", y="n", aggregate="sum")
    assert "2 rows without n: not included in the sum." in made["notes"]
    assert "1 mark without sum of n is not drawn." in made["notes"]
    made = draw(tmp_path, sql=rows, mark="bar", x="k", y="n", aggregate="sum", range=[0, 5])
    assert "1 mark outside the range 0 to 5: cut off at the edge of the chart." in made["notes"]
    counted = draw(tmp_path, sql=rows, mark="bar", x="k", aggregate="count")
    assert not any("without" in note for note in counted["notes"])


@pytest.mark.parametrize(
    ("more", "stack"),
    [
        ({"aggregate": "sum"}, "zero"),
        ({"aggregate": "mean"}, None),
        ({"aggregate": "sum", "stack": "none"}, None),
        ({"aggregate": "sum", "below": True}, None),
    ],
)
def test_areas_are_stacked_only_if_their_parts_add_up(
    tmp_path: Path, more: dict[str, Any], stack: str | None
) -> None:
    low = -1 if more.pop("below", False) else 1
    rows = (
        f"SELECT DATE '2026-01-01' + CAST(i AS INT) AS day, 'k' || i % 2 AS k, {low} AS n FROM range(8) t(i)"
    )
    made = draw(tmp_path, sql=rows, mark="area", x="day", y="n", color="k", **more)
    assert made["_spec"]["encoding"]["y"]["stack"] == stack
    if low < 0:
        with pytest.raises(Exception, match="need values of at least 0; “sum of n” is below 0 in 8 rows"):
            draw(tmp_path, sql=rows, mark="area", x="day", y="n", color="k", aggregate="sum", stack="stacked")


def test_a_pie_of_means_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="but mean values do not"):
        draw(
            tmp_path,
            sql="SELECT 'a' AS k, 1 AS n UNION ALL SELECT 'b', 2",
            mark="arc",
            x="k",
            y="n",
            aggregate="mean",
        )


@pytest.mark.parametrize(
    ("names", "lying", "height", "said"),
    [(60, True, 900, False), (60, False, 320, True), (20, False, 320, False), (400, True, 320, True)],
)
def test_horizontal_bars_have_a_row_for_each_name_and_missing_names_are_reported(
    tmp_path: Path, names: int, lying: bool, height: int, said: bool
) -> None:
    rows = f"SELECT 'Category ' || i AS k, i AS n FROM range({names}) t(i)"
    how = {"orientation": "horizontal"} if lying else {}
    made = draw(tmp_path, sql=rows, mark="bar", x="k", y="n", **how)
    assert made["_spec"]["height"] == height
    assert any(f"has no room for all {names} names" in note for note in made["notes"]) == said
