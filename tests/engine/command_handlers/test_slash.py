"""Slash commands: a tool run by its command, without a model (TRN-11)."""

from pathlib import Path

import pytest

from engine.commands.catalog import ApproveCall, Ask, ChangeSetting, EditMessage, InstallToolset, SelectTools
from engine.errors import Invalid, NotFound, Refused
from engine.models.messages import ToolMessage
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, Talk, write_bundle


def test_a_command_runs_its_tool_and_no_model_is_asked(talk: Talk) -> None:
    turn = talk.ask('/put {"files": {"a": "1"}}')
    assert (turn.reason, turn.steps, talk.files()) == ("stop", 0, {"a": "1"})
    question, made = talk.branch()
    assert question.content == '/put {"files": {"a": "1"}}'
    assert [c.status for c in made.calls] == ["success"]


def test_text_after_a_command_is_its_first_required_argument(talk: Talk) -> None:
    talk.ask('/put {"files": {"notes.txt": "four"}}')
    talk.ask("/read-file notes.txt")
    assert talk.calls()[-1].args == {"path": "notes.txt"}
    assert talk.calls()[-1].status == "success"


def test_the_result_of_a_command_is_sent_to_the_model_that_answers_next(talk: Talk) -> None:
    talk.ask('/look {"back": {"n": 7}}')
    talk.replies({"text": "."}, {"text": "Seven."})
    turn = talk.ask("what was it?")
    told = [m for m in talk.app.request(talk.chat_id, turn.turn_id, 1).messages if isinstance(m, ToolMessage)]
    assert [m.content for m in told] == [{"n": 7}]


def test_help_lists_the_commands_of_the_selected_tools(talk: Talk) -> None:
    turn = talk.ask("/help")
    answer = talk.branch()[-1].content
    assert (turn.reason, turn.steps) == ("stop", 0)
    assert "- `/read-file <path>`: Read lines of a text file of the workspace" in answer
    assert "- `/ask-first`: Effects write (asks first)" in answer
    assert "/help" in answer


def test_numbers_in_the_list_of_commands_are_not_traced(talk: Talk, tmp_path: Path) -> None:
    manifest = KIT["toolset.yaml"].replace(
        "description: Effects", "description: At most 1,000 rows, with effects"
    )
    talk.app.send(InstallToolset(write_bundle(tmp_path / "new", KIT | {"toolset.yaml": manifest}), "yes"))
    talk.ask("/help")
    answer = talk.branch()[-1]
    assert "At most 1,000 rows" in answer.content
    assert talk.app.numbers(talk.chat_id, answer.message_id) == ()


def test_two_tools_with_the_same_command_are_distinguished_by_their_toolset(talk: Talk) -> None:
    talk.app.send(SelectTools(talk.chat_id, {"builtin": ["read_file"], "app-builder": ["read_file"]}))
    with pytest.raises(Refused, match="/builtin-read-file, /app-builder-read-file"):
        talk.app.send(Ask(talk.chat_id, "/read-file notes.txt"))
    talk.ask("/help")
    assert "- `/app-builder-read-file <path>`" in talk.branch()[-1].content
    talk.ask("/builtin-read-file notes.txt")
    assert talk.calls()[-1].tool_id == "read_file"


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("/fly", NotFound, "There is no command /fly. /help lists"),
        ("/put not json", Invalid, "takes its arguments as JSON"),
        ('/put {"files": 3}', Invalid, 'files: 3 is not of type "object"'),
        ('/put {"files": ', Invalid, "is not valid JSON"),
        ("/read-file", Invalid, '"path" is a required property'),
    ],
)
def test_a_command_that_cannot_run_is_refused_and_nothing_is_recorded(
    talk: Talk, text: str, error: type[Exception], told: str
) -> None:
    before = talk.app.log.head()
    with pytest.raises(error, match=told):
        talk.app.send(Ask(talk.chat_id, text))
    assert talk.app.log.head() == before


def test_a_tool_that_is_not_selected_is_refused_by_name(talk: Talk) -> None:
    talk.app.send(SelectTools(talk.chat_id, {"kit": ["look"]}))
    with pytest.raises(Refused, match="Put is not ticked in this chat") as refused:
        talk.app.send(Ask(talk.chat_id, "/put"))
    assert refused.value.code == "tool_not_ticked"


def test_no_command_runs_if_tools_are_off(talk: Talk) -> None:
    talk.app.send(ChangeSetting("tools_on", False))
    try:
        with pytest.raises(Refused):
            talk.app.send(Ask(talk.chat_id, "/put"))
    finally:
        talk.app.send(ChangeSetting("tools_on", None))


@pytest.mark.parametrize(
    "text", mostly_long([" /put is what I mean", "/etc/passwd looks odd", "/ hello", "//"], quick=(0, 1))
)
def test_other_text_with_a_slash_is_a_question(talk: Talk, text: str) -> None:
    talk.replies({"text": "I see."})
    assert talk.ask(text).reason == "stop"
    assert talk.branch()[-1].content == "I see."


def test_a_command_whose_tool_needs_approval_waits_like_any_other(talk: Talk) -> None:
    turn = talk.ask('/ask-first {"files": {"a": "1"}}')
    assert turn.reason == "awaiting_confirmation"
    ended = talk.ended(talk.app.send(ApproveCall(talk.chat_id, talk.calls()[0].call_id)).turn_id)
    assert (ended.turn_id, ended.reason, ended.steps) == (turn.turn_id, "stop", 0)
    assert talk.files() == {"a": "1"}


def test_a_command_can_be_edited_and_retried_like_a_question(talk: Talk) -> None:
    talk.ask('/put {"files": {"a": "1"}}')
    question = talk.branch()[0].message_id
    talk.retry(question)
    assert len(talk.app.chat(talk.chat_id).turns) == 2
    talk.ended(talk.app.send(EditMessage(talk.chat_id, question, '/put {"files": {"b": "2"}}')).turn_id)
    assert talk.files() == {"b": "2"}
