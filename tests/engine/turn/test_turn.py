"""A turn, from the question to its end, as the log and the chat show it."""

from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import (
    Ask,
    ChangeSetting,
    CreateChat,
    ForkChat,
    SelectDepth,
    SelectModel,
    SelectTools,
)
from engine.errors import Refused
from engine.models.messages import Message, ToolMessage
from engine.models.model import ModelRequest
from engine.models.scripted import ScriptedModel
from events.catalog.chat import MessageAdded
from events.catalog.tool_call import ToolCallFinished, ToolCallRequested
from events.catalog.turn import StepStarted
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call


def kinds(talk: Talk) -> list[str]:
    types = [event.type for event in talk.events()]
    return types[types.index("MessageAdded") :]


def test_the_question_is_durable_before_the_model_is_asked(talk: Talk) -> None:
    talk.replies({"text": "Four."})
    turn = talk.ask("two and two?")
    assert kinds(talk) == [
        "MessageAdded", "ChatRenamed", "TurnStarted", "StepStarted", "MessageAdded", "TurnFinished"
    ]  # fmt: skip
    question, answer = talk.branch()
    assert (question.role, question.content) == ("user", "two and two?")
    assert (answer.role, answer.content, answer.parent_id) == ("assistant", "Four.", question.message_id)
    assert (turn.reason, turn.steps) == ("stop", 1)


def test_each_step_is_one_message_that_is_appended_with_the_requests_of_its_calls(talk: Talk) -> None:
    talk.replies(
        {"text": "First I write.", "calls": [call("put", files={"a.txt": "1"}), call("look")]},
        {"text": "Then I look.", "calls": [call("look")]},
        {"text": "There is a."},
    )
    talk.ask()
    written = kinds(talk)[3:]
    assert written == [
        "StepStarted", "MessageAdded", "ToolCallRequested", "ToolCallRequested",
        "ToolCallStarted", "ManifestRecorded", "ToolCallFinished", "ToolCallStarted", "ToolCallFinished",
        "StepStarted", "MessageAdded", "ToolCallRequested", "ToolCallStarted", "ToolCallFinished",
        "StepStarted", "MessageAdded", "TurnFinished",
    ]  # fmt: skip
    assert [len(message.calls) for message in talk.branch()] == [0, 2, 1, 0]


def test_text_before_calls_is_commentary_and_only_the_last_step_is_the_answer(
    talk: Talk,
) -> None:
    talk.replies({"text": "I look twice.", "calls": [call("look"), call("look")]}, {"text": "Nothing there."})
    talk.ask()
    step, answer = talk.branch()[1:]
    assert [c.commentary for c in step.calls] == ["I look twice.", ""]
    assert (step.content, answer.content) == ("", "Nothing there.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    mostly_long(
        [
            ("", None),
            ("  ", None),
            ('{"say": ', "not valid JSON"),
            ('{"say": NaN}', "not valid JSON"),
            ('{"say": 1e999}', "not valid JSON"),
            ("[" * 5000, "nested too deeply"),
            ('["say"]', "of type list"),
            ('{"say": 3}', 'say: 3 is not of type "string"'),
            ('{"remove": ["a", 1]}', "remove[1]"),
            ('{"shout": "x"}', "'shout' was unexpected"),
        ],
        quick=(1, 2, 5, 7),
    ),
)
def test_arguments_are_accepted_or_the_error_says_where_they_are_wrong(
    talk: Talk, arguments: str, told: str | None
) -> None:
    talk.replies({"calls": [{"name": "look", "arguments": arguments}]}, {"text": "Well."})
    assert talk.ask().reason == "stop"
    (made,) = talk.calls()
    if told is None:
        assert (made.status, made.args) == ("success", {})
    else:
        assert made.status == "error"
        assert made.error is not None
        assert told in made.error["message"]
        assert made.started_at is None


def test_after_an_error_the_model_is_told_the_problem_and_may_try_again(talk: Talk) -> None:
    talk.replies(
        {"calls": [{"name": "look", "arguments": '{"say": 3}'}]}, {"calls": [call("look", say="3")]}, {"text": "Now."}
    )  # fmt: skip
    turn = talk.ask()
    assert [c.status for c in talk.calls()] == ["error", "success"]
    sent = talk.app.request(talk.chat_id, turn.turn_id, 2).messages[-1]
    assert isinstance(sent, ToolMessage)
    assert sent.status == "error"
    assert "say: 3 is not" in str(sent.content)


