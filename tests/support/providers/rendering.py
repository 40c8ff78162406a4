"""A reply in each dialect, as the bytes of its event stream; the stream pauses where the reply has a hold."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.providers.replies import Call, Chunk, Hold, Pieces, Reply, pieces

__all__ = ["RENDER", "call_id", "joined"]

Lines = Iterator[Chunk]


def joined(text: Pieces) -> str:
    """All of `text`, without its holds."""
    return "".join(piece for piece in pieces(text) if not isinstance(piece, Hold))


def call_id(call: Call, number: int, place: int) -> str:
    """The id of a call in the stream: the given one, or one generated for this reply."""
    return f"call_{number}_{place}" if call.id is None else call.id


def _arguments(call: Call) -> Iterator[str | Hold]:
    if isinstance(call.arguments, str | tuple):
        yield from pieces(call.arguments)
    else:
        yield json.dumps(call.arguments)


def _finish(reply: Reply) -> str:
    return reply.finish or ("calls" if reply.calls else "stop")


def _data(payload: Any) -> bytes:
    return f"data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def _openai(reply: Reply, number: int) -> Lines:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({"id": f"chat-{number}", "object": "chat.completion.chunk", "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.reasoning):
        yield piece if isinstance(piece, Hold) else chunk({"reasoning_content": piece})
    if reply.signature:
        detail = {"type": "reasoning.encrypted", "data": reply.signature, "index": 0}
        yield chunk({"reasoning_details": [detail]})
    for piece in pieces(reply.text):
        yield piece if isinstance(piece, Hold) else chunk({"content": piece})
    for place, call in enumerate(reply.calls):
        head: dict[str, Any] = {"index": place, "id": call_id(call, number, place), "type": "function"}
        head["function"] = {"name": call.name, "arguments": ""}
        if call.signature:
            head["extra_content"] = {"google": {"thought_signature": call.signature}}
        yield chunk({"tool_calls": [head]})
        for piece in _arguments(call):
            more = {"index": place, "function": {"arguments": piece}}
            yield piece if isinstance(piece, Hold) else chunk({"tool_calls": [more]})
    if reply.error:
        yield _data({"error": {"message": reply.error, "type": "server_error"}})
        return
    finish = _finish(reply)
    yield chunk({}, "tool_calls" if finish == "calls" else finish)
    if reply.usage:
        tokens = dict(zip(("prompt_tokens", "completion_tokens"), reply.usage, strict=True))
        yield _data({"choices": [], "usage": tokens | {"total_tokens": sum(reply.usage)}})
    yield b"data: [DONE]\n\n"


_GEMINI_FINISH = {"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def _gemini(reply: Reply, number: int) -> Lines:
    def chunk(*parts: dict[str, Any], **beside: Any) -> bytes:
        content = {"role": "model", "parts": list(parts)}
        return _data({"candidates": [{"content": content, "index": 0, **beside}]})

    for piece in pieces(reply.reasoning):
        yield piece if isinstance(piece, Hold) else chunk({"text": piece, "thought": True})
    for piece in pieces(reply.text):
        yield piece if isinstance(piece, Hold) else chunk({"text": piece})
    for place, call in enumerate(reply.calls):
        arguments = ""
        for piece in _arguments(call):
            if isinstance(piece, Hold):
                yield piece
            else:
                arguments += piece
        made: dict[str, Any] = {"name": call.name, "args": json.loads(arguments or "{}")}
        if identity := call_id(call, number, place):
            made["id"] = identity
        signed = {"thoughtSignature": call.signature} if call.signature else {}
        yield chunk({"functionCall": made} | signed)
    if reply.signature:
        yield chunk({"text": "", "thoughtSignature": reply.signature})
    if reply.error:
        yield json.dumps({"error": {"code": 503, "message": reply.error, "status": "UNAVAILABLE"}}).encode()
        return
    usage = {}
    if reply.usage:
        usage = dict(zip(("promptTokenCount", "candidatesTokenCount"), reply.usage, strict=True))
    last = {"candidates": [{"finishReason": _GEMINI_FINISH[_finish(reply)], "index": 0}]}
    yield _data(last | ({"usageMetadata": usage} if usage else {}))


_ANTHROPIC_FINISH = {
    "stop": "end_turn",
    "calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


def _named(payload: dict[str, Any]) -> bytes:
    return f"event: {payload['type']}\n".encode() + _data(payload)


def _block(place: int, block: dict[str, Any], kind: str, key: str, text: Iterator[str | Hold]) -> Lines:
    yield _named({"type": "content_block_start", "index": place, "content_block": block})
    for piece in text:
        delta = {"type": kind, key: piece}
        yield (
            piece
            if isinstance(piece, Hold)
            else _named({"type": "content_block_delta", "index": place, "delta": delta})
        )
    if block["type"] != "thinking":
        yield _named({"type": "content_block_stop", "index": place})


def _anthropic(reply: Reply, number: int) -> Lines:
    said, done = reply.usage or (1, 1)
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": []}
    yield _named({"type": "message_start", "message": message | {"usage": {"input_tokens": said}}})
    place = 0
    if reply.reasoning or reply.signature:
        block = {"type": "thinking", "thinking": "", "signature": ""}
        yield from _block(place, block, "thinking_delta", "thinking", pieces(reply.reasoning))
        signed = {"type": "signature_delta", "signature": reply.signature}
        yield _named({"type": "content_block_delta", "index": place, "delta": signed})
        yield _named({"type": "content_block_stop", "index": place})
        place += 1
    if reply.redacted:
        block = {"type": "redacted_thinking", "data": reply.redacted}
        yield from _block(place, block, "", "", iter(()))
        place += 1
    if reply.text:
        yield from _block(place, {"type": "text", "text": ""}, "text_delta", "text", pieces(reply.text))
        place += 1
    for order, call in enumerate(reply.calls):
        used: dict[str, Any] = {
            "type": "tool_use",
            "id": call_id(call, number, order),
            "name": call.name,
            "input": {},
        }
        yield from _block(place, used, "input_json_delta", "partial_json", _arguments(call))
        place += 1
    if reply.error:
        yield _named({"type": "error", "error": {"type": "overloaded_error", "message": reply.error}})
        return
    stop = {"stop_reason": _ANTHROPIC_FINISH[_finish(reply)], "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": stop, "usage": {"output_tokens": done}})
    yield _named({"type": "message_stop"})


RENDER: dict[str, Callable[[Reply, int], Lines]] = {
    "openai": _openai,
    "gemini": _gemini,
    "anthropic": _anthropic,
}
