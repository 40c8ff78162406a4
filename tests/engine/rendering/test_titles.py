"""Headings of tables without a title."""

import pytest

from engine.rendering.titles import table_title

UNITS = [("region", "VARCHAR"), ("units", "BIGINT")]
GROUPED = "SELECT region, sum(units) AS units FROM orders GROUP BY 1"
WIDE = [(f"c_{n}", "VARCHAR") for n in range(5)]


@pytest.mark.parametrize(
    ("title", "name", "sql", "columns", "said"),
    [
        ("Units", "result", GROUPED, UNITS, "Units"),
        ("Result 2", "result_2", GROUPED, UNITS, "Units by region"),
        ("Result", "by_region_2", GROUPED, UNITS, "By region 2"),
        (None, None, GROUPED, [("month", "BIGINT"), *UNITS], "Units by month and region"),
        (None, None, "SELECT count(*) AS n FROM orders", [("n", "BIGINT")], "N from orders"),
        (None, None, "SELECT * FROM orders o JOIN shops s USING (id)", WIDE, "Rows from orders and shops"),
        (None, None, "SELECT a FROM x -- FROM y", WIDE, "C 0, c 1, c 2 and 2 more from x"),
        (
            None,
            None,
            'WITH a AS (SELECT * FROM "my sales") SELECT n FROM a',
            [("n", "INT")],
            "N from my sales",
        ),
        (None, None, "SELECT v FROM range(3) t(v)", [("v", "BIGINT")], "V"),
        (None, None, "SELECT extract(year FROM day) AS y FROM log", [("y", "BIGINT")], "Y from log"),
        ("Result", None, None, [], "Result"),
        (None, None, None, [], "Result"),
    ],
)
def test_a_table_is_named_by_its_title_its_name_or_its_content(
    title: str | None, name: str | None, sql: str | None, columns: list[tuple[str, str]], said: str
) -> None:
    assert table_title(title, name, sql, columns) == said
