"""Answers queries about the log itself."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from engine.app.app import App
from engine.app.maintenance.checkpoints import checkpoint_note, compare, signing_key
from engine.app.queries import catalog as ask
from engine.config import config_folder
from engine.views.documents import as_json, event_document
from events.event import UnreadableEvent

__all__ = ["LOG_ANSWERS"]

_MENDED = "Part of the second copy of the log was damaged. It was rewritten from the database."


def _verify(app: App, query: ask.VerifyLog) -> ask.Document:
    found = app.log.verify()
    mended = [_MENDED] if found.ok and app.upkeep.mend_copy() else []
    document: ask.Document = asdict(found) | {"notices": [*app.upkeep.notices(), *mended]}
    if query.against is not None:
        key = None if query.other_key else signing_key(config_folder())
        document["against"] = asdict(compare(app.reads, query.against, key))
    if query.read_events:
        document["unreadable"] = [
            {"position": e.position, "type": e.event.type, "problem": e.event.problem}
            for e in app.log.read_all()
            if isinstance(e.event, UnreadableEvent)
        ]
    return document


def _count(app: App, _: ask.CountEvents) -> ask.Document:
    with app.reads.reader() as cursor:
        types = cursor.execute(
            "SELECT type, count(*) FROM event_log GROUP BY 1 ORDER BY 2 DESC, 1"
        ).fetchall()
        streams = cursor.execute(
            "SELECT stream, count(*) FROM event_log GROUP BY 1 ORDER BY 2 DESC, 1"
        ).fetchall()
    return {"events": app.log.head(), "types": dict(types), "streams": dict(streams)}


def _tail(app: App, query: ask.TailLog) -> list[ask.Document]:
    events = app.log.read_all(after=max(0, app.log.head() - max(query.count, 1)))
    found: list[ask.Document] = as_json([event_document(recorded) for recorded in events])
    return found


def _sign(app: App, _: ask.SignLog) -> ask.SignedLog:
    return ask.SignedLog(checkpoint_note(app.reads, signing_key(config_folder())), app.log.head())


def _state(app: App, _: ask.GetLogState) -> ask.LogState:
    return ask.LogState(app.upkeep.problem, app.log.head())


LOG_ANSWERS: Mapping[type, Callable[[App, Any], Any]] = {
    ask.VerifyLog: _verify,
    ask.CountEvents: _count,
    ask.TailLog: _tail,
    ask.SignLog: _sign,
    ask.GetLogState: _state,
}
"""Query → the function that answers it."""
