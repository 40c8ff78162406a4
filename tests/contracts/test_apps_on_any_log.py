"""An app works the same with every kind of log; if several processes append, each sees the others' events."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.open_log import open_data_log
from engine.app.opened_log import OpenedLog, OpenLog
from engine.chats.open_chats import Chats
from engine.commands.catalog import (
    BeginChat,
    ChangeSetting,
    CreateChat,
    DisableTool,
    EnableToolset,
    ForkChat,
    RenameChat,
    RewindChat,
    SetDefinition,
    Upload,
)
from events.catalog.chat import ChatCreated, ChatRenamed
from events.following_read_store import FollowingReadStore
from events.log import Append, EventLog, VersionConflict
from events.memory_log import MemoryLog, NoUpkeep
from events.projector import Projector
from tests.support.long_cases import mostly_long
from tests.support.shared_log import SharedLog
from tests.support.talk import Talk, call, install_kit

SALES = b"region,amount\nEast,10\nEast,30\nWest,5\n"

ROOT = Path(__file__).parents[2]


def on(log: EventLog) -> OpenLog:
    """Open an app on a log that does not include read models."""

    def open_log(*_: Any, **__: Any) -> OpenedLog:
        return OpenedLog(log, FollowingReadStore(log), NoUpkeep())

    return open_log


LOGS: dict[str, Callable[[Path], OpenLog]] = {
    "its own": lambda _: open_data_log,
    "memory": lambda _: on(MemoryLog()),
    "shared": lambda folder: on(SharedLog(folder / "shared-log")),
}


@pytest.fixture(params=mostly_long(LOGS, quick=(1,)))
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[App]:
    with closing(App(tmp_path / "data", open_log=LOGS[request.param](tmp_path))) as opened:
        yield opened


def test_questions_forks_rewinds_and_past_states_work_on_any_log(app: App) -> None:
    begun = app.send(BeginChat("total amount by region", [Upload("sales.csv", SALES)]))
    assert app.wait(begun.turn_id, 500)
    chat_id = begun.chat_id
    assert app.chat(chat_id).turns[begun.turn_id].reason == "stop"
    answered = app.log.head()
    fork = app.send(ForkChat(chat_id))
    app.send(RenameChat(fork, "the fork"))
    assert {row["chat_id"] for row in app.chats()} == {chat_id, fork}
    assert "40" in str(app.chat(fork).branch()[-1])
    app.send(RewindChat(chat_id, app.past.moments(chat_id)[0].position))
    assert app.chat(chat_id).branch() == []
    assert len(app.chat(chat_id, at=answered).branch()) >= 2
    assert app.past.state(answered, chat_id)["messages"]
    assert [one.position for one in app.past.moments(chat_id)] == [
        e.position for e in app.log.read_stream(f"chat-{chat_id}")
    ]
    assert app.log.verify().ok
    assert app.checking.check().ok


def test_tool_calls_settings_and_definitions_work_on_any_log(app: App, tmp_path: Path) -> None:
    install_kit(app, tmp_path / "kit")
    talk = Talk(app, tmp_path)
    talk.replies({"calls": [call("put", files={"a.txt": "1"})]}, {"text": "Done."})
    assert talk.ask("write").reason == "stop"
    assert set(app.workspace.files(talk.chat_id)) == {"a.txt"}
    app.send(ChangeSetting("history_of_all_chats", True))
    assert app.settings.history_of_all_chats
    app.send(SetDefinition("revenue", "the sum of amount"))
    assert [row["term"] for row in app.read("definitions")] == ["revenue"]


def test_rebuilt_read_models_equal_the_ones_that_followed_the_log(app: App, tmp_path: Path) -> None:
    begun = app.send(BeginChat("how many rows are there?", [Upload("sales.csv", SALES)]))
    assert app.wait(begun.turn_id, 500)
    followed = app.reads.registers()
    app.reads.rebuild()
    assert app.reads.registers() == followed
    assert app.reads.position() == app.log.head()
    assert app.reads.export(tmp_path / "log.parquet") == app.log.head()


_OTHER = """
import sys
from pathlib import Path
from engine.app.app import App
from engine.commands.catalog import *
from tests.contracts.test_apps_on_any_log import on
from tests.support.shared_log import SharedLog
app = App(Path(sys.argv[1]), open_log=on(SharedLog(Path(sys.argv[2]))))
print("open", flush=True)
for line in sys.stdin:
    app.send(eval(line))
    print(app.log.head(), flush=True)
