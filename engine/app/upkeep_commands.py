"""Handles the commands that maintain the data folder."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb

from engine.commands.catalog import AcceptLog, CollectContents, RebuildReadModels
from engine.commands.values import Collected, Rebuilt

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["upkeep_handlers"]


def upkeep_handlers(app: "App") -> dict[type, Callable[[Any], Any]]:
    """Return each command's handler."""

    def collect(command: CollectContents) -> Collected:
        return app.retention.collect(command.before, command.unexplained)

    def rebuild(_: RebuildReadModels) -> Rebuilt:
        before = _registers(app)
        began = time.monotonic()
        app.reads.rebuild()
        seconds = round(time.monotonic() - began, 3)
        identical = None if before is None else app.reads.registers() == before
        return Rebuilt(app.log.head(), seconds, identical)

    def accept(_: AcceptLog) -> int | None:
        recorded = app.accept_log()
        return recorded[0].position if recorded else None

    return {CollectContents: collect, RebuildReadModels: rebuild, AcceptLog: accept}


def _registers(app: "App") -> dict[str, list[tuple[Any, ...]]] | None:
    """Return the rows of the read models; None if they cannot be read. Rebuilding the read models repairs this."""
    try:
        return app.reads.registers()
    except duckdb.Error:
        return None
