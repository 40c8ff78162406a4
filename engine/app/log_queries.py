"""Queries about the whole log: read models, chats, and problems that need attention at start."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.app.storage_errors import translate_storage_errors
from engine.errors import NotFound
from events.log import EventLog
from events.projections.chats import LAST_SELECTION
from events.projections.messages import CHAT_OF_MESSAGE
from events.projections.tool_calls import CHAT_OF_CALL
from events.projections.turns import UNFINISHED_CHATS
from events.read_store import ReadStore

if TYPE_CHECKING:  # not imported at run time, so that listing chats does not load the tools
    from engine.tools.toolbox import ReadModels

__all__ = ["LogQueries"]


class LogQueries:
    """The part of `App` that needs only its log."""

    log: EventLog
    reads: ReadStore

    def read(self, name: str, *, at: int | None = None, chat_id: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a read model, as of position `at` or now, for one chat or for all."""
        with translate_storage_errors():
            return self.reads.read(name, at=at, chat_id=chat_id)

    def chat_of(self, call_id: str) -> str:
        """Return the chat that a call belongs to.

        Raises:
            NotFound: there is no such call.
        """
        with translate_storage_errors(), self.reads.reader() as cursor:
            found = cursor.execute(CHAT_OF_CALL, [call_id]).fetchone()
        if found is None:
            raise NotFound(
                "call_not_found",
                f"There is no call {call_id}. `anabranch chat show` lists the calls of a chat.",
            )
        return str(found[0])

    def chat_of_message(self, message_id: str) -> str:
        """Return the chat that a message belongs to.

        Raises:
            NotFound: there is no such message.
        """
        with translate_storage_errors(), self.reads.reader() as cursor:
            found = cursor.execute(CHAT_OF_MESSAGE, [message_id]).fetchone()
        if found is None:
            raise NotFound(
                "message_not_found",
                f"There is no message {message_id}. `anabranch chat show` lists the messages of a chat.",
            )
        return str(found[0])

    def chats(self) -> list[dict[str, Any]]:
        """Return the chats that are not deleted, the latest first."""
        rows = [row for row in self.read("chats") if row["created_at"] and not row["deleted_at"]]
        return sorted(rows, key=lambda row: row["updated_at"], reverse=True)

    def _write_history(self, folder: Path, chat_id: str | None) -> None:
        with translate_storage_errors():
            self.reads.write_parquet(folder, chat_id)

    @contextmanager
    def _chat_reads(self, chat_id: str, **which: Any) -> "Iterator[ReadModels]":
        with self.reads.of_chat(chat_id, **which) as read:
            yield read

    def _unfinished(self) -> list[str]:
        with self.reads.reader() as cursor:
            return [row[0] for row in cursor.execute(UNFINISHED_CHATS).fetchall()]

    def _last_selection(self) -> list[tuple[str]]:
        """Return the tools of the last selection that the user made in any chat, as JSON."""
        with self.reads.reader() as cursor:
            return cursor.execute(LAST_SELECTION).fetchall()
