"""Connects to a source through the module of its driver.

A connection is read-only, as far as the database supports that. It is used in a tool process, so that a crash in a
driver's code ends only one call.
"""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any, Protocol

import pyarrow as pa

from anabranch_tool.source_errors import SourceError

__all__ = ["DRIVERS", "Connection", "connect", "stop", "without_pandas"]

DRIVERS: Mapping[str, str] = {
    "postgresql": "anabranch_tool.source_postgresql",
    "sqlite": "anabranch_tool.source_sqlite",
    "flightsql": "anabranch_tool.source_flightsql",
}
"""Driver → the module with its `connect` and `stop`."""


class Connection(Protocol):
    """An open connection, for one statement."""

    def server(self) -> str:
        """Return the server's name and version."""
        ...

    def tables(self) -> Iterator[dict[str, Any]]:
        """Yield the tables that may be read: `schema`, `name`, `kind`, `rows` (an estimate, or None) and `columns`.

        Each column has `name`, `type` and `note`.
        """
        ...

    def snapshot(self) -> dict[str, Any]:
        """Return an identifier of the state that `read` reads: `id` (None if there is none), and the time `at`, in
        UTC."""
        ...

    def read(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a SELECT; the first batch may be empty, so that its columns are known.

        Raises:
            SourceError: the source refused the statement, was too slow, or was lost.
        """
        ...

    def as_text(self) -> tuple[str, ...]:
        """Return the columns that `read` has converted to text, because Parquet cannot store their type or their
        values.
        """
        ...

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        ...


def connect(source: Mapping[str, Any]) -> Connection:
    """Return a connection to `source`, as `engine.tools.sources.access` describes it.

    Raises:
        SourceError: the source does not answer, or refuses the login.
    """
    found: Connection = _module(source).connect(source)
    return found


def stop(source: Mapping[str, Any], call_id: str) -> int:
    """Stop the statements of a call that are running in `source`; return their number."""
    stopped: int = _module(source).stop(source, call_id)
    return stopped


class _WithoutPandas(MetaPathFinder):
    """Prevents pandas from being loaded here: drivers load pandas only to accept its DataFrames, and loading it takes
    longer than most queries.
    """

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> None:
        """Report that the package is not installed."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not loaded in a process that reads a source", name=fullname)


def without_pandas() -> None:
    """Prevent drivers that are imported from now on from loading pandas."""
    if "pandas" not in sys.modules and not any(isinstance(one, _WithoutPandas) for one in sys.meta_path):
        sys.meta_path.insert(0, _WithoutPandas())


def _module(source: Mapping[str, Any]) -> Any:
    without_pandas()
    try:
        return import_module(DRIVERS[source["driver"]])
    except ModuleNotFoundError as error:
        raise SourceError(
            "driver_missing", f"{source['title']} needs a driver: {source['install']}"
        ) from error
