"""Assigns fragments of `tool_calls` to calls: servers number, name and repeat calls in many ways.

Fragments are assigned by index, then by id, then to the last call. A new id together with a name on a used index begins
a new call, and so do entries in one chunk that all have a name. Ids and names that are empty, null or repeated later
change nothing.
"""

import json
from collections.abc import Iterator, Mapping

from engine.models.json_access import integer_of, object_of, objects_of, text_of
from engine.models.model import Delta
from engine.models.replies import GrowingCall, GrowingCalls
from engine.models.reply_json import parse_json
from events.json_value import JSON, JSONObject

__all__ = ["ToolCalls"]


class ToolCalls:
    """The tool calls of one reply."""

    def __init__(self) -> None:
        self.growing = GrowingCalls()
        self._by_index: dict[int, GrowingCall] = {}
        self._last: GrowingCall | None = None

    def read(self, entries: JSON) -> Iterator[tuple[GrowingCall, JSONObject, list[Delta]]]:
        """Yield the call of each fragment, the fragment, and the arguments that it adds."""
        touched: list[GrowingCall] = []
        for entry in objects_of([entries] if isinstance(entries, dict) else entries):
            if text_of(entry.get("type")) not in ("", "function") and "function" not in entry:
                continue
            function = object_of(entry.get("function"))
            call = self._call_of(entry, function, touched)
            touched.append(call)
            self._last = call
            yield call, entry, list(self._grow(call, entry, function))

    def legacy(self, function: JSONObject) -> Iterator[Delta]:
        """Read `function_call`, the predecessor of `tool_calls`. A reply has at most one."""
        call = self._last or self.growing.begin()
        self._last = call
        yield from self._grow(call, {}, function)

    def _grow(self, call: GrowingCall, entry: JSONObject, function: JSONObject) -> Iterator[Delta]:
        yield from self.growing.name(call, text_of(function.get("name")), text_of(entry.get("id")))
        arguments = function.get("arguments")
        if isinstance(arguments, dict | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        if text := text_of(arguments):
            yield from self.growing.arguments(call, text)

    def _call_of(self, entry: JSONObject, function: JSONObject, touched: list[GrowingCall]) -> GrowingCall:
        index = integer_of(entry, "index")
        identity = text_of(entry.get("id"))
        if index is not None and index >= 0:
            known = self._by_index.get(index)
            if known is None or self._is_new(known, identity, function, touched):
                known = self._by_index[index] = self.growing.begin()
            return known
        if identity:
            same = [call for call in self.growing.calls if call.provider_call_id == identity]
            if same and same[-1] not in touched:
                return same[-1]
        last = self._last
        if last is None or self._is_new(last, identity, function, touched):
            return self.growing.begin()
        return last

    def _is_new(
        self, known: GrowingCall, identity: str, function: Mapping[str, JSON], touched: list[GrowingCall]
    ) -> bool:
        name = text_of(function.get("name"))
        if not name:
            return False
        if known in touched:
            return True
        if identity and known.provider_call_id:
            return identity != known.provider_call_id
        brings = bool(function.get("arguments"))
        return (
            (brings or name != known.name)
            and known.announced
            and (_is_object(known.text) or name != known.name)
        )


def _is_object(text: str) -> bool:
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False
