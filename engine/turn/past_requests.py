"""Rebuilds a request to a model from the log, using the stored contents to which `StepStarted` refers."""

import json
from collections.abc import Callable, Iterable, Sequence

from engine.deciders.chat_state import ChatState
from engine.errors import NotFound
from engine.models.model import ModelRequest, ToolBrief, ToolSpec
from engine.tools.tables import TablesSeen
from engine.turn.data_part import read_data_part
from engine.turn.history import Sent, history, images_of
from engine.turn.previous_request import pictures_in
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Files
from events.canonical import canonical_json
from events.catalog.turn import StepStarted
from events.event import Recorded
from events.json_value import JSON

__all__ = ["rebuild_request", "tools_text"]


def tools_text(tools: Sequence[ToolSpec], briefs: Sequence[ToolBrief] = ()) -> str:
    """Return a request's tools as they are stored with its step. Tools that are listed only by name have no schema."""
    told: list[JSON] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in tools
    ]
    told += [{"name": brief.name, "description": brief.line} for brief in briefs]
    return canonical_json(told)


def rebuild_request(
    stream: Iterable[Recorded],
    turn_id: str,
    step: int,
    blobs: BlobStore,
    look: Callable[[Files], TablesSeen | None],
) -> ModelRequest:
    """Return the request of one step, equal to the request that was sent; `stream` is the stream of its chat.

    Raises:
        NotFound: the chat has no such step.
    """
    state = ChatState()
    for recorded in stream:
        event = recorded.event
        if isinstance(event, StepStarted) and (event.turn_id, event.step) == (turn_id, step):
            return _request(state, event, blobs, look)
        state.evolve(event)
    raise NotFound("step_not_found", f"Turn {turn_id} has no step {step}.")


def _request(
    state: ChatState,
    started: StepStarted,
    blobs: BlobStore,
    look: Callable[[Files], TablesSeen | None],
) -> ModelRequest:
    sent = Sent.of(state, started.message_id, started.turn_id, started.compaction_id)
    newest = read_data_part(blobs.read(started.data.sha256).decode()).text if started.data else ""
    messages = history(state, sent, blobs, sees=started.sees, newest=newest)
    seen = look(state.files(started.manifest_id)) or TablesSeen()
    listed = json.loads(blobs.read(started.tools.sha256))
    return ModelRequest(
        model=started.model.partition(":")[2],
        system=blobs.read(started.system.sha256).decode(),
        messages=messages,
        tools=tuple(ToolSpec(**tool) for tool in listed if "input_schema" in tool),
        briefs=tuple(
            ToolBrief(tool["name"], tool["description"]) for tool in listed if "input_schema" not in tool
        ),
        tables=seen.tables,
        unread=seen.unread,
        parameters=started.parameters,
        images=images_of(pictures_in(messages), blobs),
        may_call=started.may_call,
    )
