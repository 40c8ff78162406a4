"""Routes for the log: its events, paged or streamed, and every read model at any position."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from engine.api.api_context import Running, StreamsOf
from engine.api.bodies import EVENT
from engine.api.problem import Json
from engine.api.shapes import EventPage, State
from engine.api.streams import BEAT, Stream, Streamed, event
from engine.app.app import App
from engine.views.documents import event_document
from events.event import Recorded

__all__ = ["routes"]

_LAST = (1 << 62) - 1
_PAGE = 500
_EVENTS = "text/event-stream"
_Position = Annotated[int, Query(ge=0, le=_LAST)]

routes = APIRouter(tags=["log"])


@routes.get(
    "/events",
    operation_id="list_events",
    response_model=EventPage,
    responses={200: {"content": {_EVENTS: {"schema": EVENT}}}},
)
async def list_events(
    app: Running,
    streams: StreamsOf,
    request: Request,
    after: _Position = 0,
    limit: Annotated[int | None, Query(ge=1, le=1000)] = None,
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,18}$")] = None,
) -> Response:
    """Get the events after a position, 100 by default.

    With `Accept: text/event-stream`, new events follow as they are recorded, each with its position as the id. If
    `limit` is given, the stream ends after that many events.
    """
    opened = app
    if _EVENTS in request.headers.get("accept", ""):
        began = max(after, int(last_event_id or 0))
        stream = streams.open()
        stop_watching = opened.log.watch(lambda _: stream.put(True))

        def over() -> None:
            stop_watching()
            stream.leave()

        return Streamed(_following(opened, stream, began, limit), _EVENTS, over)
    found = await run_in_threadpool(_page, opened, after, limit or 100)
    last = found[-1].position if found else after
    page = {"events": [event_document(e) for e in found], "after": last, "head": opened.log.head()}
    return Json(page)


@routes.get("/state", operation_id="get_state", response_model=State)
def get_state(
    app: Running,
    at: Annotated[int | None, Query(ge=0, le=_LAST)] = None,
    chat_id: Annotated[str | None, Query(pattern=r"^[0-9A-Za-z_-]{1,64}$")] = None,
) -> Response:
    """Get every read model, now or at a position, for one chat or for all."""
    return Json(app.past.state(app.log.head() if at is None else at, chat_id))


def _page(app: App, after: int, limit: int) -> list[Recorded]:
    return list(app.log.read_all(after=after, limit=limit))


async def _following(app: App, stream: Stream, after: int, limit: int | None) -> AsyncIterator[bytes]:
    left = limit
    news = stream.items(BEAT)
    while not stream.was_cut:
        found = await run_in_threadpool(_page, app, after, min(_PAGE, left or _PAGE))
        for recorded in found:
            yield event(recorded.event.type, event_document(recorded), recorded.position)
            after = recorded.position
        if left is not None:
            left -= len(found)
            if left <= 0:
                return
        if found:
            continue
        try:
            if await anext(news) is None:
                yield b": still there\n\n"
        except StopAsyncIteration:
            return
