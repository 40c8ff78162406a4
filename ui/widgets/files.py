"""Loads files and results for the grid and downloads. Cached by hash, since content never changes."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from engine.app.app import App
from engine.rendering.plans import FileRef
from engine.views.results import Order, ResultPage, Series, TableSource
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.text_file import text_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PAGE",
    "colour_for",
    "frame_of",
    "page_of",
    "read_bytes",
    "series_of",
    "source_of",
    "table_named",
    "text_of",
]

PAGE = 100
"""How many rows of a result are on one page."""
_pages, _series, _colours = (
    OwnerCache[ResultPage](300),
    OwnerCache[Series](50),
    OwnerCache[tuple[str | None]](100),
)


def read_bytes(chat_id: str, file: FileRef) -> bytes:
    """Return the bytes of a file that a render plan names."""
    return app().workspace.read(chat_id, file.sha256)


def text_of(data: bytes) -> str | None:
    """Return a file's text with line feeds; None if it is not text."""
    found = text_file(data)
    return found.text if found is not None else None


def source_of(chat_id: str, file: FileRef) -> TableSource:
    """Return a render plan's file as a table to read."""
    return TableSource(chat_id, file.sha256, file.path)


def page_of(source: TableSource, offset: int = 0, order: Order | None = None, find: str = "") -> ResultPage:
    """Return up to `PAGE` rows of a table from `offset` on."""
    engine = _still_there(source)
    return _pages.get(
        engine,
        (source, offset, order, find),
        lambda: engine.results.page(source, PAGE, offset, order=order, find=find),
    )


def series_of(
    source: TableSource,
    x: str,
    y: str,
    *,
    color: str | None = None,
    panel: str | None = None,
    combine: str | None = None,
    each: bool = False,
) -> Series:
    """Return the data of a chart of these columns; see `ResultReads.series`."""
    engine = _still_there(source)

    def read() -> Series:
        return engine.results.series(source, x, y, color=color, panel=panel, combine=combine, each=each)

    return _series.get(engine, (source, x, y, color, panel, combine, each), read)


def colour_for(source: TableSource, x: str, candidates: Sequence[str]) -> str | None:
    """Return the column that distinguishes the rows of each `x`, if one of `candidates` does."""
    engine = _still_there(source)
    wanted = (source, x, tuple(candidates))
    return _colours.get(engine, wanted, lambda: (engine.results.telling_apart(source, x, candidates),))[0]


def table_named(chat_id: str, name: str | None, sha256: str) -> bool:
    """Return whether SQL over the chat's files reads exactly these bytes under the name of a result."""
    entry = app().workspace.files(chat_id).get(f"results/{name}.parquet") if name else None
    return entry is not None and entry.sha256 == sha256


def _still_there(source: TableSource) -> App:
    """Return the app.

    Raises:
        NotFound: the file is no longer stored; the caches are cleared then.
    """
    engine = app()
    if not engine.workspace.path(source.chat_id, source.sha256).exists():
        _pages.forget(engine)
        _series.forget(engine)
        _colours.forget(engine)
        engine.workspace.read(source.chat_id, source.sha256)
    return engine


def frame_of(page: ResultPage) -> "pd.DataFrame":
    """Return a page's rows for the grid, with dates as dates."""
    import pandas as pd  # noqa: PLC0415 - half a second, which the first page need not wait for

    frame = pd.DataFrame(list(page.rows), columns=[name for name, _ in page.columns])
    for at, (_, kind) in enumerate(page.columns):
        if kind == "DATE" or kind.startswith("TIMESTAMP"):
            moments = [_moment(value, kind == "DATE") for value in frame.iloc[:, at]]
            frame.isetitem(at, pd.Series(moments, dtype=object).array)
    return frame


def _moment(value: object, day: bool) -> date | datetime | object:
    """Return a date as in a result's JSON; a date that Python cannot represent stays a text."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value) if day else datetime.fromisoformat(value)
    except ValueError:
        return value
