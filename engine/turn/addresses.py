"""Addresses that a model makes up: they can carry data out, so a call that holds one is always shown (TRN-7).

An address counts as given where the user wrote it, or where a tool that reaches the network returned it.
"""

import json
import re
from collections.abc import Callable, Collection

from engine.deciders.chat_state import ChatState
from events.canonical import JSON, canonical_json
from events.catalog.parts import TextPart
from events.event import Kept

__all__ = ["addresses_in", "given_texts"]

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s\"'<>\\)\]}]+")


def addresses_in(arguments: JSON) -> tuple[str, ...]:
    """Return the addresses in a call's arguments, each once, in order."""
    return tuple(dict.fromkeys(_ADDRESS.findall(json.dumps(arguments, ensure_ascii=False))))


def given_texts(state: ChatState, network_tools: Collection[str], value_of: Callable[[Kept], JSON]) -> str:
    """Return all that the user wrote in a chat and that the tools of these ids returned."""
    said = [
        part.text
        for message in state.messages.values()
        if message.role == "user"
        for part in message.parts
        if isinstance(part, TextPart)
    ]
    returned = [
        canonical_json(value_of(call.finished.result))
        for call in state.calls.values()
        if call.finished is not None
        and call.finished.result is not None
        and call.requested.tool_id in network_tools
    ]
    return "\n".join([*said, *returned])
