"""Recognizes by name the files that may contain tables, and explains why a process did not read a file."""

from engine.runtime.protocol import RunOutcome
from engine.workspace.links import ENDING

__all__ = ["ending_of", "is_parquet", "is_tabular", "is_typed", "why"]

_ENDINGS = {
    "csv": (".csv", ".tsv", ".tab", ".psv", ".csv.gz", ".tsv.gz", ".txt", ".txt.gz"),
    "parquet": (".parquet", ".pq"),
    "json": (".json", ".json.gz", ".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "excel": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "sqlite": (".db", ".sqlite", ".sqlite3", ".db3"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
    "link": (ENDING,),
}
_REASONS = {
    "timed_out": "reading it took too long",
    "crashed": "the process that read it ended early, perhaps for lack of memory",
    "too_much": "reading it took more memory, disk space or processes than a tool may use",
}
"""The kind of a process's error → the reason why the file was not read."""


def ending_of(path: str) -> str:
    """Return the ending of a tabular file's name that determines how the file is read; the longest if several fit."""
    return max((end for ends in _ENDINGS.values() for end in ends if path.lower().endswith(end)), key=len)


def is_tabular(path: str) -> bool:
    """Return whether a file with this name may contain tables."""
    return path.lower().endswith(tuple(end for ends in _ENDINGS.values() for end in ends))


def is_typed(path: str, kind: str | None = None) -> bool:
    """Return whether a file is converted to typed Parquet. Files that already are Parquet are not converted."""
    return kind != "parquet" and not is_parquet(path)


def is_parquet(path: str) -> bool:
    """Return whether a file is Parquet, which is read without being typed first."""
    return path.lower().endswith(_ENDINGS["parquet"])


def why(outcome: RunOutcome) -> str:
    """Return the reason why a process gave no result, as the end of a sentence about the file."""
    kind = outcome.error.kind if outcome.error else outcome.status
    return _REASONS.get(kind) or (outcome.error.message if outcome.error else outcome.status)
