"""Messy files are read correctly: unreadable values are counted and quoted, and no row or value is dropped silently."""

import datetime as dt
import gzip
import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from tests.support.ask_offline import ROOT
from tests.support.reading import only_table, queried, types

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.tables import notes_for, open_tables, profile, write_result

from tests.support.long_cases import mostly_long

BODY = "".join(f"{n},{n * 1.5:.2f},c{n % 3}\n" for n in range(400))


def test_values_that_are_not_numbers_are_quoted_and_counted_separately_from_missing_ones(
    tmp_path: Path,
) -> None:
    odd = {7: "1 100", 50: "abt 900", 60: "", 99: "~1200"}
    (tmp_path / "a.csv").write_text("id,kwh\n" + "".join(f"{n},{odd.get(n, n * 5)}\n" for n in range(400)))
    kwh = only_table(tmp_path)["columns"][1]
    assert (kwh["type"], kwh["missing"], kwh["unreadable"]) == ("BIGINT", 1, 3)
    assert kwh["unreadable_examples"] == ["1 100", "abt 900", "~1200"]
    assert kwh["notes"] == [
        'kwh: 3 of 399 values are not numbers and are left out: "1 100", "abt 900", "~1200".'
    ]


@pytest.mark.parametrize(("zero", "other"), [("-0", "7"), ("-0.0", "7.5"), ("-0.00", "7.25")])
def test_a_zero_with_a_minus_sign_is_a_number(tmp_path: Path, zero: str, other: str) -> None:
    (tmp_path / "a.csv").write_text("n,t\n" + "".join(f"{zero if n == 9 else other},x\n" for n in range(100)))
    assert only_table(tmp_path)["columns"][0].get("unreadable", 0) == 0
    assert queried(tmp_path, "SELECT count(n), min(n) FROM a") == [(100, 0)]


@pytest.mark.parametrize(("odd", "kind"), [(20, "BIGINT"), (21, "VARCHAR")])
def test_a_column_stays_text_if_more_than_one_value_in_twenty_cannot_be_read(
    tmp_path: Path, odd: int, kind: str
) -> None:
    (tmp_path / "a.csv").write_text("n,t\n" + "".join(f"{'odd' if n < odd else n},x\n" for n in range(400)))
    assert types(tmp_path)["n"] == kind


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f", "\u2009"])
def test_spaces_that_group_digits_throughout_a_column_are_part_of_numbers(tmp_path: Path, space: str) -> None:
    (tmp_path / "a.csv").write_text(f"n;t\n1{space}100;a\n900;b\n12{space}000;c\n", encoding="utf-8")
    assert queried(tmp_path, "SELECT sum(n) FROM a") == [(14_000,)]


def test_one_comma_too_many_loses_its_line_and_that_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,amt,city\n" + BODY.replace("\n200,", "\n200,,"))
    found = only_table(tmp_path)
    assert (found["rows"], len(found["columns"])) == (399, 3)
    assert found["notes"] == ["1 line has more than 3 values and is left out: line 202: “200,,300.00,c2”."]


def test_a_line_with_too_few_values_is_filled_up_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,amt,city\n" + BODY.replace("\n300,450.00,c0", "\n300,450.00"))
    found = only_table(tmp_path)
    assert found["rows"] == 400
    assert found["notes"] == [
        "1 line has fewer than 3 values; the last ones are empty: line 302: “300,450.00”."
    ]


@pytest.mark.parametrize(
    "above",
    mostly_long(
        [
            "Sales report 2024\n",
            "Sales report 2024\nGenerated 2024-01-01, by Bob\n\n",
            "# a comment, with a comma\n# another\n",
            "Report,,\n,,\n",
            "# one, two, three\n",
        ],
        quick=(0, 4),
    ),
)
def test_the_header_is_searched_for_below_title_lines(tmp_path: Path, above: str) -> None:
    (tmp_path / "a.csv").write_text(f"{above}id,amt,city\n{BODY}")
    found = only_table(tmp_path)
    assert types(tmp_path) == {"id": "BIGINT", "amt": "DECIMAL(18,4)", "city": "VARCHAR"}
    assert found["rows"] == 400
    assert "above the header" in found["notes"][0]


