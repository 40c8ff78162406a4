"""The app that this page shows, and the one way in which its commands are sent from a widget."""

import os
from typing import Any

from engine.app import App
from engine.commands import Command
from engine.config import data_folder
from engine.errors import AnabranchError, Invalid
from engine.slot import routes_are_served, shared_app
from ui import session

__all__ = ["app", "is_demo", "route", "send"]


def app() -> App:
    """This process's app."""
    return shared_app(data_folder())


def is_demo() -> bool:
    """Whether this is a public demo, where each visitor is a stranger to the machine (UI-9)."""
    return os.environ.get("ANABRANCH_DEMO") == "1"


def route(path: str) -> str | None:
    """The address of a route under /v1 for the browser; None where it cannot reach any."""
    return f"/v1/{path}" if routes_are_served() and not is_demo() else None


def send(command: Command) -> Any:
    """Send a command; a refusal is shown on the page, and None is returned."""
    try:
        return app().send(command)
    except Invalid as error:
        session.remember("failure-code", error.code)
        session.remember("failure", "\n".join([error.message, *map(str, error.problems)]))
    except AnabranchError as error:
        session.remember("failure-code", error.code)
        session.remember("failure", error.message)
    return None
