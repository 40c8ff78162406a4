"""Adds file names to errors that contain only the hash of a file's content. Pure."""

from engine.workspace.manifest import Files

__all__ = ["with_file_names"]


def with_file_names(text: str, files: Files) -> str:
    """Return an error's text with the path of each file before its hash."""
    for path, entry in files.items():
        text = text.replace(f"The content {entry.sha256} ", f"{path} ({entry.sha256[:12]}…) ")
    return text
