"""Queries sources in a chat, for tests."""

import threading
from collections.abc import Callable, Mapping

from engine.app.app import App
from engine.commands.catalog import AddSource, CreateChat, RunTool, TestSource, Upload, UploadFiles
from engine.views.chat import CallView
from events.json_value import JSON
from tests.support.postgres import READER_KEY, Postgres

__all__ = ["asked", "new_chat", "rows", "until", "with_warehouse"]

QUERY = "data-analyst:query"


def with_warehouse(app: App, server: Postgres, **more: object) -> str:
    """Add the PostgreSQL server as `warehouse`, and return a new chat."""
    app.send(AddSource("warehouse", "postgresql", server.address, "reader", READER_KEY, **more))  # type: ignore[arg-type]
    assert app.send(TestSource("warehouse")).connected
    return new_chat(app)


def new_chat(app: App, **files: str) -> str:
    """Return a new chat with files of these contents."""
    chat_id = app.send(CreateChat(title="sources"))
    if files:
        uploads = [Upload(f"{name}.csv", content.encode()) for name, content in files.items()]
        app.send(UploadFiles(chat_id, uploads))
    return chat_id


def asked(
    app: App, chat_id: str, sql: str, source: str | None = "warehouse", tool: str = QUERY, **more: JSON
) -> CallView:
    """Return a query that the user ran, after it ended."""
    arguments: Mapping[str, JSON] = {"sql": sql, **({"source": source} if source else {}), **more}
    call_id = app.send(RunTool(chat_id, tool, arguments))
    return app.chat(chat_id).calls[call_id]


def rows(call: CallView) -> list[list[JSON]]:
    """Return the rows of a result."""
    assert isinstance(call.result, dict), call.error
    return call.result["rows"]  # type: ignore[no-any-return]


def until(true: Callable[[], bool]) -> None:
    """Wait until something happens, for as long as a test may take."""
    waiting = threading.Event()
    while not true():
        waiting.wait(0.02)
