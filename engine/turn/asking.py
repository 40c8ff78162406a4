"""One request to the model: what it is made of, the event that says so, and the reply as it comes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.deciders.chat_state import ChatState
from engine.messages import ImagePart
from engine.models.model import ImageDelta, Model, ModelRequest, ToolSpec
from engine.secrets.scrub import Scrubber
from engine.secrets.streaming import Streaming
from engine.signals import LiveCall
from engine.tools.builtin import READ_SKILL
from engine.tools.naming import wire_names
from engine.tools.planned import Branch
from engine.turn.disclosure import Disclosed, disclose
from engine.turn.history import history, images_of
from engine.turn.parts import Turn, TurnParts
from engine.turn.rebuilt import tools_text
from engine.turn.step import Reply, ReplyCall, gather
from engine.turn.system_text import system_text
from events.canonical import ordered
from events.catalog.chat import MessageAdded
from events.catalog.turn import StepStarted

__all__ = ["Asked", "ask_model"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply, and what its calls may name."""

    reply: Reply
    shown: Disclosed


def ask_model(parts: TurnParts, turn: Turn, branch: Branch, *, last: bool) -> Asked:
    """Build the next request, record what made it, and read the reply; the `last` one goes without tools."""
    assert turn.model is not None
    keeper = parts.folders.keeper(turn.chat_id)
    blobs, scrubber = keeper.blobs, keeper.scrubber
    with parts.chats.locked(turn.chat_id) as state:
        path = state.path(turn.message_id)
        messages = history(state, path, blobs)
        files = state.files(branch.manifest_id)
        offer = parts.offer(state)
        skills = parts.skills(state) if READ_SKILL in offer and not last else ()
        picked = _picked(state, turn, path)
        number = state.turns[turn.turn_id].steps + 1
    rules = turn.rules
    shown = disclose({} if last else wire_names(offer), picked, rules.disclosure, rules.disclosure_threshold)
    seen = parts.tables.look(files, branch.folder.workspace.folder, turn.cancel)
    request = ModelRequest(
        model=turn.model_name.partition(":")[2],
        system=scrubber.text(
            system_text(
                now=parts.clock(),
                tables=seen.tables,
                unread=seen.unread,
                instructions=rules.instructions,
                briefs=shown.briefs,
                skills=skills,
                tools=bool(offer),
                limit_reached=last,
            )
        ),
        messages=messages,
        tools=tuple(_clean(spec, scrubber) for spec in shown.specs),
        briefs=shown.briefs,
        tables=seen.tables,
        parameters=turn.model.parameters,
        images=images_of(messages, blobs),
    )
    body = turn.model.body(request)
    started = StepStarted(
        turn_id=turn.turn_id,
        step=number,
        model=turn.model_name,
        parameters=dict(request.parameters),
        system=keeper.text(request.system),
        tools=keeper.text(tools_text(request.tools, request.briefs)),
        tool_ids={name: tool.tool_id for name, tool in shown.tools.items()},
        manifest_id=branch.manifest_id,
        message_ids=tuple(message.message_id for message in path),
        request_sha256=sha256(body).hexdigest() if body else None,
    )
    turn.append(parts, lambda _: [started])
    return Asked(_read(parts, turn, turn.model, request, shown), shown)


def _clean(spec: ToolSpec, scrubber: Scrubber) -> ToolSpec:
    """A bundle's words, as they may go out and as they are kept."""
    schema = ordered(scrubber.json(spec.input_schema))
    return ToolSpec(spec.name, scrubber.text(spec.description), schema)


def _picked(state: ChatState, turn: Turn, path: Sequence[MessageAdded]) -> frozenset[str]:
    """Ids of the tools that the model picked: in this turn, or, where picks are kept, on the branch."""
    turns = {turn.turn_id}
    if turn.rules.keep_picks:
        turns |= {message.turn_id for message in path if message.turn_id}
    return frozenset(tool for turn_id in turns for tool in state.turns[turn_id].picked)


def _read(parts: TurnParts, turn: Turn, model: Model, request: ModelRequest, shown: Disclosed) -> Reply:
    blobs = parts.folders.blobs(turn.chat_id)

    def on_call(call: ReplyCall) -> None:
        tool = shown.tools.get(call.name)
        name, toolset = (tool.name, tool.toolset_name) if tool else (call.name, "")
        parts.signals.call(turn.chat_id, turn.turn_id, LiveCall(call.call_id, name, toolset, "pending"))

    def keep_image(image: ImageDelta) -> ImagePart:
        blob = blobs.put_bytes(image.data)
        return ImagePart(sha256=blob.sha256, media_type=image.media_type, size=blob.size)

    began = time.monotonic()
    shown_text = Streaming(
        parts.folders.keeper(turn.chat_id).scrubber,
        lambda text: parts.signals.text(turn.chat_id, turn.turn_id, text),
    )
    reply = gather(
        model.stream(request, turn.cancel),
        parts.new_id,
        on_text=shown_text.add,
        on_call=on_call,
        keep_image=keep_image,
    )
    shown_text.end()
    reply.seconds = time.monotonic() - began
    return reply
