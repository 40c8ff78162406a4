"""The data-analyst bundle: its manifest and its three tools, run in process over small workspaces."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.support.ask_offline import BUNDLE, ROOT, ask, bundle_module


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(
        "city,day,amount\nRome,2024-01-05,10\nOslo,2024-02-05,20\nRome,2024-02-09,30.5\n"
    )
    return tmp_path


def run(tool: str, workspace: Path, **arguments: Any) -> dict[str, Any]:
    result = bundle_module(tool).run(workspace, **arguments)
    json.dumps(result, allow_nan=False)
    return dict(result)


def test_the_manifest_names_functions_that_exist_and_schemas_that_hold() -> None:
    manifest = yaml.safe_load((BUNDLE / "toolset.yaml").read_text())
    assert (manifest["id"], manifest["version"], manifest["manifest_version"]) == (
        "data-analyst",
        "1.0.0",
        "1",
    )
    assert [tool["id"] for tool in manifest["tools"]] == ["query", "chart", "describe"]
    for tool in manifest["tools"]:
        Draft202012Validator.check_schema(tool["input_schema"])
        for example in tool["examples"]:
            Draft202012Validator(tool["input_schema"]).validate(example["args"])
        module, function = tool["entrypoint"].split(":")
        bundle_module(tool["id"])
        assert callable(getattr(importlib.import_module(module), function))


def test_a_query_keeps_its_result_as_a_file_and_shows_its_first_rows(shop: Path) -> None:
    result = run(
        "query",
        shop,
        sql="SELECT city, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1",
        title="By city",
    )
    assert result["sample"] == [["Oslo", 20.0], ["Rome", 40.5]]
    assert result["columns"] == [{"name": "city", "type": "VARCHAR"}, {"name": "total", "type": "DOUBLE"}]
    assert (result["rows"], result["shown_to_model"], result["file"]) == (2, 2, "results/by-city.parquet")
    assert duckdb.read_parquet(str(shop / result["file"])).fetchall() == [("Oslo", 20.0), ("Rome", 40.5)]


def test_the_same_query_twice_writes_two_files_with_the_same_bytes(shop: Path) -> None:
    sql = "SELECT * FROM sales ORDER BY day"
    first, second = (run("query", shop, sql=sql, save_as="all")["file"] for _ in range(2))
    assert first != second
    assert (shop / first).read_bytes() == (shop / second).read_bytes()


def test_a_name_for_the_file_cannot_leave_the_results(shop: Path) -> None:
    assert (
        run("query", shop, sql="SELECT 1", save_as="../../etc/passwd")["file"] == "results/etc-passwd.parquet"
    )


def test_whole_sums_stay_whole_in_the_file(shop: Path) -> None:
    file = run("query", shop, sql="SELECT sum(n) AS s FROM (SELECT 9007199254740993 AS n)")["file"]
    assert duckdb.read_parquet(str(shop / file)).fetchall() == [(9007199254740993,)]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT price FROM sales", "There is no column “price”. The columns are: sales (city, day, amount)"),
        ("SELECT * FROM orders", "There is no table “orders”. The tables are: sales."),
        ("SELECT 1; SELECT 2", "one SELECT at a time"),
        ("DELETE FROM sales", "Only SELECT"),
        ("DROP TABLE sales", "Only SELECT"),
        ("COPY sales TO 'x.csv'", "Only SELECT"),
        ("SELEC 1", "not SQL"),
        ("SELECT * FROM read_csv('/etc/passwd')", "Only the tables of this workspace"),
    ],
)
def test_what_cannot_run_is_told_in_plain_words(shop: Path, sql: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        run("query", shop, sql=sql)
    assert not (shop / "results").exists()


def test_a_chart_carries_its_data_and_fetches_nothing(shop: Path) -> None:
    result = run(
        "chart",
        shop,
        sql="SELECT city, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1",
        mark="bar",
        x="city",
        y="total",
    )
    spec = result["spec"]
    assert spec["data"]["values"] == [{"city": "Oslo", "total": 20.0}, {"city": "Rome", "total": 40.5}]
    assert spec["encoding"]["x"]["type"] == "nominal"
    assert "http" not in json.dumps(spec)
    assert "url" not in json.dumps(spec)


def test_dates_along_an_axis_are_temporal(shop: Path) -> None:
    spec = run(
        "chart", shop, sql="SELECT day, amount FROM sales ORDER BY day", mark="line", x="day", y="amount"
    )["spec"]
    assert spec["encoding"]["x"]["type"] == "temporal"


def test_a_histogram_counts_in_bins_of_a_round_width(shop: Path) -> None:
    spec = run("chart", shop, sql="SELECT range AS n FROM range(1000)", mark="histogram", x="n")["spec"]
    assert {row["count"] for row in spec["data"]["values"]} == {50}
    assert spec["encoding"]["x"]["bin"]["step"] == 50


def test_a_chart_of_many_rows_is_thinned_and_says_so(shop: Path) -> None:
    result = run(
        "chart", shop, sql="SELECT range AS x, range * 2 AS y FROM range(20000)", mark="point", x="x", y="y"
    )
    assert len(result["spec"]["data"]["values"]) == 5000
    assert "20,000" in result["note"]


def test_a_chart_names_the_columns_there_are(shop: Path) -> None:
    with pytest.raises(ValueError, match="Its columns are: city"):
        run("chart", shop, sql="SELECT city FROM sales", mark="bar", x="town", y="city")


def test_describe_tells_every_column_and_what_could_not_be_read(shop: Path) -> None:
    (shop / "broken.json").write_text("{")
    result = run("describe", shop)
    assert [column["name"] for column in result["tables"][0]["columns"]] == ["city", "day", "amount"]
    assert result["unread"][0]["path"] == "broken.json"
    with pytest.raises(ValueError, match="The tables are: sales"):
        run("describe", shop, table="nope")


def test_the_sample_data_answers_its_opening_questions(tmp_path: Path) -> None:
    for file in (ROOT / "sample_bundles" / "sample-data").glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    questions = [
        "total revenue by region",
        "monthly revenue as a line chart",
        "which product sells the most units?",
    ]
    for document in (next(ask(tmp_path, [question])) for question in questions):
        assert document["finish"] == "stop"
        assert document["tool_calls"][0]["status"] == "success"
