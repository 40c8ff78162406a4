"""Routes for chats: listing them, asking questions and streaming the turn, pending calls, stopping."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from threading import Thread
from typing import Any

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from engine.api.api_context import Opener, Running, StreamsOf
from engine.api.bodies import either, finite, form_of, read_either
from engine.api.chat_shapes import (
    Answer,
    AnswerText,
    Approval,
    ChatRow,
    Created,
    Denial,
    NewChat,
    QueryForm,
    Question,
    Stopped,
)
from engine.api.problem import Json, problem_body
from engine.api.shapes import Id
from engine.api.streams import BEAT, Stream, Streamed, event
from engine.app.app import App
from engine.app.turn_document import turn_document
from engine.chats.signals import Signal
from engine.commands.catalog import (
    AnswerCall,
    ApproveCall,
    Ask,
    CreateChat,
    DenyCall,
    Retry,
    StopTurn,
    TurnStart,
    Waiting,
)
from engine.errors import AnabranchError
from engine.views.chat_document import chat_document
from engine.views.query_form import form_sentence

__all__ = ["routes"]

_TURN = form_of(
    "The same signals as on the WebSocket; an event's name is its signal's type. The last event is `ask` with the"
    " outcome of the turn (the shape `Answer`), `closing` if the server stopped first, or `yielded` if too many "
    "streams were open. The turn continues even if nobody listens. If the question waits for another one, "
    "`queued` comes first."
)

_EARLY = 5_000
"""The maximum number of signals to keep until the turn's id is known."""

routes = APIRouter(tags=["chats"])


@routes.get("/chats", operation_id="list_chats", response_model=list[ChatRow])
def list_chats(app: Running) -> Response:
    """List the chats, the latest first."""
    return Json(app.chats())


@routes.post("/chats", operation_id="create_chat", status_code=201, response_model=Created)
def create_chat(app: Running, body: NewChat) -> Response:
    """Begin a chat."""
    return Json({"chat_id": app.send(CreateChat(body.title))}, status_code=201)


@routes.get("/chats/{chat_id}", operation_id="get_chat", response_model=dict[str, Any])
def get_chat(app: Running, chat_id: Id, whole_tree: bool = Query(default=False, alias="all")) -> Response:
    """Get a chat's active branch, or its whole tree, with its calls."""
    return Json(chat_document(app.chat(chat_id), whole_tree=whole_tree))


@routes.post(
    "/chats/{chat_id}/messages",
    operation_id="stream",
    responses=_TURN,
    response_model=None,
    openapi_extra=either(Question),
)
async def stream(app: Running, streams: StreamsOf, request: Request, chat_id: Id) -> Response:
    """Ask a question, with files if the body is a form, and follow the turn that answers it."""
    async with read_either(request, Question) as (body, files):
        command = Ask(
            chat_id,
            body.text,
            files,
            allow_confirmations=body.allow_confirmations,
            allow_sends=body.allow_sends,
            if_running=body.if_running,
        )
        return await _followed(app, streams, chat_id, lambda: app.send(command))


@routes.post(
    "/chats/{chat_id}/query-form",
    operation_id="ask_query_form",
    responses=_TURN,
    response_model=None,
)
async def ask_query_form(app: Running, streams: StreamsOf, chat_id: Id, body: QueryForm) -> Response:
    """Ask with a query form, which the offline analyst answers, and follow the turn that answers it."""
    if body.message_id is not None:
        again = Retry(chat_id, body.message_id, form=body.form)
        return await _followed(app, streams, chat_id, lambda: app.send(again))
    command = Ask(chat_id, body.text or form_sentence(body.form), form=body.form)
    return await _followed(app, streams, chat_id, lambda: app.send(command))


@routes.post("/chats/{chat_id}/stop", operation_id="stop_chat", response_model=Stopped)
def stop_chat(app: Running, chat_id: Id) -> Response:
    """Stop the chat's running and waiting turns, and the user's own calls."""
    app.past.require_chat(chat_id)
    return Json({"stopped": app.send(StopTurn(chat_id))})


