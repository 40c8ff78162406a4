"""Names the moments of a chat, for users and for the tool `name_moment`."""

from collections.abc import Callable

from engine.chats.open_chats import Chats
from engine.deciders.chat import require
from engine.deciders.chat_state import ChatState
from engine.deciders.moments import forget_moment, name_moment
from engine.tools.table_naming import likely_names, reserved_words
from engine.tools.tables import Tables
from events.catalog.moment import MomentNamed
from events.identity import NewId

__all__ = ["MomentNames"]


class MomentNames:
    """Names and forgets moments. Thread-safe."""

    def __init__(self, chats: Chats, tables: Tables, new_id: NewId) -> None:
        self._chats = chats
        self._tables = tables
        self._new_id = new_id

    def name(
        self,
        chat_id: str,
        name: str,
        state_at: Callable[[ChatState], tuple[str | None, str | None]],
        *,
        description: str = "",
        renames: str | None = None,
        call_id: str | None = None,
        correlation_id: str | None = None,
    ) -> tuple[MomentNamed, bool]:
        """Give a name to the message and the files that `state_at` returns. Return the moment, and whether the name
        belonged to another state before.

        Raises:
            Refused, Invalid: the name breaks a rule, or there is no such chat.
        """
        with self._chats.locked(chat_id) as state:
            require(state, chat_id)
            message_id, manifest_id = state_at(state)
            moved = name in state.moments.named
            moment = MomentNamed(
                moment_id=self._new_id(),
                name=name,
                message_id=message_id,
                manifest_id=manifest_id,
                description=" ".join(description.split()),
                call_id=call_id,
            )
            files = self._tables.read_of(state.files(state.manifest))
            events = name_moment(
                state.moments,
                moment,
                tables=likely_names(files).keys() | {table for table, _ in self._tables.names(files)},
                reserved=reserved_words(),
                renames=renames,
            )
            self._chats.transact(chat_id, lambda _: events, correlation_id=correlation_id)
            return state.moments.named[name], moved and bool(events)

    def forget(self, chat_id: str, name: str) -> None:
        """Remove a moment's name.

        Raises:
            NotFound: no moment has that name, or there is no such chat.
        """
        with self._chats.locked(chat_id) as state:
            require(state, chat_id)
            events = forget_moment(state.moments, name)
            self._chats.transact(chat_id, lambda _: events)
