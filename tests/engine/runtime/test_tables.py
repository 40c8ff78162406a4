"""A workspace's files as tables: what is found, how it is typed, and that SQL sees nothing else."""

import datetime as dt
import json
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.tables import TableProfile
from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool import table_changes, table_excel, table_types, tables
from anabranch_tool.tables import find_table_files, open_tables, profile


def only(workspace: Path) -> dict[str, Any]:
    (table,) = profile(workspace)["tables"]
    return dict(table)


def types(workspace: Path) -> dict[str, str]:
    return {column["name"]: column["type"] for column in only(workspace)["columns"]}


def rows(workspace: Path, sql: str) -> list[tuple[Any, ...]]:
    opened = open_tables(workspace)
    try:
        return list(opened.connection.execute(sql).fetchall())
    finally:
        opened.close()


def test_a_profile_has_the_shape_that_the_engine_reads(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("city,price\nRome,1.5\nOslo,\nRome,2\n")
    table = TableProfile.model_validate(only(tmp_path))
    city, price = table.columns
    assert (table.name, table.path, table.rows) == ("a", "a.csv", 3)
    assert city.values == ("Rome", "Oslo")
    assert city.values_complete
    assert (price.type, price.missing, price.minimum, price.maximum) == ("DOUBLE", 1, "1.5", "2.0")


def test_names_are_sanitised_unique_and_the_same_every_time(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    for path in ("Sales 2024.csv", "order.csv", "2020.csv", "x.csv", "x.tsv", "results/x.csv", ".hidden.csv"):
        (tmp_path / path).write_text("a\tb\n1\t2\n" if path.endswith("tsv") else "a,b\n1,2\n")
    names = {table.path: table.name for table in find_table_files(tmp_path)}
    assert names == {
        "2020.csv": "t_2020",
        "Sales 2024.csv": "sales_2024",
        "order.csv": "order_data",
        "x.csv": "x",
        "x.tsv": "x_tsv",
        "results/x.csv": "results_x",
    }


@pytest.mark.parametrize("missing", ["", "NA", "N/A", "null", "NaN", "-", "?"])
def test_words_for_a_missing_number_are_missing(tmp_path: Path, missing: str) -> None:
    (tmp_path / "a.csv").write_text(f"n,m\n1,x\n{missing},x\n3,x\n")
    assert rows(tmp_path, "SELECT n FROM a") == [(1,), (None,), (3,)]


def test_real_text_is_not_taken_for_missing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("continent,extra\nEU,None\nNA,unknown\nAS,none\n")
    assert rows(tmp_path, "SELECT continent, extra FROM a") == [
        ("EU", "None"),
        ("NA", "unknown"),
        ("AS", "none"),
    ]


def test_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zip,n\n01234,1\n90210,2\n")
    assert types(tmp_path) == {"zip": "VARCHAR", "n": "BIGINT"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Jun 12 1998", dt.date(1998, 6, 12)),
        ("12.06.1998", dt.date(1998, 6, 12)),
        ("25/06/1998", dt.date(1998, 6, 25)),
        ("06/25/1998", dt.date(1998, 6, 25)),
        ("June 12, 1998", dt.date(1998, 6, 12)),
        ("1998-06-12", dt.date(1998, 6, 12)),
        ("1998-06", dt.date(1998, 6, 1)),
        ("1998-06-12 14:30", dt.datetime.fromisoformat("1998-06-12T14:30")),
    ],
)
def test_dates_in_many_spellings_become_dates(tmp_path: Path, written: str, read: Any) -> None:
    (tmp_path / "a.csv").write_text(f'd,n\n"{written}",1\n"{written}",2\n')
    assert rows(tmp_path, "SELECT d FROM a LIMIT 1") == [(read,)]


def test_a_date_that_was_read_from_text_is_told_in_the_note(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('d,n\n"Jun 12 1998",1\n')
    assert "read as a date" in only(tmp_path)["note"]


@pytest.mark.parametrize(
    ("written", "read"),
    [("$1,234.50", 1234.5), ("1.234,50", 1234.5), ("12 %", 12), ("1,234", 1234), ("€ 5", 5)],
)
def test_numbers_as_people_write_them_become_numbers(tmp_path: Path, written: str, read: float) -> None:
    (tmp_path / "a.csv").write_text(f'n;t\n"{written}";a\n"{written}";b\n')
    assert rows(tmp_path, "SELECT n FROM a LIMIT 1") == [(read,)]


def test_a_column_that_is_half_text_stays_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,t\n1,a\ntwo,b\n3,c\n")
    assert types(tmp_path)["n"] == "VARCHAR"


def test_a_few_values_that_are_no_number_are_missing_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "n,t\n" + "".join(f"{number},a\n" for number in range(200)) + "twelve,b\n"
    )
    table = only(tmp_path)
    assert table["columns"][0]["type"] == "BIGINT"
    assert "“twelve”" in table["note"]


@pytest.mark.parametrize(
    ("collected_up_to", "few"),
    [(200_000, 50_000), (0, 50_000), (0, -1)],
    ids=["few rows", "many rows", "many values"],
)
def test_columns_are_typed_the_same_however_many_rows_there_are(
    tmp_path: Path, collected_up_to: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_types, "_COLLECTED_UP_TO", collected_up_to)
    monkeypatch.setattr(table_types, "_FEW_VALUES", few)
    (tmp_path / "a.csv").write_text(
        "whole,part,code,flag,day,word,land,none\n"
        "1,0.5,0123,true,2024-01-31,a,DE,\n"
        "-,1e3,9876,FALSE,2024-02-01,b,NA,\n"
        "1,,0123,true,,a,DE,\n"
    )
    assert types(tmp_path) == {
        "whole": "BIGINT",
        "part": "DOUBLE",
        "code": "VARCHAR",
        "flag": "BOOLEAN",
        "day": "DATE",
        "word": "VARCHAR",
        "land": "VARCHAR",
        "none": "VARCHAR",
    }
    assert rows(tmp_path, "SELECT count(whole), sum(whole), count(land), count(day) FROM a") == [(2, 2, 3, 2)]


def test_values_with_space_around_them_are_read_without(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('n,m,t\n" 1 "," 1.5 "," x "\n"2 ",NA," NA "\n')
    assert rows(tmp_path, "FROM a") == [(1, 1.5, "x"), (2, None, None)]


def test_a_file_that_is_known_is_not_looked_into_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("known", "new"):
        (tmp_path / f"{name}.csv").write_text("city,price\nRome,1\n")
    opened: list[str] = []

    def counted(workspace: Path, **wanted: Any) -> Any:
        found = open_tables(workspace, **wanted)
        opened.extend(file.path for file in found.files.values())
        return found

    monkeypatch.setattr(tables, "open_tables", counted)
    found = table_changes.profile_new(tmp_path, ["known.csv"])
    assert [table["path"] for table in found["tables"]] == opened == ["new.csv"]
    assert [path for path, *_ in found["names"]] == ["known.csv", "new.csv"]


def test_a_long_table_takes_hardly_longer_than_its_texts(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w") as file:
        file.write("id,day,city,code,amount\n")
        file.writelines(
            f"{n},2024-01-{n % 28 + 1:02d},City{n % 9},product-{n % 200},{n * 7919 % 50_000 / 100:.2f}\n"
            for n in range(250_000)
        )
    began = time.process_time()
    with duckdb.connect() as plain:
        plain.execute("SET threads = 1")
        plain.execute(
            f"CREATE TABLE a AS FROM read_csv('{tmp_path}/a.csv', all_varchar = true, sample_size = -1)"
        )
    once = time.process_time() - began
    opened = open_tables(tmp_path)
    taken = time.process_time() - began - once
    opened.close()
    assert taken < 6 * once


@pytest.mark.parametrize("value", ['"Rome, again"', "'Rome'"])
def test_a_quotation_mark_that_comes_late_in_a_long_file_is_seen(
    tmp_path: Path, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_LONG", 10)
    monkeypatch.setattr(tables, "_SNIFFED_ROWS", 2)
    lines = "".join(f"{n},Oslo\n" for n in range(5_000))
    (tmp_path / "a.csv").write_text(f"n,city\n{lines}5000,{value}\n")
    assert rows(tmp_path, "SELECT max(n), count(*) FROM a") == [(5000, 5001)]
    assert rows(tmp_path, "SELECT city FROM a WHERE n = 5000") == [(value.strip("'\""),)]


def test_a_long_file_that_its_first_rows_mislead_about_is_read_by_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_LONG", 10)
    monkeypatch.setattr(tables, "_SNIFFED_ROWS", 2)
    lines = "".join(f"{n};1,5\n" for n in range(3_000))
    (tmp_path / "a.csv").write_text(f"n;x\n{lines}3000;\n")
    assert rows(tmp_path, "SELECT max(n), count(x) FROM a") == [(3000, 3000)]


def test_other_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("stadt,n\nMünchen,1\n".encode("cp1252"))
    (tmp_path / "wide.csv").write_bytes("stadt,n\nKöln,1\n".encode("utf-16"))
    assert rows(tmp_path, "SELECT stadt FROM old") == [("München",)]
    assert rows(tmp_path, "SELECT stadt FROM wide") == [("Köln",)]


def test_lines_that_do_not_fit_do_not_cost_the_others(tmp_path: Path) -> None:
    body = "".join(f"{number},x\n" for number in range(100))
    (tmp_path / "a.csv").write_text("a,b\n" + body + '7,"unclosed\n')
    assert rows(tmp_path, "SELECT count(*) >= 100 FROM a") == [(True,)]


def test_json_of_several_shapes_becomes_tables(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(json.dumps([{"a": 1, "t": "x"}, {"a": None, "t": 5}]))
    (tmp_path / "lines.ndjson").write_text('{"a": 1, "b": {"c": "x"}}\n{"a": 2, "b": {"c": "y"}}\n')
    (tmp_path / "held.json").write_text(json.dumps({"rows": [{"a": 1}, {"a": 2}]}))
    assert rows(tmp_path, "SELECT a, t FROM list") == [(1, "x"), (None, "5")]
    assert rows(tmp_path, "SELECT b_c FROM lines") == [("x",), ("y",)]
    assert rows(tmp_path, "SELECT sum(a) FROM held") == [(3,)]


def test_a_file_that_is_no_table_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{not json")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    found = profile(tmp_path)
    assert found["tables"] == []
    assert set(found["unread"]) == {"bad.json", "bad.parquet"}


def test_sheets_of_a_workbook_find_their_header_and_types(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = [
        ["Report 2024", "", ""],
        ["city", "day", "n"],
        ["Rome", dt.date(2024, 1, 2), 3.0],
        ["Oslo", "", 4.0],
    ]

    class Sheet:
        def to_python(self, skip_empty_area: bool = True) -> list[list[Any]]:
            return cells

    class Workbook:
        sheet_names = ("Data",)

        @classmethod
        def from_path(cls, path: str) -> "Workbook":
            return cls()

        def get_sheet_by_name(self, name: str) -> Sheet:
            return Sheet()

    monkeypatch.setattr(table_excel, "CalamineWorkbook", Workbook)
    (tmp_path / "book.xlsx").write_bytes(b"zip")
    table = only(tmp_path)
    assert (table["name"], table["sheet"], table["rows"]) == ("book", "Data", 2)
    assert [column["type"] for column in table["columns"]] == ["VARCHAR", "DATE", "BIGINT"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "COPY a TO '/tmp/stolen.csv'",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SELECT * FROM read_csv('../a.csv')",
        "SELECT * FROM 'https://example.org/a.csv'",
    ],
)
def test_sql_reaches_nothing_outside_the_workspace(tmp_path: Path, sql: str) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "a.csv").write_text("secret\n1\n")
    (tmp_path / "w" / "a.csv").write_text("n\n1\n")
    with pytest.raises(duckdb.Error):
        rows(tmp_path / "w", sql)


def test_python_objects_are_not_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n")
    opened = open_tables(tmp_path)
    secret = [{"n": 1}]
    with pytest.raises(duckdb.Error):
        opened.connection.execute("SELECT * FROM secret")
    assert secret
    opened.close()


def test_many_values_are_cut_and_said_to_be_incomplete(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t\n" + "".join(f"word{number}\n" for number in range(5_200)))
    (column,) = only(tmp_path)["columns"]
    assert (len(column["values"]), column["values_complete"], column["distinct"]) == (5_000, False, 5_200)


def test_columns_and_files_with_names_that_sql_uses_are_tables_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "semi.csv").write_text("v,count,position\na,1,2\nb,3,4\n")
    (tmp_path / "left.csv").write_text("k,v\nx,1\n")
    (found, other) = sorted(profile(tmp_path)["tables"], key=lambda table: table["path"], reverse=True)
    assert [column["name"] for column in found["columns"]] == ["v", "count", "position"]
    opened = open_tables(tmp_path)
    for table in (found, other):
        assert opened.connection.execute(f"SELECT count(*) FROM {table['name']} GROUP BY ALL").fetchall()
    opened.close()
