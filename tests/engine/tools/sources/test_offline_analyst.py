"""The offline analyst over tables of sources: as over files, in the source's own SQL, with the same answers."""

import csv
import io
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ListSources
from engine.commands.catalog import (
    AddSource,
    Ask,
    BeginChat,
    ProfileSourceTable,
    RefreshSourceTables,
    TestSource,
    Upload,
)
from engine.errors import NotFound
from engine.rendering.plans import ChartPlan
from engine.views.chat import CallView, ChatView
from engine.views.query_form import form_sql, starting_forms
from events.json_value import JSON
from tests.support.postgres import READER_KEY, Postgres

REGIONS, PRODUCTS = ("East", "West", "North"), ("bread", "milk", "eggs", "rice")
ROWS = [
    (
        n,
        REGIONS[n % 3],
        PRODUCTS[n * 7 % 4],
        n * 13 % 50,
        None if n % 9 == 0 else f"2026-{1 + n % 6:02d}-{1 + n % 28:02d}",
    )
    for n in range(1, 241)
]
HEADER = ("id", "region", "product", "units", "sold_on")
QUESTIONS = [
    "how many visits are there",
    "total units by region",
    "average units by product",
    "median units by region",
    "units by region and product",
    "top 3 products by units",
    "number of rows where region is East",
    "number of rows where units is more than 40",
    "share of rows where product is milk",
    "how many products are there by region",
    "which region has the most units",
    "maximum and minimum units",
    "standard deviation of units",
    "how many are missing in sold_on",
    "units divided by id by region",
]
DATED = ["units by month", "total units in March 2026", "total units by weekday",
         "cumulative units by month"]  # fmt: skip
"""SQLite has no dates: its texts are texts."""
LACKING = ["median units by region", "standard deviation of units"]
"""SQLite has no such functions."""
CHART = "data-analyst:chart"


def _csv() -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([HEADER, *(["" if v is None else v for v in row] for row in ROWS)])
    return text.getvalue().encode()


def with_sqlite(app: App, folder: Path) -> str:
    file = folder / "shop.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute(
            "CREATE TABLE visits (id INTEGER, region TEXT, product TEXT, units INTEGER, sold_on TEXT)"
        )
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", ROWS)
        database.commit()
    app.send(AddSource("shop", "sqlite", str(file)))
    return "main.visits"


def with_postgresql(app: App, server: Postgres) -> str:
    values = ", ".join(str(row).replace("None", "NULL") for row in ROWS)
    server.run("CREATE TABLE sales.visits (id int, region text, product text, units int, sold_on date)",
               f"INSERT INTO sales.visits VALUES {values}", "GRANT SELECT ON sales.visits TO reader",
               "ANALYZE sales.visits")  # fmt: skip
    app.send(AddSource("shop", "postgresql", server.address, "reader", READER_KEY))
    return "sales.visits"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def table(request: pytest.FixtureRequest, app: App, tmp_path: Path) -> str:
    """The table at the source `shop`, as it appears in the list."""
    if request.param == "sqlite":
        made = with_sqlite(app, tmp_path)
    else:
        made = with_postgresql(app, request.getfixturevalue("postgres"))
    assert app.send(TestSource("shop")).connected
    return made


def asked(app: App, question: str, *files: Upload) -> ChatView:
    turn = app.send(BeginChat(question, files, model="offline"))
    app.wait(turn.turn_id)
    return app.chat(turn.chat_id)


def follow_up(app: App, chat_id: str, question: str) -> list[CallView]:
    """Return the calls that answer a question in a chat."""
    before = set(app.chat(chat_id).calls)
    turn = app.send(Ask(chat_id, question))
    app.wait(turn.turn_id)
    view = app.chat(chat_id)
    made = [call for call_id, call in view.calls.items() if call_id not in before]
    assert made, (question, view.branch()[-1].text)
    return made


def cells(call: CallView) -> list[list[JSON]]:
    """Return the rows of a result or of a chart, sorted."""
    assert call.status == "success", call.error
    plan = call.plan
    rows = [list(row.values()) for row in plan.data or ()] if isinstance(plan, ChartPlan) else numbers(call)
    return sorted(rows, key=str)


def numbers(call: CallView) -> list[list[JSON]]:
    assert call.status == "success", call.error
    assert isinstance(call.result, dict)
    return call.result["rows"]  # type: ignore[no-any-return]


def alike(one: JSON, other: JSON) -> bool:
    both = [one, other]
    if all(isinstance(value, int | float) for value in both):
        return math.isclose(float(one), float(other), rel_tol=1e-12)  # type: ignore[arg-type]
    return str(one)[:10] == str(other)[:10]


