"""The rules for names in a workspace, so that every manifest can be restored on every system."""

from engine.errors import Invalid

__all__ = ["MAX_DEPTH", "require_path", "unusable_name"]

MAX_DEPTH = 64
"""The maximum depth of nested folders."""
_MAX_PATH_BYTES = 2048


def unusable_name(name: str, path: str) -> str | None:
    """Return the reason why an entry `name`, found at `path`, cannot be stored; None if it can."""
    if not (name.isascii() and name.isprintable()):
        try:
            name.encode()
        except UnicodeEncodeError:
            return "its name is not valid UTF-8"
        if any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in name):
            return "its name contains control characters"
    if "\\" in name:
        return "its name contains a backslash"
    if len(path) * 4 > _MAX_PATH_BYTES and len(path.encode()) > _MAX_PATH_BYTES:
        return f"its path is longer than {_MAX_PATH_BYTES} bytes"
    return None


def require_path(path: str) -> list[str]:
    """Split a manifest's path into its names; raise Invalid for a path that could leave the workspace."""
    parts = path.split("/")
    problem = None
    if not all(parts) or any(part in (".", "..") for part in parts):
        problem = "is absolute, empty, or leads upwards (..)"
    elif len(parts) > MAX_DEPTH:
        problem = f"is nested deeper than {MAX_DEPTH} folders"
    else:
        reason = next((reason for part in parts if (reason := unusable_name(part, path))), None)
        problem = f"cannot be used: {reason}" if reason else None
    if problem:
        raise Invalid("bad_path", f"The path {path[:200]!r} {problem}. Nothing was changed in the workspace.")
    return parts
