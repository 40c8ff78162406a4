"""Sends one request to the model: records it, streams its reply, and shortens it if it is too long."""

import time

from engine.chats.signals import LiveCall
from engine.models.messages import ImagePart
from engine.models.model import Finished, ImageDelta, Model, ModelRequest
from engine.secrets.stream_scrubber import StreamScrubber
from engine.tools.call_plans import Branch
from engine.turn.compacting import compact
from engine.turn.disclosure import Disclosed
from engine.turn.next_request import Prepared, prepare
from engine.turn.parts import Turn, TurnParts
from engine.turn.request_size import FULL
from engine.turn.step import Reply, ReplyCall, gather
from events.late_dataclass import dataclass

__all__ = ["Asked", "ask_model"]

_REFUSED = 0.6
"""If a provider refuses a request as too long without naming its limit, this share of the request's size is used as the
window."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply, and the tools that its calls may name."""

    reply: Reply
    shown: Disclosed


def ask_model(parts: TurnParts, turn: Turn, branch: Branch, *, last: bool) -> Asked:
    """Send the next request, record its parts, and read the reply. The `last` request does not allow tool calls."""
    model = turn.model
    assert model is not None
    prepared = prepare(parts, turn, model, branch, last=last)
    window = _window(parts, turn, model)
    if window and prepared.tokens > window * FULL:
        made = compact(parts, turn, model, prepared, window, "window")
        if turn.cancel.is_set:
            return Asked(Reply(end=Finished("cancelled")), prepared.shown)
        prepared = prepare(parts, turn, model, branch, last=last) if made else prepared
    reply = _send(parts, turn, model, prepared)
    if reply.end.kind == "context_overflow" and not reply.parts:
        learnt = reply.end.limit or int(prepared.tokens * _REFUSED)
        named = reply.end.limit is not None
        if compact(parts, turn, model, prepared, min(learnt, window or learnt), "refused", named=named):
            prepared = prepare(parts, turn, model, branch, last=last)
            reply = _send(parts, turn, model, prepared)
    return Asked(reply, prepared.shown)


def _window(parts: TurnParts, turn: Turn, model: Model) -> int | None:
    """Return the number of tokens that a request may have: the model's limit, or a lower one that its provider named in
    this chat."""
    if model.window is None:
        return None
    with parts.chats.locked(turn.chat_id) as state:
        refused = [
            made.window
            for made in state.compactions.values()
            if made.window_named and made.model == turn.model_name
        ]
    return min([model.window, *refused])


def _send(parts: TurnParts, turn: Turn, model: Model, prepared: Prepared) -> Reply:
    turn.append(parts, lambda _: [prepared.started])
    return _read(parts, turn, model, prepared.request, prepared.shown)


def _read(parts: TurnParts, turn: Turn, model: Model, request: ModelRequest, shown: Disclosed) -> Reply:
    blobs = parts.workspaces.blobs(turn.chat_id)

    def on_call(call: ReplyCall) -> None:
        tool = shown.tools.get(call.name)
        name, toolset = (tool.name, tool.toolset_name) if tool else (call.name, "")
        parts.signals.call(turn.chat_id, turn.turn_id, LiveCall(call.call_id, name, toolset, "pending"))

    def keep_image(image: ImageDelta) -> ImagePart:
        blob = blobs.put_bytes(image.data)
        return ImagePart(sha256=blob.sha256, media_type=image.media_type, size=blob.size)

    began = time.monotonic()
    shown_text = StreamScrubber(
        parts.workspaces.payloads(turn.chat_id).scrubber,
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
