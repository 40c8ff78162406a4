"""Makes request bodies for the chat-completions dialect. Pure: the same request gives the same bytes.

Parts that change from one request to the next come last, so that servers can cache prompts by their prefix.
"""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import replace

from engine.models.conversation import Asked, Replied, conversation, result_text
from engine.models.dialect import Provider
from engine.models.messages import ImagePart, OpaquePart, ReasoningPart, TextPart
from engine.models.model import ModelRequest, ToolSpec
from engine.models.openai_state import restore
from events.canonical import canonical_json
from events.catalog.parts import text_of
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = ["openai_body"]

_STOPPED = "(The reply was stopped here.)"
_BEHIND_A_GATEWAY = re.compile("deepseek|kimi", re.IGNORECASE)
"""Models whose makers require their reasoning to be sent back, also through a gateway."""


def openai_body(request: ModelRequest, provider: Provider) -> bytes:
    """Return the body of `request` for `provider`."""
    provider = _as_served(provider, request.model)
    said = conversation(request, provider.ids, frozenset({"text"}))
    messages: list[JSON] = []
    if said.system:
        messages.append({"role": "system", "content": said.system})
    pictures: tuple[TextPart | ImagePart, ...] = ()
    for turn in said.turns:
        asked = turn.parts if isinstance(turn, Asked) else ()
        if pictures or asked:
            messages += _asked(Asked(pictures + asked), request, messages, provider)
        pictures = ()
        if isinstance(turn, Replied):
            messages += _replied(turn, provider)
            pictures = _pictures(turn)
    if pictures:
        messages += _asked(Asked(pictures), request, messages, provider)
    body: JSONObject = {"model": request.model, "stream": True}
    for name in sorted(request.parameters):
        known = provider.max_tokens_field if name == "max_tokens" else name
        body[known] = request.parameters[name]
    if request.tools and (request.may_call or provider.tool_choice_none):
        body["tools"] = [_tool(tool) for tool in request.tools]
    body["messages"] = messages
    if "tools" in body and not request.may_call:
        body["tool_choice"] = "none"
    return scrub_surrogates(json.dumps(body, ensure_ascii=False, separators=(",", ":"))).encode()


def _as_served(provider: Provider, model: str) -> Provider:
    """Return `provider`. For a gateway to a model whose maker requires reasoning to be sent back, add the settings for
    this.
    """
    if provider.id != "openai" or not _BEHIND_A_GATEWAY.search(model):
        return provider
    return replace(provider, reasoning_field="reasoning_content", reasoning_required=True)


def _tool(tool: ToolSpec) -> JSONObject:
    function: JSONObject = {"name": tool.name, "description": tool.description}
    return {"type": "function", "function": {**function, "parameters": tool.input_schema}}


def _pictures(turn: Replied) -> tuple[TextPart | ImagePart, ...]:
    """Return the pictures in the results. A `tool` message can contain only text, so the pictures follow in a message
    of the user.
    """
    parts: list[TextPart | ImagePart] = []
    for exchange in turn.exchanges:
        if exchange.answer.pictures:
            parts.append(TextPart(text=f"The picture of the result of {exchange.name}:"))
            parts += exchange.answer.pictures
    return tuple(parts)


def _asked(
    turn: Asked, request: ModelRequest, before: list[JSON], provider: Provider
) -> Iterator[JSONObject]:
    last = before[-1] if before else None
    if provider.assistant_after_tools and isinstance(last, dict) and last.get("role") == "tool":
        yield {"role": "assistant", "content": _STOPPED}
    if not any(isinstance(part, ImagePart) for part in turn.parts):
        yield {"role": "user", "content": "\n\n".join(p.text for p in turn.parts if isinstance(p, TextPart))}
        return
    content: list[JSON] = []
    for part in turn.parts:
        if isinstance(part, TextPart):
            content.append({"type": "text", "text": part.text})
        elif part.sha256 in request.images:
            data = base64.b64encode(request.images[part.sha256]).decode()
            url = f"data:{part.media_type};base64,{data}"
            content.append({"type": "image_url", "image_url": {"url": url}})
        else:
            content.append({"type": "text", "text": "(A picture that is no longer there.)"})
    yield {"role": "user", "content": content}


def _replied(turn: Replied, provider: Provider) -> Iterator[JSONObject]:
    text = text_of(turn.parts)
    message: JSONObject = {"role": "assistant", "content": text or None}
    reasoning = "".join(part.text for part in turn.parts if isinstance(part, ReasoningPart))
    calls = {
        place: _call(exchange.wire_id, exchange.name, exchange.request.arguments)
        for place, exchange in turn.by_place.items()
    }
    if calls:
        message["tool_calls"] = [*calls.values()]
    if provider.reasoning_required and calls:
        reasoning = reasoning or " "
    if reasoning and provider.reasoning_field:
        message[provider.reasoning_field] = reasoning
    for part in turn.parts:
        if isinstance(part, OpaquePart) and part.provider == provider.id:
            restore(message, calls, part.data)
    yield message
    for number, exchange in enumerate(turn.exchanges, 1):
        content = result_text(exchange.answer)
        if number == len(turn.exchanges) and turn.data_part:
            content = f"{content}\n\n{turn.data_part}"
        yield {"role": "tool", "tool_call_id": exchange.wire_id, "content": content}


def _call(wire_id: str, name: str, arguments: JSON) -> JSONObject:
    function: JSONObject = {"name": name, "arguments": _arguments(arguments)}
    return {"id": wire_id, "type": "function", "function": function}


def _arguments(arguments: JSON) -> str:
    """Return arguments as JSON text. Templates of local servers need an object, so other values are wrapped in an
    object.
    """
    return canonical_json(arguments if isinstance(arguments, dict) else {"_invalid": arguments})
