"""Adds file names to errors that contain only the hash of a content. Pure."""

from engine.workspace.manifest import Files

__all__ = ["with_file_names"]


def with_file_names(text: str, files: Files) -> str:
    """Return an error's text with the paths of the contents whose hashes it contains."""
    for path, entry in files.items():
        text = text.replace(f"The content {entry.sha256} ", f"{path} ({entry.sha256[:12]}…) ")
    return text
