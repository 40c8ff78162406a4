"""Reuses the column matches that the user made in an earlier re-run, for checks of standing questions."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.replay.rerun_calls import What
from engine.tools.column_renaming import ColumnRenaming
from engine.views.column_changes import TableChange
from engine.workspace.manifest import Files
from events.catalog.replay import RerunStarted
from events.event import Event
from events.late_dataclass import dataclass

__all__ = ["MatchedColumns", "lacking", "matching_told"]


@dataclass(frozen=True, slots=True)
class MatchedColumns:
    """Finds columns that are missing in files, and applies earlier matches."""

    chats: Chats
    workspaces: Workspaces
    columns: Callable[[str, Files, Files], list[TableChange]]
    """Compares the columns of new files with the columns of the chat's files that they would replace."""
    renaming: ColumnRenaming

    def incomplete(self, chat_id: str, before: Files, now: Files) -> list[TableChange]:
        """Return the changed tables that lack a column that they had before."""
        changed = {path: entry for path, entry in now.items() if before[path] != entry}
        tables = self.columns(chat_id, before, changed) if changed else []
        return [table for table in tables if lacking(table)]

    def renamed(self, chat_id: str, files: Files, tables: Sequence[TableChange]) -> What:
        """Return the change for a re-run with these files. Columns that the user matched in an earlier re-run are
        renamed.

        Raises:
            Invalid: a header cannot be changed (`column_words`).
        """
        names = _known((recorded.event for recorded in self.chats.recorded(chat_id)), tables)
        blobs = self.workspaces.blobs(chat_id)
        named = {
            path: self.renaming.renamed(path, files[path], {new: old for old, new in of.items()}, blobs)
            for path, of in names.items()
        }
        return What(files={**files, **named}, columns=names, brought={path: files[path] for path in named})


def lacking(table: TableChange) -> list[str]:
    """Return the columns that a new table lacks."""
    return [column.name for column in table.columns if column.what == "missing"]


def matching_told(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return one text with a sentence for each file about how its columns were matched; "" if there are no files."""
    return " ".join(
        f"In {path}, {' and '.join(f'{new} is read as {old}' for old, new in names.items())}, as you matched them."
        for path, names in columns.items()
    )


def _known(events: Iterable[Event], tables: Sequence[TableChange]) -> dict[str, dict[str, str]]:
    """Return how the user last matched the missing columns: path → missing column → column of the new file.

    A match is left out if the new file does not have the column, or if several missing columns match it.
    """
    matched: dict[str, dict[str, str]] = {}
    for event in events:
        if isinstance(event, RerunStarted):
            for path, names in event.columns.items():
                matched.setdefault(path, {}).update(names)
    found: dict[str, dict[str, str]] = {}
    for table in tables:
        known, new = matched.get(table.path, {}), {c.name for c in table.columns if c.what == "new"}
        names = {name: known[name] for name in lacking(table) if known.get(name) in new}
        once = {name: to for name, to in names.items() if list(names.values()).count(to) == 1}
        if once:
            found[table.path] = once
    return found