app.close()
"""


@contextmanager
def another_process(tmp_path: Path, file: Path) -> Iterator[Callable[[str], int]]:
    """An app in another process, on the same log; send it commands, which return the log's head."""
    with subprocess.Popen(
        [sys.executable, "-c", _OTHER, str(tmp_path / "other"), str(file)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        out, to = process.stdout, process.stdin

        def send(command: str) -> int:
            print(command, file=to, flush=True)
            return int(out.readline())

        assert out.readline() == "open\n"
        yield send
        to.close()


@pytest.mark.long
def test_events_of_a_second_process_are_seen_in_order_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with closing(App(tmp_path / "data", open_log=on(SharedLog(file)))) as app:
        chat_id = app.send(CreateChat("ours"))
        follows = app.log.subscribe(app.log.head())
        assert app.chat(chat_id).title == "ours"
        assert not app.settings.history_of_all_chats
        with another_process(tmp_path, file) as send:
            send(f"RenameChat({chat_id!r}, 'theirs')")
            send("ChangeSetting('history_of_all_chats', True)")
            head = send("CreateChat('another')")
            seen = []
            while not seen or seen[-1].position < head:
                seen += follows.take(None)
            app.reads.wait_for(head)
            assert [row.position for row in seen] == list(range(seen[0].position, head + 1))
            assert app.chat(chat_id).title == "theirs"
            assert {row["title"] for row in app.chats()} == {"theirs", "another"}
            assert app.settings.history_of_all_chats
            app.send(RenameChat(chat_id, "ours again"))  # on the version that the other process made
            assert app.chat(chat_id).title == "ours again"
            app.reads.wait_for(last := send(f"RenameChat({chat_id!r}, 'theirs again')"))
            assert app.reads.position() == last
            app.reads.wait_for(send("DisableToolset('data-analyst')"))
            (row,) = (row for row in app.installed() if row["id"] == "data-analyst")
            assert not row["enabled"]
            app.send(EnableToolset("data-analyst"))
            send("DisableTool('data-analyst:query')")
            app.send(DisableTool("data-analyst:chart"))
        assert app.chat(chat_id).title == "theirs again"
        off = {row["tool_name"] for row in app.read("tools") if not row["enabled"]}
        assert off == {"query", "chart"}
        assert app.log.verify().ok


def test_events_that_could_not_be_written_to_the_read_models_are_written_by_the_next_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = MemoryLog()
    store = FollowingReadStore(log)
    log.append(Append("chat-a", [ChatCreated(title="a")]))
    with monkeypatch.context() as patch:
        patch.setattr(Projector, "write", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.read("chats")
    log.append(Append("chat-b", [ChatCreated(title="b")]))
    assert {row["title"] for row in store.read("chats")} == {"a", "b"}
    store.close()


def test_a_decision_under_the_chat_lock_is_not_appended_after_another_writers_event() -> None:
    log = MemoryLog()
    log.append(Append("chat-a", [ChatCreated(title="a")]))
    chats = Chats(log)
    with chats.locked("a") as state:
        log.append(Append("chat-a", [ChatRenamed(title="theirs")]))
        with pytest.raises(VersionConflict):
            chats.transact("a", lambda _: [ChatRenamed(title=f"after {state.title}")])
    chats.transact("a", lambda now: [ChatRenamed(title=f"after {now.title}")])
    assert [e.event.title for e in log.read_stream("chat-a")] == ["a", "theirs", "after theirs"]  # type: ignore[attr-defined]
