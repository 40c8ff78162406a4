"""Prepares a file of the workspace for display.

An HTML page is displayed in a frame that cannot load anything. If the page uses styles, scripts or pictures of the
workspace, a copy of it that contains them is displayed instead.
"""

from pathlib import Path
from typing import Any

from tools.inside import inside, shown
from tools.page_trial import try_page
from tools.whole_page import whole_page

LARGEST = 20_000_000
"""The maximum size in bytes of a page with everything that it loads."""
COPIES = "preview"
"""The folder for the copies."""


def run(workspace: Path, path: str) -> dict[str, Any]:
    """Return the file to display for `path`; for a page also the files that it loads, its console messages and a
    picture.

    Raises:
        FileNotFoundError: the workspace has no such file.
        ValueError: the path leads out of the workspace, or the page is too large or is not text.
    """
    file = inside(workspace, path)
    if not file.is_file():
        there = sorted(shown(workspace, found) for found in workspace.rglob("*") if found.is_file())[:20]
        raise FileNotFoundError(
            f"the workspace has no file {path}; available files: {', '.join(there) or 'none yet'}"
        )
    name = shown(workspace, file)
    told: dict[str, Any] = {"file": name, "shown": name, "put_in": [], "missing": [], "elsewhere": []}
    if file.suffix.lower() not in (".html", ".htm"):
        return told
    if file.stat().st_size > LARGEST:
        raise ValueError(f"{path} has more than {LARGEST:,} bytes; a preview cannot show more")
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    page = whole_page(workspace, file, text, LARGEST)
    told |= {"put_in": page.put_in, "missing": page.missing, "elsewhere": page.elsewhere}
    if page.put_in:
        copy = inside(workspace, f"{COPIES}/{name.replace('/', '-')}")
        if copy.is_dir():
            raise ValueError(
                f"{shown(workspace, copy)} is a folder, but the preview needs this path for its copy"
            )
        copy.parent.mkdir(exist_ok=True)
        beside = copy.with_name(f".{copy.name}.writing")
        beside.write_text(page.text, encoding="utf-8")
        beside.replace(copy)
        told["shown"] = shown(workspace, copy)
    return told | try_page(workspace / told["shown"])
