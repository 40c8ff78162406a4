"""The data of a program: each table that its steps read, as Parquet, and the files that its Python code names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import PurePosixPath

from engine.errors import Refused
from engine.tools.file_tables import FILE, TableReads, TableSource
from engine.views.programs.program import LoadStep, TableName
from engine.views.workspace import WorkspaceReads
from engine.workspace.limits import in_units
from engine.workspace.manifest import FileEntry
from engine.workspace.table_facts import TableProfile
from events.late_dataclass import dataclass

__all__ = ["MOST_BYTES", "ProgramData"]

MOST_BYTES = 1 << 30
"""The maximum size of one program's data, in bytes."""
_ALL_FILES = re.compile(r"\b(?:glob|rglob|iterdir|listdir|scandir|walk)\b")
_LEAST_PREFIX = 8
"""The number of characters of a content's hash that are added to a file's name."""


@dataclass(slots=True)
class ProgramData:
    """Collects the data of a program while its steps are made, and remembers the current content of each table."""

    chat_id: str
    reads: TableReads
    workspace: WorkspaceReads
    files: dict[str, bytes] = field(default_factory=dict)
    """The files, by path in the data folder."""
    _held: dict[TableName, str] = field(default_factory=dict)
    """The content of each table, as a digest."""
    _bytes: int = 0

    def loads(self, program: str, states: Mapping[str, str | None]) -> Iterator[LoadStep]:
        """Yield a step for each table that `program` names, unless the table is already loaded with the same content.

        `states` maps each schema to the id of a manifest (None: no files). The schema "" is for the call's own files;
        every other schema is named after a moment.

        Raises:
            Refused: the data is too large (`export_too_large`).
        """
        words = {word.lower() for word in re.findall(r"\w+", program)}
        for schema, manifest_id in states.items():
            if manifest_id is None or (schema and schema.lower() not in words):
                continue
            files = self.workspace.files(self.chat_id, manifest_id)
            for table in self.workspace.tables(self.chat_id, manifest_id):
                if words.issuperset(re.findall(r"\w+", table.name.lower())):
                    yield from self._load(TableName(table.name, schema), table, files)

    def made(self, table: TableName, sha256: str) -> None:
        """Record that a step of the program makes this table, with the content whose hash is `sha256`."""
        self._held[table] = sha256

    def keep(self, path: str, content: bytes) -> str:
        """Put a file into the data folder; return its path in that folder.

        Raises:
            Refused: see `loads`.
        """
        if self.files.get(path) != content:
            self._bytes += len(content)
            if self._bytes > MOST_BYTES:
                raise Refused(
                    "export_too_large",
                    f"The data of this analysis is larger than {in_units(MOST_BYTES)}, the limit for one export. "
                    "Export single answers, or hand over the page (HTML) instead.",
                )
            self.files[path] = content
        return path

    def named_files(self, code: str, manifest_id: str | None) -> None:
        """Store the files that Python code may open: the files that the code names, or all files if the code lists
        folders.
        """
        if manifest_id is None:
            return
        everything = _ALL_FILES.search(code) is not None
        for path, entry in self.workspace.files(self.chat_id, manifest_id).items():
            if everything or path in code or PurePosixPath(path).name in code:
                self.keep(f"files/{path}", self.workspace.read(self.chat_id, entry.sha256))

    def _load(
        self, name: TableName, table: TableProfile, files: Mapping[str, FileEntry]
    ) -> Iterator[LoadStep]:
        parts = [table.path] if table.path in files else [p for p in files if p.startswith(f"{table.path}/")]
        content = "+".join(f"{path}:{files[path].sha256}" for path in parts) if len(parts) > 1 else ""
        held = (content or (files[parts[0]].sha256 if parts else "")) + (table.sheet or "")
        if not parts or self._held.get(name) == held:
            return
        self._held[name] = held
        targets = tuple(self._stored(name, table, path, files[path]) for path in parts)
        sheet = f", {table.sheet}" if table.sheet else ""
        hash_told = f" (SHA-256 {files[parts[0]].sha256})" if len(parts) == 1 else f" ({len(parts)} files)"
        origin = f"{table.path}{sheet}{hash_told}, {table.rows:,} rows as Anabranch read them"
        hive = len(parts) > 1 and "=" in PurePosixPath(parts[0]).parent.name
        yield LoadStep(name, targets, hive, origin)

    def _stored(self, name: TableName, table: TableProfile, path: str, entry: FileEntry) -> str:
        source = TableSource(self.chat_id, entry.sha256, path, table.sheet)
        with self.reads.scratch(source) as folder:
            content = (folder / FILE).read_bytes()
        if path != table.path:
            return self.keep(f"{name.name}/{PurePosixPath(path).relative_to(table.path)}", content)
        stem = "-".join(part for part in (name.schema, name.name) if part)
        target = f"{stem}.parquet"
        if self.files.get(target, content) != content:
            target = f"{stem}-{entry.sha256[:_LEAST_PREFIX]}.parquet"
        return self.keep(target, content)