def test_deeply_nested_arguments_do_no_harm(talk: Talk) -> None:
    nested = '{"back": {"a": ' + "[" * 300 + "]" * 300 + "}}"
    talk.replies({"calls": [{"name": "look", "arguments": nested}]}, {"text": "Deep."})
    assert talk.ask().reason == "stop"
    (made,) = talk.calls()
    assert made.status == "error"
    assert "nested more than 100 levels deep" in str(made.error)


def test_missing_empty_or_repeated_provider_ids_do_no_harm(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("look", "x", back={"n": 1}), call("look", "x", back={"n": 2}), call("look", back={"n": 3})]},
        {"calls": [call("look", "x", back={"n": 4})]},
        {"text": "Four."},
    )  # fmt: skip
    talk.ask()
    assert [c.result for c in talk.calls()] == [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}]
    requested = [e for e in talk.events() if isinstance(e, ToolCallRequested)]
    assert [e.provider_call_id for e in requested] == ["x", "x", "", "x"]
    assert len({e.call_id for e in requested}) == 4


def test_a_reply_cut_by_the_length_limit_does_not_run_its_calls(talk: Talk) -> None:
    talk.replies({"text": "I will", "calls": [{"name": "put", "arguments": ""}], "finish": "length"})
    turn = talk.ask()
    assert turn.reason == "length"
    assert turn.problem == (
        "The reply was cut off at its length limit in the middle of a call of the tool put, which did not run. "
        "Ask for less at once, or choose a model with a higher limit."
    )
    assert talk.calls() == []
    assert talk.branch()[-1].content == "I will"


@pytest.mark.parametrize("cut", mostly_long(["", "null", '{"say": "a", "files": {"b'], quick=(2,)))
def test_a_complete_call_next_to_a_cut_one_runs_and_the_turn_continues(talk: Talk, cut: str) -> None:
    talk.replies(
        {
            "calls": [call("put", files={"a": "1"}), {"name": "put", "arguments": cut}],
            "finish": "length",
        },
        {"text": "Written."},
    )
    assert talk.ask().reason == "stop"
    made, half = talk.calls()
    assert (made.status, half.status, talk.files()) == ("success", "error", {"a": "1"})
    assert half.error == {
        "kind": "cut",
        "message": "The call was cut off at the reply's length limit; make it again with shorter arguments.",
        "traceback": "",
    }


def test_an_earlier_call_with_bad_arguments_is_not_reported_as_cut(talk: Talk) -> None:
    bad, cut = {"name": "put", "arguments": '{"a": }'}, {"name": "put", "arguments": '{"say": "x'}
    talk.replies({"calls": [bad, call("look"), cut], "finish": "length"}, {"text": "Hm."})
    assert talk.ask().reason == "stop"
    assert [c.error and c.error["kind"] for c in talk.calls()] == ["invalid_arguments", None, "cut"]


@pytest.mark.long
def test_a_turn_ends_if_its_replies_are_cut_repeatedly(talk: Talk) -> None:
    def cut(n: int) -> dict[str, Any]:
        calls = [call("look", say=str(n)), {"name": "put", "arguments": '{"say": "x'}]
        return {"calls": calls, "finish": "length"}

    talk.app.send(ChangeSetting("max_tool_iterations", 3))
    talk.replies(*map(cut, range(9)))
    turn = talk.ask()
    talk.app.send(ChangeSetting("max_tool_iterations", None))
    assert (turn.reason, turn.steps) == ("length", 4)
    assert "in the middle of a call of the tool put" in (turn.problem or "")


def test_a_reply_with_only_thinking_is_reported_as_such(talk: Talk) -> None:
    talk.replies({"reasoning": "Hm", "finish": "length"})
    assert "spent all of it on thinking" in (talk.ask().problem or "")


def test_a_call_of_an_unknown_tool_gets_the_list_of_available_tools(talk: Talk) -> None:
    talk.app.send(SelectTools(talk.chat_id, {"kit": ["look"], "builtin": ["list_files"]}))
    talk.replies({"calls": [{"name": "toolset__kit__put"}]}, {"text": "Oh."})
    talk.ask()
    (made,) = talk.calls()
    assert (made.status, made.tool_id) == ("error", "toolset__kit__put")
    assert made.error is not None
    assert made.error["message"].endswith("The tools are: list_files, toolset__kit__look.")


def parts_of(request: ModelRequest) -> list[str]:
    """The data parts of a request, in order."""
    return [item.data_part for item in request.messages if isinstance(item, Message) and item.data_part]


