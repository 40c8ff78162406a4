"""Notes about other possible meanings of values (dates, totals, an index), and JSON tables stored by columns."""

import datetime as dt
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ROOT
from tests.support.reading import only_table, types

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.tables import open_tables

from tests.support.long_cases import mostly_long


def notes(workspace: Path) -> list[str]:
    found = only_table(workspace)
    return [*found["notes"], *(note for column in found["columns"] for note in column["notes"])]


def rows(workspace: Path) -> list[tuple[Any, ...]]:
    opened = open_tables(workspace)
    try:
        (name,) = opened.files
        return list(opened.connection.execute(f'FROM "{name}"').fetchall())
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("order_date", [20240103, 20240229], "20240103 looks like a date written YYYYMMDD"),
        ("Datum", [45293, 45294], "45293 looks like Excel's number for a day (2024-01-02)"),
        ("order_date", [20240103, 20240230], ""),
        ("order_id", [20240103, 20240104], ""),
        ("day", [1, 2], ""),
    ],
)
def test_numbers_that_look_like_dates_stay_numbers_with_a_note(
    tmp_path: Path, name: str, values: list[int], said: str
) -> None:
    (tmp_path / "a.csv").write_text(f"{name},t\n" + "".join(f"{value},x\n" for value in values))
    assert [row[0] for row in rows(tmp_path)] == values
    assert notes(tmp_path) == ([f"{name}: stays a number, though {said}."] if said else [])


@pytest.mark.parametrize(
    ("last", "told"),
    mostly_long(
        [
            ("Endsaldo,35.5", "Endsaldo, 35.5"),
            ("Schluss,35.5", "Schluss, 35.5"),
            ("合計,35.5", "合計, 35.5"),
            (",35.5", "35.5"),
            ("Total général,99", "Total général, 99"),
            ("D,36", ""),
            ("A,35.5", ""),
        ],
        quick=(0, 2, 6),
    ),
)
def test_a_total_in_the_last_row_is_reported_regardless_of_its_language(
    tmp_path: Path, last: str, told: str
) -> None:
    (tmp_path / "a.csv").write_text(f"konto,betrag\nA,10.5\nB,20\nC,5\n{last}\n", encoding="utf-8")
    assert len(rows(tmp_path)) == 4
    assert notes(tmp_path) == (
        [f"The last row looks like a total and is one of the rows: “{told}”."] if told else []
    )


@pytest.mark.parametrize(
    ("header", "first", "said"),
    [
        (",a,b", 0, "column1: numbers the rows from 0, like an index that was saved with the table."),
        (
            "Unnamed: 0,a,b",
            0,
            "Unnamed: 0: numbers the rows from 0, like an index that was saved with the table.",
        ),
        (",a,b", 1, "column1: numbers the rows from 1, like an index that was saved with the table."),
        (",a,b", 5, ""),
        ("id,a,b", 0, ""),
    ],
)
def test_an_index_that_was_saved_with_the_table_is_reported(
    tmp_path: Path, header: str, first: int, said: str
) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n" + "".join(f"{first + n},x{n},7\n" for n in range(5)))
    assert [note for note in notes(tmp_path) if "index" in note] == ([said] if said else [])


RECORDS = [(1, "x"), (2, "y")]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "content",
    mostly_long(
        [
            {"a": [1, 2], "b": ["x", "y"]},
            {"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]},
            {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
            {"0": {"a": 1, "b": "x"}, "1": {"a": 2, "b": "y"}},
            [["a", "b"], [1, "x"], [2, "y"]],
        ],
        quick=(0, 3),
    ),
)
def test_json_tables_in_other_layouts_are_read_as_tables(tmp_path: Path, content: Any, packed: bool) -> None:
    text = json.dumps(content).encode()
    (tmp_path / ("t.json.gz" if packed else "t.json")).write_bytes(gzip.compress(text) if packed else text)
    assert rows(tmp_path) == RECORDS
    assert [column["name"] for column in only_table(tmp_path)["columns"]] == ["a", "b"]
    assert notes(tmp_path)[0].startswith("The file contains ")


def test_an_index_in_a_json_table_becomes_a_column(tmp_path: Path) -> None:
    content = {"columns": ["a"], "index": ["r", "s"], "data": [[1], [2]]}
    (tmp_path / "t.json").write_text(json.dumps(content))
    assert rows(tmp_path) == [("r", 1), ("s", 2)]


@pytest.mark.parametrize(
    "content", [{"a": [1, 2], "b": [3]}, {"a": 1, "b": [3, 4]}, [{"a": [1, 2]}, {"a": [3]}]]
)
def test_lists_that_are_not_columns_stay_values(tmp_path: Path, content: Any) -> None:
    (tmp_path / "t.json").write_text(json.dumps(content))
    assert len(rows(tmp_path)) == (len(content) if isinstance(content, list) else 1)
    assert notes(tmp_path) == []


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_times_that_are_all_midnight_are_dates(tmp_path: Path, kind: str) -> None:
    days = ["2024-01-03 00:00:00", "2024-01-04 00:00:00"]
    text = json.dumps([{"d": day, "n": 1} for day in days])
    (tmp_path / f"t.{kind}").write_text(
        text if kind == "json" else "d,n\n" + "".join(f"{d},1\n" for d in days)
    )
    assert [row[0] for row in rows(tmp_path)] == [dt.date(2024, 1, 3), dt.date(2024, 1, 4)]
    (tmp_path / f"t.{kind}").write_text((tmp_path / f"t.{kind}").read_text().replace("04 00", "04 10"))
    assert [row[0] for row in rows(tmp_path)][1] == dt.datetime(2024, 1, 4, 10)  # noqa: DTZ001


def test_a_word_for_missing_among_numbers_also_means_missing_in_text_columns_of_the_file(
    tmp_path: Path,
) -> None:
    """As R and pandas write it: `NA` in every column. A name in another spelling stays."""
    lines = [f"Sam,{n}" for n in range(20)] + ["NA,NA", "Null,3", "Na,4"]
    (tmp_path / "people.csv").write_text("\n".join(["name,points", *lines]))
    assert [name for name, _ in rows(tmp_path)[20:]] == [None, "Null", "Na"]
    assert notes(tmp_path) == [
        "name: 1 value (“NA”) is read as missing, as in other columns.",
        "points: 1 value (“NA”) is read as missing.",
    ]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([*range(536365, 536565), "C536402"], "VARCHAR"),
        ([*range(22000, 22200), "85123A"], "VARCHAR"),
        ([*range(22000, 22200), "85123kg"], "BIGINT"),
        ([*range(22000, 22200), "n.b. 12"], "BIGINT"),
    ],
    ids=["a letter in front", "a letter behind", "a unit", "a remark"],
)
def test_numbers_are_codes_if_the_same_numbers_also_occur_with_a_letter(
    tmp_path: Path, values: list[int | str], type_: str
) -> None:
    (tmp_path / "t.csv").write_text("No,n\n" + "".join(f"{value},1\n" for value in values))

    assert types(tmp_path)["No"] == type_
