"""A request built from the parts of the previous one equals a request rebuilt from the log."""

import gc
import random

import pytest

from engine.commands.catalog import Ask, CreateChat, SelectLeaf, Upload, UploadFiles
from engine.models.messages import HistoryItem
from engine.models.model import ModelRequest
from engine.models.scripted import ScriptedModel
from engine.turn.previous_request import PreviousRequest
from events.catalog.turn import StepStarted
from tests.support.talk import Talk, call, script


@pytest.mark.long
def test_every_request_equals_the_one_rebuilt_from_the_log_over_branches_files_and_calls(
    talk: Talk, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    sent: list[ModelRequest] = []
    stream = ScriptedModel.stream

    def noting(self: ScriptedModel, request: ModelRequest, cancel: object) -> object:
        sent.append(request)
        return stream(self, request, cancel)  # type: ignore[arg-type]

    monkeypatch.setattr(ScriptedModel, "stream", noting)
    monkeypatch.setattr(ScriptedModel, "sees", True)
    talk.replies(
        *[
            {"calls": [call("put", files={f"f{n}.txt": str(n)})]} if n % 3 == 0 else {"text": f"{n}"}
            for n in range(40)
        ]
    )
    rolls = random.Random(3)
    for number in range(14):
        if number % 4 == 3:
            stands = rolls.choice(
                [m for m in talk.app.chat(talk.chat_id).messages.values() if m.content and m.role != "user"]
            )
            talk.app.send(SelectLeaf(talk.chat_id, stands.message_id))
        if number % 5 == 4:
            talk.app.send(UploadFiles(talk.chat_id, [Upload(f"late{number}.txt", b"x")]))
        talk.ended(talk.app.send(Ask(talk.chat_id, f"q{number}", [Upload(f"up{number}.txt", b"y")])).turn_id)
    steps = [event for event in talk.events("StepStarted") if isinstance(event, StepStarted)]
    assert len(steps) == len(sent) > 14
    for step, request in zip(steps, sent, strict=True):
        again: tuple[HistoryItem, ...] = talk.app.request(talk.chat_id, step.turn_id, step.step).messages
        assert request.messages == again


def test_dropping_a_chat_from_memory_drops_its_last_request_too(talk: Talk) -> None:
    app, model = talk.app, script(talk.folder / "yes.json", [{"text": "Yes."}])
    app._chats._most = 1  # so that only the few that were used last are kept
    before = _requests()
    for number in range(8):
        chat_id = app.send(CreateChat(selection={}, model=model))
        assert app.wait(app.send(Ask(chat_id, f"q{number}")).turn_id, 500)
    assert 0 < _requests() - before <= len(app._chats) < 6


def _requests() -> int:
    """The number of last requests in memory."""
    gc.collect()
    return sum(type(one) is PreviousRequest for one in gc.get_objects())
