"""The API under /v1: combines all routes and requires the token."""

import os
from collections.abc import Callable
from importlib.metadata import version

from fastapi import FastAPI
from starlette.responses import Response

from engine.api import artifacts, chats, commands, files, live, log, toolsets
from engine.api.api_context import ApiContext
from engine.api.describe import describe
from engine.api.gate import Gate
from engine.api.problem import Json, tell_problems
from engine.api.shapes import Health
from engine.api.streams import Streams
from engine.app.app import App

__all__ = ["api"]

_ABOUT = (
    "Anabranch on this machine. Every route but `/health` needs the token of this installation; errors are "
    "problem+json with a stable `code`; documents have the shapes of the command line's `--json`."
)


def api(app: Callable[[], App], token: Callable[[], str], streams: Streams | None = None) -> FastAPI:
    """Return the API over `app` for clients with `token`; `streams` holds the open streams."""
    routes = FastAPI(
        title="Anabranch",
        version=version("anabranch"),
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        root_path_in_servers=False,
        redirect_slashes=False,
    )
    routes.state.reach = ApiContext(app, streams or Streams())

    @routes.get("/health", operation_id="health", response_model=Health)
    def health() -> Response:
        """Report the service's process and the state of its log. Does not need a token."""
        running = app()
        condition = running.upkeep.condition
        return Json(
            {
                "ok": condition == "well",
                "log": condition,
                "pid": os.getpid(),
                "position": running.log.head(),
                "version": version("anabranch"),
            }
        )

    for each in (toolsets, chats, files, artifacts, log, commands):
        routes.include_router(each.routes)
    routes.add_api_websocket_route("/chats/{chat_id}/ws", live.live)
    tell_problems(routes)
    describe(routes)
    routes.add_middleware(Gate, token=token)
    return routes
