"""Shaping tables by steps: each is a recorded SELECT that can run again, and nothing ambiguous is guessed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import (
    CreateChat,
    DropDuplicates,
    ForkChat,
    KeepRows,
    PickColumns,
    ReadDates,
    ReadNumbers,
    RenameColumns,
    ReplayChat,
    RewindChat,
    ShapeTable,
    SortRows,
    SplitColumn,
    Step,
    UnifyText,
    Upload,
    UploadFiles,
)
from engine.errors import AnabranchError, Invalid, NotFound, Refused
from engine.views.results import TableSource
from tests.support.long_cases import mostly_long
from tests.support.ugly_files import UGLY, UglyFile


def chat_with(app: App, name: str, text: str) -> str:
    chat_id = app.send(CreateChat(title=name))
    app.send(UploadFiles(chat_id, [Upload(name, text.encode())]))
    return chat_id


def made(app: App, chat_id: str, call_id: str) -> tuple[dict[str, str], list[list[Any]]]:
    """The columns and rows of the table that a call created."""
    call = app.chat(chat_id).calls[call_id]
    assert call.error is None, call.error
    assert isinstance(call.result, dict)
    path = f"results/{call.result['table']}.parquet"
    entry = app.workspace.files(chat_id)[path]
    page = app.results.page(TableSource(chat_id, entry.sha256, path), 1_000)
    return dict(page.columns), [list(row) for row in page.rows]


def plain(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Convert decimals to numbers, and midnights to days."""
    return [[float(cell) if isinstance(cell, int | float) else cell for cell in row] for row in rows]


@pytest.mark.parametrize("ugly", mostly_long(UGLY, quick=(0, 4)), ids=[ugly.name for ugly in UGLY])
def test_an_ugly_file_becomes_a_correct_table_and_the_step_replays_identically(
    app: App, ugly: UglyFile
) -> None:
    chat_id = chat_with(app, ugly.name, ugly.text)
    before = app.workspace.files(chat_id)[ugly.name].sha256
    table = ugly.name.removesuffix(".csv")
    call_id = app.send(ShapeTable(chat_id, table, ugly.steps))
    columns, rows = made(app, chat_id, call_id)
    assert columns == ugly.columns
    assert plain(rows) == plain(ugly.rows)
    assert app.workspace.files(chat_id)[ugly.name].sha256 == before
    assert app.chat(chat_id).calls[call_id].result["table"] == f"{table}_clean"  # type: ignore[index,call-overload]
    replay = app.replay(chat_id, app.send(ReplayChat(chat_id)))
    assert [call["verdict"] for call in replay["calls"]] == ["identical"]  # type: ignore[union-attr,index,call-overload]


@pytest.mark.parametrize("ugly", mostly_long(UGLY, quick=(1, 6)), ids=[ugly.name for ugly in UGLY])
def test_a_preview_counts_what_the_step_would_do_and_records_nothing(app: App, ugly: UglyFile) -> None:
    chat_id = chat_with(app, ugly.name, ugly.text)
    head = app.log.head()
    preview = app.preview_shape(chat_id, ugly.name.removesuffix(".csv"), ugly.steps)
    assert app.log.head() == head
    assert preview.needed == ()
    assert preview.sides.rows[1] == len(ugly.rows)
    assert preview.sides.columns[1] == len(ugly.columns)
    if preview.readings:
        assert sum(one.rows for one in preview.readings) == preview.sides.rows[0]


@pytest.mark.long
def test_the_order_of_day_and_month_must_be_chosen_for_ambiguous_dates_and_other_dates_suggest_it(
    app: App,
) -> None:
    chat_id = chat_with(app, "a.csv", "d\n07/15/26\n07/08/26\nJul 1 2026\n14.07.2026\n2026-07-14\n")
    preview = app.preview_shape(chat_id, "a", [ReadDates("d")])
    (choice,) = preview.needed
    assert (choice.name, choice.rows, choice.suggested) == ("order", 1, "month_first")
    assert choice.why == "1 other date can only have the month first."
    with pytest.raises(Refused) as refused:
        app.send(ShapeTable(chat_id, "a", [ReadDates("d")]))
    assert refused.value.code == "step_choice"
    assert "07/08/26 is 2026-08-07 or 2026-07-08" in refused.value.message
    _, rows = made(app, chat_id, app.send(ShapeTable(chat_id, "a", [ReadDates("d", "empty")])))
    assert [row[0] for row in rows] == ["2026-07-15", None, "2026-07-01", "2026-07-14", "2026-07-14"]


