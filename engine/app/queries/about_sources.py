"""Answers queries about sources (databases and query engines)."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.app.app import App
from engine.app.queries import catalog as ask

__all__ = ["SOURCE_ANSWERS"]


def _list_sources(app: App, _: ask.ListSources) -> list[ask.Document]:
    return app.source_rows()


def _list_tables(app: App, query: ask.ListSourceTables) -> ask.Document:
    return app.source_tables(query.name, query.like)


def _list_drivers(app: App, _: ask.ListDrivers) -> list[ask.Document]:
    return app.source_drivers()


SOURCE_ANSWERS: Mapping[type, Callable[[App, Any], Any]] = {
    ask.ListSources: _list_sources,
    ask.ListSourceTables: _list_tables,
    ask.ListDrivers: _list_drivers,
}
