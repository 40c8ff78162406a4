"""Checks whether imported events of a chat could have been decided here: valid hashes do not rule out cycles. Pure.

Code that follows a chat from a message to its parent, or from one state of the files to the previous one, ends only
because each refers to an earlier one. Events declare which of their ids create something and which refer to it. Ids
must have one spelling, since a database treats several spellings as the same.
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
    """Return the first problem of a chat's events, in words; None if they are sound.

    No id may be in `elsewhere`, the ids of other chats. The ids of this chat are added to it.
    """
    known: Known = set()
    for number, event in enumerate(events, 1):
        wrong = _wrong(event, number, known, elsewhere)
        if wrong:
            return f"event {number} of a chat, {event.type}, {wrong}"
    if not known.isdisjoint(elsewhere):
        return "two chats in it share an id"
    elsewhere |= known
    return None


def _wrong(event: Event, number: int, known: Known, elsewhere: Known) -> str | None:
    begins = isinstance(event, ChatEvent) and event.begins
    if begins != (number == 1):
        return "is at a place where it cannot be"
    if not isinstance(event, ChatEvent):
        return "belongs to no chat"
    made: Known = set()
    for declared, found in ids_in(event):
        if _is_new(event, declared):
            made.add((declared.kind, found))
        elif _must_be_there(declared) and (declared.kind, found) not in known:
            return "refers to something that did not exist before it"
    if any(new in known or new in elsewhere or not _ID.fullmatch(new[1]) for new in made):
        return "gives an id that is none, or is taken"
    known |= made
    return None


def _is_new(event: Event, declared: Makes | Refers) -> bool:
    """Whether an id is given to something new; a later version of a thing has the id of the first."""
    if isinstance(declared, Refers):
        return False
    return not declared.version or getattr(event, declared.version) <= 1


def _must_be_there(declared: Makes | Refers) -> bool:
    return isinstance(declared, Makes) or declared.earlier
