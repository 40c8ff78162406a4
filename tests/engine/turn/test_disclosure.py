"""Stepwise disclosure: short descriptions, `pick_tools`, and full specifications in the same turn (DIS-1 to DIS-3)."""

from collections.abc import Iterator

import pytest

from engine.app.app import App
from engine.commands.catalog import ChangeSetting
from engine.models.messages import ToolMessage
from events.catalog.turn import ToolsPicked
from tests.support.talk import Talk, call


@pytest.fixture(autouse=True)
def stepwise(app: App) -> Iterator[None]:
    """Turn on disclosure for these tests."""
    app.send(ChangeSetting("disclosure", "always"))
    yield
    for name in ("disclosure", "disclosure_tokens", "keep_picks", "max_tool_iterations"):
        app.send(ChangeSetting(name, None))


def sent(talk: Talk, turn_id: str, step: int) -> list[str]:
    """The tools that a request described in full, without the analyst's, which always are."""
    names = [tool.name for tool in talk.app.request(talk.chat_id, turn_id, step).tools]
    return [name for name in names if not name.startswith("toolset__data-analyst__")]


def test_a_model_first_sees_short_descriptions_and_only_pick_tools_in_full(talk: Talk) -> None:
    talk.replies({"text": "Hello."})
    turn = talk.ask()
    request = talk.app.request(talk.chat_id, turn.turn_id, 1)
    assert sent(talk, turn.turn_id, 1) == ["pick_tools"]
    assert "- toolset__kit__put: [Kit, by others] Effects write" in request.system
    assert "files: {type" not in request.system
    assert '"remove"' not in request.system


def test_picked_tools_are_described_in_full_in_the_next_request_of_the_same_turn(talk: Talk) -> None:
    talk.replies(
        {"text": "I need to look.", "calls": [call("pick_tools", tools=["toolset__kit__look", "put"])]},
        {"text": "Now I write.", "calls": [call("put", files={"a": "1"})]},
        {"text": "Done."},
    )
    turn = talk.ask()
    assert (turn.reason, talk.files()) == ("stop", {"a": "1"})
    assert sent(talk, turn.turn_id, 2) == ["pick_tools", "toolset__kit__put", "toolset__kit__look"]
    told = talk.app.request(talk.chat_id, turn.turn_id, 2).messages[-1]
    assert isinstance(told, ToolMessage)
    assert isinstance(told.content, dict)
    selected = "Selected toolset__kit__look, toolset__kit__put"
    assert (
        told.content["message"] == f"{selected}; full specifications come with the next request of this turn."
    )
    assert [e.tool_ids for e in talk.events() if isinstance(e, ToolsPicked)] == [("kit:look", "kit:put")]


def test_unknown_tool_names_are_reported(talk: Talk) -> None:
    talk.replies({"calls": [call("pick_tools", tools=["look", "teleport"])]}, {"text": "."})
    talk.ask()
    result = talk.calls()[0].result
    assert isinstance(result, dict)
    assert (result["selected"], result["unknown"]) == (["toolset__kit__look"], ["teleport"])
    assert "There is no tool teleport; the tools are: list_files," in str(result["message"])


@pytest.mark.long
def test_picks_are_dropped_at_the_end_of_the_turn(talk: Talk) -> None:
    talk.replies({"calls": [call("pick_tools", tools=["look"])]}, {"text": "."}, {"text": "."})
    talk.ask()
    assert sent(talk, talk.ask().turn_id, 1) == ["pick_tools"]


def test_picked_tools_may_be_kept_for_the_branch(talk: Talk, app: App) -> None:
    app.send(ChangeSetting("keep_picks", True))
    talk.replies({"calls": [call("pick_tools", tools=["look"])]}, {"text": "."}, {"text": "."})
    talk.ask()
    assert sent(talk, talk.ask().turn_id, 1) == ["pick_tools", "toolset__kit__look"]
    question = talk.branch()[0].message_id
    retried = talk.retry(question)
    assert sent(talk, retried.turn_id, 1) == ["pick_tools"], "another branch begins without"


def test_a_tool_called_without_being_picked_runs_and_counts_as_picked(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"})]}, {"text": "."})
    turn = talk.ask()
    assert talk.files() == {"a": "1"}
    assert sent(talk, turn.turn_id, 2) == ["pick_tools", "toolset__kit__put"]


def test_a_tool_called_with_wrong_arguments_without_being_picked_does_not_count_as_picked(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files=3)]}, {"text": "."})
    turn = talk.ask()
    assert talk.calls()[0].status == "error"
    assert sent(talk, turn.turn_id, 2) == ["pick_tools"]


def test_picking_does_not_count_as_a_step_but_has_its_own_limit(talk: Talk, app: App) -> None:
    app.send(ChangeSetting("max_tool_iterations", 1))
    picking = {"calls": [call("pick_tools", tools=["look"])]}
    talk.replies(*[picking] * 5, {"calls": [call("look")]}, {"text": "."})
    turn = talk.ask()
    assert (turn.reason, turn.steps, talk.calls()[-1].status) == ("limit", 7, "success")
    talk.replies(*[{"text": "."}] * 7, *[picking] * 6, {"text": "Too many."})
    turn = talk.ask()
    assert (turn.reason, turn.steps) == ("limit", 7)


def test_the_tools_of_the_analyst_are_never_hidden(talk: Talk) -> None:
    """So a question about data is answered in the first reply, not after picking."""
    talk.replies({"text": "."})
    names = [tool.name for tool in talk.app.request(talk.chat_id, talk.ask().turn_id, 1).tools]
    assert "toolset__data-analyst__query" in names


@pytest.mark.long
def test_with_few_tools_all_are_described_in_full(talk: Talk, app: App) -> None:
    app.send(ChangeSetting("disclosure", "auto"))
    talk.replies(*[{"text": "."}] * 3)
    assert "pick_tools" not in sent(talk, talk.ask().turn_id, 1)
    app.send(ChangeSetting("disclosure_tokens", 300))
    assert sent(talk, talk.ask().turn_id, 1) == ["pick_tools"]
    app.send(ChangeSetting("disclosure", "never"))
    assert "toolset__kit__put" in sent(talk, talk.ask().turn_id, 1)


def test_pick_tools_is_listed_with_the_built_in_tools_but_cannot_be_selected(app: App) -> None:
    assert "pick_tools" in [row["tool_id"] for row in app.read("tools") if row["toolset_id"] is None]
    assert "pick_tools" not in [tool.name for tool in app.tools()]
