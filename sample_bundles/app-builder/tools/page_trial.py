"""Opens a page once in a headless browser and reports its console messages and a screenshot.

The browser runs in this sandboxed process, so it has no network and sees only this workspace. If no browser is
installed, the page is not tried.
"""

import base64
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["try_page"]

_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_SECONDS = 25
_LOADING = 4_000
"""How long the page's scripts may run, in milliseconds of the page's own (virtual) time."""
_MOST_MESSAGES = 20
_LONGEST = 300
_LARGEST = 3_500_000
_SAID = re.compile(r'CONSOLE[:(]\d+\)?\] "(.*)", source: \S* \((\d+)\)', re.DOTALL)


def try_page(page: Path) -> dict[str, Any]:
    """Return `console`, the page's messages with their line numbers, and `_pictures`, which contains a screenshot.

    If there is no browser or the browser fails, `note` says that the page was not tried.
    """
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        return {
            "note": "The page was not tried: no Chromium is installed here. The user sees it in the card."
        }
    private = Path(os.environ.get("TMPDIR", "/tmp"))  # noqa: S108 -- a host gives each call its own
    picture = private / "page.png"
    try:
        done = subprocess.run(
            [browser, *_flags(private, picture), page.resolve().as_uri()],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"note": f"The page was still busy after {_SECONDS} s, so its trial did not finish."}
    except OSError as error:
        return {"note": f"The page was not tried: the browser did not start ({error})."}
    said = _messages(done.stderr.decode("utf-8", "replace"))
    if not picture.is_file():
        return {"console": said, "note": "The page was not tried: the browser made no picture of it."}
    told: dict[str, Any] = {"console": said}
    if picture.stat().st_size <= _LARGEST:
        data = base64.b64encode(picture.read_bytes()).decode()
        told["_pictures"] = [{"media_type": "image/png", "data": data, "caption": page.name}]
    return told


def _flags(private: Path, picture: Path) -> list[str]:
    return [
        "--headless",
        "--no-sandbox",  # this process is already in our sandbox; Chromium's own cannot start inside it
        "--disable-gpu",
        "--disable-quic",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--hide-scrollbars",
        "--enable-logging=stderr",
        f"--user-data-dir={private / 'browser'}",
        f"--virtual-time-budget={_LOADING}",
        "--window-size=1000,700",
        f"--screenshot={picture}",
    ]


def _messages(log: str) -> list[str]:
    """Return the page's console messages, including errors, each with its line number."""
    found = []
    for entry in re.split(r"(?m)^(?=\[\d{4}/)", log):
        if match := _SAID.search(entry):
            text = " ".join(match[1].split())[:_LONGEST]
            found.append(f"{text} (line {match[2]})")
    more = len(found) - _MOST_MESSAGES
    return found[:_MOST_MESSAGES] + ([f"and {more} more messages"] if more > 0 else [])
