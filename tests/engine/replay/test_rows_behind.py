"""The input rows behind a cell: which rows are found, that they reproduce the cell, and which cells are refused."""

# ruff: noqa: E501 -- a SELECT is one line

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from engine.app.app import App
from engine.commands.catalog import CreateChat, NameMoment, RunTool, SaveFile, Upload, UploadFiles
from engine.errors import Invalid, NotFound, Refused, Unavailable
from engine.system.cancellation import Cancellation
from tests.support.long_cases import mostly_long

QUERY = "data-analyst:query"
ORDERS = b"""id,customer,region,quarter,revenue,ordered_at
1,10,East,Q2,100,2026-04-01
2,11,East,Q3,40,2026-07-02
3,10,West,Q2,70,2026-05-03
4,12,West,Q3,,2026-08-04
5,13,West,Q3,25,2026-09-05
6,11,East,Q3,60,2026-07-06
"""
CUSTOMERS = b"customer,name,size\n10,Ada,big\n11,Ben,small\n12,Cem,big\n"


@pytest.fixture
def chat_id(app: App) -> str:
    made: str = app.send(CreateChat())
    app.send(UploadFiles(made, [Upload("orders.csv", ORDERS), Upload("customers.csv", CUSTOMERS)]))
    return made


def run(app: App, chat_id: str, sql: str) -> str:
    called: str = app.send(RunTool(chat_id, QUERY, {"sql": sql}))
    call = app.chat(chat_id).calls[called]
    assert call.status == "success", call.error
    return called


def file_of(app: App, chat_id: str) -> str:
    return app.workspace.files(chat_id)["orders.csv"].sha256


def ids(app: App, chat_id: str, sql: str, row: int, column: int | str) -> dict[str, list[Any]]:
    """Return the values of the first column of the rows behind a cell, by table."""
    found = app.rows_behind(chat_id, run(app, chat_id, sql), row, column)
    return {one.table: [cells[1] for cells in one.rows] for one in found.tables}


