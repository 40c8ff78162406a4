"""Previews of calls are not recorded, and risky ones are refused. Edited charts are copied to forks."""

import json
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import FindJoins, PreviewCall, PreviewShape
from engine.commands.catalog import CreateChat, ForkChat, ReplayChat, RunTool, SortRows, Upload, UploadFiles
from engine.errors import NotFound, Refused
from engine.rendering.plans import ChartPlan
from engine.system.cancellation import Cancellation
from engine.views.chart_versions import CHART, is_version, versions_of
from events.json_value import JSON
from tests.support.talk import Talk, call

SALES = b"region,revenue\nEast,10\nWest,20\nEast,5\n"
BARS: dict[str, JSON] = {"table": "sales", "mark": "bar", "x": "region", "y": "revenue", "aggregate": "sum"}


@pytest.fixture
def chat_id(app: App) -> str:
    made = app.send(CreateChat(title="sales"))
    app.send(UploadFiles(made, [Upload("sales.csv", SALES)]))
    return made


def test_a_chart_is_previewed_and_nothing_is_recorded(app: App, chat_id: str) -> None:
    head, files = app.log.head(), dict(app.workspace.files(chat_id))
    found = app.preview_call(chat_id, CHART, BARS)
    assert isinstance(found.plan, ChartPlan)
    assert found.plan.data is not None
    assert [row["sum of revenue"] for row in found.plan.data] == [15, 20]
    assert (app.log.head(), dict(app.workspace.files(chat_id))) == (head, files)


def test_files_that_a_previewed_call_writes_are_deleted(app: App, chat_id: str) -> None:
    found = app.preview_call(chat_id, "data-analyst:query", {"sql": "SELECT * FROM sales"})
    assert isinstance(found.result, dict)
    assert found.result["row_count"] == 3
    assert set(app.workspace.files(chat_id)) == {"sales.csv"}
    kept = sorted(path.name for path in (app.data / "chats" / chat_id / "calls").glob("*"))
    assert kept == []


def test_a_failed_preview_shows_the_tools_own_error(app: App, chat_id: str) -> None:
    assert (
        "Up to 2 rows share one mark"
        in app.preview_call(chat_id, CHART, BARS | {"aggregate": "none"}).problem
    )
    assert "mark" in app.preview_call(chat_id, CHART, BARS | {"mark": "cake"}).problem


def test_a_preview_is_stopped_at_its_time_limit(app: App, chat_id: str) -> None:
    slow: dict[str, JSON] = {"sql": "SELECT sum(range % 7) FROM range(1_000_000_000_000)"}
    found = app.preview_call(chat_id, "data-analyst:query", slow, 0.5)
    assert found.problem
    assert found.seconds < 20


def test_a_preview_has_the_time_limit_of_its_tool_and_stops_on_request(app: App, chat_id: str) -> None:
    slow: dict[str, JSON] = {"sql": "SELECT sum(range % 7) FROM range(1_000_000_000_000)"}
    cancel = Cancellation()
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(app.preview_call, chat_id, "data-analyst:query", slow, cancel=cancel)
        cancel.set()
        assert found.result().plan is None
    assert found.result().problem


def test_tools_that_change_files_or_need_approval_are_not_previewed(talk: Talk) -> None:
    for tool in ("kit:put", "kit:ask_first"):
        with pytest.raises(Refused) as refused:
            talk.app.preview_call(talk.chat_id, tool, {})
        assert refused.value.code == "not_previewed"
    with pytest.raises(NotFound):
        talk.app.preview_call(talk.chat_id, "kit:nothing", {})


@pytest.mark.long
def test_edited_charts_are_versions_and_are_part_of_forks_and_replays(app: App, chat_id: str) -> None:
    first = app.send(RunTool(chat_id, CHART, BARS))
    app.send(RunTool(chat_id, "data-analyst:query", {"sql": "SELECT * FROM sales"}, from_call_id=first))
    second = app.send(RunTool(chat_id, CHART, BARS | {"sort": "-y"}, from_call_id=first))
    third = app.send(RunTool(chat_id, CHART, BARS | {"mark": "arc"}, from_call_id=second))
    broken = app.send(RunTool(chat_id, CHART, BARS | {"x": "nope"}, from_call_id=third))
    calls = app.chat(chat_id).calls
    for call_id in (first, second, third):
        assert [one.call.call_id for one in versions_of(calls, call_id)] == [first, second, third]
    assert [is_version(calls, calls[one]) for one in (first, second, broken)] == [False, True, True]


