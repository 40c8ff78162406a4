"""Reads replies of Anthropic's messages API: events of a stream, or one whole message. Pure.

Thinking is sent back unchanged. Its signature is stored with the number of characters that it signs; redacted
thinking and blocks of server tools are stored whole.
"""

import json
from collections.abc import Iterator
from dataclasses import field

from engine.models.finish_reasons import Meaning, meaning_of
from engine.models.json_access import integer_of, object_of, objects_of, text_of
from engine.models.messages import OpaquePart
from engine.models.model import Delta, FinishReason, OpaqueDelta, ReasoningDelta, Usage
from engine.models.replies import Damage, Ending, GrowingCall, GrowingCalls, Speech, reason_of
from engine.models.reply_json import Done, Frame, Payload, parse_json
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["AnthropicReply"]


@dataclass(slots=True)
class _Block:
    start: JSONObject
    call: GrowingCall | None = None
    characters: int = 0
    """The number of characters of thinking."""
    signature: str = ""
    json: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return text_of(self.start.get("type"))


class AnthropicReply:
    """One reply; see `ReplyReader`."""

    def __init__(self) -> None:
        self._speech = Speech()
        self._calls = GrowingCalls()
        self._blocks: dict[int, _Block] = {}
        self._stop_reason = ""
        self._whole = False
        self._usage: JSONObject = {}
        self._error: JSON = None
        self._damage = Damage()

    def read(self, frame: Frame) -> Iterator[Delta]:
        """See `ReplyReader`."""
        self._damage.note(frame)
        match frame:
            case Done():
                self._whole = True
            case Payload():
                yield from self._payload(object_of(frame.value), frame.event)

    def finish(self) -> Iterator[Delta]:
        """See `ReplyReader`."""
        yield from self._speech.finish()
        yield from self._calls.finish(self._reason)

    @property
    def usage(self) -> Usage:
        """See `ReplyReader`."""
        return Usage(
            integer_of(self._usage, "input_tokens"),
            integer_of(self._usage, "output_tokens"),
            tokens_cached=integer_of(self._usage, "cache_read_input_tokens"),
        )

    @property
    def ending(self) -> Ending:
        """See `ReplyReader`."""
        if self._error is not None:
            return Ending("error", self.usage, self._error)
        if self._reason != "error":
            return Ending(self._reason, self.usage)
        if self._damage.malformed or not (self._stop_reason or self._whole):
            return Ending("error", self.usage, broken=self._damage.told)
        if self._meaning == "complete":
            return Ending("error", self.usage, broken="a call without a name")
        return Ending("error", self.usage, finish=self._stop_reason)

    @property
    def _meaning(self) -> Meaning:
        return meaning_of(self._stop_reason or "end_turn")

    @property
    def _reason(self) -> FinishReason:
        if self._error is not None or self._damage.malformed or not (self._stop_reason or self._whole):
            return "error"
        return reason_of(self._meaning, self._calls)

    def _payload(self, payload: JSONObject, event: str) -> Iterator[Delta]:
        kind = text_of(payload.get("type")) or event
        if error := payload.get("error"):
            self._error = self._error or error
        index = integer_of(payload, "index")
        match kind:
            case "error" if not error:
                self._error = self._error or payload
            case "message":
                yield from self._message(payload)
            case "message_start":
                self._count(object_of(object_of(payload.get("message")).get("usage")))
            case "content_block_start":
                yield from self._start(index or 0, object_of(payload.get("content_block")))
            case "content_block_delta":
                block = self._blocks.setdefault(index or 0, _Block({}))
                yield from self._delta(block, object_of(payload.get("delta")))
            case "content_block_stop":
                yield from self._stop(index or 0)
            case "message_delta":
                reason = text_of(object_of(payload.get("delta")).get("stop_reason"))
                self._stop_reason = self._stop_reason or reason
                self._count(object_of(payload.get("usage")))
            case "message_stop":
                self._whole = True

    def _message(self, message: JSONObject) -> Iterator[Delta]:
        for index, block in enumerate(objects_of(message.get("content"))):
            yield from self._start(index, block)
            yield from self._stop(index)
        self._stop_reason = text_of(message.get("stop_reason"))
        self._whole = True
        self._count(object_of(message.get("usage")))

    def _start(self, index: int, start: JSONObject) -> Iterator[Delta]:
        yield from self._stop(index)  # the stream repeats an index, or did not end the block
        self._calls.close()
        block = self._blocks[index] = _Block(start)
        if block.kind == "tool_use":
            block.call = self._calls.begin()
            name, identity = text_of(start.get("name")), text_of(start.get("id"))
            yield from self._calls.name(block.call, name, identity)
        block.signature = text_of(start.get("signature"))
        yield from self._delta(block, {"text": start.get("text"), "thinking": start.get("thinking")})

    def _delta(self, block: _Block, delta: JSONObject) -> Iterator[Delta]:
        """Read a delta by its fields; its type adds no information."""
        yield from self._speech.text(text_of(delta.get("text")))
        for said in self._speech.reasoning(text_of(delta.get("thinking"))):
            block.characters += len(said.text) if isinstance(said, ReasoningDelta) else 0
            yield said
        block.signature += text_of(delta.get("signature"))
        if more := text_of(delta.get("partial_json")):
            block.json.append(more)
            if block.call:
                yield from self._calls.arguments(block.call, more)

    def _stop(self, index: int) -> Iterator[Delta]:
        block = self._blocks.pop(index, None)
        if block is None:
            return
        given = object_of(block.start.get("input"))
        if block.call and given and not block.json:
            yield from self._calls.arguments(block.call, json.dumps(given, ensure_ascii=False))
        elif block.kind == "thinking" and block.signature:
            signed = {"type": "thinking", "signed": block.characters, "signature": block.signature}
            yield OpaqueDelta(OpaquePart(provider="anthropic", data=signed))
        elif block.kind == "redacted_thinking" or block.kind.endswith("_tool_result"):
            yield OpaqueDelta(OpaquePart(provider="anthropic", data=block.start))
        elif block.kind.endswith("_tool_use"):
            used = {**block.start, "input": _parsed(block.json) or given}
            yield OpaqueDelta(OpaquePart(provider="anthropic", data=used))

    def _count(self, usage: JSONObject) -> None:
        """Update the counts. A later count replaces an earlier one, because a stream reports input first and output
        last.
        """
        self._usage |= {name: value for name, value in usage.items() if value is not None}


def _parsed(pieces: list[str]) -> JSONObject:
    try:
        return object_of(parse_json("".join(pieces)))
    except ValueError:
        return {}
