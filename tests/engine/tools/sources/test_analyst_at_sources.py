"""The offline analyst over tables at sources as well as files: joins, names, counts and refusals."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ListSourceTables
from engine.commands.catalog import AddSource, BeginChat, ProfileSourceTable, TestSource, Upload
from engine.views.chat import ChatView
from events.json_value import JSON

Tables = Mapping[str, tuple[str, Sequence[tuple[JSON, ...]]]]
"""Table → its columns, as SQLite defines them, and its rows."""
VISITS: Tables = {
    "visits": ("id INTEGER, region TEXT, units INTEGER", [(n, "EW"[n % 2], n) for n in range(50)])
}
FILE = b"region,units\n" + b"".join(b"%s,%d\n" % ((b"East", b"West")[n % 2], n) for n in range(40))


def source(app: App, folder: Path, name: str, tables: Tables, *, read: bool = True) -> Path:
    """Add a source with `tables`, and prepare each of them for questions."""
    file = folder / f"{name}.sqlite"
    with closing(sqlite3.connect(file)) as database:
        for table, (columns, rows) in tables.items():
            database.execute(f'CREATE TABLE "{table}" ({columns})')
            marks = ", ".join("?" * len(columns.split(",")))
            database.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        database.commit()
    app.send(AddSource(name, "sqlite", str(file)))
    assert app.send(TestSource(name)).connected
    for table in tables if read else ():
        app.send(ProfileSourceTable(name, f"main.{table}"))
    return file


def asked(app: App, question: str, *files: Upload) -> tuple[ChatView, str]:
    turn = app.send(BeginChat(question, files, model="offline"))
    app.wait(turn.turn_id)
    view = app.chat(turn.chat_id)
    return view, view.branch()[-1].text


def test_tables_of_a_source_are_not_joined_and_the_answer_says_so(app: App, tmp_path: Path) -> None:
    orders = [(n, f"c{n % 20}", 10) for n in range(200)]
    customers = [(f"c{n}", ("Ann", "Bob")[n % 2]) for n in range(20)]
    tables: Tables = {
        "orders": ("order_id INTEGER, customer TEXT, amount INTEGER", orders),
        "customers": ("customer TEXT, manager TEXT", customers),
    }
    source(app, tmp_path, "shop", tables)
    view, told = asked(app, "total amount by manager")
    assert not view.calls
    assert "I do not join tables of a source" in told
    assert "`shop.main.orders`" in told
    assert "`shop.main.customers`" in told


@pytest.mark.long
def test_if_the_row_count_is_unknown_the_answer_gives_the_number_of_rows_read(
    app: App, tmp_path: Path
) -> None:
    rows = [(n, n % 3) for n in range(100_500)]
    file = source(app, tmp_path, "shop", {"base": ("n INTEGER, kind INTEGER", rows)}, read=False)
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE VIEW many AS SELECT * FROM base")  # of a view, SQLite states no count
    app.send(TestSource("shop"))
    app.send(ProfileSourceTable("shop", "main.many"))
    listed = answer(app, ListSourceTables("shop"))["tables"]
    assert [(t["name"], t["read_for_questions"]) for t in listed if t["name"] == "many"] == [
        ("many", "at least 100,000 rows")
    ]
    _, told = asked(app, "columns of shop.main.many")
    assert "has at least 100,000 rows" in told
    assert "The source does not say how many rows it has." in told
    _, told = asked(app, "show 5 rows")
    assert "in no particular order" in told
    assert "of the file" not in told


@pytest.mark.long
def test_a_source_does_not_hide_a_file_of_the_same_name(app: App, tmp_path: Path) -> None:
    source(app, tmp_path, "sales", {"visits": VISITS["visits"], "with space": ("id INTEGER", [])}, read=False)
    _, told = asked(app, "how many rows are in sales.csv", Upload("sales.csv", FILE))
    assert "**40** rows" in told
    for named in ("sales.main.visits", "@sales.main.visits", "sales.visits"):
        view, told = asked(app, f"how many rows are in {named}?", Upload("sales.csv", FILE))
        assert not view.calls
        assert "I have not read `sales.main.visits` yet" in told
    _, told = asked(app, "how many rows in sales.main.with space", Upload("sales.csv", FILE))
    assert "I have not read `sales.main.with space` yet" in told


@pytest.mark.long
def test_tables_of_a_source_are_recognized_by_names_of_any_form(app: App, tmp_path: Path) -> None:
    one: Tables = {
        name: ("id INTEGER, v INTEGER", [(1, 2)]) for name in ("with space", "order-items", "order")
    }
    source(app, tmp_path, "shop", {**VISITS, **one})
    for named in ("shop.main.with space", "shop.main.order-items", "shop.order-items", "shop.order"):
        _, told = asked(app, f"how many rows are in {named}")
        assert "**1** row." in told, named
    _, told = asked(app, "how many rows are in shop.visits?")
    assert "**50** rows" in told
    _, told = asked(app, "total of shop.main.visits.units")
    assert "I have not read" not in told


def test_a_table_whose_columns_have_changed_has_to_be_prepared_again(app: App, tmp_path: Path) -> None:
    file = source(app, tmp_path, "shop", {**VISITS, "other": ("n INTEGER", [(1,)])})
    with closing(sqlite3.connect(file)) as database:
        database.execute("ALTER TABLE visits RENAME COLUMN units TO pieces")
    view, told = asked(app, "total units by region")
    assert [call.status for call in view.calls.values()] == ["error"]
    assert "press “Prepare for questions” again" in told
    app.send(TestSource("shop"))
    assert [profile.name for profile in app.sources.profiles()] == ["shop.main.other"]
    _, told = asked(app, "total pieces by region in shop.main.visits")
    assert "I have not read `shop.main.visits` yet" in told
    app.send(ProfileSourceTable("shop", "main.visits"))
    app.send(TestSource("shop"))
    _, told = asked(app, "total pieces by region in shop.main.visits")
    assert "Total pieces by region: E 600; W 625." in told


def test_a_statistic_that_a_source_cannot_compute_is_neither_queried_nor_suggested(
    app: App, tmp_path: Path
) -> None:
    rows = [(n, "EW"[n % 2], n / 4, n % 7) for n in range(60)]
    source(app, tmp_path, "shop", {"m": ("id INTEGER, region TEXT, price REAL, qty INTEGER", rows)})
    for question in ("median price", "standard deviation of price", "correlation between price and qty"):
        view, told = asked(app, question)
        assert not view.calls, question
        assert "its SQL (sqlite) has no function for this" in told
        assert "correlation between" not in told.partition("You could ask:")[2]
        assert "You could ask:" in told
