"""Ambiguous values and cells that a reader would lose are reported; no value changes silently."""

import datetime as dt
import json
import sys
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.table_notes import notes_for
from anabranch_tool.tables import open_tables, profile


def column(workspace: Path, name: str) -> dict[str, Any]:
    (found,) = profile(workspace)["tables"]
    return next(dict(one) for one in found["columns"] if one["name"] == name)


def values(workspace: Path, sql: str) -> list[Any]:
    opened = open_tables(workspace)
    try:
        return [row[0] for row in opened.connection.execute(sql).fetchall()]
    finally:
        opened.close()


def test_times_with_different_offsets_are_converted_to_utc(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "n,t\n1,2024-03-31T01:30:00+01:00\n2,2024-03-31T05:00:00Z\n3,2024-03-31T03:30:00-02:00\n4,2024-03-31T06:00:00Z\n"
    )
    hours = ((0, 30), (5, 0), (5, 30), (6, 0))
    assert values(tmp_path, "SELECT t FROM t ORDER BY n") == [
        dt.datetime(2024, 3, 31, *at)  # noqa: DTZ001 -- tables hold UTC without a zone
        for at in hours
    ]


def test_whole_numbers_of_json_longer_than_64_bits_keep_each_digit(tmp_path: Path) -> None:
    (tmp_path / "ids.json").write_text('[{"id": 12345678901234567890}, {"id": 12345678901234567891}]')
    assert values(tmp_path, "SELECT id FROM ids ORDER BY id") == [
        Decimal("12345678901234567890"),
        Decimal("12345678901234567891"),
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (["1,234", "2,500", "999"], "“,” separates thousands, though it could be the decimal sign"),
        (["1.234", "2.500", "3.125"], "“.” is the decimal sign, though it could separate thousands"),
        (["12E4", "13E5", "1E10"], "though they could be codes"),
        (["03/04/2024", "05/06/2024"], "the month comes first in these dates, though the day could"),
        (["12/31/45", "06/20/99"], "years 00 to 68 are 2000 to 2068"),
    ],
)
def test_other_possible_meanings_of_values_are_reported(
    tmp_path: Path, written: list[str], said: str
) -> None:
    (tmp_path / "t.csv").write_text("k;v\n" + "".join(f"k{n};{text}\n" for n, text in enumerate(written)))
    assert said in " ".join(column(tmp_path, "v")["notes"])


@pytest.mark.parametrize(
    ("doubtful", "other", "read", "said"),
    [
        (["1.234", "2.500"], "2,5", ["1234", "2500"], "“.” separates thousands, as in other columns"),
        (["1,234", "2,500"], "2,5", ["1.234", "2.5"], "the comma is the decimal sign, as in other columns"),
        (["1,234", "2,500"], "2.5", ["1234", "2500"], "“,” separates thousands, as in other columns"),
        (["1.234", "2.500"], "2.5", ["1.234", "2.5"], ""),
        (["03/04/2024"], "13/04/2024", ["2024-04-03"], "the day first, as in other columns"),
        (["03/04/2024"], "04/13/2024", ["2024-03-04"], "the month first, as in other columns"),
        (["03/04/2024 10:00"], "13/04/2024", ["2024-04-03 10:00:00"], "the day first, as in other columns"),
    ],
)
def test_ambiguous_values_are_read_like_the_other_columns(
    tmp_path: Path, doubtful: list[str], other: str, read: list[str], said: str
) -> None:
    rows = "".join(f"k{n};{text};{other}\n" for n, text in enumerate(doubtful))
    (tmp_path / "t.csv").write_text(f"k;v;other\n{rows}")
    (found,) = profile(tmp_path)["tables"]
    notes = " ".join(next(one["notes"] for one in found["columns"] if one["name"] == "v"))
    assert said in notes
    assert "could" not in notes
    exact = "CASE WHEN v = trunc(v) THEN CAST(CAST(v AS BIGINT) AS VARCHAR) ELSE rtrim(CAST(v AS VARCHAR), '0') END"
    text = "CAST(v AS VARCHAR)" if "/" in other else exact
    assert values(tmp_path, f"SELECT {text} FROM t ORDER BY k") == read


