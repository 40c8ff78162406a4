"""The API as mounted by the page, on the module's app."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from engine.api.gate import PageCookie
from engine.api.guard import Guard
from engine.api.routes import api
from engine.app.app import App
from tests.support.asgi import BASE, BEARER, TOKEN, TestClient

KEPT = '"as it was"'
"""The page's mark: a browser that has kept the page asks with it whether it is still right."""


@pytest.fixture(scope="module")
def mounted(app: App) -> Starlette:
    """An app that serves a page and the API."""

    async def page(request: Request) -> Response:
        if request.headers.get("if-none-match") == KEPT:
            return Response(status_code=304, headers={"etag": KEPT})
        return HTMLResponse("<p>The page.</p>", headers={"etag": KEPT})

    guards = [Middleware(Guard), Middleware(PageCookie, token=lambda: TOKEN)]
    routes = [Mount("/v1", app=api(lambda: app, lambda: TOKEN)), Route("/", page)]
    return Starlette(routes=routes, middleware=guards)


@pytest.fixture(scope="module")
def client(mounted: Starlette) -> Iterator[TestClient]:
    """A client that has the token."""
    with TestClient(mounted, base_url=BASE, headers=BEARER) as opened:
        yield opened
