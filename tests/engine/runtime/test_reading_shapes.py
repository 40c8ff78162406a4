"""Files with several tables, two-row headers or remarks around a table: nothing is dropped silently."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.tables import open_tables, profile

from tests.support.long_cases import mostly_long


def notes(workspace: Path) -> list[str]:
    (found,) = profile(workspace)["tables"]
    return [*found["notes"], *(note for column in found["columns"] for note in column["notes"])]


def read(workspace: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The column names and rows of the only table."""
    opened = open_tables(workspace)
    try:
        (name,) = opened.files
        found = opened.connection.execute(f'FROM "{name}"')
        return [column[0] for column in found.description or ()], found.fetchall()
    finally:
        opened.close()


def sheet(file: Path, rows: Sequence[Sequence[Any]]) -> None:
    book = xlsxwriter.Workbook(str(file))
    page = book.add_worksheet("S")
    for at, row in enumerate(rows):
        page.write_row(at, 0, row)
    book.close()


@pytest.mark.parametrize("between", mostly_long(["\n", ",,\n", "\n\nTable 2\n", "\r\n"], quick=(0, 2)))
@pytest.mark.parametrize("above", [2, 5_000])
def test_another_table_below_a_blank_row_is_not_read_and_that_is_reported(
    tmp_path: Path, between: str, above: int
) -> None:
    (tmp_path / "a.csv").write_text(
        "a,b,c\n" + "x,2,3\n" * above + between + "name,price,qty\np,2.5,1\nq,3.5,2\n"
    )
    names, rows = read(tmp_path)
    assert (names, rows) == (["a", "b", "c"], [("x", 2, 3)] * above)
    (note,) = notes(tmp_path)
    line = above + between.count("\n") + (1 if "Table" in between else 2)
    assert note.startswith(
        f"Another table begins at line {line:,} and is not part of this one: “name, price, qty”."
    )


@pytest.mark.parametrize("blank", ["\n", ",,\n"])
def test_a_blank_row_inside_a_table_does_not_end_it(tmp_path: Path, blank: str) -> None:
    (tmp_path / "a.csv").write_text(f"a,b,c\nx,2,3\n{blank}y,4,5\n{blank}a,b,c\nz,n/a,7\n")
    assert [row[0] for row in read(tmp_path)[1]] == ["x", "y", "a", "z"]
    (tmp_path / "a.csv").write_text(f"a,b,c\nx,y,z\n{blank}Some,more,words\nz,n/a,w\n")
    assert len(read(tmp_path)[1]) == 3


def test_another_table_in_a_sheet_is_not_read_and_that_is_reported(tmp_path: Path) -> None:
    sheet(
        tmp_path / "a.xlsx",
        [
            ["a", "b"],
            ["x", 1],
            ["y", 2],
            [],
            ["Second"],
            ["name", "price", "qty"],
            ["p", 2.5, 3],
            ["q", 3.5, 4],
        ],
    )
    assert read(tmp_path) == (["a", "b"], [("x", 1), ("y", 2)])
    assert notes(tmp_path)[0].startswith(
        "Another table begins at row 5 and is not part of this one: “name, price, qty”."
    )


TWO_ROWS = [
    (["region", "2024", "", "2025", ""], ["", "Q1", "Q2", "Q1", "Q2"]),
    (["", "2024", "", "2025", ""], ["region", "Q1", "Q2", "Q1", "Q2"]),
    (["region", "2024", "2024", "2025", "2025"], ["", "Q1", "Q2", "Q1", "Q2"]),
]


