"""What a strict provider rejects: the rules of each dialect for a request, and opaque state that must come back."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.support.providers.rendering import joined
from tests.support.providers.replies import Reply

__all__ = ["CHECK"]

Problems = Iterator[str]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def _names(names: Sequence[Any]) -> Problems:
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield f"the tool name {name!r} is not well-formed"
    yield from (f"the tool {name} is declared twice" for name, n in Counter(names).items() if n > 1)


def _spoken(replies: Sequence[Reply], text: str, names: list[str]) -> list[Reply]:
    """Return the server's earlier replies with exactly this text and these calls; the request must contain their opaque
    state."""
    return [
        reply for reply in replies if joined(reply.text) == text and [c.name for c in reply.calls] == names
    ]


# ------------------------------------------------------------------------------------------------- OpenAI's dialect


def _openai(body: dict[str, Any], replies: Sequence[Reply]) -> Problems:
    if body.get("stream") is not True:
        yield "the request does not ask for a stream"
    if not body.get("model"):
        yield "the request names no model"
    if "tools" in body:
        yield from _names([tool["function"]["name"] for tool in body["tools"]])
        if not body["tools"]:
            yield "tools is empty"
    messages = body.get("messages") or []
    roles = [message["role"] for message in messages]
    if "user" not in roles:
        yield "no message is the user's"
    if roles and roles[-1] == "assistant":
        yield "the last message is the assistant's"
    yield from (f"a system message at place {n}" for n, r in enumerate(roles) if r == "system" and n)
    yield from _openai_calls(messages)
    for number, message in enumerate(messages):
        content = message.get("content")
        if message["role"] == "assistant":
            yield from _openai_assistant(number, message, replies)
        elif message["role"] != "tool" and not content:
            yield f"message {number} is empty"
        if isinstance(content, list):
            yield from (
                f"message {number} has an empty text"
                for p in content
                if p["type"] == "text" and not p["text"]
            )


def _openai_calls(messages: list[dict[str, Any]]) -> Problems:
    seen: set[str] = set()
    open_ids: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            identity = message.get("tool_call_id")
            if not open_ids or identity != open_ids[0]:
                yield f"message {number} answers {identity!r}; awaited is {open_ids[:1]}"
            if identity in open_ids:
                open_ids.remove(identity)
            if not isinstance(message.get("content"), str | list):
                yield f"message {number} is a result without content"
            continue
        if open_ids:
            yield f"message {number} comes before the answers to {open_ids}"
        open_ids = [call.get("id") for call in message.get("tool_calls", [])]
        for identity in open_ids:
            if not identity or len(identity) > 40 or identity in seen:
                yield f"the call id {identity!r} of message {number} is empty, too long or not unique"
            seen.add(identity)
    if open_ids:
        yield f"the calls {open_ids} are not answered"


def _openai_assistant(number: int, message: dict[str, Any], replies: Sequence[Reply]) -> Problems:
    calls = message.get("tool_calls")
    if calls == []:
        yield f"message {number} has an empty list of calls"
    if not calls and not message.get("content"):
        yield f"message {number} is empty"
    for call in calls or []:
        if not isinstance(call["function"].get("arguments"), str):
            yield f"message {number} has a call whose arguments are not text"
    names = [call["function"]["name"] for call in calls or []]
    for reply in _spoken(replies, message.get("content") or "", names)[:1]:
        if reply.signature and reply.signature not in json.dumps(message.get("reasoning_details", "")):
            yield f"message {number} lacks its encrypted reasoning"
        for call, made in zip(calls or [], reply.calls, strict=True):
            if call.get("extra_content", {}).get("google", {}).get("thought_signature", "") != made.signature:
                yield f"message {number} lacks the signature of {made.name}"


# --------------------------------------------------------------------------------------------------------- Gemini's


def _gemini(body: dict[str, Any], replies: Sequence[Reply]) -> Problems:
    contents = body.get("contents") or []
    yield from _alternating([content.get("role") for content in contents], "model")
    for tool in body.get("tools", []):
        yield from _names([declared["name"] for declared in tool["functionDeclarations"]])
    if "systemInstruction" in body and not body["systemInstruction"]["parts"][0]["text"]:
        yield "the system text is empty"
    awaited: list[dict[str, Any]] = []
    for number, content in enumerate(contents):
        parts = content.get("parts") or []
        if not parts:
            yield f"content {number} has no parts"
        yield from (
            f"content {number} has an empty text" for p in parts if set(p) == {"text"} and not p["text"]
        )
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if [(a["name"], a.get("id")) for a in answers] != [(c["name"], c.get("id")) for c in awaited]:
            yield f"content {number} answers {answers}; awaited are {awaited}"
        if answers and "functionResponse" not in parts[0]:
            yield f"content {number} says something before its answers"
        yield from (
            f"content {number}: an answer is no object"
            for a in answers
            if not isinstance(a["response"], dict)
        )
        awaited = [part["functionCall"] for part in parts if "functionCall" in part]
        if not all(isinstance(call.get("args"), dict) for call in awaited):
            yield f"content {number} has a call whose arguments are no object"
        if content.get("role") == "model":
            yield from _gemini_state(number, parts, replies)
    if awaited:
        yield f"the calls {awaited} are not answered"
    ids = [p["functionCall"].get("id") for c in contents for p in c.get("parts", []) if "functionCall" in p]
    yield from (f"the call id {i} is not unique" for i, n in Counter(filter(None, ids)).items() if n > 1)


def _gemini_state(number: int, parts: list[dict[str, Any]], replies: Sequence[Reply]) -> Problems:
    text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    calls = [part for part in parts if "functionCall" in part]
    for reply in _spoken(replies, text, [part["functionCall"]["name"] for part in calls])[:1]:
        for part, made in zip(calls, reply.calls, strict=True):
            if part.get("thoughtSignature", "") != made.signature:
                yield f"content {number} lacks the signature of {made.name}, or has another's"
        if reply.signature and parts[-1] != {"text": "", "thoughtSignature": reply.signature}:
            yield f"content {number} does not end with its signature"


def _alternating(roles: list[Any], assistant: str) -> Problems:
    if not roles or roles[0] != "user":
        yield "the first message is not the user's"
    if roles and roles[-1] != "user":
        yield "the last message is not the user's"
    yield from (f"{a} follows {b}" for a, b in zip(roles[1:], roles, strict=False) if a == b)
    yield from (f"{role!r} is no role" for role in set(roles) - {"user", assistant})


# ------------------------------------------------------------------------------------------------------ Anthropic's


def _anthropic(body: dict[str, Any], replies: Sequence[Reply]) -> Problems:
    if body.get("stream") is not True:
        yield "the request does not ask for a stream"
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens is missing"
    if body.get("system") == "":
        yield "the system text is empty"
    yield from _names([tool["name"] for tool in body.get("tools", [])])
    yield from (
        f"the schema of {tool['name']} is of no object"
        for tool in body.get("tools", [])
        if tool["input_schema"].get("type") != "object"
    )
    messages = body.get("messages") or []
    yield from _alternating([message.get("role") for message in messages], "assistant")
    seen: set[str] = set()
    awaited: list[str] = []
    for number, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from _anthropic_blocks(number, blocks)
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if answered != awaited:
            yield f"message {number} answers {answered}; awaited are {awaited}"
        if answered and any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
            yield f"message {number} says something before its answers"
        awaited = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for identity in awaited:
            if not re.fullmatch(r"[a-zA-Z0-9_-]+", identity) or identity in seen:
                yield f"the call id {identity!r} of message {number} is not well-formed or not unique"
            seen.add(identity)
        if message.get("role") == "assistant":
            yield from _anthropic_state(number, blocks, replies)
    if awaited:
        yield f"the calls {awaited} are not answered"


def _anthropic_blocks(number: int, blocks: list[dict[str, Any]]) -> Problems:
    if not blocks:
        yield f"message {number} has no content"
    for block in blocks:
        if block["type"] == "text" and not block["text"].strip():
            yield f"message {number} has an empty text"
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            yield f"message {number} has a call whose input is no object"


def _anthropic_state(number: int, blocks: list[dict[str, Any]], replies: Sequence[Reply]) -> Problems:
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    names = [block["name"] for block in blocks if block["type"] == "tool_use"]
    for reply in _spoken(replies, text, names)[:1]:
        awaited: list[dict[str, Any]] = []
        if reply.signature:
            thinking = joined(reply.reasoning)
            awaited.append({"type": "thinking", "thinking": thinking, "signature": reply.signature})
        if reply.redacted:
            awaited.append({"type": "redacted_thinking", "data": reply.redacted})
        if blocks[: len(awaited)] != awaited:
            yield f"message {number} does not begin with its thinking as it was"


CHECK: dict[str, Callable[[dict[str, Any], Sequence[Reply]], Problems]] = {
    "openai": _openai,
    "gemini": _gemini,
    "anthropic": _anthropic,
}
