"""The data-analyst bundle: its manifest and its three tools, run in process over small workspaces."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from engine.toolsets.schema import argument_faults, check_schema
from tests.support.ask_offline import BUNDLE, ROOT, ask, bundle_module
from tests.support.long_cases import mostly_long


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


def test_the_manifest_has_existing_functions_and_valid_schemas_and_examples() -> None:
    manifest = yaml.safe_load((BUNDLE / "toolset.yaml").read_text())
    assert (manifest["id"], manifest["manifest_version"]) == ("data-analyst", "1")
    assert [tool["id"] for tool in manifest["tools"]] == ["query", "chart", "describe", "python"]
    for tool in manifest["tools"]:
        assert check_schema(tool["input_schema"]) == []
        for example in tool["examples"]:
            assert argument_faults(tool["input_schema"], example["args"]) == []
        module, function = tool["entrypoint"].split(":")
        bundle_module(tool["id"])
        assert callable(getattr(importlib.import_module(module), function))


def test_a_query_saves_its_result_as_a_named_table_and_returns_its_first_rows(shop: Path) -> None:
    result = run(
        "query",
        shop,
        sql="SELECT city, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1",
        title="By city",
    )
    assert result["table"] == "by_city"
    assert result["rows"] == [["Oslo", 20.0], ["Rome", 40.5]]
    assert [column["name"] for column in result["columns"]] == ["city", "total"]
    assert (result["row_count"], result["_file"]) == (2, "results/by_city.parquet")
    again = run("query", shop, sql="SELECT max(total) AS most FROM by_city")
    assert (again["table"], again["rows"]) == ("result", [[40.5]])


def test_the_part_of_a_result_sent_to_the_model_stays_within_eight_kilobytes(shop: Path) -> None:
    """For any number of rows and columns, and any length of texts; cuts are reported."""
    wide = ", ".join(f"range AS column_number_{number}" for number in range(400))
    for sql, said in (
        ("SELECT * FROM range(100000)", "The first 50 of 100,000 rows"),
        ("SELECT repeat('abc ', 5000) AS text FROM range(50)", "Texts longer than 200 characters are cut"),
        (f"SELECT {wide} FROM range(50)", "The first 60 of 400 columns"),
    ):
        result = run("query", shop, sql=sql)
        told = {key: value for key, value in result.items() if not key.startswith("_")}
        assert len(json.dumps(told, ensure_ascii=False).encode()) <= 8_192
        assert said in " ".join(result["notes"])
        assert "sql" not in told


def test_a_result_with_a_name_that_is_in_use_gets_a_number(shop: Path) -> None:
    """It hides neither a file's table nor an earlier result."""
    names = [
        run("query", shop, sql="SELECT 1 AS one", name=name)["table"] for name in ("sales", "all", "all")
    ]
    assert names == ["sales_2", "all_data", "all_data_2"]


def test_the_same_query_twice_writes_the_same_bytes(shop: Path) -> None:
    sql = "SELECT * FROM sales ORDER BY day"
    first, second = (run("query", shop, sql=sql, name="everything")["_file"] for _ in range(2))
    assert first != second
    assert (shop / first).read_bytes() == (shop / second).read_bytes()


def test_a_result_name_cannot_leave_the_folder_of_results(shop: Path) -> None:
    assert (
        run("query", shop, sql="SELECT 1", name="../../etc/passwd")["_file"] == "results/etc_passwd.parquet"
    )


def test_sums_of_whole_numbers_stay_whole_in_the_file(shop: Path) -> None:
    file = run("query", shop, sql="SELECT sum(n) AS s FROM (SELECT 9007199254740993 AS n)")["_file"]
    assert duckdb.read_parquet(str(shop / file)).fetchall() == [(9007199254740993,)]


@pytest.mark.parametrize(
    "sql",
    mostly_long(
        [
            "PIVOT sales ON city USING sum(amount)",
            "WITH p AS (PIVOT sales ON city USING sum(amount)) SELECT * FROM p",
            "UNPIVOT (SELECT amount, 1 AS one FROM sales) ON amount, one",
            "SUMMARIZE sales",
            "DESCRIBE sales",
            "FROM sales",
            "FROM sales SELECT city",
            "VALUES (1, 2)",
            "TABLE sales",
            "(SELECT 1) UNION ALL (SELECT 2)",
            "SELECT * FROM sales QUALIFY row_number() OVER (PARTITION BY city ORDER BY day) = 1",
            "SELECT a.city FROM sales a ASOF JOIN sales b ON a.day >= b.day",
            "SELECT city FROM sales; -- the end",
            "/* first */ SELECT city -- a comment\nFROM sales",
        ],
        quick=range(0, 14, 3),
    ),
)
def test_every_form_of_select_runs(shop: Path, sql: str) -> None:
    assert run("query", shop, sql=sql)["row_count"] > 0


@pytest.mark.parametrize(
    ("sql", "words"),
    mostly_long(
        [
            ("SELECT citty FROM sales", 'Candidate bindings: "city"'),
            ("SELECT citty FROM sales", "The columns are: sales (city, day, amount)"),
            ("SELECT *\nFROM orders", "LINE 2: FROM orders"),
            ("SELECT * FROM orders", "The tables are: sales."),
            ("SELECT sum(city) FROM sales", "Candidate functions"),
            ("SELECT city, sum(amount) FROM sales", "must appear in the GROUP BY"),
            ("SELECT 1; SELECT 2", "one SELECT at a time"),
            ("DELETE FROM sales", "only SELECT"),
            ("DROP TABLE sales", "only SELECT"),
            ("COPY sales TO 'x.csv'", "only SELECT"),
            ("SELEC 1", "LINE 1: SELEC 1"),
            ("SELECT * FROM read_csv('/etc/passwd')", "Only the tables of this workspace"),
        ],
        quick=range(0, 12, 3),
    ),
)
def test_an_error_is_duckdbs_own_with_a_list_of_the_existing_names(shop: Path, sql: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as refused:
        run("query", shop, sql=sql)
    assert "CREATE TEMP TABLE" not in str(refused.value)
    assert not (shop / "results").exists()


def test_describe_lists_every_column_and_values_that_could_not_be_read(shop: Path) -> None:
    (shop / "broken.json").write_text("{")
    result = run("describe", shop)
    assert [column["name"] for column in result["tables"][0]["columns"]] == ["city", "day", "amount"]
    assert result["unread"][0]["path"] == "broken.json"
    with pytest.raises(ValueError, match="The tables are: sales"):
        run("describe", shop, table="nope")


def test_the_suggested_questions_can_be_answered_from_the_sample_data(tmp_path: Path) -> None:
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
