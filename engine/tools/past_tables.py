"""The tables of earlier states of the files, for one call: SQL and Python read them as `NAME.table`.

They come from the same content-addressed cache as current tables. Files of an earlier state are not put into the call's
folder; only Parquet files, which are not in the cache, are copied, and only if the call names their tables.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound
from engine.runtime.pool import OnProgress
from engine.system.cancellation import Cancellation
from engine.tools.call_plans import PlannedCall, texts_in
from engine.tools.table_catalog import Catalog
from engine.tools.table_kinds import is_parquet
from engine.tools.table_naming import likely_names
from engine.tools.tables import Tables
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Files
from events.catalog.moment import MomentRead
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["PastCatalog", "PastTables"]

_REMOVED = "its content was removed by `anabranch gc`"


@dataclass(frozen=True, slots=True)
class PastCatalog:
    """The earlier tables that one call can open."""

    moments: tuple[JSONObject, ...] = ()
    """The value of `anabranch_tool.context.given["moments"]`."""
    named: tuple[str, ...] = ()
    """The names of all moments of the chat, which error messages list."""
    readable: tuple[Path, ...] = ()
    """Files that the call's process may read."""


class PastTables:
    """Opens tables of earlier states. Thread-safe."""

    def __init__(self, chats: Chats, workspaces: Workspaces, tables: Tables) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._tables = tables

    @contextmanager
    def opened(
        self, chat_id: str, call: PlannedCall, cancel: Cancellation, progress: OnProgress | None
    ) -> Iterator[PastCatalog]:
        """Yield the tables of the moments that a call names, readable for the duration of the block."""
        with self._chats.locked(chat_id) as state:
            named = tuple(state.moments.named)
            states = [(moment, _files(state, moment)) for moment in call.moments]
        if not states:
            yield PastCatalog(named=named)
            return
        blobs, text = self._workspaces.blobs(chat_id), "\n".join(texts_in(call.arguments))
        with tempfile.TemporaryDirectory(prefix="anabranch-moments-") as scratch:
            told: list[JSONObject] = []
            readable: list[Path] = []
            for number, (moment, files) in enumerate(states):
                folder = Path(scratch) / str(number)
                folder.mkdir()
                tables, cached = self._tables_of(moment, files, folder, blobs, text, cancel, progress)
                told.append(tables)
                readable += cached
            yield PastCatalog(tuple(told), named, (*readable, Path(scratch)))

    def _tables_of(
        self,
        moment: MomentRead,
        files: Files,
        folder: Path,
        blobs: BlobStore,
        text: str,
        cancel: Cancellation,
        progress: OnProgress | None,
    ) -> tuple[JSONObject, tuple[Path, ...]]:
        """Return a moment's tables as a call receives them, and the cache files that contain their rows.

        `folder` receives files that are read directly.
        """
        tabular = self._tables.read_of(files)
        gone = {path: _REMOVED for path, entry in tabular.items() if not blobs.has(entry.sha256)}
        typed = self._tables.is_typed(tabular)
        if gone and not typed:
            tabular = {path: entry for path, entry in tabular.items() if path not in gone}
        unnamed = self._unnamed(tabular, text) if typed else {}
        for path, entry in tabular.items():
            if path not in gone and path not in unnamed and (is_parquet(path) or not typed):
                _fetch(blobs, entry.sha256, folder / path)
        catalog = self._tables.catalog(tabular, folder, cancel, progress)
        without = {**unnamed, **gone, **({} if typed else _renamed(catalog, [*tabular, *gone]))}
        told: list[JSON] = [_placed(table, folder) for table in catalog.tables if not _of(table, without)]
        return {
            "name": moment.name,
            "tables": told,
            "unread": {**catalog.unread, **without},
        }, catalog.readable

    def _unnamed(self, tabular: Files, text: str) -> dict[str, str]:
        """Return the Parquet files of tables that `text` does not name, each with the reason why it is not read."""
        left = [path for name, path in self._tables.names(tabular) if not _names(text, name)]
        return {
            path: "write its name out in the call"
            for path in tabular
            if is_parquet(path) and any(_is_in(path, place) for place in left)
        }


def _files(state: ChatState, moment: MomentRead) -> Files:
    """Return the files of the state that a call reads.

    Raises:
        NotFound: a fork has copied the call, but not that state.
    """
    if moment.manifest_id is not None and moment.manifest_id not in state.manifests:
        raise NotFound(
            "moment_not_found",
            f"The files of {moment.name} are in the chat that this one was forked from, not in this chat.",
        )
    return state.files(moment.manifest_id)


def _placed(table: Mapping[str, JSON], folder: Path) -> JSONObject:
    """Return a table of a catalog with the full paths of its files. Files of the cache already have full paths."""
    files = table["parquet"]
    assert isinstance(files, list)
    return {**table, "parquet": [str(folder / str(file)) for file in files]}


def _renamed(catalog: Catalog, paths: Iterable[str]) -> dict[str, str]:
    """Return the files of tables that would have another name if all of `paths` still existed, each with the reason."""
    names = likely_names(paths)
    moved = [str(t["path"]) for t in catalog.tables if names.get(str(t["name"]), t["path"]) != t["path"]]
    return dict.fromkeys(moved, "the content of a file with the same name was removed by `anabranch gc`")


def _of(table: Mapping[str, JSON], paths: Iterable[str]) -> bool:
    """Return whether a table is made from one of these files."""
    return any(_is_in(path, str(table["path"])) for path in paths)


def _is_in(path: str, place: str) -> bool:
    """Return whether a file is `place`, or in the folder `place`."""
    return path == place or path.startswith(f"{place}/")


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _fetch(blobs: BlobStore, sha256: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        blobs.copy_to(sha256, file.fileno())
