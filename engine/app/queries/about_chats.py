"""Answers queries about chats, their calls, and where their numbers come from."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.app.app import App
from engine.app.queries import catalog as ask
from engine.errors import NotFound
from engine.views.chat_document import chat_document
from engine.views.documents import document
from engine.views.dossier import dossier_document

__all__ = ["CHAT_ANSWERS"]


def _get_chat(app: App, query: ask.GetChat) -> ask.Document:
    return document(chat_document(app.chat(query.chat_id), whole_tree=query.whole_tree))


def _export_chat(app: App, query: ask.ExportChat) -> bytes:
    if query.kind == "notebook" or query.kind == "sql":  # noqa: PLR1714 - as the type checker reads it
        return app.exports.program(query.chat_id, query.kind, query.answers, query.message_id, query.name)
    report = app.exports.report(query.chat_id, query.kind, query.answers, query.message_id, query.report)
    return report.encode()


def _find_call(app: App, query: ask.FindCall) -> str:
    return app.chat_of(query.call_id)


def _get_call(app: App, query: ask.GetCall) -> ask.Document:
    call = app.chat(query.chat_id).calls.get(query.call_id)
    if call is None:
        raise NotFound("call_not_found", f"There is no call {query.call_id} in this chat.")
    return document({**call.to_json(), "note": call.note})


def _explain_number(app: App, query: ask.ExplainNumber) -> ask.Document:
    chat_id = app.chat_of_message(query.message_id)
    return document(dossier_document(app.dossier(chat_id, query.message_id, query.number)))


def _explain_call(app: App, query: ask.ExplainCall) -> ask.Document:
    return document(app.call_dossier(app.chat_of(query.call_id), query.call_id).to_json())


def _explain_file(app: App, query: ask.ExplainFile) -> ask.Document:
    return document(app.file_dossier(query.chat_id, query.path).to_json())


def _export_rows(app: App, query: ask.ExportRows) -> bytes:
    chat_id = app.chat_of(query.call_id)
    found = app.rows_behind(chat_id, query.call_id, query.row, query.column, limit=1, csv=True)
    for one in found.tables:
        if one.table == query.table and one.csv is not None:
            return one.csv
    names = ", ".join(one.table for one in found.tables)
    raise NotFound(
        "table_not_found", f"No rows of {query.table} are behind this cell; the inputs are {names}."
    )


def _find_rows(app: App, query: ask.FindRows) -> ask.Document:
    chat_id = app.chat_of(query.call_id)
    found = app.rows_behind(
        chat_id, query.call_id, query.row, query.column, limit=query.limit, offset=query.offset
    )
    return document(found.to_json())


CHAT_ANSWERS: Mapping[type, Callable[[App, Any], Any]] = {
    ask.GetChat: _get_chat,
    ask.ExportChat: _export_chat,
    ask.FindCall: _find_call,
    ask.GetCall: _get_call,
    ask.ExplainNumber: _explain_number,
    ask.ExplainCall: _explain_call,
    ask.ExplainFile: _explain_file,
    ask.ExportRows: _export_rows,
    ask.FindRows: _find_rows,
}