def test_remarks_below_a_table_are_left_out_a_total_is_kept_and_both_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,amt,city\n{BODY}Total,119700.00,\n\nSource: our own books\n")
    found = only_table(tmp_path)
    assert found["rows"] == 401
    assert any("below the table is left out: “Source: our own books”" in note for note in found["notes"])
    (tmp_path / "a.csv").write_text(f"id,amt,city\n{BODY}Total,119700.00,\n")
    assert any("looks like a total" in note for note in only_table(tmp_path)["notes"])


@pytest.mark.parametrize(
    ("text", "names", "told"),
    mostly_long(
        [
            ("1,2.5,x\n2,3.5,y\n", ["column1", "column2", "column3"], "There is no header"),
            ("a,a,,b\n1,2,3,4\n", ["a", "a_2", "column3", "b"], "the same name twice"),
            ("country,1990,1991\nDE,1.5,2\nFR,3,4\n", ["country", "1990", "1991"], ""),
            (",a,b\nx,1,2\ny,3,4\n", ["column1", "a", "b"], "no name for column1"),
            ("a,b,\n1,2,\n3,4,\n", ["a", "b"], ""),
            ("a,b\n1,2,\n3,4,\n", ["a", "b"], ""),
            ("a b\n1 2\n", ["a b"], ""),
        ],
        quick=(0, 1, 3),
    ),
)
def test_headers_with_missing_names_and_missing_headers_are_reported(
    tmp_path: Path, text: str, names: list[str], told: str
) -> None:
    (tmp_path / "a.csv").write_text(text)
    found = only_table(tmp_path)
    assert [column["name"] for column in found["columns"]] == names
    assert told in " ".join(found["notes"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_line_ends_and_line_breaks_in_values_are_detected(
    tmp_path: Path, delimiter: str, end: str
) -> None:
    lines = [["id", "text"], ["1", '"x, y; z"'], ["2", f'"two{end}lines"'], ["3", '"say ""hi"""']]
    (tmp_path / "a.csv").write_bytes("".join(delimiter.join(line) + end for line in lines).encode())
    found = queried(tmp_path, "SELECT id, text FROM a ORDER BY id")
    assert [row[0] for row in found] == [1, 2, 3]
    assert (found[0][1], found[2][1]) == ("x, y; z", 'say "hi"')
    assert found[1][1].replace("\r\n", "\n").replace("\r", "\n") == "two\nlines"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_detected(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes("stadt;wert\nMünchen;1.234,50\nKöln;2,5\n".encode(encoding))
    assert queried(tmp_path, "SELECT stadt, wert FROM a") == [
        ("München", Decimal("1234.5")),
        ("Köln", Decimal("2.5")),
    ]


def test_a_quotation_mark_that_is_never_closed_loses_no_other_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b\n1,x\n7,"unclosed\n8,"fine"\n9,5" pipe\n')
    assert queried(tmp_path, "FROM a") == [(1, "x"), (7, '"unclosed'), (8, "fine"), (9, '5" pipe')]
    assert "never closed" in only_table(tmp_path)["notes"][0]


@pytest.mark.parametrize(
    ("values", "total"),
    [
        (["0.10", "0.20", "0.30"], Decimal("0.6")),
        (["$1,234.50", "($234.50)", "$0.05"], Decimal("1000.05")),
        (["1.234,50 €", "-234,5 €", "0,05 €"], Decimal("1000.05")),
        (["1'234.50", "2'000'000.25"], Decimal("2001234.75")),
        (["5-", "7"], 2),
        (["12 %", "3%"], 15),
    ],
)
def test_sums_of_decimal_text_are_exact(tmp_path: Path, values: list[str], total: Any) -> None:
    (tmp_path / "a.csv").write_text("n;t\n" + "".join(f"{value};x\n" for value in values), encoding="utf-8")
    assert queried(tmp_path, "SELECT sum(n) FROM a") == [(total,)]


def test_a_median_of_decimals_is_not_rounded_to_their_number_of_places(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,t\n1.1,x\n1.2,y\n")
    assert queried(tmp_path, "SELECT median(n), quantile_cont(n, 0.25) FROM a") == [
        (Decimal("1.15"), Decimal("1.125"))
    ]


@pytest.mark.parametrize(
    ("late", "kind", "read"),
    mostly_long(
        [
            ("007", "VARCHAR", "007"),
            ("2.125", "DECIMAL(18,5)", Decimal("2.125")),
            ("1e3", "DOUBLE", 1000.0),
            ("12345678901234567890", "DECIMAL(38,0)", 12345678901234567890),
            ("n/a", "BIGINT", None),
            ("1,234", "BIGINT", 1234),
        ],
        quick=(0, 4),
    ),
)
def test_a_value_at_the_end_of_a_long_file_also_determines_the_column_type(
    tmp_path: Path, late: str, kind: str, read: Any
) -> None:
    (tmp_path / "a.csv").write_text("n;t\n" + "5;x\n" * 60_000 + f"{late};last\n")
    assert types(tmp_path)["n"] == kind
    assert queried(tmp_path, "SELECT n FROM a WHERE t = 'last'") == [(read,)]


def test_dates_are_read_day_first_even_if_only_one_value_shows_this(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("d,t\n" + "01/02/2020,x\n" * 60_000 + "25/02/2020,last\n")
    assert queried(tmp_path, "SELECT DISTINCT d FROM a ORDER BY d") == [
        (dt.date(2020, 2, 1),),
        (dt.date(2020, 2, 25),),
    ]
    assert only_table(tmp_path)["columns"][0]["notes"] == ["d: read as dates: the day first."]


@pytest.mark.long
def test_a_wide_table_is_read_with_little_memory(tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(400))
    line = ",".join(str(n) if n % 3 else f"w{n}" for n in range(400))
    (tmp_path / "a.csv").write_text(f"{names}\n" + f"{line}\n" * 200)
    assert len(types(tmp_path)) == 400


def test_compressed_and_clearly_delimited_texts_are_tables_and_prose_is_not(tmp_path: Path) -> None:
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n3,4\n"))
    (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n" * 1000)[:40])
    (tmp_path / "t.txt").write_text("x\ty\n1\t2\n3\t4\n")
    (tmp_path / "prose.txt").write_text("Hello, world.\nThis is a letter, as you see.\n")
    found = profile(tmp_path)
    assert [(t["path"], t["rows"]) for t in found["tables"]] == [("g.csv.gz", 2), ("t.txt", 2)]
    assert list(found["unread"]) == ["bad.csv.gz"]
    assert "gzip" in found["unread"]["bad.csv.gz"]


def test_lines_that_are_not_json_are_left_out_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1}\n{"a": \n{"a": 2}\n')
    found = only_table(tmp_path)
    assert found["rows"] == 2
    assert found["notes"] == ['1 line is not valid JSON and is left out: line 2: “{"a":”.']


def test_each_table_of_a_sqlite_database_is_a_table(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.execute("CREATE TABLE orders (id INTEGER, amount NUMERIC, day TEXT, picture BLOB)")
        database.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            [(n, "abt 9" if n == 7 else n / 4, "2024-01-02", b"\x01") for n in range(100)],
        )
        database.execute("CREATE TABLE customers (name TEXT)")
        database.execute("CREATE VIEW v AS SELECT * FROM orders")
        database.commit()
    orders, customers = profile(tmp_path)["tables"]
    assert (orders["name"], orders["sheet"], orders["rows"], customers["name"]) == (
        "orders",
        "orders",
        100,
        "customers",
    )
    assert [column["type"] for column in orders["columns"]] == ["BIGINT", "DECIMAL(18,4)", "DATE", "BLOB"]
    assert orders["columns"][1]["notes"] == [
        'amount: 1 of 100 values is not a number and is left out: "abt 9".'
    ]
    assert orders["notes"] == ["The database's views are not read: v."]


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"junk" * 100, b"not a database", b"\0" * 4096])
def test_a_file_that_is_not_a_database_is_reported_as_such(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.db").write_bytes(content)
    found = profile(tmp_path)
    assert found["tables"] == []
    assert "SQLite" in found["unread"]["a.db"]


def test_arrow_files_are_tables_with_their_own_types(tmp_path: Path) -> None:
    content = pa.table({"k": pa.array([1, 2], pa.int32()), "s": ["01", "x"]})
    pyarrow.feather.write_feather(content, tmp_path / "f.feather")
    with pa.ipc.new_stream(tmp_path / "s.arrow", content.schema) as stream:
        stream.write_table(content)
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1 but not")
    assert queried(tmp_path, "FROM f") == queried(tmp_path, "FROM s") == [(1, "01"), (2, "x")]
    assert profile(tmp_path)["unread"] == {"bad.arrow": "it is not an Arrow file, or it is damaged"}


def test_a_folder_of_parquet_parts_with_the_same_columns_is_one_table(tmp_path: Path) -> None:
    def part(path: str, **columns: list[Any]) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), tmp_path / path)

    for number in range(3):
        part(f"events/part-{number:05}.parquet", k=[1, 2])
        part(f"results/part-{number}.parquet", k=[1])
        part(f"mixed/part-{number}.parquet", **{f"c{number}": [1]})
    part("sales/year=2023/x.parquet", k=[1])
    part("sales/year=2024/x.parquet", k=[2])
    part("own/orders.parquet", k=[1])
    part("own/customers.parquet", k=[1])
    names = {t["name"]: (t["path"], t["rows"]) for t in profile(tmp_path)["tables"]}
    assert names["events"] == ("events", 6)
    assert names["sales"] == ("sales", 2)
    assert {"orders", "customers"} <= set(names)
    assert sum(path.startswith(("results/", "mixed/")) for path, _ in names.values()) == 6
    assert queried(tmp_path, "SELECT year, k FROM sales ORDER BY year") == [(2023, 1), (2024, 2)]


@pytest.mark.parametrize(
    ("sql", "told"),
    mostly_long(
        [
            ("SELECT sum(kwh) FROM a", True),
            ("SELECT sum(id) FROM a", False),
            ("SELECT count(*) FROM a", False),
            ("SELECT * FROM a", True),
            ("FROM a", True),
            ("SELECT a.* FROM a", True),
            ("SELECT id * 2 FROM a -- kwh", False),
            ("SELECT id FROM a WHERE t = 'kwh'", False),
            ('SELECT "KWH" FROM A', True),
            ("SELECT kwh FROM other", False),
        ],
        quick=range(0, 10, 3),
    ),
)
def test_notes_about_lost_values_are_given_only_for_columns_that_sql_uses(
    tmp_path: Path, sql: str, told: bool
) -> None:
    lines = "".join(f"{n},{'abt 9' if n == 7 else n},x\n" for n in range(100))
    (tmp_path / "a.csv").write_text(f"id,kwh,t\n{lines}")
    (tmp_path / "other.csv").write_text("kwh\n1\n")
    opened = open_tables(tmp_path)
    try:
        assert bool(notes_for(opened, sql)) == told
    finally:
        opened.close()


def test_a_query_over_a_result_still_reports_values_that_its_source_could_not_read(tmp_path: Path) -> None:
    lines = "".join(f"{n},{'abt 9' if n == 7 else n}\n" for n in range(100))
    (tmp_path / "a.csv").write_text(f"id,kwh\n{lines}")
    opened = open_tables(tmp_path)
    notes = notes_for(opened, "SELECT sum(kwh) AS total FROM a")
    source = "(SELECT sum(kwh) AS total FROM a)"
    write_result(opened.connection, source, tmp_path / "results" / "total.parquet", notes)
    opened.close()
    opened = open_tables(tmp_path, mentioned_in="SELECT total FROM total")
    assert notes_for(opened, "SELECT total FROM total") == notes
    assert opened.connection.execute("SELECT typeof(total) FROM total").fetchall() == [("BIGINT",)]
    opened.close()
    results = next(t for t in profile(tmp_path)["tables"] if t["name"] == "total")
    assert results["notes"] == notes
