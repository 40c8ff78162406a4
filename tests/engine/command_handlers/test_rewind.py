"""Rewinding to a moment: chat, files or both are restored, later work is kept, and the rewind can be undone."""

import pytest

from engine.commands.catalog import ForkChat, RewindChat, SaveFile, Upload, UploadFiles
from engine.errors import NotFound, Refused
from events.catalog.tool_call import ToolCallStarted
from tests.support.talk import Talk, call


@pytest.fixture
def then(talk: Talk) -> int:
    """The moment after the first of two answers, which wrote `a`; the second changed it, and the user added `mine`."""
    talk.replies(
        {"calls": [call("put", files={"a": "1"})]},
        {"text": "One."},
        {"calls": [call("put", files={"a": "2"})]},
        {"text": "Two."},
    )
    talk.ask("first")
    position = talk.app.log.head()
    talk.ask("second")
    talk.app.send(UploadFiles(talk.chat_id, [Upload("mine", b"m")]))
    return position


def texts(talk: Talk) -> list[str]:
    return [message.text for message in talk.branch() if message.text]


@pytest.mark.long
def test_chat_and_files_are_restored_and_a_second_rewind_undoes_the_first(talk: Talk, then: int) -> None:
    before = talk.app.send(RewindChat(talk.chat_id, then))
    assert texts(talk) == ["first", "One."]
    assert talk.files() == talk.on_disk() == {"a": "1"}
    assert len(talk.app.chat(talk.chat_id).messages) == 6, "nothing is lost"
    talk.app.send(RewindChat(talk.chat_id, before))
    assert texts(talk) == ["first", "One.", "second", "Two."]
    assert talk.files() == talk.on_disk() == {"a": "2", "mine": "m"}


@pytest.mark.long
def test_only_the_chat_is_rewound_and_the_files_stay(talk: Talk, then: int) -> None:
    talk.app.send(RewindChat(talk.chat_id, then, "chat"))
    assert texts(talk) == ["first", "One."]
    assert talk.files() == talk.on_disk() == {"a": "2", "mine": "m"}


def test_only_the_files_are_rewound_and_the_messages_stay(talk: Talk, then: int) -> None:
    talk.app.send(RewindChat(talk.chat_id, then, "files"))
    assert texts(talk) == ["first", "One.", "second", "Two."]
    assert talk.files() == talk.on_disk() == {"a": "1"}


def test_the_chosen_moment_decides_whether_an_edit_after_an_answer_is_included(talk: Talk) -> None:
    talk.replies({"text": "Yes."})
    talk.ask("?", files=[Upload("a", b"0")])
    answered = talk.app.log.head()
    opened = talk.app.workspace.files(talk.chat_id)["a"].sha256
    talk.app.send(SaveFile(talk.chat_id, "a", b"1", opened))
    edited = talk.app.log.head()
    talk.app.send(RewindChat(talk.chat_id, answered))
    assert talk.files() == {"a": "0"}
    talk.app.send(RewindChat(talk.chat_id, edited))
    assert talk.files() == talk.on_disk() == {"a": "1"}


def test_nothing_is_recorded_if_the_chat_is_already_in_that_state(talk: Talk) -> None:
    talk.replies({"text": "Yes."})
    talk.ask("?", files=[Upload("a", b"0")])
    before = talk.app.log.head()
    assert talk.app.send(RewindChat(talk.chat_id, before)) == before
    assert talk.app.log.head() == before


@pytest.mark.long
def test_a_moment_before_the_chat_and_one_during_a_running_turn_are_refused(talk: Talk, then: int) -> None:
    with pytest.raises(NotFound, match="did not exist at position 0"):
        talk.app.send(RewindChat(talk.chat_id, 0))
    waits = {"calls": [call("put", files={"b": "1"}, wait=True)]}
    talk.replies(*[{"text": "."}] * 4, waits, {"text": "Done."})
    turn = talk.start("go")
    place = talk.inside()
    with pytest.raises(Refused, match="A turn is running"):
        talk.app.send(RewindChat(talk.chat_id, then))
    (place / "go").touch()
    assert talk.ended(turn).reason == "stop"


def test_files_that_retention_removed_cannot_be_restored_and_nothing_changes(talk: Talk, then: int) -> None:
    gone = talk.app.workspace.files(talk.chat_id, talk.app.chat(talk.chat_id, at=then).manifest)["a"]
    talk.app._workspaces.blobs(talk.chat_id).remove([gone.sha256])
    before = talk.app.log.head()
    with pytest.raises(Refused, match="The content of a was removed by `anabranch gc`"):
        talk.app.send(RewindChat(talk.chat_id, then))
    assert talk.app.log.head() == before
    talk.app.send(RewindChat(talk.chat_id, then, "chat"))
    assert texts(talk) == ["first", "One."]


def test_a_fork_from_a_moment_has_the_messages_and_files_of_that_moment(talk: Talk, then: int) -> None:
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, position=then)))
    assert texts(fork) == ["first", "One."]
    assert fork.files() == fork.on_disk() == {"a": "1"}


@pytest.mark.usefixtures("then")
def test_in_a_fork_from_the_middle_of_a_call_that_call_is_interrupted(talk: Talk) -> None:
    stream = talk.app.log.read_stream(f"chat-{talk.chat_id}")
    running = next(r.position for r in stream if isinstance(r.event, ToolCallStarted))
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, position=running)))
    assert [c.status for c in fork.calls()] == ["interrupted"]
    assert fork.ask("go on").reason == "stop"
