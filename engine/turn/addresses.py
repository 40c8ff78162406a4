"""Finds addresses that a model invented. Such an address can leak data, so a call that contains one always waits for
the user's confirmation (TRN-7).

An address is not invented if the user wrote it, or if a tool that uses the network returned exactly this address. A
longer address that starts with a known one counts as invented.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from engine.deciders.chat_state import ChatState
from events.catalog.parts import TextPart
from events.event import StoredValue
from events.json_value import JSON

__all__ = ["given_addresses", "makes_up_address"]

_ADDRESS = re.compile(r"(?i)[^\s]*:[/\\]|[/\\]{2}|(?:[^\s/@]*@)?[\w-]+(?:\.[\w-]+)+(?::\d+)?[/?#\\]")
"""Matches the beginning of a word that some program may treat as an address: `scheme:/`, `//`, or a host and a path."""
_AROUND = "<>()[]{}\"'`.,;:!?*_|"
"""Punctuation that can surround an address in a text."""


def makes_up_address(arguments: JSON, given: Callable[[], Collection[str]]) -> bool:
    """Return whether a call's arguments contain an address that `given` does not return. `given` is called only if the
    arguments contain an address.

    A text that begins with an address counts as one address, because the part after a space could be sent too.
    """
    found = {word for text in _texts(arguments) for word in _addresses(text)}
    return bool(found) and not found <= set(given())


def given_addresses(
    state: ChatState, network_tools: Collection[str], value_of: Callable[[StoredValue], JSON]
) -> frozenset[str]:
    """Return the addresses that the user wrote in a chat, and those that `network_tools` (tool ids) returned."""
    said = [
        part.text
        for message in state.messages.values()
        if message.role == "user"
        for part in message.parts
        if isinstance(part, TextPart)
    ]
    returned = [
        text
        for call in state.calls.values()
        if call.finished is not None
        and call.finished.result is not None
        and call.requested.tool_id in network_tools
        for text in _texts(value_of(call.finished.result))
    ]
    words = {word for text in (*said, *returned) for word in text.split()}
    words |= {word.strip(_AROUND) for word in words}
    return frozenset(word for word in words if _ADDRESS.match(word))


def _addresses(text: str) -> Iterator[str]:
    words = text.strip(" ").split(" ")
    if len(words) > 1 and _ADDRESS.match(words[0]):
        yield text
    for word in words:
        # a line break or a tab inside an address is kept in it
        if any(_ADDRESS.match(part) for part in word.split()):
            yield word


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, below in value.items():
            yield name
            yield from _texts(below)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from _texts(below)
