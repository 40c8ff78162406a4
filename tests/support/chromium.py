"""Finds the Chromium that browser tests drive; `python -m tests.support.chromium` sees to it that there is one.

`CHROMIUM` names it, or it is on PATH. Where there is none, and we are root on a Debian-like system (as in a container),
its package is installed; anywhere else the reader is told what to do. The headless shell is the same engine without the
windows around it, which nobody sees here: it comes first, being a tenth faster.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import partial

__all__ = ["find_chromium"]

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium-headless-shell", "chromium")
ADVICE = (
    "The browser tests drive Chromium, and there is none here. Install it (on Debian and Ubuntu: "
    "`apt-get install chromium`), or say where one is: CHROMIUM=/path/to/chrome make test"
)


def find_chromium(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a Chromium, or None where there is none."""
    if named := environ.get("CHROMIUM"):
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _install() -> None:
    """Install the first of Debian's packages that there is, as root."""
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run = partial(subprocess.run, env=environ, stdout=subprocess.DEVNULL)
    run(["apt-get", "update"], check=True)
    here = [run(["apt-cache", "show", name], stderr=subprocess.DEVNULL).returncode == 0 for name in PACKAGES]
    name = next((name for name, is_here in zip(PACKAGES, here, strict=True) if is_here), PACKAGES[-1])
    run(["apt-get", "install", "-y", "--no-install-recommends", name], check=True)


def main() -> None:
    """Name the Chromium there is, after installing one where that is possible; else exit 1."""
    found = find_chromium()
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if found is None and "CHROMIUM" not in os.environ and is_root and shutil.which("apt-get"):
        print("Chromium is not here; installing the system's package.")
        try:
            _install()
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"Installing it failed ({error}). {ADVICE}")
        found = find_chromium()
    if found is None:
        sys.exit(ADVICE)
    print(f"Browser tests drive {found}.")


if __name__ == "__main__":
    main()
