"""The page's entry point: `streamlit run ui/app.py`. Streamlit, the API and the engine are one process on one port.

If a host runs this file as a plain script, the same page is served without the routes under /v1.
"""

import contextlib
import os
import runpy
import sys
from collections.abc import AsyncIterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402 - the project's root must be importable first
from starlette.middleware import Middleware  # noqa: E402
from starlette.routing import Mount  # noqa: E402
from streamlit import config  # noqa: E402

from engine.api.built_later import BuiltLater  # noqa: E402
from engine.api.closed import closed  # noqa: E402
from engine.api.gate import PageCookie  # noqa: E402
from engine.api.guard import LOOPBACK, AsgiApp, Guard  # noqa: E402
from engine.api.policy import DEMO_HEADERS  # noqa: E402
from engine.api.stopping import ends_at_signals  # noqa: E402
from engine.api.streams import Streams  # noqa: E402
from engine.app.demo.limits import demo_limits, ignored_limits, is_demo, public_hosts  # noqa: E402
from engine.app.opening import announce, begin_opening, ends_with_reason, wait_until_open  # noqa: E402
from engine.app.process_state import (  # noqa: E402
    close_app,
    serve_routes,
    shared_app,
    shared_token,
    stop_serving,
)
from engine.config import config_folder, data_folder  # noqa: E402
from engine.errors import Unavailable  # noqa: E402
from ui.demo_visit import demo_visitors  # noqa: E402
from ui.loading_later import load_later  # noqa: E402
from ui.open_connections import end_half_open  # noqa: E402
from ui.page_setup import send_addresses_as_they_are  # noqa: E402
from ui.streamlit_runs import keep_every_click, keep_the_next_page, keep_the_page  # noqa: E402

if TYPE_CHECKING:
    from engine.app.app import App

MAIN = ROOT / "ui" / "main.py"

keep_every_click()
keep_the_page()
keep_the_next_page()
end_half_open()
send_addresses_as_they_are()
st.secrets.load_if_toml_exists()  # this makes its top-level entries environment variables
if is_demo():
    config.set_option("server.maxUploadSize", max(1, demo_limits().upload_bytes >> 20))

if st.runtime.exists():
    runpy.run_path(str(MAIN), run_name="__main__")
elif is_demo():

    @contextlib.asynccontextmanager
    async def visits(_: object) -> AsyncIterator[None]:
        """Before the first visitor, remove the data that a killed server left behind. After the last visitor, delete
        everything.
        """
        for line in ignored_limits():
            sys.stderr.write(f"{line}\n")
        with ends_with_reason():
            demo_visitors()
        if address := os.environ.get("ANABRANCH_ADDRESS"):
            announce(f"Anabranch is running at {address} as a public demo. Press Ctrl+C to stop it.")
        yield
        close_app()

    guards = [Middleware(Guard, hosts=LOOPBACK | public_hosts(), page=DEMO_HEADERS)]
    app = st.App(MAIN, lifespan=visits, routes=[Mount("/v1", app=closed)], middleware=guards)
else:

    @contextlib.asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        """Open the data folder while the server begins to answer, and close it after the last request."""
        with ends_with_reason():
            token()
        serve_routes()
        begin_opening(opening, loading, ends="ANABRANCH_ADDRESS" in os.environ)
        with ends_at_signals(streams, stop_serving):
            yield
        wait_until_open()
        close_app()

    def opening() -> None:
        """Open the data folder and print the app's address."""
        opened = shared_app(data_folder())
        address = os.environ.get("ANABRANCH_ADDRESS")
        opened.serve_at(address or f"http://127.0.0.1:{st.get_option('server.port')}")
        if address:
            announce(f"Anabranch is running at {address} (data in {opened.data}). Press Ctrl+C to stop it.")

        if opened.upkeep.damage:
            sys.stderr.write(f"{opened.upkeep.damage}\n")

    def loading() -> None:
        """Load the modules that draw the page."""
        opened = shared_app(data_folder())
        import_module("ui.frame")
        import_module("ui.views.new_chat")
        pandas = partial(import_module, "pandas")
        load_later(_load_pages, opened.load_tools, partial(trying, opened), routes_later.built, pandas)

    def _load_pages() -> None:
        import_module("ui.views.pages").load_pages()

    def trying(opened: "App") -> None:
        with contextlib.suppress(Unavailable):  # the app has been closed
            opened.try_tool_process()

    def token() -> str:
        """The token of this installation."""
        return shared_token(config_folder())

    def built() -> AsgiApp:
        """The API over the open app."""
        wait_until_open()
        from engine.api.routes import api  # noqa: PLC0415 - see `BuiltLater`

        return api(lambda: shared_app(data_folder()), token, streams)

    streams = Streams()
    routes_later = BuiltLater(built)
    routes = [Mount("/v1", app=routes_later)]
    guards = [Middleware(Guard), Middleware(PageCookie, token=token)]
    app = st.App(MAIN, lifespan=lifespan, routes=routes, middleware=guards)
