"""A workspace's files as tables: which are found, how they are typed, and that SQL can read nothing else."""

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import xlsxwriter

from engine.workspace.table_facts import TableProfile
from tests.support.ask_offline import ROOT
from tests.support.reading import only_table, queried, types

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.table_names import reserved_words
from anabranch_tool.tables import find_table_files, open_tables, profile


def test_a_profile_has_the_structure_that_the_engine_reads(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("city,price\nRome,1.5\nOslo,\nRome,2\n")
    table = TableProfile.model_validate(only_table(tmp_path))
    city, price = table.columns
    assert (table.name, table.path, table.rows) == ("a", "a.csv", 3)
    assert city.values == ("Rome", "Oslo")
    assert city.values_complete
    assert (price.type, price.missing, price.minimum, price.maximum) == ("DECIMAL(18,3)", 1, "1.5", "2")


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
def test_words_that_mean_a_missing_number_are_read_as_missing(tmp_path: Path, missing: str) -> None:
    (tmp_path / "a.csv").write_text(f"n,m\n1,x\n{missing},x\n3,x\n")
    assert queried(tmp_path, "SELECT n FROM a") == [(1,), (None,), (3,)]


def test_real_text_is_not_mistaken_for_missing_values(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("continent,extra\nEU,None\nNA,unknown\nAS,none\n")
    assert queried(tmp_path, "SELECT continent, extra FROM a") == [
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
def test_dates_in_many_formats_become_dates(tmp_path: Path, written: str, read: Any) -> None:
    (tmp_path / "a.csv").write_text(f'd,n\n"{written}",1\n"{written}",2\n')
    assert queried(tmp_path, "SELECT d FROM a LIMIT 1") == [(read,)]


def test_a_date_that_was_read_from_text_is_reported_in_the_note(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('d,n\n"Jun 12 1998",1\n')
    assert only_table(tmp_path)["columns"][0]["notes"] == ["d: read as dates."]


@pytest.mark.parametrize(
    ("written", "read"),
    [("$1,234.50", 1234.5), ("1.234,50", 1234.5), ("12 %", 12), ("1,234", 1234), ("€ 5", 5)],
)
def test_numbers_in_many_formats_become_numbers(tmp_path: Path, written: str, read: float) -> None:
    (tmp_path / "a.csv").write_text(f'n;t\n"{written}";a\n"{written}";b\n')
    assert queried(tmp_path, "SELECT n FROM a LIMIT 1") == [(read,)]


def test_a_column_that_is_half_text_stays_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,t\n1,a\ntwo,b\n3,c\n")
    assert types(tmp_path)["n"] == "VARCHAR"


def test_a_few_values_that_are_not_numbers_are_missing_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "n,t\n" + "".join(f"{number},a\n" for number in range(200)) + "twelve,b\n"
    )
    table = only_table(tmp_path)
    assert table["columns"][0]["type"] == "BIGINT"
    assert table["columns"][0]["notes"] == ['n: 1 of 201 values is not a number and is left out: "twelve".']


def test_spaces_around_values_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('n,m,t\n" 1 "," 1.5 "," x "\n"2 ",NA," NB "\n')
    assert queried(tmp_path, "FROM a") == [(1, 1.5, "x"), (2, None, "NB")]


def test_other_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("stadt,n\nMünchen,1\n".encode("cp1252"))
    (tmp_path / "wide.csv").write_bytes("stadt,n\nKöln,1\n".encode("utf-16"))
    assert queried(tmp_path, "SELECT stadt FROM old") == [("München",)]
    assert queried(tmp_path, "SELECT stadt FROM wide") == [("Köln",)]


def test_invalid_lines_do_not_lose_the_other_lines(tmp_path: Path) -> None:
    body = "".join(f"{number},x\n" for number in range(100))
    (tmp_path / "a.csv").write_text("a,b\n" + body + '7,"unclosed\n')
    assert queried(tmp_path, "SELECT count(*) >= 100 FROM a") == [(True,)]


def test_json_of_several_shapes_becomes_tables(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(json.dumps([{"a": 1, "t": "x"}, {"a": None, "t": 5}]))
    (tmp_path / "lines.ndjson").write_text('{"a": 1, "b": {"c": "x"}}\n{"a": 2, "b": {"c": "y"}}\n')
    (tmp_path / "held.json").write_text(json.dumps({"rows": [{"a": 1}, {"a": 2}]}))
    assert queried(tmp_path, "SELECT a, t FROM list") == [(1, "x"), (None, "5")]
    assert queried(tmp_path, "SELECT b_c FROM lines") == [("x",), ("y",)]
    assert queried(tmp_path, "SELECT sum(a) FROM held") == [(3,)]


def test_a_file_that_is_not_a_table_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{not json")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    found = profile(tmp_path)
    assert found["tables"] == []
    assert set(found["unread"]) == {"bad.json", "bad.parquet"}


def test_sheets_of_a_workbook_find_their_header_and_types(tmp_path: Path) -> None:
    book = xlsxwriter.Workbook(str(tmp_path / "book.xlsx"))
    sheet = book.add_worksheet("Data")
    for at, row in enumerate(
        (["Report 2024"], ["city", "day", "n"], ["Rome", None, 3.0], ["Oslo", None, 4.0])
    ):
        sheet.write_row(at, 0, row)
    sheet.write_datetime(2, 1, dt.date(2024, 1, 2), book.add_format({"num_format": "yyyy-mm-dd"}))
    book.close()
    table = only_table(tmp_path)
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
        queried(tmp_path / "w", sql)


def test_python_variables_cannot_be_queried_as_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n")
    opened = open_tables(tmp_path)
    secret = [{"n": 1}]
    with pytest.raises(duckdb.Error):
        opened.connection.execute("SELECT * FROM secret")
    assert secret
    opened.close()


def test_a_long_list_of_values_is_cut_and_marked_as_incomplete(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t\n" + "".join(f"word{number}\n" for number in range(5_200)))
    (column,) = only_table(tmp_path)["columns"]
    assert (len(column["values"]), column["values_complete"], column["distinct"]) == (5_000, False, 5_200)


def test_columns_and_files_named_like_sql_keywords_are_ordinary_tables(tmp_path: Path) -> None:
    (tmp_path / "semi.csv").write_text("v,count,position\na,1,2\nb,3,4\n")
    (tmp_path / "left.csv").write_text("k,v\nx,1\n")
    (found, other) = sorted(profile(tmp_path)["tables"], key=lambda table: table["path"], reverse=True)
    assert [column["name"] for column in found["columns"]] == ["v", "count", "position"]
    opened = open_tables(tmp_path)
    for table in (found, other):
        assert opened.connection.execute(f"SELECT count(*) FROM {table['name']} GROUP BY ALL").fetchall()
    opened.close()


def test_the_words_that_need_quotes_are_the_same_as_in_duckdb() -> None:
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        ).fetchall()
    assert reserved_words() == {word for (word,) in found}


def test_words_for_missing_values_are_counted_in_number_columns_and_kept_in_text_columns(
    tmp_path: Path,
) -> None:
    names = "Ann,1,2024-01-01\nNull,#N/A,n/a\nNA,-,2024-01-03\nNone,4,2024-01-04\n"
    (tmp_path / "a.csv").write_text("surname,n,day\n" + names)
    found = queried(tmp_path, "SELECT surname, n, day IS NULL FROM a")
    assert found == [("Ann", 1, False), ("Null", None, True), ("NA", None, False), ("None", 4, False)]
    surname, n, day = only_table(tmp_path)["columns"]
    assert surname["missing"] == 0
    assert surname["notes"] == [
        "surname: 3 values (“NA”, “None”, “Null”) are kept as text, not read as missing.",
    ]
    assert (n["missing"], n["notes"]) == (2, ["n: 2 values (“#N/A”, “-”) are read as missing."])
    assert day["notes"] == ["day: 1 value (“n/a”) is read as missing."]


def test_a_rare_word_for_a_missing_number_is_counted_even_if_no_sample_contains_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "n,t\n" + "".join(f"{'NA' if n == 40_011 else n},x{n}\n" for n in range(60_000))
    )
    (n, _) = only_table(tmp_path)["columns"]
    assert (n["type"], n["missing"], n["notes"]) == ("BIGINT", 1, ["n: 1 value (“NA”) is read as missing."])


@pytest.mark.long
def test_hundreds_of_columns_are_described(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        ",".join(f"c{n}" for n in range(600)) + "\n" + f"{','.join(['7'] * 600)}\n" * 5
    )
    columns = only_table(tmp_path)["columns"]
    assert len(columns) == 600
    assert {(c["distinct"], c["minimum"], tuple(c["values"])) for c in columns} == {(1, "7", ("7",))}