@pytest.mark.parametrize("header", TWO_ROWS)
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_names_of_a_two_row_header_are_joined_and_that_is_reported(
    tmp_path: Path, header: tuple[list[str], list[str]], kind: str
) -> None:
    body = [["North", 1, 2, 3, 4], ["South", 5, 6, 7, 8]]
    if kind == "csv":
        lines = [",".join(map(str, row)) for row in (*header, *body)]
        (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    else:
        sheet(tmp_path / "a.xlsx", [*header, *body])
    assert read(tmp_path) == (
        ["region", "2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"],
        [("North", 1, 2, 3, 4), ("South", 5, 6, 7, 8)],
    )
    assert notes(tmp_path) == ["The header has two rows; their names are joined, for example “2024 Q1”."]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a,b,,d\nx,y,z,w\nq,r,s,t\n", ("x", "y", "z", "w")),
        ("a,b,,d\nx,1,n/a,w\nq,2,3,t\ny,5,6,u\n", ("x", 1, None, "w")),
        ("name,plan,actual\nfirst,n/a,n/a\nx,1,2\ny,3,4\n", ("first", None, None)),
    ],
)
def test_a_row_of_words_is_not_mistaken_for_a_second_header_row(
    tmp_path: Path, text: str, first: tuple[Any, ...]
) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert read(tmp_path)[1][0] == first


@pytest.mark.parametrize(
    "text", ["a,b,c\n1,2,3\n4,5,6\nSource: Eurostat, 2024\n", "a,b\n1,2\n4,5\n\nNote: rounded, 2024\n"]
)
def test_a_remark_that_contains_commas_is_still_a_remark(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert len(read(tmp_path)[1]) == 2
    assert notes(tmp_path) == [f"1 line below the table is left out: “{text.splitlines()[-1]}”."]


def test_rows_whose_values_begin_like_a_remark_stay_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,c\nx,2,3\nSource: us,5,6\n")
    assert [row[0] for row in read(tmp_path)[1]] == ["x", "Source: us"]


@pytest.mark.parametrize(
    ("above", "said"),
    [
        (",,\n", "1 blank line above the header is left out."),
        (",,\n,,\n", "2 blank lines above the header are left out."),
        ("Report,,\n,,\n", "2 lines above the header are left out: “Report”."),
    ],
)
def test_blank_rows_above_the_header_are_counted(tmp_path: Path, above: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(f"{above}a,b,c\n1,2,3\n")
    assert (read(tmp_path)[1], notes(tmp_path)) == ([(1, 2, 3)], [said])


@pytest.mark.parametrize(
    ("encoding", "words"),
    mostly_long(
        [
            ("cp1251", ["город", "Москва", "Казань", "Новгород"]),
            ("koi8_r", ["город", "Москва", "Казань", "Новгород"]),
            ("cp866", ["город", "Москва", "Казань", "Новгород"]),
            ("cp1253", ["πόλη", "Αθήνα", "Πάτρα", "Λάρισα"]),
            ("cp1250", ["miasto", "Łódź", "Gdańsk", "Białystok"]),
            ("cp1250", ["město", "Příbram", "České Budějovice", "Žďár"]),
            ("cp1254", ["şehir", "İstanbul", "Diyarbakır", "Çorlu"]),
            ("cp1252", ["ville", "Orléans", "Besançon", "Sète"]),
            ("cp1252", ["ciudad", "¿Cádiz?", "Logroño", "5 m³"]),
            ("cp1252", ["by", "Tromsø", "Ålesund", "Þórshöfn"]),
            ("shift_jis", ["都市", "東京", "大阪", "京都"]),
            ("gb18030", ["城市", "北京", "上海", "广州"]),
        ],
        quick=(0, 4, 7, 10),
    ),
)
def test_an_encoding_is_guessed_from_the_letters_and_reported(
    tmp_path: Path, encoding: str, words: list[str]
) -> None:
    lines = [f"{words[0]};n", *(f"{word};{n}" for n, word in enumerate(words[1:]))]
    (tmp_path / "a.csv").write_bytes("\n".join(lines).encode(encoding))
    names, rows = read(tmp_path)
    assert (names[0], [row[0] for row in rows]) == (words[0], words[1:])
    assert notes(tmp_path) == [f"Read as {encoding}, guessed from its letters."]


def test_rows_without_values_in_the_middle_of_a_long_file_are_left_out_and_counted(tmp_path: Path) -> None:
    lines = "".join(f"{n},x{n},y\n" for n in range(20_000))
    (tmp_path / "a.csv").write_text("a,b,c\n" + lines.replace("\n9000,", "\n,,\n, ,\n9000,"))
    assert len(read(tmp_path)[1]) == 20_000
    assert notes(tmp_path) == ["2 rows without any value are left out."]
