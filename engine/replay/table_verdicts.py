"""Decides whether two files with different bytes contain the same table."""

from pathlib import PurePosixPath

from engine.errors import AnabranchError
from engine.replay.verdicts import Tables, TableVerdict
from engine.tools.file_tables import TableSource
from engine.tools.table_comparison import TableComparisons
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import FileEntry

__all__ = ["TableVerdicts"]

_TABULAR = frozenset({".parquet", ".pq", ".csv", ".tsv", ".json", ".ndjson", ".jsonl"})
_WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})


def _then_and_now(told: str) -> str:
    """Reword a description of sides A and B as a description of before and now."""
    return told.replace("only in A", "gone").replace("only in B", "new")


class TableVerdicts:
    """Compares tables."""

    def __init__(self, comparisons: TableComparisons) -> None:
        self._comparisons = comparisons

    def __call__(self, chat_id: str, blobs: BlobStore) -> Tables:
        """Return a function that compares contents stored in `blobs`."""

        def compared(path: str, before: FileEntry, now: FileEntry) -> TableVerdict | None:
            ending = PurePosixPath(path).suffix.lower()
            old, new = (TableSource(chat_id, entry.sha256, path) for entry in (before, now))
            try:
                if ending in _WORKBOOKS:
                    book = self._comparisons.compare_workbooks(old, new, blobs)
                    return TableVerdict(book.same, book.told, book.to_json())
                if ending not in _TABULAR:
                    return None
                found = self._comparisons.compare(old, new, blobs=blobs)
            except AnabranchError:  # not a table after all; the difference in bytes is reported
                return None
            told = _then_and_now(found.told)
            return TableVerdict(found.verdict != "differs", told, {**found.to_json(), "told": told})

        return compared
