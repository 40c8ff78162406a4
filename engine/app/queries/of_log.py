"""Answers queries that need only the log. They can be answered without opening an app."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.app.log_queries import LogQueries
from engine.app.queries.chats import ListChats
from engine.app.queries.reports import Document
from engine.views.documents import documents

__all__ = ["ANSWERS_OF_LOG"]


def _list_chats(log: LogQueries, _: ListChats) -> list[Document]:
    return documents(log.chats())


ANSWERS_OF_LOG: Mapping[type, Callable[[LogQueries, Any], Any]] = {ListChats: _list_chats}
"""Query → the function that answers it."""
