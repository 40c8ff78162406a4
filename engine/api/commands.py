"""Routes for the command line beside this app: each of its commands, run here for whoever sent it (LOG-8)."""

import json
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InPath
from starlette.responses import Response

from engine.api.api_context import Commands, Running, StreamsOf
from engine.api.problem import Json
from engine.api.shapes import CommandLine, Reply
from engine.api.streams import Stream, Streamed
from engine.app.app import App
from engine.cli.remote_command import RemoteCommand, is_there, runnable
from engine.errors import Invalid, NotFound, Refused
from events.text import scrub_surrogates

__all__ = ["routes"]

_LINES = "application/x-ndjson"
_BEAT = 20.0

routes = APIRouter(tags=["commands"])


@routes.post(
    "/commands/{name}",
    operation_id="run_command",
    response_model=None,
    responses={
        200: {
            "description": 'One JSON message in each line: `{"run": id}`, then `{"stdout": text}`, `{"stderr": '
            'text}` or `{"wants": "confirm" | "secret" | "stdin", "prompt": text}`, last `{"code": exit code}`.',
            "content": {_LINES: {"schema": {"type": "string"}}},
        }
    },
)
async def run_command(
    app: Running,
    streams: StreamsOf,
    runs: Commands,
    name: Annotated[str, InPath(pattern=r"^[a-z-]{1,64}$")],
    body: CommandLine,
) -> Response:
    """Run a command of the command line, such as `toolset-install`, and follow what it says."""
    words = [*runnable(name, body.words), *body.words]
    _check(app, body)
    stream = streams.open("command")
    run = RemoteCommand(app, Path(body.cwd), body.interactive, stream.put)
    runs[run.id] = run

    def over() -> None:
        runs.pop(run.id, None)
        run.leave()
        stream.leave()

    run.start(words)
    return Streamed(_lines(stream), _LINES, over)


@routes.post("/runs/{run_id}", operation_id="reply_to_command", response_model=Reply)
def reply_to_command(runs: Commands, run_id: Annotated[str, InPath(max_length=64)], body: Reply) -> Response:
    """Answer a command that asks, or stop it as Ctrl C does."""
    run = runs.get(run_id)
    if run is None:
        raise NotFound("run_not_found", "There is no such command, or it has ended.")
    if body.stop:
        run.stop()
    elif body.answer is not None:
        run.answer(body.answer)
    return Json(body.model_dump(exclude={"answer"}))


def _check(app: App, body: CommandLine) -> None:
    """Refuse callers who mean another app than this one."""
    ours = version("anabranch")
    if body.version is not None and body.version != ours:
        raise Refused(
            "version_differs",
            f"The command line is version {body.version}, the running app {ours}. Start the app again.",
        )
    if body.data is not None and Path(body.data) != app.data and not _same(body.data, app.data):
        raise Refused(
            "data_folder_other", f"The running app has the data folder {app.data}, not {body.data}."
        )
    if not is_there(Path(body.cwd)):
        raise Invalid("cwd", "`cwd` is no folder; give the caller's, from the root on.")


def _same(given: str, ours: Path) -> bool:
    try:
        return Path(given).samefile(ours)
    except (OSError, ValueError):
        return False


async def _lines(stream: Stream) -> AsyncIterator[bytes]:
    async for message in stream.items(_BEAT):
        yield (scrub_surrogates(json.dumps(message or {}, ensure_ascii=False)) + "\n").encode()
        if message and "code" in message:
            return
    closing = {"code": "closing", "message": "The app that ran this command was ended."}
    yield (json.dumps({"error": closing}) + "\n").encode()
