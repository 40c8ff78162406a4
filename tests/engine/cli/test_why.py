"""`anabranch why`: a number with its rows, a call, or a file; as text and as JSON."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.cli.main import run
from engine.commands.catalog import BeginChat, ReplayChat, SaveFile, Upload
from tests.support.talk import call, script

ORDERS = (
    b"id,region,revenue,ordered_at\n"
    b"1,East,100,2026-04-01\n2,East,,2026-05-02\n3,West,70,2026-06-03\n4,West,9,2026-07-04\n"
)
SQL = "SELECT region, sum(revenue) AS revenue FROM orders WHERE id < 4 GROUP BY region ORDER BY region"
PYTHON = "tables['orders'].to_csv(workspace / 'copy.csv', index=False)"


@pytest.fixture
def ids(tmp_path: Path) -> dict[str, str]:
    """The ids of a chat in a closed data folder, its answer, its call, and the call that wrote a file."""
    with closing(App(tmp_path / "data")) as app:
        calls = [call("query", sql=SQL, title="By region"), call("python", code=PYTHON)]
        told = {"text": "East made 100, West 70, together 170; North made 412,300."}
        model = script(tmp_path / "script.json", [{"calls": calls}, told])
        begun = app.send(BeginChat("Revenue?", [Upload("orders.csv", ORDERS)], model=model))
        assert app.wait(begun.turn_id, 300)
        view = app.chat(begun.chat_id)
        app.send(ReplayChat(begun.chat_id))
        made = {one.tool_id.rpartition(":")[2]: one.call_id for one in view.calls.values()}
        return {"chat": begun.chat_id, "answer": view.branch()[-1].message_id, **made}


@pytest.fixture
def why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any]]:
    def asked(*words: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = run(["why", *words, "--data", str(tmp_path / "data")])
        said = capsys.readouterr()
        return code, json.loads(said.out) if "--json" in words else said.out + said.err

    return asked


@pytest.mark.long
def test_a_number_lists_its_rows(
    ids: dict[str, str], why: Callable[..., tuple[int, Any]], tmp_path: Path
) -> None:
    code, told = why(f"{ids['answer']}:1", "--rows", "--csv", str(tmp_path / "east.csv"))
    assert code == 0
    assert "orders (orders.csv): 2 of 4 rows" in told
    assert "row  id  region  revenue  ordered_at" in told
    assert (tmp_path / "east.csv").read_text().splitlines()[1:] == [
        "1,1,East,100,2026-04-01",
        "2,2,East,,2026-05-02",
    ]

    code, document = why(f"{ids['answer']}:3", "--rows", "--limit", "1", "--json")
    assert code == 0
    assert [
        (one["value"], one["tables"][0]["used"], len(one["tables"][0]["rows"])) for one in document["rows"]
    ] == [
        (100, 2, 1),
        (70, 1, 1),
    ]
    code, told = why(f"{ids['answer']}:4", "--rows")
    assert (code, "Not in any result" in told) == (1, True)


def test_a_call_lists_the_inputs_that_it_used(
    ids: dict[str, str], why: Callable[..., tuple[int, Any]]
) -> None:
    code, document = why(ids["query"], "--json")
    (orders,) = document["inputs"]
    assert (code, document["call"]["program"], document["not_counted"]) == (0, SQL, None)
    assert (orders["path"], orders["origin"], orders["edits_by_hand"], orders["changed"]) == (
        "orders.csv", "upload", 0, False,
    )  # fmt: skip
    assert orders["totals"] == [
        {
            "table": "orders",
            "path": "orders.csv",
            "rows": 4,
            "used": 3,
            "filtered_out": 1,
            "empty": {"revenue": 1},
            "dates": {"ordered_at": ["2026-04-01", "2026-06-03"]},
            "unread": [],
        }
    ]
    assert document["re_run"]["verdict"] == "identical"
    code, told = why(ids["query"])
    for line in (
        "orders: 3 of 4 rows used, 1 filtered out",
        "1 of the used rows has no value in revenue",
        "ordered_at: 2026-04-01 to 2026-06-03",
    ):
        assert line in told


@pytest.mark.long
def test_a_file_says_who_wrote_it_and_who_edited_it(
    ids: dict[str, str], why: Callable[..., tuple[int, Any]], tmp_path: Path
) -> None:
    code, document = why(f"{ids['chat']}:copy.csv", "--json")
    assert (code, document["call"]["id"]) == (0, ids["python"])
    assert [step["origin"] for step in document["steps"]] == ["call"]
    assert [one["path"] for one in document["inputs"]] == ["orders.csv"]
    assert document["not_counted"] == "this call is not a single SELECT"

    with closing(App(tmp_path / "data")) as app:
        sha256 = app.workspace.files(ids["chat"])["orders.csv"].sha256
        app.send(SaveFile(ids["chat"], "orders.csv", ORDERS.replace(b"70", b"71"), sha256))
    code, document = why(f"{ids['chat']}:orders.csv", "--json")
    assert [step["origin"] for step in document["steps"]] == ["upload", "edit"]
    assert document["call"] is None
    assert why(f"{ids['answer']}:1", "--json")[1]["inputs"][0]["changed"] is True


@pytest.mark.long
def test_a_missing_number_call_or_file_is_reported(
    ids: dict[str, str], why: Callable[..., tuple[int, Any]]
) -> None:
    code, told = why(f"{ids['chat']}:nope.csv")
    assert (code, "There is no file nope.csv in this chat now." in told) == (1, True)
    code, told = why(ids["query"], "--rows")
    assert (code, "--rows and --csv are only for numbers" in told) == (1, True)
