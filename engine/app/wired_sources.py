"""Builds the parts that read sources (databases and query engines)."""

from pathlib import Path

from engine.chats.sources import SourceBook
from engine.runtime.pool import Pool
from engine.secrets.vault import Vault
from engine.tools.sources.catalog import SourceCatalog
from engine.tools.sources.probe import SourceProbe
from engine.tools.sources.sources import Sources
from engine.tools.toolbox import ReadModels
from events.identity import Clock
from events.log import EventLog

__all__ = ["wired_sources"]


def wired_sources(
    log: EventLog, read: ReadModels, vault: Vault, pool: Pool, made: Path, clock: Clock
) -> Sources:
    """Return the sources; `made` is the folder for data that can be recomputed."""
    book = SourceBook(log, read, vault)
    return Sources(book, SourceProbe(pool, book), SourceCatalog(made / "cache" / "sources", clock))
