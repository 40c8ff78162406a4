"""Makes request bodies for Anthropic's messages API. Pure: the same request gives the same bytes.

The API's cache stores prefixes up to a marked block. One mark is after the tools and the system text, the other is at
the newest message.
"""

import base64
import json

from engine.models.call_ids import IdRule
from engine.models.conversation import Asked, Exchange, Replied, conversation, result_text
from engine.models.json_access import integer_of, object_of, objects_of
from engine.models.messages import CallPart, ImagePart, OpaquePart, ReasoningPart, TextPart
from engine.models.model import ModelRequest, ToolSpec
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = ["anthropic_body"]


def anthropic_body(request: ModelRequest, ids: IdRule) -> bytes:
    """Return the body of `request`, with call ids that follow the rule `ids`."""
    said = conversation(request, ids, frozenset({"text"}))
    messages: list[JSON] = []
    answers: list[JSON] = []
    for turn in said.turns:
        if isinstance(turn, Asked):
            blocks = answers + [_block(part, request) for part in turn.parts]
            messages.append({"role": "user", "content": blocks})
            answers = []
            continue
        if answers:
            messages.append({"role": "user", "content": answers})
        messages.append({"role": "assistant", "content": _replied(turn)})
        answers = [_answer(exchange, request) for exchange in turn.exchanges]
        if turn.data_part:
            answers.append({"type": "text", "text": turn.data_part})
    if answers:
        messages.append({"role": "user", "content": answers})
    body: JSONObject = {"model": request.model, "stream": True}
    body |= {name: request.parameters[name] for name in sorted(request.parameters)}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if said.system:
        body["system"] = [_cached({"type": "text", "text": said.system})]
    body["messages"] = _marked(messages)
    if request.tools and not request.may_call:
        body["tool_choice"] = {"type": "none"}
    return scrub_surrogates(json.dumps(body, ensure_ascii=False, separators=(",", ":"))).encode()


def _cached(block: JSONObject) -> JSONObject:
    return block | {"cache_control": {"type": "ephemeral"}}


def _marked(messages: list[JSON]) -> list[JSON]:
    """Mark the last block, which is always the user's."""
    last = object_of(messages[-1])
    blocks = objects_of(last["content"])
    return [*messages[:-1], {**last, "content": [*blocks[:-1], _cached(blocks[-1])]}]


def _block(part: TextPart | ImagePart, request: ModelRequest) -> JSONObject:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if part.sha256 not in request.images:
        return {"type": "text", "text": "(A picture that is no longer there.)"}
    data = base64.b64encode(request.images[part.sha256]).decode()
    source: JSONObject = {"type": "base64", "media_type": part.media_type, "data": data}
    return {"type": "image", "source": source}


def _replied(turn: Replied) -> list[JSON]:
    blocks: list[JSON] = []
    by_place = turn.by_place
    place = 0
    thinking = ""
    for part in turn.parts:
        match part:
            case ReasoningPart():
                thinking = part.text
                continue
            case TextPart() if part.text.strip():
                blocks.append({"type": "text", "text": part.text})
            case CallPart():
                if place in by_place:
                    blocks.append(_call(by_place[place]))
                place += 1
            case OpaquePart() if part.provider == "anthropic":
                blocks.append(_state(object_of(part.data), thinking))
            case _:
                continue
        thinking = ""
    return blocks


def _state(data: JSONObject, thinking: str) -> JSONObject:
    """Restore a block. For a thinking block, only the length of its text is stored in `data`, so the text is added
    back."""
    if data.get("type") != "thinking":
        return data
    signed = integer_of(data, "signed") or 0
    text = thinking[-signed:] if signed else ""
    return {"type": "thinking", "thinking": text, "signature": data.get("signature")}


def _call(exchange: Exchange) -> JSONObject:
    arguments = exchange.request.arguments
    given: JSON = arguments if isinstance(arguments, dict) else {"_invalid": arguments}
    return {"type": "tool_use", "id": exchange.wire_id, "name": exchange.name, "input": given}


def _answer(exchange: Exchange, request: ModelRequest) -> JSONObject:
    answer: JSONObject = {"type": "tool_result", "tool_use_id": exchange.wire_id}
    text = result_text(exchange.answer)
    pictures: list[JSON] = [_block(picture, request) for picture in exchange.answer.pictures]
    if pictures:
        words: list[JSON] = [{"type": "text", "text": text}] if text else []
        answer["content"] = words + pictures
    elif text:
        answer["content"] = text
    if exchange.answer.status != "success":
        answer["is_error"] = True
    return answer


def _tool(tool: ToolSpec) -> JSONObject:
    """Return a declaration; the schema's type is included even if a manifest leaves it out."""
    schema: JSONObject = {"type": "object", **tool.input_schema}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}
