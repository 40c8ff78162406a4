"""Queries about chats and their calls."""

from engine.app.queries.reports import Document
from engine.commands.base import Query
from events.late_dataclass import dataclass

__all__ = ["FindCall", "GetCall", "GetChat", "ListChats"]


@dataclass(frozen=True, slots=True)
class ListChats(Query[list[Document]]):
    """List the chats that are not deleted, the latest first."""


@dataclass(frozen=True, slots=True)
class GetChat(Query[Document]):
    """Get a chat's active branch, or its whole tree, with its calls."""

    chat_id: str
    whole_tree: bool = False
    """Get all branches, not only the current one."""


@dataclass(frozen=True, slots=True)
class FindCall(Query[str]):
    """Find the chat in which a call was made. Returns the chat's id."""

    call_id: str


@dataclass(frozen=True, slots=True)
class GetCall(Query[Document]):
    """Get one call of a chat, with `note`: the text that its card shows beside the result."""

    chat_id: str
    call_id: str