@routes.post(
    "/chats/{chat_id}/calls/{call_id}/approve",
    operation_id="approve_call",
    responses=_TURN,
    response_model=None,
)
async def approve_call(
    app: Running, streams: StreamsOf, chat_id: Id, call_id: Id, body: Approval
) -> Response:
    """Allow a waiting call, with the model's arguments or different ones, and follow its turn."""
    edited = None if body.arguments is None else finite(body.arguments, "arguments")
    allow = body.allow_confirmations
    command = ApproveCall(chat_id, call_id, edited, always=body.always, allow_confirmations=allow)
    return await _followed(app, streams, chat_id, lambda: app.send(command))


@routes.post(
    "/chats/{chat_id}/calls/{call_id}/answer",
    operation_id="answer_call",
    responses=_TURN,
    response_model=None,
)
async def answer_call(
    app: Running, streams: StreamsOf, chat_id: Id, call_id: Id, body: AnswerText
) -> Response:
    """Answer a question from the model, and follow its turn."""
    command = AnswerCall(chat_id, call_id, body.text, allow_confirmations=body.allow_confirmations)
    return await _followed(app, streams, chat_id, lambda: app.send(command))


@routes.post(
    "/chats/{chat_id}/calls/{call_id}/deny",
    operation_id="deny_call",
    responses=_TURN,
    response_model=None,
)
async def deny_call(app: Running, streams: StreamsOf, chat_id: Id, call_id: Id, body: Denial) -> Response:
    """Deny a waiting call, and follow its turn."""
    allow = body.allow_confirmations
    command = DenyCall(chat_id, call_id, body.reason, allow_confirmations=allow)
    return await _followed(app, streams, chat_id, lambda: app.send(command))


async def _followed(
    app: App, streams: Opener, chat_id: str, begin: Callable[[], TurnStart | Waiting]
) -> Response:
    """Begin a turn and return the stream of its signals, or an ordinary error response if the turn is refused."""
    stream = streams.open("turn")
    _, stop_watching = app.watch(chat_id, stream.put)

    def over() -> None:
        stop_watching()
        stream.leave()

    try:
        begun = await run_in_threadpool(begin)
    except BaseException:
        over()
        raise
    Thread(target=_conclude, args=(app, begun, stream), name="follow-turn", daemon=True).start()
    if isinstance(begun, Waiting):
        return Streamed(_told(stream, None, begun.queued_id), "text/event-stream", over)
    return Streamed(_told(stream, begun.turn_id), "text/event-stream", over)


def _conclude(app: App, begun: TurnStart | Waiting, stream: Stream) -> None:
    """Wait for a turn, and add its outcome after its last signal."""
    try:
        turn = app.turn_of(begun) if isinstance(begun, Waiting) else begun
    except AnabranchError as error:
        stream.put({"type": "problem", **problem_body(409, error.code, error.message), "own": True})
        stream.finish()
        return
    stream.put({"type": "asked", "chat_id": turn.chat_id, "turn_id": turn.turn_id, "own": True})
    app.wait(turn.turn_id)
    try:
        document = turn_document(app, turn.chat_id, turn.turn_id)
    except AnabranchError as error:
        stream.put({"type": "problem", **problem_body(503, error.code, error.message), "own": True})
    else:
        stream.put(
            {
                "type": "ask",
                "document": Answer.model_construct(**document).model_dump(exclude_unset=True),
                "own": True,
            }
        )
    stream.finish()


async def _told(stream: Stream, turn_id: str | None, queued_id: str | None = None) -> AsyncIterator[bytes]:
    """Yield a turn's signals as events. For a queued question, the first event is `queued`, and the signals follow once
    the question's turn has begun.
    """
    early: deque[Signal] = deque(maxlen=_EARLY)
    if queued_id is not None:
        yield event("queued", {"type": "queued", "queued_id": queued_id})
    async for signal in stream.items(BEAT):
        if signal is None:
            yield b": still there\n\n"
        elif signal.get("own") and signal["type"] == "asked":
            turn_id = signal["turn_id"] if turn_id is None else turn_id
            for one in early:
                if one.get("turn_id") == turn_id:
                    yield event(one["type"], one)
            early.clear()
        elif signal.get("own"):
            kind = signal["type"]
            yield event(kind, signal["document"] if kind == "ask" else signal)
        elif turn_id is None:
            early.append(signal)
        elif signal.get("turn_id") == turn_id:
            yield event(signal["type"], signal)
    if stream.was_cut:
        yield event("yielded" if stream.yielded else "closing", {"turn_id": turn_id})
