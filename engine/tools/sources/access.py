"""The source details that a tool process receives: address, login, and limits."""

from collections.abc import Mapping
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path

from engine.chats.sources import SourceBook
from engine.deciders.source_drivers import DRIVERS
from engine.deciders.sources import Source
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Access", "access_to", "installed_drivers"]


@dataclass(frozen=True, slots=True)
class Access:
    """The details that one process needs to connect to one source."""

    told: JSONObject = field(repr=False)
    """The value of `anabranch_tool.context.given["source"]`. It contains the key: pass it to the process and do not
    store it.
    """
    network: bool
    readable: tuple[Path, ...]
    """Files that the process may read: if the source is a file, the database and its log."""


def access_to(
    book: SourceBook, source: Source, call_id: str, known: Mapping[str, JSON] | None = None
) -> Access:
    """Return the details to connect to `source`; `known` contains its tables by schema."""
    address, facts = book.address(source), source.facts
    told: JSONObject = {
        "name": source.name,
        "title": source.driver.title,
        "install": source.driver.install,
        "driver": facts.driver,
        "dialect": source.dialect,
        "language": source.language,
        "allowed": list(facts.allowed),
        "known": dict(known or {}),
        "user": facts.user,
        "key": book.key(source),
        "scheme": address.scheme,
        "host": address.host,
        "port": address.port,
        "database": address.database,
        "parameters": dict(address.parameters),
        "seconds": facts.max_seconds,
        "max_rows": facts.max_rows,
        "max_bytes": facts.max_bytes,
        "call_id": call_id,
    }
    files = () if source.driver.network else tuple(
        Path(f"{address.database}{ending}") for ending in ("", "-wal", "-shm", "-journal")
    )  # fmt: skip
    return Access(told, source.driver.network, files)


def installed_drivers() -> dict[str, bool]:
    """Return for each driver whether it is installed here."""
    return {
        name: not driver.module or find_spec(driver.module) is not None for name, driver in DRIVERS.items()
    }
