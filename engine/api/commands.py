"""One route for each command and each query. The request's body is the document of the command or query; the response
is its result (LOG-8, API-1).

The work runs in a separate thread, so that a server that is stopping does not have to wait for it. Clients that accept
`application/x-ndjson` receive the progress line by line.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import field, replace
from inspect import cleandoc
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeAlias

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from engine.api.api_context import Opener, Running, StreamsOf
from engine.api.bodies import finite, kept_file
from engine.api.gate import BODY_BYTES
from engine.api.problem import PROBLEM, Json, problem_body, problem_document
from engine.api.streams import Stream, Streamed
from engine.app.app import App
from engine.app.queries import catalog as asked
from engine.app.queries.answers import answer
from engine.commands import catalog
from engine.commands.base import Command, Message, Query
from engine.commands.carried import Parts
from engine.commands.codec import decode, encode_result, local_fields, result_type, schemas
from engine.errors import AnabranchError, Invalid, Unavailable
from engine.workspace.limits import USUAL
from events.late_dataclass import dataclass

__all__ = ["STREAMED_ELSEWHERE", "commands", "described", "queries", "routes"]

_LINES = "application/x-ndjson"
_FORM = "multipart/form-data"
_BYTES = "application/octet-stream"
_AS_IT_IS = (bytes, Path)
"""Types of results that are sent unchanged as the response's body, not in a JSON document."""
_BEAT = 20.0
_FORM_SCHEMA = {
    "type": "object",
    "required": ["document"],
    "properties": {"document": {"type": "string", "description": "The document, as JSON."}},
    "additionalProperties": {"type": "string", "contentMediaType": "application/octet-stream"},
}
_FOLLOWING = (asked.FollowTurn, asked.FollowQueued)
"""Queries that wait as long as a turn runs. Their streams have a separate limit, so that they cannot use up the streams
of commands, such as the command that stops the turn.
"""
_CLOSING = Unavailable("closing", "The app that ran this command has stopped.")
_STREAM = (
    "The result; or, with `Accept: application/x-ndjson`, one JSON object in each line: `{}` while nothing happens, "
    '`{"progress": text}`, and last `{"result": …}` or `{"problem": …}`.'
)
STREAMED_ELSEWHERE: tuple[type[Command[Any]], ...] = (catalog.ReceiveFile,)
"""Commands that have a separate route, to which their bytes are uploaded as a stream: `PUT
/chats/{chat_id}/uploads/{name}`.
"""

_log = logging.getLogger("anabranch.api")

Work: TypeAlias = Callable[[App, Any], Any]
"""A function that does what a message asks, and returns the result."""


def commands() -> list[type[Command[Any]]]:
    """Return every command that has a document."""
    found = (getattr(catalog, name) for name in catalog.__all__)
    kinds = [kind for kind in found if isinstance(kind, type) and issubclass(kind, Command)]
    return [kind for kind in kinds if kind is not Command and kind not in STREAMED_ELSEWHERE]


def queries() -> list[type[Query[Any]]]:
    """Return every query."""
    found = (getattr(asked, name) for name in asked.__all__)
    return [kind for kind in found if isinstance(kind, type) and issubclass(kind, Query)]


@dataclass(slots=True)
class _Received:
    """A message, and the folder that contains its files until its work is done."""

    message: Message[Any]
    folder: "TemporaryDirectory[str] | None" = field(default=None, repr=False)
    made: Path | None = None
    """The file with the result, if the result is a file."""

    def clear(self) -> None:
        """Remove the message's files."""
        if self.folder is not None:
            self.folder.cleanup()

    def drop_result(self) -> None:
        """Remove the file with the result, because no client will fetch it."""
        if self.made is not None:
            self.made.unlink(missing_ok=True)


def _endpoint(kind: type[Message[Any]], work: Work) -> Callable[..., Awaitable[Response]]:
    as_it_is = result_type(kind) in _AS_IT_IS

    async def respond(app: Running, streams: StreamsOf, request: Request) -> Response:
        received = await _received(kind, request)
        stream = _begun(app, streams, kind, work, received)
        if _LINES in request.headers.get("accept", "") and not as_it_is:
            return Streamed(_lines(stream), _LINES, stream.leave)
        answered: Response | None = None
        try:
            answered = _whole([message async for message in stream.items()])
            return answered
        finally:
            stream.leave()
            if not isinstance(answered, FileResponse):
                received.drop_result()

    return respond


async def _received(kind: type[Message[Any]], request: Request) -> _Received:
    """Return the message that a request's body describes.

    Raises:
        Invalid: the body does not have the shape that the API describes.
    """
    if not request.headers.get("content-type", "").lower().startswith(_FORM):
        return _Received(await run_in_threadpool(decode, kind, _document(await request.body())))
    folder = TemporaryDirectory(prefix="anabranch-command-")
    try:
        async with request.form(max_files=USUAL.files, max_fields=2, max_part_size=BODY_BYTES) as form:
            files = [(name, value) for name, value in form.multi_items() if isinstance(value, UploadFile)]
            parts: Parts = {
                name: await run_in_threadpool(kept_file, file, Path(folder.name) / str(number))
                for number, (name, file) in enumerate(files)
            }
            document = form.get("document")
        text = document if isinstance(document, str) else ""
        content = _document(text.encode("utf-8", "replace"))
        return _Received(await run_in_threadpool(decode, kind, content, parts), folder)
    except BaseException:
        folder.cleanup()
        raise