def test_columns_that_disagree_do_not_settle_an_ambiguous_third(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("v;a;b\n1.234;2,5;2.5\n2.500;3,5;3.5\n")
    assert "though it could separate thousands" in " ".join(column(tmp_path, "v")["notes"])


def test_a_result_says_how_ambiguous_values_were_read(tmp_path: Path) -> None:
    """Each result that uses the column says so, and no other."""
    (tmp_path / "t.csv").write_text("k;v;w\na;1.234;1\nb;2.500;2\n")
    opened = open_tables(tmp_path)
    try:
        said = "v: “.” is the decimal sign, though it could separate thousands."
        assert notes_for(opened, "SELECT sum(v) FROM t") == [said]
        assert notes_for(opened, "SELECT sum(w) FROM t") == []
    finally:
        opened.close()


@pytest.mark.parametrize(
    "written",
    [
        ["1,234.5", "2,500.0"],
        ["12,34,567", "1,234"],
        ["0.125", "1.234"],
        ["1.5E3", "2"],
        ["1,234", "1,234,567"],
    ],
)
def test_unambiguous_values_get_no_note_about_other_meanings(tmp_path: Path, written: list[str]) -> None:
    (tmp_path / "t.csv").write_text("k;v\n" + "".join(f"k{n};{text}\n" for n, text in enumerate(written)))
    assert "could" not in " ".join(column(tmp_path, "v")["notes"])


def test_telephone_numbers_keep_their_plus_sign(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("phone,v\n+491701234567,+5\n+491701234568,-3\n")
    assert values(tmp_path, "SELECT phone FROM t") == ["+491701234567", "+491701234568"]
    assert column(tmp_path, "v")["type"] == "BIGINT"


@pytest.mark.parametrize("first", ["°C", "Value", "abt 20"])
def test_a_column_of_mostly_numbers_that_stays_text_gets_a_reason(tmp_path: Path, first: str) -> None:
    (tmp_path / "t.csv").write_text(
        f"k,temp\nx,{first}\n" + "".join(f"r{n},{20 + n}\n" for n in range(8)), "utf-8"
    )
    found = column(tmp_path, "temp")
    assert (found["type"], found["notes"]) == (
        "VARCHAR",
        [f'temp: stays text: most values are numbers or dates, but not "{first}".'],
    )


def test_codes_with_leading_zeros_are_text_and_need_no_note(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k,zip\n" + "".join(f"r,{n:05d}\n" for n in range(9990, 10020)))
    assert (column(tmp_path, "zip")["type"], column(tmp_path, "zip")["notes"]) == ("VARCHAR", [])


def test_dates_with_spaces_around_them_are_dates(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("d,v\n2024-01-01 ,1\n 2024-01-02,2\n")
    assert values(tmp_path, "SELECT d FROM t") == [dt.date(2024, 1, 1), dt.date(2024, 1, 2)]


def packed(folder: Path) -> bytes:
    with zipfile.ZipFile(folder.parent / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a" * 100)
    return (folder.parent / "other.zip").read_bytes()


@pytest.mark.parametrize("kind", ["a ZIP archive or a workbook", "JSON"])
def test_a_file_that_does_not_match_its_extension_is_not_a_table_and_its_real_type_is_given(
    tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    content = json.dumps([{"a": 1, "b": 2}] * 3).encode() if kind == "JSON" else packed(folder)
    (folder / "export.csv").write_bytes(content)
    found = profile(folder)
    assert found["tables"] == []
    assert kind in found["unread"]["export.csv"]


def workbook(file: Path) -> None:
    book = xlsxwriter.Workbook(str(file))
    sheet = book.add_worksheet("Übersicht & mehr")
    sheet.write_row(2, 1, ["group", "v", "w"])
    for n in range(6):
        sheet.write_row(3 + n, 1, ["", n, n * 2])
    sheet.merge_range(3, 1, 5, 1, "north")
    sheet.merge_range(6, 1, 8, 1, "south")
    sheet.write_formula(4, 2, "=1/0", None, "#DIV/0!")
    sheet.write_formula(5, 2, "=A99", None, "#REF!")
    hidden = book.add_worksheet("draft")
    hidden.write_row(0, 0, ["a", "b"])
    hidden.write_row(1, 0, [1, 2])
    hidden.hide()
    book.close()


def test_a_workbooks_errors_merged_cells_and_hidden_sheets_are_reported(tmp_path: Path) -> None:
    workbook(tmp_path / "b.xlsx")
    first, draft = profile(tmp_path)["tables"]
    assert first["notes"] == [
        'v: 2 of 6 values are errors and are left out: "#DIV/0!", "#REF!".',
        "Cells that are merged over several rows give their value to each of these rows: group (4 cells filled).",
    ]
    assert [one["type"] for one in first["columns"]] == ["VARCHAR", "BIGINT", "BIGINT"]
    assert values(tmp_path, f'SELECT "group" FROM {first["name"]}') == ["north"] * 3 + ["south"] * 3
    assert draft["notes"] == ["The sheet is hidden in the workbook."]