CASES: list[tuple[str, str, int, int | str, dict[str, list[int]]]] = [
    ("a sum of a group", "SELECT region, sum(revenue) AS s FROM orders GROUP BY region ORDER BY 1", 0, "s", {"orders": [1, 2, 6]}),
    ("by position", "SELECT region, avg(revenue) AS m FROM orders GROUP BY 1 ORDER BY 1", 1, "m", {"orders": [3, 4, 5]}),
    ("by an expression", "SELECT month(ordered_at) AS m, count(*) AS n FROM orders GROUP BY month(ordered_at) ORDER BY m", 2, "n", {"orders": [2, 6]}),
    ("a filter", "SELECT max(revenue) AS top FROM orders WHERE quarter = 'Q3'", 0, "top", {"orders": [2, 4, 5, 6]}),
    ("FILTER", "SELECT region, sum(revenue) FILTER (quarter = 'Q2') AS q2, sum(revenue) FILTER (quarter = 'Q3') AS q3, q3 - q2 AS change FROM orders GROUP BY ALL ORDER BY region", 0, "q2", {"orders": [1]}),
    ("what is computed of two of them", "SELECT region, sum(revenue) FILTER (quarter = 'Q2') AS q2, sum(revenue) FILTER (quarter = 'Q3') AS q3, q3 - q2 AS change FROM orders GROUP BY ALL ORDER BY region", 0, "change", {"orders": [1, 2, 6]}),
    ("CASE", "SELECT sum(CASE WHEN region = 'East' THEN revenue ELSE 0 END) AS east, count(*) AS n FROM orders", 0, "east", {"orders": [1, 2, 6]}),
    ("the whole beside CASE", "SELECT sum(CASE WHEN region = 'East' THEN revenue ELSE 0 END) AS east, count(*) AS n FROM orders", 0, "n", {"orders": [1, 2, 3, 4, 5, 6]}),
    ("a join", "SELECT name, sum(revenue) AS s FROM orders JOIN customers USING (customer) GROUP BY name ORDER BY name", 1, "s", {"orders": [2, 6], "customers": [11]}),
    ("a left join", "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.customer = o.customer ORDER BY o.id", 4, "id", {"orders": [5], "customers": []}),
    ("HAVING", "SELECT region, count(*) AS n FROM orders GROUP BY region HAVING count(*) > 2 ORDER BY 1", 1, "n", {"orders": [3, 4, 5]}),
    ("DISTINCT", "SELECT DISTINCT quarter FROM orders ORDER BY quarter", 1, "quarter", {"orders": [2, 4, 5, 6]}),
    ("count of distinct values", "SELECT count(DISTINCT customer) AS n FROM orders WHERE region = 'West'", 0, "n", {"orders": [3, 4, 5]}),
    ("a median", "SELECT quarter, median(revenue) AS m FROM orders GROUP BY quarter ORDER BY quarter", 0, "m", {"orders": [1, 3]}),
    ("a CTE that is read twice", "WITH q AS (SELECT region, quarter, sum(revenue) AS s FROM orders GROUP BY ALL) SELECT a.region, b.s - a.s AS d FROM q a JOIN q b ON a.region = b.region AND a.quarter = 'Q2' AND b.quarter = 'Q3' ORDER BY 1", 0, "d", {"orders": [1, 2, 6]}),
    ("a CTE with names for its columns", "WITH q(r, s) AS (SELECT region, sum(revenue) FROM orders GROUP BY 1) SELECT s FROM q WHERE r = 'East'", 0, "s", {"orders": [1, 2, 6]}),
    ("a subquery in FROM", "SELECT avg(s) AS m FROM (SELECT region, sum(revenue) AS s FROM orders WHERE quarter = 'Q3' GROUP BY region)", 0, "m", {"orders": [2, 4, 5, 6]}),
    ("a column of a subquery that a FILTER takes", "SELECT region, q2 FROM (SELECT region, sum(revenue) FILTER (quarter = 'Q2') AS q2, count(*) AS n FROM orders GROUP BY region) ORDER BY 1", 0, "q2", {"orders": [1]}),
    ("ORDER BY and LIMIT", "SELECT * FROM (SELECT id, revenue FROM orders ORDER BY revenue DESC LIMIT 2 OFFSET 1) ORDER BY id", 0, "revenue", {"orders": [3]}),
    ("UNION ALL", "SELECT region, revenue FROM orders WHERE id = 1 UNION ALL SELECT name, customer FROM customers ORDER BY 1", 1, "revenue", {"orders": [], "customers": [11]}),
    ("UNION", "SELECT customer FROM orders UNION SELECT customer FROM customers ORDER BY 1", 0, "customer", {"orders": [1, 3], "customers": [10]}),
    ("everything of a table", "FROM orders ORDER BY id", 2, "revenue", {"orders": [3]}),
    ("a total of ROLLUP", "SELECT region, sum(revenue) AS s FROM orders GROUP BY ROLLUP (region) ORDER BY region NULLS LAST", 2, "s", {"orders": [1, 2, 3, 4, 5, 6]}),
    ("another column than that of a window function", "SELECT region, sum(revenue) AS s, rank() OVER (ORDER BY sum(revenue)) AS place FROM orders GROUP BY region ORDER BY region", 0, "s", {"orders": [1, 2, 6]}),
    ("a filter with a subquery", "SELECT sum(revenue) AS s FROM orders WHERE customer IN (SELECT customer FROM customers WHERE size = 'big')", 0, "s", {"orders": [1, 3, 4]}),
    ("a semi join", "SELECT count(*) AS n FROM orders SEMI JOIN customers USING (customer)", 0, "n", {"orders": [1, 2, 3, 4, 6]}),
    ("DISTINCT over groups", "SELECT DISTINCT count(*) AS n FROM orders GROUP BY region ORDER BY n", 0, "n", {"orders": [1, 2, 3, 4, 5, 6]}),
    ("a name in quotes and another case", 'SELECT "Region", SUM(Revenue) AS "The Sum" FROM "Orders" GROUP BY "Region" ORDER BY 1', 0, "The Sum", {"Orders": [1, 2, 6]}),
    ("a sum without a name", "SELECT region, sum(revenue) FROM orders GROUP BY region ORDER BY region", 0, 1, {"orders": [1, 2, 6]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "row", "column", "expected"),
    mostly_long([c[1:] for c in CASES], quick=(0, 8, 14, 22, 27)),
    ids=[c[0] for c in CASES],
)
def test_the_rows_behind_a_cell_are_found(
    app: App, chat_id: str, sql: str, row: int, column: int | str, expected: dict[str, list[int]]
) -> None:
    assert ids(app, chat_id, sql, row, column) == expected


REFUSED = [
    ("SELECT id, rank() OVER (ORDER BY revenue) AS place FROM orders", "place", "window function"),
    ("SELECT region, revenue / (SELECT sum(revenue) FROM orders) AS share FROM orders", "share", "subquery"),
    ("SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY region) = 1", "id", "QUALIFY"),
    (
        "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM orders) WHERE n = 1",
        "id",
        "window",
    ),
    ("PIVOT orders ON quarter USING sum(revenue) GROUP BY region", "Q2", "PIVOT"),
    ("SELECT customer FROM orders EXCEPT SELECT customer FROM customers", "customer", "EXCEPT"),
    (
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
        "n",
        "recursive",
    ),
    ("SELECT DISTINCT ON (region) id FROM orders ORDER BY region, id", "id", "DISTINCT ON"),
    ("SELECT 42 AS n", "n", "no table"),
    ("SELECT random() AS x FROM orders LIMIT 1", "x", "did not return this row"),
]


@pytest.mark.parametrize(
    ("sql", "column", "why"), mostly_long(REFUSED, quick=(0, 4, 9)), ids=[one[2] for one in REFUSED]
)
def test_a_cell_that_cannot_be_traced_is_refused_with_the_reason(
    app: App, chat_id: str, sql: str, column: str, why: str
) -> None:
    called = run(app, chat_id, sql)
    with pytest.raises(Refused, match=why) as refused:
        app.rows_behind(chat_id, called, 0, column)
    assert refused.value.code == "rows_refused"
    assert str(refused.value).startswith("The rows behind this cell cannot be shown: ")


def test_rows_come_from_the_files_that_the_call_had(app: App, chat_id: str) -> None:
    called = run(app, chat_id, "SELECT sum(revenue) AS s FROM orders WHERE region = 'East'")
    app.send(SaveFile(chat_id, "orders.csv", b"id,region,revenue\n9,East,1\n", file_of(app, chat_id)))

    found = app.rows_behind(chat_id, called, 0, "s")
    assert [row[1] for row in found.tables[0].rows] == [1, 2, 6]
    assert (found.value, found.tables[0].used, found.tables[0].all, found.tables[0].path) == (
        200,
        3,
        6,
        "orders.csv",
    )
    assert found.tables[0].columns == ("row", "id", "customer", "region", "quarter", "revenue", "ordered_at")


def test_an_earlier_state_of_the_files_gives_its_own_rows(app: App, chat_id: str) -> None:
    app.send(NameMoment(chat_id, "before"))
    app.send(SaveFile(chat_id, "orders.csv", b"id,region,revenue\n9,East,1\n", file_of(app, chat_id)))
    called = run(
        app,
        chat_id,
        "SELECT (SUM(o.revenue) + min(n.revenue)) AS s FROM before.orders o, orders n WHERE o.region = 'East'",
    )
    found = app.rows_behind(chat_id, called, 0, "s")
    assert [(one.table, [row[1] for row in one.rows]) for one in found.tables] == [
        ("before.orders", [1, 2, 6]),
        ("orders", [9]),
    ]


def test_rows_come_in_pages_and_as_csv_and_notes_say_what_is_not_listed(app: App, chat_id: str) -> None:
    sql = "SELECT count(*) AS n FROM orders WHERE customer IN (SELECT customer FROM customers)"
    called = run(app, chat_id, sql)
    found = app.rows_behind(chat_id, called, 0, "n", limit=2, offset=2, csv=True)
    (table,) = found.tables
    assert ([row[0] for row in table.rows], table.used) == ([3, 4], 5)
    assert table.csv is not None
    assert table.csv.decode().splitlines()[:2] == [
        "row,id,customer,region,quarter,revenue,ordered_at",
        "1,1,10,East,Q2,100,2026-04-01",
    ]
    assert len(table.csv.splitlines()) == 6
    assert found.notes == (
        "The rows of customers are not listed, because the SQL uses them only in a filter.",
    )
    with pytest.raises(Invalid, match="a limit from 1 to 1,000"):
        app.rows_behind(chat_id, called, 0, "n", limit=1_001)
    with pytest.raises(NotFound, match="no cell 'm' in row 0"):
        app.rows_behind(chat_id, called, 0, "m")


class StopsAtOnce(Cancellation):
    """A cancellation that is set as soon as something can be stopped by it."""

    def on_set(self, callback: Callable[[], None]) -> Callable[[], None]:
        taken_back = super().on_set(callback)
        self.set()
        return taken_back


def test_a_search_can_be_stopped_and_repeated(app: App, chat_id: str) -> None:
    called = run(app, chat_id, "SELECT count(*) AS n FROM orders")
    with pytest.raises(Unavailable, match="The search for the rows was stopped") as stopped:
        app.rows_behind(chat_id, called, 0, "n", cancel=StopsAtOnce())
    assert stopped.value.code == "rows_stopped"
    assert app.rows_behind(chat_id, called, 0, "n").tables[0].used == 6


def test_equal_rows_in_a_result_are_reported(app: App, chat_id: str) -> None:
    called = run(app, chat_id, "SELECT region FROM orders")
    found = app.rows_behind(chat_id, called, 1, "region")
    assert [row[1] for row in found.tables[0].rows] == [2]
    assert found.notes == (
        "3 rows of the result have the same values; these are the rows behind one of them.",
    )


def test_results_of_python_are_not_traced(app: App, chat_id: str) -> None:
    called = app.send(RunTool(chat_id, "data-analyst:describe", {}))
    with pytest.raises(Refused, match="describe made this result, and it did not come from a single SELECT"):
        app.rows_behind(chat_id, called, 0, 0)


# at random


def a_table(chance: Random, columns: dict[str, list[Any]], rows: int) -> bytes:
    lines = [",".join(["id", *columns])]
    for number in range(1, rows + 1):
        lines.append(",".join([str(number), *(str(chance.choice(values)) for values in columns.values())]))
    return ("\n".join(lines) + "\n").encode()


def a_query(chance: Random) -> tuple[str, str, list[str], list[str]]:
    """Return a SELECT, its sources and filters as a FROM clause, its keys, and its tables."""
    joined = chance.random() < 0.6
    kind = chance.choice(["JOIN", "LEFT JOIN"]) if joined else ""
    source = f"facts f {kind} names n ON f.k = n.k" if joined else "facts f"
    wheres = [
        "f.x > 3", "f.a <> 'u'", "f.x IS NOT NULL", "f.y BETWEEN 2 AND 8", "f.k IN (SELECT k FROM names)", "f.a LIKE 'v%'",
    ]  # fmt: skip
    if joined:
        wheres += ["n.b = 'p'", "n.b IS NOT NULL"]
    where = " AND ".join(chance.sample(wheres, chance.choice([0, 1, 1, 2])))
    over = f"{source} WHERE {where}" if where else source
    possible = [
        "f.a",
        "f.y % 3",
        "CASE WHEN f.x > 5 THEN 'high' ELSE 'low' END",
        *(["n.b"] if joined else []),
    ]
    keys = chance.sample(possible, chance.choice([0, 1, 1, 2]))
    made = chance.choice(
        [
            "sum(f.x)",
            "count(*)",
            "avg(f.x)",
            "min(f.y)",
            "max(f.x)",
            "median(f.x)",
            "count(DISTINCT f.a)",
            "count(f.x)",
        ]
    )
    listed = [f"{key} AS k{at}" for at, key in enumerate(keys)]
    having = " HAVING count(*) > 1" if keys and chance.random() < 0.3 else ""
    match chance.randrange(4):
        case 0 if keys:
            sql = f"SELECT {', '.join(listed)}, {made} AS v FROM {over} GROUP BY {', '.join(keys)}{having}"
        case 1:
            sql = f"SELECT {', '.join([*listed, f'{made} AS v'])} FROM {over} GROUP BY ALL{having}"
        case 2:
            sql = f"WITH q AS (SELECT {', '.join([*listed, f'{made} AS v'])} FROM {over} GROUP BY ALL{having}) SELECT * FROM q"
        case _:
            inner = f"SELECT {', '.join([*listed, f'{made} AS v'])} FROM {over} GROUP BY ALL{having}"
            sql = f"SELECT {', '.join([*(f'k{at}' for at in range(len(keys))), 'v'])} FROM ({inner}) t"
    if keys and chance.random() < 0.5:
        sql += " ORDER BY ALL LIMIT 5"
    return sql, over, keys, ["facts", *(["names"] if joined else [])]


@pytest.mark.parametrize(
    ("first", "last"),
    [(0, 4), *(pytest.param(at, at + 100, marks=pytest.mark.long) for at in range(0, 1_000, 100))],
)
def test_the_rows_behind_random_queries_match_the_group_and_give_the_cell_again(
    app: App, tmp_path: Path, first: int, last: int
) -> None:
    """The rows found are those that the filter and the keys select; the SELECT over only these rows gives the cell."""
    chance = Random("tables")
    facts = a_table(
        chance,
        {"k": [*range(1, 15), ""], "a": ["u", "v", "vw", ""], "x": [*range(10), ""], "y": [*range(10)]},
        120,
    )
    names = a_table(chance, {"k": [*range(1, 12), ""], "b": ["p", "q", ""]}, 14)
    chat_id = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [Upload("facts.csv", facts), Upload("names.csv", names)]))
    (tmp_path / "facts.csv").write_bytes(facts)
    (tmp_path / "names.csv").write_bytes(names)
    asked = 0
    for seed in range(first, last):
        chance = Random(seed)
        sql, over, keys, read = a_query(chance)
        with duckdb.connect() as own:
            for name in ("facts", "names"):
                own.execute(f"CREATE TABLE {name} AS FROM read_csv('{tmp_path / name}.csv')")
            called = run(app, chat_id, sql)
            result = app.chat(chat_id).calls[called].result
            assert isinstance(result, dict)
            rows: Any = result["rows"]
            if not rows:
                continue
            at = chance.randrange(len(rows))
            found = app.rows_behind(chat_id, called, at, "v", limit=1_000)
            asked += 1
            named = {one.table: sorted(int(str(row[1])) for row in one.rows) for one in found.tables}
            picked = " AND ".join(
                f"{key} IS NOT DISTINCT FROM {literal(rows[at][i])}" for i, key in enumerate(keys)
            )
            for table, alias in zip(read, "fn", strict=False):
                where = f"{'AND' if ' WHERE ' in over else 'WHERE'} {picked}" if picked else ""
                wanted = own.execute(f"SELECT DISTINCT {alias}.id FROM {over} {where}").fetchall()
                assert named[table] == sorted(one for (one,) in wanted if one is not None), (seed, sql)
            again = own.execute(rows_only(sql, named)).fetchall()
            assert any(same(again_row, rows[at]) for again_row in again), (seed, sql)
    assert asked > (last - first) * 0.9


