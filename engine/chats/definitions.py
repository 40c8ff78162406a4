"""Reads and changes the user's definitions (SEAT-9), for all chats and for each chat."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from engine.chats.conflicts import retry_conflicts
from engine.chats.open_chats import Chats
from engine.deciders.chat import require
from engine.deciders.chat_state import ChatState
from engine.deciders.definitions import Definitions, forget, set_definition
from events.catalog.definition import DefinitionSet
from events.event import Event
from events.identity import NewId
from events.late_dataclass import dataclass
from events.log import Append, EventLog

__all__ = ["EVERYWHERE", "DefinitionBook", "MadeBy"]

EVERYWHERE = "definitions"
"""The stream of the definitions for all chats."""


Made = TypeVar("Made", bound=Event)


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The approved call that sets a definition."""

    chat_id: str
    turn_id: str
    call_id: str


class DefinitionBook:
    """Reads and changes definitions. Thread-safe."""

    def __init__(self, log: EventLog, chats: Chats, new_id: NewId) -> None:
        self._log = log
        self._chats = chats
        self._new_id = new_id
        self._lock = Lock()
        self._version = 0
        self._everywhere = Definitions()
        self._versions: dict[tuple[str, int], DefinitionSet] = {}

    def in_force(self, state: ChatState) -> tuple[DefinitionSet, ...]:
        """Return the definitions that are valid in a chat. If a term is defined in the chat and for all chats, the
        chat's definition is returned."""
        with self._lock:
            everywhere = self._read().in_force()
        own = state.definitions.in_force()
        return (*(one for term, one in everywhere.items() if term not in own), *own.values())

    def versions(self) -> dict[tuple[str, int], DefinitionSet]:
        """Return every version of the definitions for all chats, by id and version."""
        with self._lock:
            self._read()
            return dict(self._versions)

    def set(
        self,
        term: str,
        meaning: str,
        chat_id: str | None = None,
        *,
        definition_id: str | None = None,
        made_by: MadeBy | None = None,
    ) -> DefinitionSet:
        """Give a term a meaning in one chat, or in all chats if `chat_id` is None.

        Raises:
            Refused, Invalid: the definition breaks a rule, or there is no such chat.
        """
        origin: dict[str, str | None] = {}
        if made_by is not None:
            origin = {"call_id": made_by.call_id, "from_chat_id": None if chat_id else made_by.chat_id}

        def decided(known: Definitions) -> list[DefinitionSet]:
            return set_definition(
                known, term, meaning, self._new_id, definition_id=definition_id, origin=origin
            )

        made, known = self._change(chat_id, decided, made_by.turn_id if made_by else None)
        found = known.latest[made[0].definition_id] if made else known.of(term)
        assert found is not None
        return found

    def forget(self, term: str, chat_id: str | None = None) -> None:
        """Remove the definition of a term in one chat, or the definition for all chats if `chat_id` is None.

        Raises:
            NotFound: there is no such definition or no such chat.
        """
        self._change(chat_id, lambda known: forget(known, term))

    def _change(
        self,
        chat_id: str | None,
        decide: Callable[[Definitions], list[Made]],
        correlation_id: str | None = None,
    ) -> tuple[list[Made], Definitions]:
        """Append the events that `decide` makes from the definitions of a chat, or of all chats if `chat_id` is None.
        Return these events and the definitions.
        """
        if chat_id is not None:
            with self._chats.locked(chat_id) as state:
                require(state, chat_id)
                events = decide(state.definitions)
                self._chats.transact(chat_id, lambda _: events, correlation_id=correlation_id)
                return events, state.definitions

        def attempt() -> list[Made]:
            events = decide(self._read())
            if events:
                self._log.append(
                    Append(EVERYWHERE, events, expected=self._version, correlation_id=correlation_id)
                )
            return events

        with self._lock:
            return retry_conflicts(attempt), self._read()

    def _read(self) -> Definitions:
        """Return the definitions for all chats, after reading events that were appended since the last call."""
        if self._log.stream_version(EVERYWHERE) == self._version:
            return self._everywhere
        for recorded in self._log.read_stream(EVERYWHERE, self._version):
            self._version = recorded.version
            self._everywhere.evolve(recorded.event)
            if isinstance(recorded.event, DefinitionSet):
                one = recorded.event
                self._versions[one.definition_id, one.version] = one
        return self._everywhere
