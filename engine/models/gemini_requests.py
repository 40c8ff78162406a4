"""Makes request bodies for Gemini's own API. Pure: the same request gives the same bytes. The model is named in the
address, not in the body.
"""

import base64
import json
import re

from engine.models import gemini_state
from engine.models.call_ids import IdRule
from engine.models.conversation import Asked, Exchange, Replied, conversation, result_text
from engine.models.json_access import object_of
from engine.models.messages import CallPart, ImagePart, OpaquePart, ReasoningPart, TextPart
from engine.models.model import ModelRequest, ToolSpec
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = ["gemini_body"]

_UNSIGNED = "skip_thought_signature_validator"
"""Google's placeholder for the signature of a call that another model made: Gemini 3 and later refuse a call without a
signature.
"""
_WANTS_SIGNATURES = re.compile(r"gemini-([3-9]|\d\d)")


def gemini_body(request: ModelRequest, ids: IdRule) -> bytes:
    """Return the body of `request`, with call ids that follow the rule `ids`."""
    said = conversation(request, ids, frozenset({"text", "image"}))
    strict = _WANTS_SIGNATURES.search(request.model) is not None
    contents: list[JSON] = []
    answers: list[JSON] = []
    for turn in said.turns:
        if isinstance(turn, Asked):
            parts = answers + [_part(part, request) for part in turn.parts]
            contents.append({"role": "user", "parts": parts})
            answers = []
            continue
        if answers:
            contents.append({"role": "user", "parts": answers})
        parts = _replied(turn, request, must_sign=strict)
        contents.append({"role": "model", "parts": parts})
        answers = [*map(_answer, turn.exchanges), *_pictures(turn, request)]
        if turn.data_part:
            answers.append({"text": turn.data_part})
    if answers:
        contents.append({"role": "user", "parts": answers})
    body: JSONObject = {name: request.parameters[name] for name in sorted(request.parameters)}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
    if said.system:
        body["systemInstruction"] = {"parts": [{"text": said.system}]}
    body["contents"] = contents
    if request.tools and not request.may_call:
        body["toolConfig"] = {"functionCallingConfig": {"mode": "NONE"}}
    return scrub_surrogates(json.dumps(body, ensure_ascii=False, separators=(",", ":"))).encode()


def _part(part: TextPart | ImagePart, request: ModelRequest) -> JSONObject:
    if isinstance(part, TextPart):
        return {"text": part.text}
    if part.sha256 not in request.images:
        return {"text": "(A picture that is no longer there.)"}
    data = base64.b64encode(request.images[part.sha256]).decode()
    return {"inlineData": {"mimeType": part.media_type, "data": data}}


def _replied(turn: Replied, request: ModelRequest, *, must_sign: bool) -> list[JSON]:
    parts: list[JSON] = []
    by_place = turn.by_place
    place = 0
    thoughts = ""
    for part in turn.parts:
        match part:
            case ReasoningPart():
                thoughts = part.text
                continue
            case TextPart() if part.text:
                parts.append({"text": part.text})
            case ImagePart() if part.sha256 in request.images:
                parts.append(_part(part, request))
            case CallPart():
                if place in by_place:
                    parts.append(_call(by_place[place]))
                place += 1
            case OpaquePart() if part.provider == "gemini":
                gemini_state.restore(parts, part.data, thoughts)
            case _:
                continue
        thoughts = ""
    calls = [object_of(part) for part in parts if "functionCall" in object_of(part)]
    if must_sign and calls and not any("thoughtSignature" in object_of(part) for part in parts):
        calls[0]["thoughtSignature"] = _UNSIGNED
    return parts


def _call(exchange: Exchange) -> JSONObject:
    arguments = exchange.request.arguments
    made: JSONObject = {
        "name": exchange.name,
        "args": arguments if isinstance(arguments, dict) else {"_invalid": arguments},
    }
    if exchange.wire_id:
        made["id"] = exchange.wire_id
    return {"functionCall": made}


def _answer(exchange: Exchange) -> JSONObject:
    content = exchange.answer.content
    response: JSONObject = {
        "name": exchange.name,
        "response": content if isinstance(content, dict) else {"result": _plain(exchange, content)},
    }
    if exchange.wire_id:
        response["id"] = exchange.wire_id
    return {"functionResponse": response}


def _pictures(turn: Replied, request: ModelRequest) -> list[JSON]:
    """Return the pictures in the results. They are sent next to the results, because a function's response can only be
    JSON.
    """
    parts: list[JSON] = []
    for exchange in turn.exchanges:
        if exchange.answer.pictures:
            parts.append({"text": f"The picture of the result of {exchange.name}:"})
            parts += [_part(picture, request) for picture in exchange.answer.pictures]
    return parts


def _plain(exchange: Exchange, content: JSON) -> JSON:
    return result_text(exchange.answer) if isinstance(content, str) else content


def _tool(tool: ToolSpec) -> JSONObject:
    """Return a tool's declaration. Its schema is sent as `parametersJsonSchema`, where the API accepts plain JSON
    Schema, not only its own schema format.
    """
    declared: JSONObject = {"name": tool.name, "description": tool.description}
    if tool.input_schema.get("properties"):
        schema = {name: value for name, value in tool.input_schema.items() if name != "$schema"}
        declared["parametersJsonSchema"] = schema
    return declared
