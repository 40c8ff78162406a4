"""The names of a log's files in its data folder."""

__all__ = ["DATABASE", "JOURNAL", "KEPT"]

DATABASE = "anabranch.duckdb"
JOURNAL = "anabranch.journal"
"""The file with the events acknowledged since the database's last checkpoint."""
KEPT = "kept-journal"
"""The folder with the second copy of all events."""
