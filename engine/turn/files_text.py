"""Lists the workspace files that are not tables, each with its type, its size and the tool that opens it. Pure."""

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from engine.workspace.manifest import FileEntry

__all__ = ["other_files"]

_LONGEST_PATH = 160
_PICTURES = frozenset({"png", "jpg", "jpeg", "webp", "gif", "bmp", "tif", "tiff", "ico"})
_TEXTS = frozenset(
    {
        *(
            "txt",
            "md",
            "rst",
            "log",
            "py",
            "r",
            "sql",
            "js",
            "ts",
            "html",
            "htm",
            "css",
            "xml",
            "yaml",
            "yml",
        ),
        *(
            "toml",
            "ini",
            "cfg",
            "env",
            "sh",
            "bat",
            "ipynb",
            "tex",
            "svg",
            "vtt",
            "srt",
            "eml",
            "ics",
            "geojson",
        ),
    }
)
_KINDS: Mapping[str, str] = {
    "pdf": "PDF",
    "zip": "ZIP archive",
    "docx": "Word document",
    "doc": "Word document",
    "pptx": "PowerPoint slides",
    "pkl": "Python pickle",
    "npy": "NumPy array",
    "npz": "NumPy arrays",
    "mp3": "sound",
    "wav": "sound",
    "mp4": "video",
    "mov": "video",
    "sav": "SPSS data",
    "dta": "Stata data",
    "sas7bdat": "SAS data",
    "h5": "HDF5 data",
}


def other_files(
    files: Mapping[str, FileEntry], known: Collection[str], tools: Collection[str]
) -> dict[str, str]:
    """Return path → a line about it, for each file whose path is not in `known`.

    `known` contains the paths that are described elsewhere, such as paths of tables. `tools` contains the names of the
    callable tools, so that no line names a tool that is not available.
    """
    lines: dict[str, str] = {}
    for path, entry in sorted(files.items()):
        if path in known:
            continue
        kind, opened = _known(path, tools)
        shown = path if len(path) <= _LONGEST_PATH else f"…{path[-_LONGEST_PATH:]}"
        lines[path] = f"- {' '.join(shown.split())} ({kind}, {_size(entry.size)}){opened}"
    return lines


def _known(path: str, tools: Collection[str]) -> tuple[str, str]:
    """Return the type of a file, judging by its name, and the tool that opens it."""
    suffix = PurePosixPath(path).suffix.lower().removeprefix(".")
    if suffix in _PICTURES:
        return "picture", _by("view", "shows it", tools)
    if suffix == "pdf":
        return "PDF", _by("view", "shows a page and its text", tools)
    if suffix in _TEXTS or not suffix:
        return "text", _by("read_file", "reads it", tools)
    return _KINDS.get(suffix, f".{suffix} file"), _by("python", "can read it", tools)


def _by(tool: str, what: str, tools: Collection[str]) -> str:
    return f": `{tool}` {what}" if tool in tools else ""


def _size(count: int) -> str:
    for unit, factor in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"
