"""The facts that both a chat's decisions and its view compute are the same at every position of the chat."""

from engine.commands.catalog import (
    ApproveCall,
    DenyCall,
    EditMessage,
    RenameChat,
    RewindChat,
    RunTool,
    SelectDepth,
    Upload,
    UploadFiles,
)
from engine.deciders.rewind import as_of
from tests.support.shared_fields import SHARED
from tests.support.talk import Talk, call


def waiting(talk: Talk) -> str:
    return next(one.call_id for one in talk.calls() if one.status == "awaiting_confirmation")


def test_a_state_and_a_view_agree_at_every_position_of_a_chat(talk: Talk) -> None:
    app = talk.app
    app.send(UploadFiles(talk.chat_id, [Upload("given", b"1")]))
    asked = [{"calls": [call("ask_first", files={name: "1"})]} for name in ("a", "b")]
    talk.replies(asked[0], {"text": "Done."}, asked[1], {"text": "Then not."})
    assert talk.ask().reason == "awaiting_confirmation"
    talk.ended(app.send(ApproveCall(talk.chat_id, waiting(talk))).turn_id)
    assert talk.ask("Another question").reason == "awaiting_confirmation"
    talk.ended(app.send(DenyCall(talk.chat_id, waiting(talk))).turn_id)
    before = app.log.head()
    app.send(RunTool(talk.chat_id, "kit:put", {"files": {"c": "1"}}))
    app.send(RewindChat(talk.chat_id, before, "chat"))
    app.send(SelectDepth(talk.chat_id, "thorough"))
    app.send(RenameChat(talk.chat_id, "Renamed"))
    talk.replies({"calls": [call("look", fail="no")]}, {"text": "It failed."})
    question = next(message for message in talk.branch() if message.role == "user")
    talk.ended(app.send(EditMessage(talk.chat_id, question.message_id, "otherwise")).turn_id)

    recorded = app._chats.recorded(talk.chat_id)
    seen = set()
    for one in recorded:
        state, view = as_of(recorded, one.position), app.chat(talk.chat_id, at=one.position)
        for name, shared in SHARED.items():
            assert shared.decided(state) == shared.shown(view), (name, one.event.type)
        seen |= {call.status for call in view.calls.values()} | {turn.reason for turn in view.turns.values()}
    assert seen >= {"awaiting_confirmation", "pending", "running", "denied", "success", "error", "stop", None}
