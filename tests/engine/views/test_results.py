"""Results as readers get them: any page in any order, series to draw, other formats and kinds of files."""

import csv
import io
from pathlib import Path

import duckdb
import pytest
from python_calamine import CalamineWorkbook

from engine.app.app import App
from engine.commands.catalog import CreateChat, Upload, UploadFiles
from engine.errors import Unavailable
from engine.views.results import Order, TableSource

ROWS = 25_000


@pytest.fixture(scope="module")
def many(app: App, tmp_path_factory: pytest.TempPathFactory) -> TableSource:
    """Rows numbered from 0, with a repeating word, a falling value, and a value that is sometimes missing."""
    file = tmp_path_factory.mktemp("made") / "many.parquet"
    duckdb.sql(
        f"""COPY (SELECT i AS n, ['Oslo', 'Bergen', 'O''Hare'][1 + i % 3] AS town, CAST({ROWS} - i AS DOUBLE) AS falls,
        CASE WHEN i % 1000 > 0 THEN i % 7 END AS gap, DATE '2026-01-01' + CAST(i % 50 AS INTEGER) AS day
        FROM range({ROWS}) t(i)) TO '{file}' (FORMAT parquet)"""
    )
    return added(app, Upload("many.parquet", file))


def added(app: App, upload: Upload) -> TableSource:
    chat_id = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [upload]))
    return TableSource(chat_id, app.workspace.files(chat_id)[upload.name].sha256, upload.name)


def test_a_page_can_start_anywhere_in_a_result_and_knows_the_number_of_rows(
    app: App, many: TableSource
) -> None:
    page = app.results.page(many, 3, 20_000)
    assert [row[0] for row in page.rows] == [20_000, 20_001, 20_002]
    assert (page.total, page.found) == (ROWS, ROWS)
    assert page.columns[4] == ("day", "DATE")
    assert page.rows[0][4] == "2026-01-01"
    assert app.results.page(many, 10, ROWS - 2).rows[-1][0] == ROWS - 1


def test_rows_are_sorted_over_the_whole_result_with_missing_values_last(app: App, many: TableSource) -> None:
    falling = app.results.page(many, 2, 0, order=Order("n", descending=True))
    assert [row[0] for row in falling.rows] == [ROWS - 1, ROWS - 2]
    assert app.results.page(many, 1, 0, order=Order("falls")).rows[0][0] == ROWS - 1
    for descending in (False, True):
        ordered = Order("gap", descending)
        last = app.results.page(many, 30, ROWS - 25, order=ordered).rows
        assert [row[3] for row in last] == [None] * 25
        assert [row[0] for row in last] == list(range(0, ROWS, 1000))
    kept = app.results.page(many, 2, 1, order=Order("n", descending=True))
    assert [row[0] for row in kept.rows] == [ROWS - 2, ROWS - 3]


