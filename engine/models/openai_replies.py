"""Reads replies of the chat-completions dialect: chunks of a stream, or one whole body. Pure."""

import json
from collections.abc import Iterator

from engine.models.finish_reasons import Meaning, meaning_of
from engine.models.json_access import data_image, integer_of, list_of, object_of, objects_of, text_of
from engine.models.messages import OpaquePart
from engine.models.model import Delta, FinishReason, OpaqueDelta, Usage
from engine.models.openai_calls import ToolCalls
from engine.models.openai_state import MessageState, call_state, call_state_part
from engine.models.replies import Damage, Ending, Speech, reason_of
from engine.models.reply_json import Done, Frame, Payload
from events.json_value import JSON, JSONObject

__all__ = ["OpenAIReply", "error_in"]

THINKING_TAGS = ("think", "reasoning")
"""The tags around thinking at the start of the text, used by models without a reasoning parser."""

_REASONING = ("reasoning_content", "reasoning", "reasoning_text", "thinking")


class OpenAIReply:
    """One reply; see `ReplyReader`."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._speech = Speech(THINKING_TAGS)
        self._calls = ToolCalls()
        self._state = MessageState()
        self._reasoning_from = ""
        self._delta_seen = False
        self._finish = ""
        self._whole = False
        self._error: JSON = None
        self._native = ""
        """For OpenRouter: the original finish reason of the provider behind it."""
        self._damage = Damage()
        self._signed: dict[int, JSONObject] = {}
        self.usage = Usage()
        """See `ReplyReader`."""

    def read(self, frame: Frame) -> Iterator[Delta]:
        """See `ReplyReader`."""
        self._damage.note(frame)
        match frame:
            case Done():
                self._whole = True
            case Payload():
                if error := error_in(frame):
                    self._error = self._error or error
                for payload in objects_of(frame.value) or [object_of(frame.value)]:
                    yield from self._payload(payload, bare=frame.bare)

    def finish(self) -> Iterator[Delta]:
        """See `ReplyReader`."""
        yield from self._speech.finish()
        yield from self._calls.growing.finish(self._reason)
        if state := self._state.value():
            yield OpaqueDelta(OpaquePart(provider=self._provider, data=state))

    @property
    def ending(self) -> Ending:
        """See `ReplyReader`."""
        reason = self._reason
        if self._error is not None:
            return Ending("error", self.usage, self._error)
        if reason != "error":
            return Ending(reason, self.usage)
        if self._damage.malformed or not self._ended:
            return Ending("error", self.usage, broken=self._damage.told)
        if self._meaning == "complete":
            return Ending("error", self.usage, broken="a call without a name")
        bad = meaning_of(self._native) in ("bad_call", "failed")
        return Ending("error", self.usage, finish=self._native if bad else self._finish)

    @property
    def _ended(self) -> bool:
        return bool(self._finish) or self._whole

    @property
    def _meaning(self) -> Meaning:
        """Return the meaning of the finish reasons; `[DONE]` without a finish reason is a normal end."""
        return meaning_of(
            self._finish or "stop", self._native if meaning_of(self._native) == "bad_call" else ""
        )

    @property
    def _reason(self) -> FinishReason:
        if self._error is not None or self._damage.malformed or not self._ended:
            return "error"
        return reason_of(self._meaning, self._calls.growing)

    def _payload(self, payload: JSONObject, *, bare: bool) -> Iterator[Delta]:
        for usage in (object_of(payload.get("x_groq")).get("usage"), payload.get("usage")):
            self._count(object_of(usage))
        choices = objects_of(payload.get("choices"))
        if bare and "choices" in payload and not any("delta" in choice for choice in choices):
            self._whole = True
        for place, choice in enumerate(choices):
            index = choice.get("index", place)
            if index in (0, None):
                yield from self._choice(choice)

    def _choice(self, choice: JSONObject) -> Iterator[Delta]:
        self._count(object_of(choice.get("usage")))
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict):
            self._delta_seen = self._delta_seen or any(delta.values())
            yield from self._message(delta)
        elif isinstance(message, dict) and not self._delta_seen:
            yield from self._message(message)
        self._finish = self._finish or text_of(choice.get("finish_reason"))
        self._native = self._native or text_of(choice.get("native_finish_reason"))

    def _message(self, message: JSONObject) -> Iterator[Delta]:
        yield from self._reasoning(message)
        yield from self._content(message.get("content"))
        if refusal := text_of(message.get("refusal")):
            yield from self._speech.plain(refusal)
        for image in objects_of(message.get("images")):
            yield from data_image(text_of(object_of(image.get("image_url")).get("url")))
        for call, entry, deltas in self._calls.read(message.get("tool_calls")):
            yield from deltas
            signed = call_state(entry)
            if signed and self._signed.get(call.index) != signed:
                self._signed[call.index] = signed
                part = call_state_part(self._provider, call.index, signed)
                yield OpaqueDelta(part)
        if legacy := object_of(message.get("function_call")):
            yield from self._calls.legacy(legacy)
        self._state.read(message)

    def _reasoning(self, message: JSONObject) -> Iterator[Delta]:
        sources = {name: text_of(message.get(name)) for name in _REASONING}
        details = objects_of(message.get("reasoning_details"))
        sources["reasoning_details"] = "".join(
            text_of(detail.get("text")) or text_of(detail.get("summary")) for detail in details
        )
        self._reasoning_from = self._reasoning_from or next((n for n, t in sources.items() if t), "")
        if self._reasoning_from:
            yield from self._speech.reasoning(sources[self._reasoning_from])

    def _content(self, content: JSON) -> Iterator[Delta]:
        if isinstance(content, str):
            yield from self._speech.text(content)
        elif isinstance(content, dict):
            yield from self._speech.plain(json.dumps(content, ensure_ascii=False))
        for part in list_of(content):
            yield from self._content_part(part)

    def _content_part(self, part: JSON) -> Iterator[Delta]:
        if not isinstance(part, dict):
            yield from self._speech.text(text_of(part))
            return
        thinking = part.get("thinking")
        if part.get("type") == "thinking":
            inner = text_of(thinking) or "".join(text_of(p.get("text")) for p in objects_of(thinking))
            yield from self._speech.reasoning(inner)
        elif part.get("type") == "image_url":
            yield from data_image(text_of(object_of(part.get("image_url")).get("url")))
        else:
            yield from self._speech.text(text_of(part.get("text")) or text_of(part.get("refusal")))

    def _count(self, usage: JSONObject) -> None:
        """Keep the last counts; an object without any number is ignored."""
        told = object_of(usage.get("completion_tokens_details")) or object_of(
            usage.get("output_tokens_details")
        )
        asked = object_of(usage.get("prompt_tokens_details")) or object_of(usage.get("input_tokens_details"))
        cached = integer_of(asked, "cached_tokens")
        if cached is None:
            names = ("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
            cached = integer_of(usage, *names)
        reasoning = integer_of(told, "reasoning_tokens")
        counted = Usage(
            integer_of(usage, "prompt_tokens", "input_tokens"),
            integer_of(usage, "completion_tokens", "output_tokens"),
            integer_of(usage, "total_tokens"),
            integer_of(usage, "reasoning_tokens") if reasoning is None else reasoning,
            cached,
        )
        if counted != Usage():
            self.usage = counted


def error_in(frame: Payload) -> JSON:
    """Return the error in a payload, in any form that servers of this dialect use; None if there is none."""
    for payload in objects_of(frame.value) or [object_of(frame.value)]:
        if error := payload.get("error"):
            return error
        for choice in objects_of(payload.get("choices"))[:1]:
            if error := choice.get("error"):
                return error
        if frame.event == "error" or payload.get("object") == "error" or payload.get("type") == "error":
            return payload
        if (
            payload.get("choices") is None
            and not payload.get("usage")
            and payload.keys() & {"detail", "errors"}
        ):
            return payload
    return None