def rows_only(sql: str, named: dict[str, list[int]]) -> str:
    """The same SELECT over the rows found; a subquery of a filter still reads the whole table."""
    for table, alias in (("facts", "f"), ("names", "n")):
        if table in named:
            only = ", ".join(map(str, named[table])) or "NULL"
            sql = sql.replace(f"{table} {alias}", f"(SELECT * FROM {table} WHERE id IN ({only})) {alias}")
    return sql


def literal(cell: Any) -> str:
    return "NULL" if cell is None else f"'{cell}'" if isinstance(cell, str) else str(cell)


def same(row: tuple[Any, ...], recorded: list[Any]) -> bool:
    return all(
        abs(float(a) - float(b)) < 1e-9 if isinstance(b, int | float) and a is not None else a == b
        for a, b in zip(row, recorded, strict=True)
    )


def test_totals_say_how_many_values_of_a_column_could_not_be_read(app: App) -> None:
    rows = "".join(f"{at},{'n/a?' if at < 2 else at},{at}\n" for at in range(60))
    upload = Upload("amounts.csv", f"id,amount,other\n{rows}".encode())
    chat_id = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [upload]))
    called = run(app, chat_id, "SELECT sum(amount) AS total FROM amounts WHERE id > 0")
    (totals,) = [one for file in app.call_dossier(chat_id, called).inputs for one in file.totals]
    assert [one.told for one in totals.unread] == ["amount: 2 of 60 values are not numbers and are left out"]
    called = run(app, chat_id, "SELECT sum(other) AS total FROM amounts")
    (totals,) = [one for file in app.call_dossier(chat_id, called).inputs for one in file.totals]
    assert totals.unread == ()