def _document(body: bytes) -> Any:
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise Invalid("body_json", "The body is not JSON.") from None
    return finite(value, "body") if isinstance(value, dict) else value


def _begun(app: App, streams: Opener, kind: type[Message[Any]], work: Work, received: _Received) -> Stream:
    """Begin the work in a thread, and return its stream, whose last message is the result or the problem."""
    try:
        stream = streams.open("follow" if kind in _FOLLOWING else "command")
    except AnabranchError:
        received.clear()
        raise
    message: Any = received.message
    if "progress" in local_fields(kind):
        message = replace(message, progress=lambda text: stream.put({"progress": text}))

    def run() -> None:
        last: dict[str, Any]
        try:
            last = {"result": _sent(kind, work(app, message), stream, received)}
        except AnabranchError as error:
            last = {"problem": problem_document(error)}
        except Exception as error:
            _log.exception("The command %s failed.", kind.__name__)
            words = f"This is an error in Anabranch itself ({type(error).__name__}). See its log."
            last = {"problem": problem_body(500, "internal", words)}
        finally:
            received.clear()
        stream.put(last)
        stream.finish()

    try:
        Thread(target=run, name="command", daemon=True).start()
    except RuntimeError:
        received.clear()
        stream.leave()
        raise
    return stream


def _sent(kind: type[Message[Any]], result: Any, stream: Stream, received: _Received) -> Any:
    """Return a result as it is sent: bytes and files unchanged, everything else as JSON."""
    if isinstance(result, Path):
        received.made = result
        if stream.was_cut:
            received.drop_result()
    return result if result_type(kind) in _AS_IT_IS else encode_result(kind, result)


def _whole(messages: list[dict[str, Any]]) -> Response:
    last = messages[-1] if messages else {}
    if isinstance(last.get("result"), bytes):
        return Response(last["result"], media_type=_BYTES)
    if isinstance(last.get("result"), Path):
        file: Path = last["result"]
        return FileResponse(file, media_type=_BYTES, background=BackgroundTask(file.unlink))
    if "result" in last:
        return Json({"result": last["result"]})
    document = last.get("problem") or problem_document(_CLOSING)
    return Json(document, status_code=document["status"], media_type=PROBLEM)


async def _lines(stream: Stream) -> AsyncIterator[bytes]:
    last: dict[str, Any] = {}
    async for message in stream.items(_BEAT):
        last = message or {}
        yield _line(last)
    if not {"result", "problem"} & last.keys():
        yield _line({"problem": problem_document(_CLOSING)})


def _line(document: Any) -> bytes:
    return bytes(Json(document).body) + b"\n"


def add_routes(folder: str, kinds: Iterable[type[Message[Any]]], work: Work) -> None:
    """Add a route for each of `kinds` below `folder`."""
    verb = "send" if folder == "commands" else "ask"
    for kind in kinds:
        routes.add_api_route(
            f"/{folder}/{kind.__name__}",
            _endpoint(kind, work),
            methods=["POST"],
            summary=f"{verb.capitalize()} {kind.__name__}.",
            operation_id=f"{verb}_{_snake(kind.__name__)}",
            description=cleandoc(kind.__doc__ or ""),
            response_model=None,
        )


def described(kinds: Iterable[type[Message[Any]]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the description of each route, by the name of its command or query, and the schemas that the descriptions
    refer to.
    """
    listed = list(kinds)
    made, definitions = schemas(listed, "#/components/schemas/{model}")
    return {kind.__name__: _described(kind.__name__, made, definitions) for kind in listed}, definitions


def _described(name: str, made: dict[Any, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    bodies = {"application/json": {"schema": made[name, "message"]}}
    text = json.dumps([made[name, "message"], definitions.get(name)])
    if '"part"' in text or "schemas/Upload" in text:
        bodies[_FORM] = {"schema": _FORM_SCHEMA}
    return {
        "requestBody": {"required": True, "content": bodies},
        "responses": {"200": _answers(made[name, "result"])},
    }


def _answers(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("format") in ("binary", "path"):
        return {"description": "The bytes.", "content": {_BYTES: {}}}
    result = {"type": "object", "required": ["result"], "properties": {"result": schema}}
    content = {"application/json": {"schema": result}, _LINES: {"schema": {"type": "string"}}}
    return {"description": _STREAM, "content": content}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


routes = APIRouter(tags=["commands"])
add_routes("commands", commands(), lambda app, command: app.send(command))
add_routes("queries", queries(), answer)