def test_a_damaged_row_order_in_the_cache_is_computed_again(app: App, many: TableSource) -> None:
    order = Order("falls", descending=True)
    first = app.results.page(many, 3, 7, order=order)
    for file in (app.data / "cache" / "previews").glob("*.order"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    assert app.results.page(many, 3, 7, order=order) == first


def test_a_search_finds_text_in_any_cell_including_special_characters(app: App, many: TableSource) -> None:
    found = app.results.page(many, 5, 0, find=" o'HARE ", order=Order("n", descending=True))
    assert (found.total, found.found) == (ROWS, ROWS // 3)
    assert [row[0] for row in found.rows][:2] == [24_998, 24_995]
    assert [row[0] for row in app.results.page(many, 5, find="24999").rows] == [1, 24_999]
    for nothing in ("%", "_", "nowhere"):
        assert app.results.page(many, 5, find=nothing).found == 0


def test_a_series_is_drawn_only_once_it_is_known_how_rows_are_combined(app: App, many: TableSource) -> None:
    towns = app.results.series(many, "town", "n")
    assert (towns.points, towns.shared, towns.combined) == ((), 8334, None)
    counted = app.results.series(many, "town", "n", combine="count")
    assert {point[0]: point[1] for point in counted.points} == {"Oslo": 8334, "Bergen": 8333, "O'Hare": 8333}
    days = app.results.series(many, "day", "n", combine="sum")
    assert [point[0] for point in days.points][:2] == ["2026-01-01T00:00:00", "2026-01-02T00:00:00"]
    assert sum(int(str(point[1])) for point in days.points) == ROWS * (ROWS - 1) // 2
    assert days.combined == "sum"


def test_a_scatter_plot_of_many_rows_draws_a_sample_and_counts_all(app: App, many: TableSource) -> None:
    points = app.results.series(many, "n", "falls", each=True)
    assert (points.marks, len(points.points)) == (ROWS, 5000)
    rows = app.results.page(many, ROWS)
    names = [name for name, _ in rows.columns]
    real = {(row[names.index("n")], row[names.index("falls")]) for row in rows.rows}
    assert {(point[0], point[1]) for point in points.points} <= real


def test_a_result_can_be_downloaded_as_csv_parquet_and_excel(app: App, tmp_path: Path) -> None:
    file = tmp_path / "kinds.parquet"
    duckdb.sql(
        f"""COPY (SELECT * FROM (VALUES
        (1, 1.5::DOUBLE, 'plain', DATE '2026-02-01', TIMESTAMP '2026-02-01 10:20:30', true, 9007199254740993::BIGINT),
        (2, 'nan'::DOUBLE, '=1+1', DATE '1850-01-01', NULL, false, 3))
        t(i, x, text, day, moment, yes, big)) TO '{file}' (FORMAT parquet)"""
    )
    kinds = added(app, Upload("kinds.parquet", file))
    assert app.results.written(kinds, "parquet") == file.read_bytes()
    rows = list(csv.reader(io.StringIO(app.results.written(kinds, "csv").decode())))
    assert rows[1][:4] == ["1", "1.5", "plain", "2026-02-01"]
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(app.results.written(kinds, "excel")))
    heads, first, second = sheet.get_sheet_by_index(0).to_python()
    assert heads == ["i", "x", "text", "day", "moment", "yes", "big"]
    assert [str(cell) for cell in first] == [
        "1.0", "1.5", "plain", "2026-02-01", "2026-02-01 10:20:30", "True", "9007199254740993"
    ]  # fmt: skip
    assert [str(cell) for cell in second] == ["2.0", "", "=1+1", "1850-01-01", "", "False", "3.0"]


def test_a_result_too_large_for_a_sheet_is_refused_with_a_message(app: App, tmp_path: Path) -> None:
    file = tmp_path / "long.parquet"
    duckdb.sql(f"COPY (SELECT i FROM range(1048576) t(i)) TO '{file}' (FORMAT parquet)")
    long = added(app, Upload("long.parquet", file))
    with pytest.raises(Unavailable, match=r"holds 1,048,575 rows .* has 1,048,576 and 1. Use CSV or Parquet"):
        app.results.written(long, "excel")


def test_any_table_of_the_workspace_can_be_paged_and_is_read_only_once(app: App) -> None:
    text = "a;b\n" + "".join(f"{n};x{n}\n" for n in range(300))
    source = added(app, Upload("semi.csv", text.encode()))
    page = app.results.page(source, 2, 298)
    assert (page.rows, page.total) == (((298, "x298"), (299, "x299")), 300)
    kept = len(list((app.data / "cache" / "tables").glob("*/0.parquet")))
    assert app.results.page(source, 1, order=Order("a", descending=True)).rows == ((299, "x299"),)
    assert len(list((app.data / "cache" / "tables").glob("*/0.parquet"))) == kept


def test_a_file_that_is_not_a_table_is_reported_with_a_message(app: App) -> None:
    broken = added(app, Upload("broken.parquet", b"PAR1 and nothing else"))
    with pytest.raises(Unavailable, match="This result cannot be read"):
        app.results.page(broken, 1)
