"""Finds or installs the Chromium that browser tests use: `python -m tests.support.chromium`.

The variable `CHROMIUM` names the program; otherwise it is searched for on PATH. If it is not found, and this process is
root on a Debian-like system (as in a container), Chromium's package is installed; otherwise a message says what to do.
The headless shell is preferred: it is the same browser without windows, and a tenth faster.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import partial

__all__ = ["find_chromium"]

HEADLESS = "chromium-headless-shell"
NAMES = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ADVICE = (
    "The browser tests drive Chromium, and there is none here. Install it (on Debian and Ubuntu: "
    "`apt-get install chromium`), or say where one is: CHROMIUM=/path/to/chrome make test"
)


def find_chromium(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of a Chromium, or None if there is none."""
    if named := environ.get("CHROMIUM"):
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _install() -> None:
    """Install Debian's package, as root."""
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run = partial(subprocess.run, env=environ, stdout=subprocess.DEVNULL, check=True)
    run(["apt-get", "update"])
    install = ["apt-get", "install", "-y", "--no-install-recommends"]
    try:
        run([*install, HEADLESS], stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:  # older systems have no package of the headless shell
        run([*install, "chromium"])


def main() -> None:
    """Print the path of Chromium, after installing it if possible; otherwise exit with code 1."""
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
