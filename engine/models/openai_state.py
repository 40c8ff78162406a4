"""Opaque state in the chat-completions dialect: values that must be sent back, as message parts and on the wire.

The state belongs to a call (`extra_content` of Gemini's compatible endpoint, Venice's `thought_signature`) or to the
whole message (OpenRouter's `reasoning_details` with signatures or encrypted data, Copilot's `reasoning_opaque`).
"""

from collections.abc import Mapping

from engine.models.json_access import integer_of, object_of, objects_of, text_of
from engine.models.messages import OpaquePart
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = ["MessageState", "call_state", "call_state_part", "restore"]

_ON_CALLS = ("extra_content", "thought_signature")
_ON_MESSAGES = ("extra_content", "thought_signature", "reasoning_opaque", "encrypted_content")
_GROWING = ("text", "summary", "data", "signature")


def call_state(entry: JSONObject) -> JSONObject:
    """Return the state in a fragment of `tool_calls` that must be sent back."""
    return {name: entry[name] for name in _ON_CALLS if entry.get(name)}


def call_state_part(provider: str, call: int, state: JSONObject) -> OpaquePart:
    """Return the part that stores a call's state; `call` is its number within the message."""
    return OpaquePart(provider=provider, data={"call": call, "fields": state})


class MessageState:
    """The state of a whole message that must be sent back."""

    def __init__(self) -> None:
        self._fields: JSONObject = {}
        self._details: list[JSONObject] = []

    def read(self, message: JSONObject) -> None:
        """Read a delta, or a whole message."""
        for name in _ON_MESSAGES:
            if value := message.get(name):
                self._fields[name] = value
        for detail in objects_of(message.get("reasoning_details")):
            self._take(detail)

    def value(self) -> JSONObject:
        """Return the state to send back with the next request; empty if the reply contains only readable text."""
        fields = dict(self._fields)
        if any(text_of(d.get("data")) or text_of(d.get("signature")) for d in self._details):
            fields["reasoning_details"] = [*self._details]
        return {"message": fields} if fields else {}

    def _take(self, detail: JSONObject) -> None:
        """Add a detail, or append it to the last detail if it continues that one."""
        last = self._details[-1] if self._details else {}
        same = last and all(last.get(n) == detail.get(n) for n in ("type", "index"))
        if not same or (last.get("id") and detail.get("id") and last["id"] != detail["id"]):
            self._details.append(dict(detail))
            return
        if integer_of(detail, "index") is None and detail.get("type") == "reasoning.encrypted":
            self._details.append(dict(detail))
            return
        for name, value in detail.items():
            if name in _GROWING and isinstance(value, str):
                last[name] = scrub_surrogates(text_of(last.get(name)) + value)
            elif value is not None:
                last[name] = value


def restore(message: JSONObject, calls: Mapping[int, JSONObject], state: JSON) -> None:
    """Restore a part's state: in the outgoing `message`, or in one of its `calls` by number."""
    data = object_of(state)
    message.update(object_of(data.get("message")))
    number = integer_of(data, "call")
    if number is not None and number in calls:
        calls[number].update(object_of(data.get("fields")))
