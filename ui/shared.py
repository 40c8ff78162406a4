"""The app that this page shows, and the one way in which its commands are sent from a widget."""

from typing import Any

from engine.app import App
from engine.commands import Command
from engine.config import data_folder
from engine.errors import AnabranchError, Invalid
from engine.slot import shared_app
from ui import session

__all__ = ["app", "send"]


def app() -> App:
    """This process's app."""
    return shared_app(data_folder())


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
