"""The app that this page shows, and how widgets send its commands."""

from typing import Any, Final

from engine.app.app import App
from engine.app.demo.limits import is_demo
from engine.app.process_state import routes_are_served, shared_app
from engine.commands.catalog import Command
from engine.config import data_folder
from engine.errors import AnabranchError, Invalid
from ui import session
from ui.demo_visit import visitor_app
from ui.streamlit_secrets import given_secrets

__all__ = ["REFUSED", "app", "is_demo", "route", "send", "told"]


REFUSED: Final = object()
"""The value that `send` returns for a command that was refused."""


def app() -> App:
    """Return this process's app, which can read Streamlit's secrets; in a public demo, the app of the tab's visitor."""
    if is_demo():
        return visitor_app()
    opened = shared_app(data_folder())
    opened.vault.also(given_secrets)
    return opened


def route(path: str) -> str | None:
    """Return the address of a route under /v1 for the browser; None if the browser cannot reach these routes."""
    return f"/v1/{path}" if routes_are_served() and not is_demo() else None


def send(command: Command[Any]) -> Any:
    """Send a command and return its result; a refusal is shown on the page, and `REFUSED` is returned."""
    try:
        return app().send(command)
    except AnabranchError as error:
        session.remember("failure", told(error))
    return REFUSED


def told(error: AnabranchError) -> str:
    """Return the text of an error: its message, then one line for each problem."""
    return "\n".join([error.message, *map(str, error.problems if isinstance(error, Invalid) else ())])