def test_after_n_steps_the_model_must_answer_without_a_call(talk: Talk) -> None:
    talk.app.send(ChangeSetting("max_tool_iterations", 2))
    talk.replies(
        *[{"text": f"{n}.", "calls": [call("look", say=str(n))]} for n in range(2)], {"text": "At last."}
    )
    turn = talk.ask()
    talk.app.send(ChangeSetting("max_tool_iterations", None))
    assert (turn.reason, turn.steps, talk.branch()[-1].content) == ("limit", 3, "At last.")
    before, last = (talk.app.request(talk.chat_id, turn.turn_id, step) for step in (2, 3))
    assert (before.may_call, last.may_call) == (True, False)
    assert last.tools == before.tools
    assert last.system == before.system
    assert "For this question you have 2 steps with tool calls." in parts_of(before)[0]
    assert "You have used all steps" not in "".join(parts_of(before))
    assert "You have used all steps of this question." in parts_of(last)[-1]


@pytest.mark.long
def test_a_thorough_chat_allows_more_steps_and_a_fork_stays_thorough(talk: Talk) -> None:
    talk.app.send(SelectDepth(talk.chat_id, "thorough"))
    talk.replies(*[{"calls": [call("look", say=str(n))]} for n in range(8)], {"text": "Eight."})
    turn = talk.ask()
    assert (turn.reason, turn.steps) == ("stop", 9)
    assert (
        "For this question you have 25 steps" in parts_of(talk.app.request(talk.chat_id, turn.turn_id, 1))[0]
    )
    assert (
        talk.app.chat(talk.app.send(ForkChat(talk.chat_id, talk.branch()[-1].message_id))).depth == "thorough"
    )
    talk.app.send(ChangeSetting("thorough_steps", 7))
    talk.replies(*[{"text": "…"}] * 9, {"text": "x"})
    turn = talk.ask("Again")
    talk.app.send(ChangeSetting("thorough_steps", None))
    assert (
        "For this question you have 7 steps" in parts_of(talk.app.request(talk.chat_id, turn.turn_id, 1))[-1]
    )


def test_selecting_the_same_depth_again_records_no_event(talk: Talk) -> None:
    talk.app.send(SelectDepth(talk.chat_id, "quick"))
    assert talk.events("DepthSelected") == []


@pytest.mark.long
def test_without_the_limit_a_turn_continues(talk: Talk) -> None:
    talk.app.send(ChangeSetting("max_tool_iterations_on", False))
    talk.replies(*[{"calls": [call("look", say=str(n))]} for n in range(7)], {"text": "Seven."})
    turn = talk.ask()
    talk.app.send(ChangeSetting("max_tool_iterations_on", None))
    assert (turn.reason, turn.steps) == ("stop", 8)


@pytest.mark.long
def test_the_same_call_does_not_run_a_third_time_and_after_the_fifth_the_model_must_answer(
    talk: Talk,
) -> None:
    talk.app.send(ChangeSetting("max_tool_iterations", 20))
    talk.replies(
        *[{"text": "Again.", "calls": [call("look", say="again")]}] * 5, {"text": "It said nothing new."}
    )
    turn = talk.ask()
    talk.app.send(ChangeSetting("max_tool_iterations", None))
    assert talk.branch()[-1].content == "It said nothing new."
    assert [c.status for c in talk.calls()] == ["success", "success", "error", "error", "error"]
    third = talk.calls()[2].error
    assert third is not None
    assert "3 times in a row" in third["message"]
    assert (turn.reason, turn.steps) == ("limit", 6)
    assert "same call five times in a row" in (turn.problem or "")


def test_an_error_of_the_provider_ends_the_turn_with_its_message_and_keeps_the_text(talk: Talk) -> None:
    talk.replies({"text": "As far as", "error": "The server at :1 answers nothing. Start it, then retry."})
    turn = talk.ask()
    assert (turn.reason, turn.problem) == ("error", "The server at :1 answers nothing. Start it, then retry.")
    assert (talk.branch()[-1].text, talk.branch()[-1].finish) == ("As far as", "error")
    talk.replies({"text": ""}, {"text": "Here again."})
    assert talk.ask("and now?").reason == "stop"


def test_usage_is_summed_over_the_steps(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("look")], "tokens_in": 10, "tokens_out": 2}, {"text": "x", "tokens_in": 30, "tokens_out": 4}
    )  # fmt: skip
    turn = talk.ask()
    assert (turn.tokens_in, turn.tokens_out) == (40, 6)
    assert turn.seconds is not None
    usages = [e.usage for e in talk.events() if isinstance(e, MessageAdded) and e.role == "assistant"]
    assert [(u.tokens_in, u.tokens_out) for u in usages if u] == [(10, 2), (30, 4)]


