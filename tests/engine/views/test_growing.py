"""A view that is updated event by event equals one that is read from the whole chat."""

from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import (
    ApproveCall,
    Ask,
    BeginChat,
    DenyCall,
    EditMessage,
    ForkChat,
    RenameChat,
    Retry,
    RewindChat,
    SelectLeaf,
    SelectTools,
    SetDefinition,
    SetTableView,
    TableLook,
    Upload,
    UploadFiles,
    VouchNumber,
)
from engine.views.chat import ChatView
from engine.views.chat_parts import chat_view
from events.read_models import chat_reads
from tests.support.talk import Talk, call, script


def whole(talk: Talk, chat_id: str) -> ChatView:
    """The chat read from all its events."""
    with talk.app.reads.reader() as cursor, chat_reads(cursor, chat_id) as read:
        view = chat_view(read, chat_id, talk.app._workspaces.blobs, defined=talk.app.definitions.versions())
    assert view is not None
    return view


def same(talk: Talk, chat_id: str | None = None) -> ChatView:
    """Return the updated view, after comparing it with one read from the whole chat."""
    grown, read = talk.app.chat(chat_id or talk.chat_id), whole(talk, chat_id or talk.chat_id)
    for name in ChatView.__dataclass_fields__:
        assert getattr(grown, name) == getattr(read, name), name
    assert [*grown.messages] == [*read.messages]
    return grown


@pytest.mark.long
def test_an_updated_view_equals_a_complete_reading_after_every_command(talk: Talk) -> None:
    app, chat_id = talk.app, talk.chat_id
    talk.replies(
        {"text": "I look.", "calls": [call("put", files={"a.txt": "1"})]},
        {"text": "One."},
        {"calls": [call("ask_first", files={"b.txt": "2"}), call("ask_first")]},
        {"text": "Two."},
        {"text": "Three."},
    )
    same(talk)
    talk.ask("first", files=[Upload("up.csv", b"a\n1\n")])
    first = same(talk).branch()
    talk.ask("second")
    asks = [c.call_id for c in same(talk).calls.values() if c.status == "awaiting_confirmation"]
    talk.ended(app.send(DenyCall(chat_id, asks[0])).turn_id)
    same(talk)
    talk.ended(app.send(ApproveCall(chat_id, asks[1])).turn_id)
    same(talk)
    app.send(SetDefinition("kilo", "a thousand", chat_id))
    app.send(SetDefinition("mega", "a million"))
    same(talk)
    talk.ask("how many kilo and mega?")
    assert same(talk).defined
    talk.retry(first[0].message_id)
    assert len(same(talk).messages[first[1].message_id].siblings) == 2
    talk.ended(app.send(EditMessage(chat_id, first[0].message_id, "other words")).turn_id)
    same(talk)
    app.send(SelectLeaf(chat_id, first[-1].message_id))
    app.send(UploadFiles(chat_id, [Upload("late.txt", b"x")]))
    same(talk)
    position = app.log.head()
    app.send(RenameChat(chat_id, "a name"))
    said = {"text": "Said."}
    talk.replies(said, said, {"calls": [call("put", wait=True)]}, said, said)
    slow = talk.start("slow")
    folder = talk.inside()
    waiting = app.send(Ask(chat_id, "queued", if_running="queue"))
    assert same(talk).waiting == 1
    (folder / "go").touch()
    talk.ended(slow)
    talk.ended(app.turn_of(waiting).turn_id)
    assert same(talk).waiting == 0
    app.send(SelectTools(chat_id, {}))
    same(talk)
    app.send(RewindChat(chat_id, position))
    same(talk)
    fork = app.send(ForkChat(chat_id))
    same(talk, fork)
    same(talk)


def test_an_event_in_another_chat_does_not_change_the_view(talk: Talk) -> None:
    talk.replies({"text": "One."})
    talk.ask("first")
    other = talk.app.send(ForkChat(talk.chat_id))
    before = talk.app.chat(talk.chat_id)
    talk.app.send(RenameChat(other, "another"))
    assert talk.app.chat(talk.chat_id) is before
    assert talk.app.chat(other).title == "another"


def test_unchanged_parts_are_shared_with_the_previous_view(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    talk.ask("first")
    before = talk.app.chat(talk.chat_id)
    talk.ask("second")
    after = talk.app.chat(talk.chat_id)
    assert all(after.messages[message_id] is message for message_id, message in before.messages.items())
    assert len(before.messages) == 2


def test_a_retry_of_the_first_question_is_seen_by_its_siblings(talk: Talk) -> None:
    talk.replies({"text": "One."})
    talk.ask("first")
    question, answer = talk.branch()
    talk.ended(talk.app.send(Retry(talk.chat_id, question.message_id)).turn_id)
    assert len(same(talk).messages[answer.message_id].siblings) == 2


def test_a_withdrawn_confirmation_stays_withdrawn_when_its_call_is_read_again(
    app: App, tmp_path: Path
) -> None:
    sql = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY ALL"
    steps: list[dict[str, Any]] = [
        {"calls": [call("query", sql=sql, title="By region")]},
        {"text": "East brought 355,020 visitors."},
    ]
    orders = Upload("orders.csv", b"region,revenue\nEast,355020\nWest,501775\n")
    turn = app.send(BeginChat("first", [orders], model=script(tmp_path / "script.json", steps)))
    app.wait(turn.turn_id)
    talk = Talk(app, tmp_path, turn.chat_id)
    answer, call_id = talk.branch()[-1].message_id, talk.calls()[0].call_id
    app.send(VouchNumber(talk.chat_id, answer, 1, candidate=1))
    assert [cell and cell.call_id for cell in same(talk).vouched[answer].values()] == [call_id]
    app.send(VouchNumber(talk.chat_id, answer, 1, vouched=False))
    assert not same(talk).vouched[answer]
    app.send(SetTableView(talk.chat_id, call_id, "results/by_region.parquet", TableLook(totals=True)))
    assert not same(talk).vouched[answer]
    app.send(VouchNumber(talk.chat_id, answer, 1))
    app.send(SetTableView(talk.chat_id, call_id, "results/by_region.parquet", TableLook()))
    assert [*same(talk).vouched[answer].values()] == [None]
