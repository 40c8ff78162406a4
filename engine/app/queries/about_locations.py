"""Answers queries about linked files."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from engine.app.app import App
from engine.app.queries import catalog as ask

__all__ = ["LOCATION_ANSWERS"]


def _list_locations(app: App, _: ask.ListLocations) -> list[ask.Document]:
    return app.locations()


def _browse_folder(app: App, query: ask.BrowseFolder) -> list[ask.Document]:
    return [asdict(entry) for entry in app.browse_folder(query.folder)]


LOCATION_ANSWERS: Mapping[type, Callable[[App, Any], Any]] = {
    ask.ListLocations: _list_locations,
    ask.BrowseFolder: _browse_folder,
}