@pytest.mark.long
def test_units_and_the_decimal_sign_must_be_chosen_if_a_column_has_several_units_or_is_ambiguous(
    app: App,
) -> None:
    chat_id = chat_with(app, "a.csv", 'n\n"1,234 kg"\n2 kg\n3 lb\nheavy\n')
    preview = app.preview_shape(chat_id, "a", [ReadNumbers("n")])
    assert {choice.name: choice.suggested for choice in preview.needed} == {
        "decimal": None,
        "units": {"kg": 1.0, "lb": None},
    }
    with pytest.raises(Refused, match="Specify `decimal`"):
        app.send(ShapeTable(chat_id, "a", [ReadNumbers("n", units={"kg": 1, "lb": 0.45359237})]))
    with pytest.raises(Refused, match="The values use 2 different units"):
        app.send(ShapeTable(chat_id, "a", [ReadNumbers("n", ".")]))
    _, rows = made(
        app, chat_id, app.send(ShapeTable(chat_id, "a", [ReadNumbers("n", ".", {"kg": 1, "lb": None})]))
    )
    assert [row[0] for row in rows] == [1234, 2, None, None]


def test_values_that_cannot_be_read_are_counted_and_shown(app: App) -> None:
    chat_id = chat_with(app, "a.csv", "d\n2026-02-30\nhello\nhello\n14.07.2026\nn/a\n2026-07-14\n")
    preview = app.preview_shape(chat_id, "a", [ReadDates("d")])
    assert preview.unread_rows == 3
    assert preview.unread == (("hello", 2), ("2026-02-30", 1))
    assert preview.sides.column is not None
    assert [side.empty for side in preview.sides.column] == [1, 4]


@pytest.mark.long
def test_counts_of_one_are_worded_in_the_singular_and_empty_cells_are_not_text(app: App) -> None:
    text = "id,load\n1,1.5 kg\n2,2 g\n3,about 9 kg\n4,n/a\n5,\n6,soon\n"
    preview = app.preview_shape(chat_with(app, "loads.csv", text), "loads", [ReadNumbers("load")])
    assert {one.example: one.words for one in preview.readings if not one.reads} == {
        "about 9 kg": "whole numbers, kg, about",
        "n/a": "no value",
        "soon": "not a number",
    }
    assert preview.notes == ("1 value, “about 9 kg”, is not exact; it is left empty.",)
    assert dict(preview.choices[0].options) == {"kg": "2 rows, such as about 9 kg", "g": "1 row, such as 2 g"}
    same = chat_with(app, "same.csv", "a,b\n1,x\n1,y\n2, z\n")
    dropped = app.preview_shape(same, "same", [DropDuplicates(["a"])])
    assert dropped.notes == (
        "1 row is dropped, from 1 group of equal rows.",
        "1 of the groups differs in another column, whose other values are lost.",
    )


def test_values_that_could_not_be_read_as_numbers_can_be_read_again_from_the_file(app: App) -> None:
    lines = "\n".join(f"{n},{n}.5" for n in range(50))
    chat_id = chat_with(app, "a.csv", f"id,n\n{lines}\n50,7 kg\n51,abt 9\n")
    (profile,) = app.workspace.tables(chat_id)
    assert [column.unreadable for column in profile.columns] == [0, 2]
    preview = app.preview_shape(chat_id, "a", [ReadNumbers("n", units={"kg": 1.0})])
    assert 'as_written."a"' in preview.sql
    assert preview.unread == (("abt 9", 1),)
    assert ("7 kg", "7.0", 1) in preview.changed


def test_nearly_equal_values_are_suggested_for_merging_but_not_if_their_numbers_differ(app: App) -> None:
    names = ["Müller GmbH"] * 3 + [
        "Muller GmbH",
        "GmbH Müller",
        "muller gmbh",
        "Plant 12",
        "Plant 13",
        "Hamburg",
        "Hambrug",
    ]
    chat_id = chat_with(app, "a.csv", "name\n" + "\n".join(names) + "\n")
    preview = app.preview_shape(chat_id, "a", [UnifyText("name")])
    merges = {merge.value: merge.becomes for merge in preview.merges}
    assert merges == {
        "Muller GmbH": "Müller GmbH",
        "GmbH Müller": "Müller GmbH",
        "muller gmbh": "Müller GmbH",
        "Hamburg": "Hambrug",
    }