@pytest.mark.long
def test_every_request_can_be_rebuilt_from_the_log(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[ModelRequest] = []
    stream = ScriptedModel.stream

    def recording(self: ScriptedModel, request: ModelRequest, cancel: Any) -> Any:
        sent.append(request)
        return stream(self, request, cancel)

    monkeypatch.setattr(ScriptedModel, "stream", recording)
    talk.app.send(ChangeSetting("instructions", "Be brief."))
    talk.replies(
        {"text": "I make a table.", "calls": [call("put", files={"a.csv": "x,y\n1,2\n"}), call("look", fail="no")]},
        {"text": "I look.", "calls": [call("look", back={"long": "x" * 60_000}), {"name": "nothing"}]},
        {"text": "One row."},
    )  # fmt: skip
    turn = talk.ask()
    talk.app.send(ChangeSetting("instructions", None))
    assert [talk.app.request(talk.chat_id, turn.turn_id, step) for step in (1, 2, 3)] == sent
    assert [table.name for table in sent[1].tables] == ["a"]
    assert "a (1 rows, from a.csv)" in parts_of(sent[1])[1]
    assert not [request for request in sent if "a.csv" in request.system]
    started = [e for e in talk.events() if isinstance(e, StepStarted)]
    assert started[0].tool_ids["toolset__kit__put"] == "kit:put"


def test_a_result_over_32_kib_is_stored_in_a_blob_and_reads_the_same(talk: Talk) -> None:
    talk.replies({"calls": [call("look", back={"long": "é" * 40_000})]}, {"text": "Long."})
    talk.ask()
    assert talk.calls()[0].result == {"long": "é" * 40_000}
    (finished,) = (e for e in talk.events() if isinstance(e, ToolCallFinished))
    assert len(finished.model_dump_json()) < 4_000


@pytest.mark.long
def test_a_result_that_looks_like_a_reference_to_a_blob_is_shown_unchanged(talk: Talk) -> None:
    back = {"sha256": "ab" * 32, "size": 1, "head": "x"}
    talk.replies({"calls": [call("look", back=back)]}, {"text": "Odd."})
    talk.ask()
    assert talk.calls()[0].result == back


def test_a_question_for_an_unavailable_model_is_refused_before_anything_is_written(talk: Talk) -> None:
    talk.replies({"text": "x"})
    (talk.folder / "script0.json").unlink()
    before = talk.app.log.head()
    with pytest.raises(Refused, match="There is no script"):
        talk.app.send(Ask(talk.chat_id, "anyone?"))
    with pytest.raises(Refused, match="cannot use the model"):
        talk.app.send(SelectModel(talk.chat_id, "nobody:1"))
    with pytest.raises(Refused, match="cannot use the model"):
        talk.app.send(ChangeSetting("model", "nobody:1"))
    assert talk.app.log.head() == before


def test_all_tools_can_be_switched_off(talk: Talk) -> None:
    talk.app.send(ChangeSetting("tools_on", False))
    talk.replies({"calls": [{"name": "list_files"}]}, {"text": "Just talk."})
    turn = talk.ask()
    talk.app.send(ChangeSetting("tools_on", None))
    assert talk.app.request(talk.chat_id, turn.turn_id, 1).tools == ()
    assert talk.calls()[0].error == {
        "kind": "unknown_tool", "message": "There is no tool list_files here. The tools are: none.", "traceback": ""
    }  # fmt: skip


def test_the_model_is_told_about_unreadable_tables_and_the_turn_continues(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("put", files={"bad.parquet": "no parquet", "good.csv": "n\n1\n"})]}, {"text": "See."}
    )
    turn = talk.ask()
    request = talk.app.request(talk.chat_id, turn.turn_id, 2)
    assert turn.reason == "stop"
    assert [table.name for table in request.tables] == ["good"]
    assert "Files that could not be read as tables:\n- bad.parquet: " in parts_of(request)[-1]
    assert str(talk.app.data) not in parts_of(request)[-1]


def test_a_new_chat_starts_with_the_last_selection_of_tools(app: App, talk: Talk) -> None:
    chosen = {"kit": ["look"], "builtin": [], "data-analyst": ["query"], "app-builder": []}
    app.send(SelectTools(talk.chat_id, chosen))
    assert app.chat(app.send(CreateChat())).selection == chosen
