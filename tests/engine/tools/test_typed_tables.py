"""Calls over typed tables: each sees only its own files, lost values are reported, and no page waits for them."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engine.app.app import App
from engine.chats.signals import Signals
from engine.commands.catalog import CreateChat, RunTool, Upload, UploadFiles
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.turn.reading_progress import reading
from engine.views.chat import CallView

LINES = "id,kwh\n" + "".join(f"{n},{'abt 9' if n == 7 else n}\n" for n in range(100))


def chat_with(app: App, **texts: str) -> str:
    chat_id: str = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [Upload(f"{name}.csv", text.encode()) for name, text in texts.items()]))
    return chat_id


def query(app: App, chat_id: str, sql: str) -> CallView:
    call_id = app.send(RunTool(chat_id, "data-analyst:query", {"sql": sql}))
    return app.chat(chat_id).calls[call_id]


@pytest.mark.long
def test_a_query_says_which_values_of_its_columns_could_not_be_read(app: App) -> None:
    chat_id = chat_with(app, a=LINES)
    total: Any = query(app, chat_id, "SELECT sum(kwh) AS total FROM a").result
    assert total["rows"] == [[4943]]
    assert total["notes"] == ['kwh: 1 of 100 values is not a number and is left out: "abt 9".']
    over: Any = query(app, chat_id, f"SELECT total * 2 FROM {total['table']}").result
    assert over["notes"] == total["notes"]
    other: Any = query(app, chat_id, "SELECT sum(id) FROM a").result
    assert other["notes"] == []


@pytest.mark.long
def test_a_call_cannot_read_cached_tables_of_another_chat(app: App) -> None:
    theirs = chat_with(app, secret="k\n42\n")
    assert query(app, theirs, "SELECT k FROM secret").status == "success"
    mine = chat_with(app, own="k\n1\n")
    assert query(app, mine, "SELECT k FROM own").status == "success"
    for file in (app.data / "cache" / "tables").glob("*/0.parquet"):
        failed = query(app, mine, f"SELECT * FROM read_parquet('{file}')")
        assert failed.status == "error" or failed.result["rows"] == [[1]]  # type: ignore[index,call-overload]
    assert query(app, mine, "SELECT k FROM secret").status == "error"


def test_a_process_reads_the_files_it_was_given_but_no_others_in_the_same_folder(tmp_path: Path) -> None:
    bundle, workspace, cache = (tmp_path / name for name in ("bundle", "workspace", "cache"))
    for folder in (bundle / "tools", workspace, cache):
        folder.mkdir(parents=True)
    (bundle / "tools" / "peek.py").write_text(
        "def run(workspace, path):\n    return {'text': open(path).read()}\n"
    )
    (cache / "given").write_text("given")
    (cache / "beside").write_text("beside")
    with Pool() as pool:
        confinement = pool.confinement()
        if confinement is None or confinement.level == "process only":
            pytest.skip("This system cannot hold tools to their files.")

        def peek(name: str) -> RunOutcome:
            arguments = {"path": str(cache / name)}
            readable = (cache / "given",)
            request = RunRequest("peek", bundle, "tools.peek:run", workspace, arguments, readable=readable)
            return pool.run(request, cancel=Cancellation())

        assert peek("given").value == {"text": "given"}
        assert "PermissionError" in str(peek("beside").error)


def test_a_page_does_not_wait_for_tables_and_is_notified_when_they_have_been_read(app: App) -> None:
    chat_id = chat_with(app, long=LINES)
    done = Event()
    _, stop = app.watch(chat_id, lambda signal: done.set() if signal["type"] == "changed" else None)
    first = app.workspace.seen(chat_id)
    assert (first.reading, first.tables) == (True, ())
    assert done.wait(600)
    stop()
    seen = app.workspace.seen(chat_id)
    assert (seen.reading, [table.name for table in seen.tables]) == (False, ["long"])
    assert seen.tables[0].columns[1].unreadable == 1


def test_a_file_that_could_not_be_read_in_time_can_be_tried_again(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Pool.run

    def late(self: Pool, request: RunRequest, **more: Any) -> RunOutcome:
        return RunOutcome("timed_out") if request.call_id == "tables" else run(self, request, **more)

    chat_id = chat_with(app, late="n\n7\n")
    with monkeypatch.context() as patched:
        patched.setattr(Pool, "run", late)
        app.workspace.tables(chat_id)
        seen = app.workspace.seen(chat_id)
        assert (seen.again, dict(seen.unread)) == ({"late.csv"}, {"late.csv": "reading it took too long"})
    app.workspace.try_again(chat_id)
    assert [table.name for table in app.workspace.tables(chat_id)] == ["late"]


def test_reading_is_shown_among_a_turns_calls_if_it_takes_a_moment() -> None:
    signals, shown, now = Signals(), list[Any](), [0.0]
    signals.watch("c", shown.append)
    with reading(signals, "c", "t", clock=lambda: now[0]) as progress:
        progress(0.1, "Reading orders.csv, 10 %")
        now[0] = 1.0
        progress(0.4, "Reading orders.csv, 40 %")
    assert [(s["call"]["status"], s["call"]["text"]) for s in shown] == [
        ("running", "Reading orders.csv, 40 %"),
        ("success", ""),
    ]