@pytest.mark.parametrize(
    ("steps", "kind", "code", "told"),
    mostly_long(
        [
            ([ReadDates("nope")], NotFound, "step_column", "a has no column nope. Its columns are: id, name"),
            ([RenameColumns({"id": "name"})], Invalid, "step_name", "Two columns would be called name"),
            ([SplitColumn("name", "-", ["x"])], Invalid, "step_split", "two or more parts"),
            (
                [KeepRows("id", "at_least", "x")],
                Invalid,
                "step_value",
                "id is a column of numbers, and “x” is not a number",
            ),
            ([PickColumns([])], Invalid, "step_columns", "at least one column"),
            ([], Invalid, "step_count", "not 0"),
        ],
        quick=(0, 3),
    ),
)
def test_a_step_that_cannot_be_done_says_what_to_change(
    app: App, steps: Sequence[Step], kind: type[AnabranchError], code: str, told: str
) -> None:
    chat_id = chat_with(app, "a.csv", "id,name\n1,x-y\n2,z\n")
    with pytest.raises(kind) as refused:
        app.send(ShapeTable(chat_id, "a", steps))
    assert refused.value.code == code
    assert told in refused.value.message


def test_a_column_that_already_has_a_type_is_not_read_again(app: App) -> None:
    chat_id = chat_with(app, "a.csv", "id,name\n1,x\n2,z\n")
    app.send(ShapeTable(chat_id, "a", [SortRows("id")]))
    with pytest.raises(Refused, match="id is not text but BIGINT") as refused:
        app.send(ShapeTable(chat_id, "a_clean", [ReadNumbers("id")]))
    assert refused.value.code == "step_needless"


@pytest.mark.long
def test_an_assumed_order_of_day_and_month_can_be_changed(app: App) -> None:
    chat_id = chat_with(app, "a.csv", "d\n01/02/2026\n03/04/2026\n")
    (profile,) = app.workspace.tables(chat_id)
    assert profile.columns[0].type == "DATE"
    columns, rows = made(app, chat_id, app.send(ShapeTable(chat_id, "a", [ReadDates("d", "day_first")])))
    assert columns == {"d": "DATE"}
    assert [row[0] for row in rows] == ["2026-02-01", "2026-04-03"]


def test_an_unknown_table_is_reported_with_the_existing_ones(app: App) -> None:
    chat_id = chat_with(app, "a.csv", "id\n1\n2\n")
    with pytest.raises(NotFound, match=r"no table b\. Its tables are: a"):
        app.send(ShapeTable(chat_id, "b", [SortRows("id")]))


def test_text_in_a_file_is_never_executed_as_sql(app: App) -> None:
    text = 'id,na"me\n1,"x\'); DROP TABLE a; --"\n2,y\n'
    chat_id = chat_with(app, "a.csv", 'id,"na""me"\n' + text.partition("\n")[2])
    steps = [UnifyText('na"me', merges={"x'); DROP TABLE a; --": "it's"}), RenameColumns({'na"me': "a\nb"})]
    columns, rows = made(app, chat_id, app.send(ShapeTable(chat_id, "a", steps)))
    assert list(columns) == ["id", "a\nb"]
    assert [row[1] for row in rows] == ["it's", "y"]


def test_a_step_is_undone_by_a_rewind_and_copied_to_a_fork(app: App) -> None:
    chat_id = chat_with(app, "a.csv", "id\n2\n1\n2\n")
    call_id = app.send(ShapeTable(chat_id, "a", [DropDuplicates(), SortRows("id")], name="sorted"))
    fork = app.send(ForkChat(chat_id))
    assert "results/sorted.parquet" in app.workspace.files(fork)
    app.send(RewindChat(chat_id, app.chat(chat_id).calls[call_id].position - 1, "files"))
    assert set(app.workspace.files(chat_id)) == {"a.csv"}


@pytest.mark.long
def test_each_table_of_a_database_can_be_cleaned_separately(app: App, tmp_path: Path) -> None:
    import sqlite3  # noqa: PLC0415 - for this test only

    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE sold (d TEXT)")
        database.executemany("INSERT INTO sold VALUES (?)", [("14.07.2026",), ("July 1, 2026",), ("x",)])
    chat_id = app.send(CreateChat(title="db"))
    app.send(UploadFiles(chat_id, [Upload("shop.db", file)]))
    (table,) = [one.name for one in app.workspace.tables(chat_id)]
    _, rows = made(app, chat_id, app.send(ShapeTable(chat_id, table, [ReadDates("d")])))
    assert [row[0] for row in rows] == ["2026-07-14", "2026-07-01", None]
