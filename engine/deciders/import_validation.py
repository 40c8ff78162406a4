"""Checks whether the imported events of a chat could be decisions of this code. Valid hashes do not prove this. Pure.

Some code follows each message to its parent, or each state of the files to the previous state. Such code ends only
because each message or state refers to an earlier one; forged events could form a cycle. Events declare which of their
ids create something and which refer to something. Each id must have only one spelling, since a database treats several
spellings as the same.
"""

import re
from collections.abc import Iterable

from events.declarations import Makes, Refers, ids_in
from events.event import ChatEvent, Event

__all__ = ["Known", "unsound"]

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Known = set[tuple[str, str]]
"""The known ids, each with its kind."""


def unsound(events: Iterable[Event], elsewhere: Known) -> str | None:
    """Return a description of the first problem in a chat's events; None if they are sound.

    `elsewhere` contains the ids of other chats, which the events must not use. The ids of this chat are added to it.
    """
    known: Known = set()
    for number, event in enumerate(events, 1):
        wrong = _wrong(event, number, known, elsewhere)
        if wrong:
            return f"event {number} of a chat, {event.type}, {wrong}"
    if not known.isdisjoint(elsewhere):
        return "two chats in it have the same id"
    elsewhere |= known
    return None


def _wrong(event: Event, number: int, known: Known, elsewhere: Known) -> str | None:
    begins = isinstance(event, ChatEvent) and event.begins
    if begins != (number == 1):
        return "is in the wrong place"
    if not isinstance(event, ChatEvent):
        return "does not belong to a chat"
    made: Known = set()
    for declared, found in ids_in(event):
        if _is_new(event, declared):
            made.add((declared.kind, found))
        elif _must_be_there(declared) and (declared.kind, found) not in known:
            return "refers to something that did not exist before it"
    if any(new in known or new in elsewhere or not _ID.fullmatch(new[1]) for new in made):
        return "contains an id that is not valid or is already in use"
    known |= made
    return None


def _is_new(event: Event, declared: Makes | Refers) -> bool:
    """Return whether an event gives an id to something new, and not to a later version of the same thing."""
    if isinstance(declared, Refers):
        return False
    return not declared.version or getattr(event, declared.version) <= 1


def _must_be_there(declared: Makes | Refers) -> bool:
    return isinstance(declared, Makes) or declared.earlier