@pytest.mark.long
def test_a_source_gives_the_same_answers_as_a_file(app: App, table: str) -> None:
    app.send(ProfileSourceTable("shop", table))
    questions = QUESTIONS if table.startswith("main") else [*QUESTIONS, *DATED]
    here = app.send(BeginChat("hello", [Upload("visits.csv", _csv())], model="offline"))
    app.wait(here.turn_id)
    for question in questions:
        (expected,) = follow_up(app, here.chat_id, f"{question} in visits.csv")
        if table.startswith("main") and question in LACKING:  # it is said, and nothing is made up
            refused = asked(app, f"{question} in shop.{table}")
            assert not refused.calls
            assert "its SQL (sqlite) has no function for this" in refused.branch()[-1].text
            continue
        there, *drawn = follow_up(app, here.chat_id, f"{question} in shop.{table}")
        assert there.args["source"] == "shop"
        assert there.result["source"]["tables"] == [table]
        assert [call.status for call in drawn] == ["success"] * (expected.tool_id == CHART)
        found, wanted = cells(drawn[0] if drawn else there), cells(expected)
        assert len(found) == len(wanted), (question, there.args)
        for one, other in zip(found, wanted, strict=True):
            assert all(map(alike, one, other)), (question, there.args, one, other)


def test_a_table_is_prepared_for_questions_only_on_request(app: App, table: str) -> None:
    for question in ("how many visits are there", f"total units by region in shop.{table}"):
        without = asked(app, question)
        assert not without.calls
        assert "press “Prepare for questions”" in without.branch()[-1].text
    beside = asked(app, f"total units by region in @shop.{table}", Upload("visits.csv", _csv()))
    assert not beside.calls
    assert f"I have not read `shop.{table}` yet" in beside.branch()[-1].text
    assert app.sources.profiles() == ()

    assert app.send(ProfileSourceTable("shop", table)) == 240
    (profile,) = app.sources.profiles()
    assert (profile.name, profile.rows) == (f"shop.{table}", 240)
    region = next(column for column in profile.columns if column.name == "region")
    assert sorted(region.values) == sorted(REGIONS)
    assert region.values_complete
    assert "each question reads it again" in profile.notes[0]
    app.send(RefreshSourceTables("shop"))
    assert len(app.sources.profiles()) == 1
    with pytest.raises(NotFound):
        app.send(ProfileSourceTable("shop", "main.nothing"))


@pytest.mark.long
def test_questions_are_about_the_files_of_the_chat_unless_they_name_tables_of_a_source(
    app: App, table: str
) -> None:
    app.send(ProfileSourceTable("shop", table))
    for question in ("total units by region", "total units by region in visits", "how many rows are there"):
        (call,) = asked(app, question, Upload("visits.csv", _csv())).calls.values()
        assert "source" not in call.args
    for question in ("how many rows are in visits", "how many visits are there"):
        (call,) = asked(app, question, Upload("mine.csv", _csv())).calls.values()
        assert call.args["source"] == "shop", question
    named = asked(app, f"total units by region in shop.{table}", Upload("visits.csv", _csv()))
    (call,) = named.calls.values()
    assert call.args["source"] == "shop"
    (call,) = follow_up(app, named.chat_id, "and by product")
    assert call.args["source"] == "shop"


def test_a_query_is_built_over_a_source_in_the_sql_of_the_source(app: App, table: str) -> None:
    app.send(ProfileSourceTable("shop", table))
    profiles = app.sources.profiles()
    (start,) = starting_forms(profiles)
    assert start.text == f"shop.{table}"
    schema = table.partition(".")[0]
    assert f'FROM "{schema}"."visits"' in form_sql(start.form, profiles)
    turn = app.send(BeginChat("number of rows", model="offline", form=start.form))
    app.wait(turn.turn_id)
    (call,) = app.chat(turn.chat_id).calls.values()
    assert numbers(call)[0][0] == 240


def test_the_profile_of_a_large_table_covers_its_first_rows_and_says_so(app: App, tmp_path: Path) -> None:
    file = tmp_path / "large.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE many (n INTEGER)")
        database.executemany("INSERT INTO many VALUES (?)", ((n,) for n in range(100_500)))
        database.commit()
    app.send(AddSource("large", "sqlite", str(file)))
    assert app.send(ProfileSourceTable("large", "main.many")) == 100_500
    (profile,) = app.sources.profiles()
    assert "Values, ranges and missing values are those of 100,000 of its rows." in profile.notes
    assert not profile.columns[0].values_complete
    assert answer(app, ListSources())[0]["connected"]
