"""Checks whether new files fit the files that they would replace: columns and quoted values. Records nothing."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.command_handlers.rerun_requests import ColumnNames, brought_files, require_brought, required_leaf
from engine.commands.catalog import Upload
from engine.errors import AnabranchError
from engine.replay.quoted_values import quoted_values
from engine.replay.rerun_calls import What
from engine.replay.reruns import Reruns
from engine.tools.file_tables import TableReads, TableSource
from engine.tools.tables import Tables, TablesSeen
from engine.views.column_changes import Side, TableChange, column_changes
from engine.workspace.manifest import FileEntry, Files
from engine.workspace.table_facts import TableProfile
from events.identity import NewId
from events.json_value import JSON

__all__ = ["RerunPreviews"]

_WORD = re.compile(r"\w+")


class RerunPreviews:
    """Compares new files with old ones before anything runs. Thread-safe."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        reruns: Reruns,
        tables: Tables,
        reads: TableReads,
        new_id: NewId,
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._reruns = reruns
        self._tables = tables
        self._reads = reads
        self._new_id = new_id

    def preview(
        self, chat_id: str, message_id: str | None, files: Sequence[Upload], columns: ColumnNames
    ) -> list[TableChange]:
        """Compare the tables in new files with the tables in the user's files that the new files would replace on a
        branch.
        """
        with self._chats.locked(chat_id) as state:
            leaf = required_leaf(state, chat_id, message_id)
            brought = brought_files(state, leaf)
            require_brought(brought, [*(upload.name for upload in files), *columns])
        blobs = self._workspaces.blobs(chat_id)
        given = [one.arguments(blobs) for one in self._reruns.calls(chat_id, leaf, What())]
        quoted = frozenset(value for one in given for value in quoted_values(one))
        named = _named(given)
        found: list[TableChange] = []
        with self._workspaces.scratch(chat_id, f"preview-{self._new_id()}") as folder:
            for upload in files:
                path = upload.name
                before = self._sides(chat_id, folder, {path: brought[path]}, quoted)
                now = self._sides(chat_id, folder, {path: _stored(folder, upload)}, quoted)
                found += _changes(path, before, now, named, columns.get(path, {}))
        return found

    def columns(self, chat_id: str, before: Files, now: Files) -> list[TableChange]:
        """Compare the columns of new files with the columns of the files that they replace. Old and new files have the
        same paths.
        """
        found: list[TableChange] = []
        with self._workspaces.scratch(chat_id, f"columns-{self._new_id()}") as folder:
            for path in sorted(now):
                old, new = (
                    self._sides(chat_id, folder, {path: one[path]}, frozenset()) for one in (before, now)
                )
                found += _changes(path, old, new, {}, {})
        return found

    def _sides(
        self, chat_id: str, folder: ChatFolder, files: Files, quoted: frozenset[str]
    ) -> tuple[list[Side], str]:
        """Return the tables of a file, and the reason if it could not be read as a table."""
        folder.workspace.materialize(files)
        seen: TablesSeen = self._tables.look(files, folder.workspace.folder)
        ((path, entry),) = files.items()
        sides = []
        for table in seen.tables:
            source = TableSource(chat_id, entry.sha256, path, table.sheet)
            sides.append(Side(table, self._holds(folder, source, table, quoted)))
        return sides, next(iter(seen.unread.values()), "")

    def _holds(
        self, folder: ChatFolder, source: TableSource, table: TableProfile, quoted: frozenset[str]
    ) -> Mapping[str, Collection[str]]:
        """Return which of the quoted values each column contains. The values are looked up in the column's profile, or
        in the table's rows if the profile lists only some values.
        """
        found: dict[str, Collection[str]] = {
            column.name: quoted & set(column.values) for column in table.columns if column.values_complete
        }
        rest = [c.name for c in table.columns if c.name not in found and c.type == "VARCHAR"]
        if rest and quoted:
            arguments: dict[str, JSON] = {"columns": [*rest], "values": [*sorted(quoted)]}
            try:
                with self._reads.scratch(source, folder.workspace.blobs) as scratch:
                    found |= self._reads.run(scratch, "values_in", arguments)["found"]
            except AnabranchError:  # the values of these columns are not known, so they are left out
                pass
        return found


def _stored(folder: ChatFolder, upload: Upload) -> FileEntry:
    """Store a new file temporarily, in addition to the chat's contents, until the preview ends."""
    content, store = upload.content, folder.workspace.blobs
    blob = store.put_bytes(content) if isinstance(content, bytes) else store.put_file(Path(str(content)))
    return FileEntry(blob.sha256, blob.size)


def _named(given: Iterable[JSON]) -> Mapping[str, int]:
    """Return how many calls mention each word or text in their arguments: word → number of calls."""
    counted: Counter[str] = Counter()
    for arguments in given:
        counted.update(set(_words(arguments)))
    return counted


def _words(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from _WORD.findall(value)
    elif isinstance(value, dict):
        for name, below in value.items():
            if name != "title":
                yield from _words(below)
    elif isinstance(value, list):
        for below in value:
            yield from _words(below)


def _changes(
    path: str,
    before: tuple[list[Side], str],
    now: tuple[list[Side], str],
    named: Mapping[str, int],
    matched: Mapping[str, str],
) -> Iterator[TableChange]:
    """Compare the old and new tables of a file, sheet by sheet."""
    (olds, _), (news, unread) = before, now
    if not olds or not news:
        if olds:
            told = f"The new {path} cannot be read as a table: {unread or 'it has no rows or columns.'}"
            yield TableChange(path, (), problem=told, unusable=True)
        else:
            yield TableChange(
                path,
                (),
                problem=f"{path} is not read as a table in this chat, so its columns are not compared.",
            )
        return
    sheets = {side.table.sheet: side for side in news}
    one_each = len(olds) == len(news) == 1
    for old in olds:
        new = news[0] if one_each else sheets.get(old.table.sheet)
        if new is None:
            used = bool(named.get(old.table.name) or named.get(old.table.sheet or ""))
            told = f"The new {path} has no sheet {old.table.sheet}{', which calls use' if used else ''}."
            yield TableChange(path, (), problem=told, unusable=used)
        else:
            yield column_changes(old, new, named, matched)
    known = {side.table.sheet for side in olds}
    for side in () if one_each else news:
        if side.table.sheet not in known:
            sheet = side.table.sheet
            yield TableChange(path, (), problem=f"{path} has a new sheet {sheet}, which no call uses.")