@pytest.mark.long
def test_a_fork_copies_a_chart_that_was_edited_below_an_answer(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("sales.csv", SALES)]))
    talk.replies({"calls": [{"name": "toolset__data-analyst__chart", "arguments": BARS}]}, {"text": "Here."})
    talk.ask("draw")
    (drawn,) = talk.calls()
    edited = talk.app.send(RunTool(talk.chat_id, CHART, BARS | {"mark": "arc"}, from_call_id=drawn.call_id))
    talk.replies({"calls": [call("look")]}, {"text": "There."})
    fork = talk.app.send(ForkChat(talk.chat_id))
    calls = talk.app.chat(fork).calls
    (copy,) = [one for one in calls.values() if one.message_id is None]
    assert copy.call_id != edited
    assert [one.call.call_id for one in versions_of(calls, copy.call_id)][1] == copy.call_id
    replay = talk.app.replay(fork, talk.app.send(ReplayChat(fork)))
    assert [one["verdict"] for one in replay["calls"]] == ["identical", "identical"]  # type: ignore[union-attr,index,call-overload]


def test_joins_are_found_using_all_rows_with_the_share_of_matching_values(app: App, chat_id: str) -> None:
    lines = "\n".join(f"{name},{name[0]}" for name in ("East", "North"))
    app.send(UploadFiles(chat_id, [Upload("regions.csv", f"region,short\n{lines}\n".encode())]))
    found = app.joins(chat_id)
    told = {(one.left, one.right): (one.share, one.each_once) for one in found}
    assert told == {("sales", "regions"): (0.5, True), ("regions", "sales"): (0.5, False)}


def test_columns_that_only_number_their_own_rows_are_not_joined(app: App) -> None:
    """Two `id` columns from 1 on are no join; keys that name their table are, and so are parts of one table."""

    def counted(header: str, rows: int, more: str) -> bytes:
        return "\n".join([header, *(f"{n},{more}{n % 4 + 1}" for n in range(1, rows + 1))]).encode()

    chat_id = app.send(CreateChat(title="ids"))
    files = {
        "people.csv": counted("id,name", 6, "p"),
        "rooms.csv": counted("id,floor", 9, "f"),
        "stays.csv": counted("id,room_id", 40, ""),
        "details.csv": counted("id,note", 6, "d"),
    }
    app.send(UploadFiles(chat_id, [Upload(path, data) for path, data in files.items()]))
    found = {(one.left, one.left_column, one.right) for one in app.joins(chat_id)}
    assert {("people", "id", "details"), ("stays", "room_id", "rooms")} <= found
    empty = BytesIO()
    pq.write_table(pa.table({"id": pa.array([None, None], pa.int64()), "kind": ["a", "b"]}), empty)
    app.send(UploadFiles(chat_id, [Upload("kinds.parquet", empty.getvalue())]))
    assert {(one.left, one.left_column, one.right) for one in app.joins(chat_id)} == found
    assert not found & {("people", "id", "rooms"), ("stays", "id", "rooms"), ("stays", "id", "people")}


def test_preview_queries_return_json_documents(app: App, chat_id: str) -> None:
    drawn = answer(app, PreviewCall(chat_id, CHART, BARS))
    assert json.loads(json.dumps(drawn))["render_plan"]["renderer"] == "chart"
    shaped = answer(app, PreviewShape(chat_id, "sales", [SortRows("revenue", True)]))
    assert [row[1] for row in json.loads(json.dumps(shaped))["sample"]] == [20, 10, 5]
    assert answer(app, FindJoins(chat_id)) == []


def test_sql_sees_a_table_as_written_in_its_file(app: App) -> None:
    made = app.send(CreateChat(title="written"))
    lines = "\n".join(f"{n},{n}.50" for n in range(40))
    app.send(UploadFiles(made, [Upload("a.csv", f"id,n\n{lines}\n40,abt 9\n".encode())]))
    sql = "SELECT typeof(o.n) AS t, o.n, w.n AS w FROM a o POSITIONAL JOIN as_written.a w WHERE o.n IS NULL OR o.id = 1"
    call_id = app.send(RunTool(made, "data-analyst:query", {"sql": sql}))
    result = app.chat(made).calls[call_id].result
    assert isinstance(result, dict)
    assert result["rows"] == [["DECIMAL(18,4)", 1.5, "1.50"], ["DECIMAL(18,4)", None, "abt 9"]]
