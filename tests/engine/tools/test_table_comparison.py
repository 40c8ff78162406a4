"""Comparing two tables: rows by key or position, over all rows, whatever their types, names and order."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from engine.app.app import App
from engine.commands.catalog import CreateChat, Upload, UploadFiles
from engine.errors import Invalid, Unavailable
from engine.tools.file_tables import TableSource
from engine.tools.table_comparison import TableDiff
from tests.support.long_cases import mostly_long

Compare = Callable[..., TableDiff]
SALES = "SELECT * FROM (VALUES ('East', 10, 1.5::DOUBLE), ('North', 20, 2.5), ('West', 30, 3.5)) t(region, n, share)"


@pytest.fixture
def source(app: App, tmp_path: Path) -> Callable[[str], TableSource]:
    """Create a Parquet file of a chat from SQL."""
    chat_id = app.send(CreateChat())

    def made(sql: str) -> TableSource:
        file = tmp_path / f"made{len(app.workspace.files(chat_id))}.parquet"
        duckdb.sql(f"COPY ({sql}) TO '{file}' (FORMAT parquet)")
        app.send(UploadFiles(chat_id, [Upload(file.name, file)]))
        return TableSource(chat_id, app.workspace.files(chat_id)[file.name].sha256, file.name)

    return made


@pytest.fixture
def compare(app: App, source: Callable[[str], TableSource]) -> Compare:
    """Compare the results of two queries."""

    def compared(before: str, after: str, key: list[str] | None = None) -> TableDiff:
        return app.table_comparisons.compare(source(before), source(after), key=key)

    return compared


def counts(diff: TableDiff) -> tuple[int, int, int, int]:
    rows = diff.rows
    return rows.same, rows.changed, rows.added, rows.removed


def test_rows_are_matched_by_a_key_that_is_found(compare: Compare) -> None:
    after = "SELECT * FROM (VALUES ('West', 30, 3.5::DOUBLE), ('East', 11, 1.5), ('South', 5, 0.5)) t(region, n, share)"
    diff = compare(SALES, after)
    assert (diff.verdict, diff.key, diff.key_from) == ("differs", ("region",), "found")
    assert counts(diff) == (1, 1, 1, 1)
    (changed,) = diff.changed
    assert (changed.before, changed.after) == (
        {"region": "East", "n": 10, "share": 1.5},
        {"region": "East", "n": 11, "share": 1.5},
    )
    assert diff.changed_columns == {"n": 1}
    assert [row.after for row in diff.added] == [{"region": "South", "n": 5, "share": 0.5}]
    assert [row.before for row in diff.removed] == [{"region": "North", "n": 20, "share": 2.5}]
    assert diff.told == "1 of 3 rows changed, 1 row only in A, 1 row only in B"


def test_equal_bytes_are_identical_and_equal_rows_in_another_order_are_equal(compare: Compare) -> None:
    assert compare(SALES, SALES).verdict == "identical"
    other = compare(SALES, f"{SALES} ORDER BY n DESC")
    assert (other.verdict, other.order_differs, counts(other)) == ("equal", True, (3, 0, 0, 0))
    rewritten = compare(SALES, f"{SALES} WHERE n > 0 LIMIT 3")
    assert rewritten.verdict in ("identical", "equal")
    assert not rewritten.order_differs


def test_doubles_are_compared_to_twelve_digits(compare: Compare) -> None:
    one = "SELECT i AS id, i / 7.0::DOUBLE AS x FROM range(1, 50) t(i)"
    assert compare(one, one.replace("i / 7.0::DOUBLE", "i / 7.0::DOUBLE * (1 + 1e-13)")).verdict == "equal"
    assert compare(one, one.replace("i / 7.0::DOUBLE", "i / 7.0::DOUBLE * (1 + 1e-11)")).rows.changed == 49
    # without a key, in another order
    same = "SELECT [0.1, 0.7][1 + i % 2]::DOUBLE AS x, 1 AS y FROM range(10) t(i)"
    other = (
        "SELECT [0.1, 0.7][1 + i % 2]::DOUBLE * (1 + 1e-13) AS x, 1 AS y FROM range(10) t(i) ORDER BY x, i"
    )
    found = compare(same, other)
    assert (found.verdict, found.order_differs, found.key_from) == ("equal", True, "position")


def test_missing_and_infinite_values_equal_only_themselves(compare: Compare) -> None:
    table = """SELECT * FROM (VALUES (1, NULL, 'nan'::DOUBLE), (2, 'a', 'inf'::DOUBLE), (3, NULL, 1.0),
        (NULL, 'b', '-inf'::DOUBLE)) t(id, word, x)"""
    assert compare(table, f"SELECT * FROM ({table}) ORDER BY id DESC NULLS FIRST").verdict == "equal"
    diff = compare(
        table,
        """SELECT * FROM (VALUES (1, 'z', NULL::DOUBLE), (2, NULL, 5), (3, NULL, 1.0),
        (NULL, 'b', 'inf'::DOUBLE)) t(id, word, x)""",
        ["id"],
    )
    assert counts(diff) == (1, 3, 0, 0)
    cells = [(row.before["x"], row.after["x"]) for row in diff.changed if row.before and row.after]
    assert cells == [("NaN", None), ("Infinity", 5.0), ("-Infinity", "Infinity")]
    assert diff.changed_columns == {"word": 2, "x": 3}


def test_duplicate_rows_are_compared_by_their_number(compare: Compare) -> None:
    table = "SELECT * FROM (VALUES ('a', 1), ('a', 1), ('b', 2), ('b', 2), ('b', 2)) t(word, n)"
    shuffled = f"SELECT * FROM ({table}) ORDER BY n DESC"
    assert (compare(table, shuffled).verdict, compare(table, shuffled).order_differs) == ("equal", True)
    fewer = compare(table, "SELECT * FROM (VALUES ('b', 2), ('a', 1), ('b', 2)) t(word, n)")
    assert (counts(fewer), fewer.key, fewer.key_from) == ((3, 0, 0, 2), None, "position")
    changed = compare(
        table, "SELECT * FROM (VALUES ('a', 1), ('a', 9), ('b', 2), ('b', 2), ('b', 2)) t(word, n)"
    )
    assert counts(changed) == (4, 1, 0, 0)
    assert [(row.before, row.after) for row in changed.changed] == [
        ({"word": "a", "n": 1}, {"word": "a", "n": 9})
    ]


def test_columns_are_matched_by_name(compare: Compare) -> None:
    diff = compare(SALES, f"SELECT region, n AS orders, share::FLOAT AS share FROM ({SALES})")
    assert (diff.columns_removed, diff.columns_added) == (("n",), ("orders",))
    assert [(c.name, c.before, c.after) for c in diff.columns_retyped] == [("share", "DOUBLE", "FLOAT")]
    assert (diff.verdict, counts(diff)) == ("differs", (3, 0, 0, 0))
    nothing = compare("SELECT 1 AS a", "SELECT 1 AS b UNION ALL SELECT 2")
    assert counts(nothing) == (0, 0, 2, 1)
    moved = compare(SALES, f"SELECT share, n, region FROM ({SALES})")
    assert moved.verdict == "equal"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    mostly_long(
        [
            ("1::INTEGER", "1::BIGINT", True),
            ("1::INTEGER", "2::DOUBLE", False),
            ("1.10::DECIMAL(9,2)", "1.1::DECIMAL(9,1)", True),
            ("DATE '2026-01-01'", "TIMESTAMP '2026-01-01 00:00:00'", True),
            ("DATE '2026-01-01'", "'2026-01-01'", True),
            ("TIMESTAMPTZ '2026-01-01 00:00:00+00'", "TIMESTAMPTZ '2026-01-01 01:00:00+01'", True),
            ("[1.0::DOUBLE, 2.0]", "[1.0::DOUBLE, 2.0 * (1 + 1e-14)]", True),
            ("[[1.0::DOUBLE], [NULL]]", "[[1.0::DOUBLE], [2.0]]", False),
            ("{'a': 1, 'b': [2]}", "{'a': 1, 'b': [3]}", False),
            ("true", "1", False),
            ("'12'", "12", True),
        ],
        quick=(0, 1, 3, 6),
    ),
)
def test_cells_of_different_types_are_compared_by_their_values(
    compare: Compare, before: str, after: str, same: bool
) -> None:
    rows = "SELECT i AS id, {} AS cell FROM range(3) t(i)"
    diff = compare(rows.format(before), rows.format(after))
    assert diff.rows.changed == (0 if same else 3)


def test_a_decimal_of_many_digits_is_shown_in_full(compare: Compare) -> None:
    diff = compare(
        "SELECT 1 AS id, 12345678901234567890.12::DECIMAL(38,2) AS x",
        "SELECT 1 AS id, 12345678901234567890.13::DECIMAL(38,2) AS x",
    )
    (row,) = diff.changed
    assert (row.before or {})["x"] == "12345678901234567890.12"


def test_tables_of_one_row_each_are_compared_without_a_key(compare: Compare) -> None:
    diff = compare("SELECT 5 AS n, 2.5 AS mean", "SELECT 6 AS n, 2.75 AS mean")
    assert (counts(diff), diff.key) == ((0, 1, 0, 0), None)


def test_empty_tables_can_be_compared(compare: Compare) -> None:
    empty = f"{SALES} LIMIT 0"
    assert compare(empty, empty).verdict == "identical"
    assert counts(compare(empty, SALES)) == (0, 0, 3, 0)
    assert counts(compare(SALES, empty)) == (0, 0, 0, 3)


def test_a_measure_that_is_unique_by_chance_is_not_a_key(compare: Compare) -> None:
    diff = compare(
        "SELECT * FROM (VALUES (10, 'East'), (20, 'North'), (30, 'West')) t(n, region)",
        "SELECT * FROM (VALUES (11, 'East'), (21, 'North'), (31, 'West')) t(n, region)",
    )
    assert (diff.key, counts(diff)) == (("region",), (0, 3, 0, 0))


def test_two_columns_are_a_better_key_than_a_measure_without_repeats(compare: Compare) -> None:
    table = "SELECT 'r' || (i // 3) AS region, i % 3 AS year, i * 10 AS revenue FROM range(12) t(i)"
    diff = compare(table, f"SELECT * REPLACE (revenue + (revenue = 40)::INTEGER AS revenue) FROM ({table})")
    assert (diff.key, counts(diff)) == (("region", "year"), (11, 1, 0, 0))
    numbered = "SELECT i % 2 = 0 AS even, i + 100 AS order_id, i // 2 AS n FROM range(6) t(i)"
    assert compare(numbered, f"SELECT * FROM ({numbered}) WHERE n < 2").key == ("order_id",)


def test_two_columns_together_are_a_key(compare: Compare) -> None:
    table = "SELECT i % 3 AS year, 'r' || (i // 3) AS region, {} AS n FROM range(12) t(i)"
    diff = compare(table.format("i * 1.5::DOUBLE"), table.format("i * 1.5::DOUBLE + (i = 4)::INTEGER"))
    assert (diff.key, counts(diff)) == (("year", "region"), (11, 1, 0, 0))


def test_a_key_can_be_given_and_must_identify_the_rows(compare: Compare) -> None:
    renumbered = f"SELECT region, n + 1 AS n, share FROM ({SALES})"
    assert counts(compare(SALES, renumbered, ["n"])) == (0, 0, 3, 3)
    with pytest.raises(Invalid, match="do not both have a column town") as missing:
        compare(SALES, SALES, ["town"])
    assert missing.value.code == "not_a_key"
    with pytest.raises(Invalid, match="several rows have the same word"):
        compare("SELECT 'a' AS word FROM range(2)", "SELECT 'a' AS word FROM range(2)", ["word"])


def test_names_may_contain_any_characters(compare: Compare) -> None:
    name = 'Größe "in" m²; DROP'
    table = 'SELECT i AS "{}", i * {} AS "値" FROM range(3) t(i)'
    diff = compare(table.format(name.replace('"', '""'), 1), table.format(name.replace('"', '""'), 2))
    assert (diff.key, diff.changed_columns) == ((name,), {"値": 2})


def test_tables_of_one_column_are_compared_without_a_key(compare: Compare) -> None:
    diff = compare("SELECT i % 2 AS x FROM range(6) t(i)", "SELECT i % 2 AS x FROM range(7) t(i)")
    assert counts(diff) == (6, 0, 1, 0)


def test_only_the_first_hundred_rows_are_returned_but_all_are_counted_and_written(
    app: App, source: Callable[[str], TableSource]
) -> None:
    before = source("SELECT i AS id, 'é, \"' || i AS word, i AS gone FROM range(3000) t(i)")
    after = source("SELECT i AS id, 'é, \"' || (i + (i < 2000)::INT) AS word FROM range(5, 3005) t(i)")
    diff = app.table_comparisons.compare(before, after)
    assert counts(diff) == (1000, 1995, 5, 5)
    assert (len(diff.changed), len(diff.added), len(diff.same)) == (100, 5, 100)
    rows = list(csv.DictReader(io.StringIO(app.table_comparisons.differences(before, after).decode())))
    assert len(rows) == 1995 + 10
    assert list(rows[0]) == [
        "difference", "row in A", "row in B", "id (A)", "id (B)", "word (A)", "word (B)", "gone (A)"
    ]  # fmt: skip
    kinds = [row["difference"] for row in rows]
    assert (kinds.count("changed"), kinds.count("added"), kinds.count("removed")) == (1995, 5, 5)
    assert next(row for row in rows if row["id (A)"] == "7")["word (B)"] == 'é, "8'


def test_a_csv_is_compared_with_parquet(app: App, source: Callable[[str], TableSource]) -> None:
    parquet = source("SELECT i AS id, 'x' || i AS word FROM range(3) t(i)")
    app.send(UploadFiles(parquet.chat_id, [Upload("made.csv", b"id,word\n0,x0\n1,x1\n2,y2\n")]))
    file = app.workspace.files(parquet.chat_id)["made.csv"]
    diff = app.table_comparisons.compare(parquet, TableSource(parquet.chat_id, file.sha256, "made.csv"))
    assert (diff.rows.changed, diff.rows.same) == (1, 2)


def test_an_error_names_the_file_that_is_not_a_table(app: App, source: Callable[[str], TableSource]) -> None:
    good = source("SELECT 1 AS a")
    app.send(UploadFiles(good.chat_id, [Upload("broken.parquet", b"PAR1 and nothing else")]))
    broken = app.workspace.files(good.chat_id)["broken.parquet"]
    with pytest.raises(Unavailable, match="This result cannot be read"):
        app.table_comparisons.compare(good, TableSource(good.chat_id, broken.sha256, "broken.parquet"))
