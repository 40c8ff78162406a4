"""Reads a renderer's resolved configuration: texts, switches, sizes, and files of the workspace. Pure."""

import json
from pathlib import PurePosixPath

from engine.rendering.media import media_type_of
from engine.rendering.plans import FileRef
from engine.rendering.renderer import RenderContext
from engine.rendering.rows import CannotShow
from engine.system.input_limits import nearest
from engine.workspace.manifest import FileEntry
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject

__all__ = [
    "decoded",
    "file_or_content",
    "file_ref",
    "flag",
    "logical",
    "optional_file",
    "pixels",
    "reference",
    "words",
]


def words(values: JSONObject, key: str) -> str | None:
    """Return a configured value as text: strings unchanged, other values as JSON."""
    value = values.get(key)
    if value is None or isinstance(value, str):
        return value
    return canonical_json(value)


def flag(values: JSONObject, key: str, default: bool) -> bool:
    """Return a configured switch, or the default."""
    value = values.get(key)
    return default if value is None else value is True


def pixels(values: JSONObject) -> int | None:
    """Return the configured height of a frame; None if no valid height is configured."""
    height = values.get("height")
    fits = isinstance(height, int | float) and not isinstance(height, bool) and 40 <= height <= 4000
    return int(height) if fits and isinstance(height, int | float) else None


def decoded(value: JSON) -> JSON:
    """Return a specification, decoded if the tool returned it as text. Raise `CannotShow` if the text is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        decoded: JSON = json.loads(value)
    except ValueError as error:
        raise CannotShow(f"the chart's spec is text and not JSON: {error}") from None
    return decoded


def file_or_content(values: JSONObject, around: RenderContext) -> tuple[FileRef | None, str | None]:
    """Return the file that the configuration names, or else the `content` that it gives.

    Raises:
        CannotShow: neither is given, or the workspace does not have the file.
    """
    file = optional_file(values, around)
    content = None if file else values.get("content")
    if file is None and content is None:
        raise CannotShow("it needs a file or content, but neither is given", keys=sorted(around.files))
    if content is not None and not isinstance(content, str):
        content = json.dumps(content, indent=2, ensure_ascii=False)
    return file, content


def optional_file(values: JSONObject, around: RenderContext) -> FileRef | None:
    """Return the file that the configuration names; None if it names none. Raise `CannotShow` if it does not exist."""
    path = values.get("file")
    if path is None:
        return None
    if not isinstance(path, str):
        raise CannotShow("file must be a path in the workspace", keys=sorted(around.files))
    return file_ref(path, around)


def file_ref(path: str, around: RenderContext) -> FileRef:
    """Return a reference to a file in the workspace. Raise `CannotShow` if the workspace does not have the file."""
    plain = logical(path, "$workspace/")
    entry = around.files.get(plain)
    if entry is None:
        near = nearest(plain, around.files, 3)
        raise CannotShow(
            f"the workspace has no file {plain} after this call", keys=near or sorted(around.files)
        )
    return reference(plain, entry, "workspace")


def reference(path: str, entry: FileEntry, origin: str) -> FileRef:
    """Return the reference to a file that a plan uses."""
    return FileRef.model_validate(
        {
            "path": path,
            "sha256": entry.sha256,
            "size": entry.size,
            "media_type": media_type_of(path),
            "origin": origin,
        }
    )


def logical(path: str, root: str) -> str:
    """Return a path relative to its root, without the root's name. Raise `CannotShow` for absolute paths and for paths
    that lead outside the root."""
    plain = path.removeprefix(root)
    pure = PurePosixPath(plain)
    if pure.is_absolute() or ".." in pure.parts or "\\" in plain:
        raise CannotShow(f"a path must stay below {root} and be relative to it")
    return pure.as_posix()
