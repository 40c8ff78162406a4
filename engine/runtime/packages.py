"""Installs the packages of a bundle version in a separate folder. They are resolved once and pinned by hash, and only
wheels are installed (RUN-7).

pip does the work in a separate process, with the user's pip configuration. No package code runs here: a wheel is only
unpacked, and a package that would have to be built is refused. Everything is in a staging folder until it is complete.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread, Timer
from time import monotonic
from uuid import uuid4

from engine.errors import Unavailable
from engine.system.cancellation import Cancellation
from events.late_dataclass import dataclass

__all__ = ["LOCK", "STAGING", "PackagesInstalled", "install_packages", "sweep_staging"]

LOCK = "requirements.lock"
"""The file in the folder that lists each package with its version and the hashes of its wheel, in pip's format."""

STAGING = ".packages-"
"""The prefix of the names of incomplete folders."""
_SECONDS = 900.0
_SILENCE = 5.0
"""If pip prints no line for this many seconds, as during a large download, the elapsed time is reported."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][^\n\r@:/\\]*")
"""The pattern of a requirement according to the manifest's rules: a name, never an option, an address or a path."""
_SHOWN = re.compile(r"\s*(Collecting|Downloading|Using cached|Installing collected packages|Processing)\b.*")
_KEPT = re.compile(
    r"PIP_.*|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_.*|REQUESTS_CA_BUNDLE|HOME|PATH|LANG|LC_.*|TMPDIR|XDG_.*|SYSTEMROOT|TEMP"
    r"|TMP|APPDATA|LOCALAPPDATA|USERPROFILE",
    re.IGNORECASE,
)
_OFFLINE = (
    "NewConnectionError",
    "name resolution",
    "getaddrinfo",
    "Network is unreachable",
    "ConnectTimeout",
)
_COMMON = (
    "--no-input",
    "--disable-pip-version-check",
    "--only-binary",
    ":all:",
    "--retries",
    "1",
    "--timeout",
    "15",
)

Progress = Callable[[str], None]
"""Called with a line that describes the current work."""


@dataclass(frozen=True, slots=True)
class PackagesInstalled:
    """The packages in a folder."""

    folder: Path
    """The folder, to be used in `RunRequest.packages`."""
    packages: tuple[tuple[str, str], ...]
    """The name and version of each package, including dependencies."""
    lock: str
    """The text of `LOCK`. It can be used to install exactly the same wheels again."""


def install_packages(
    requirements: Sequence[str],
    target: Path,
    progress: Progress,
    cancel: Cancellation,
    *,
    lock: str | None = None,
    options: Sequence[str] = (),
) -> PackagesInstalled:
    """Install `requirements` into `target`, which appears completely or not at all.

    With `lock`, the text that an earlier install returned, nothing is resolved again. `options` are additional pip
    options.

    Raises:
        Unavailable: `packages_refused` (a requirement is not valid), `packages_offline`, `packages_not_installed`
            (with pip's own reason), `packages_stopped`. Nothing is left behind.
    """
    _require_packages(requirements)
    staging = target.parent / f"{STAGING}{uuid4().hex}"
    staging.mkdir(parents=True)
    try:
        pip = _Pip(progress, cancel, tuple(options))
        if lock is None:
            progress("Finding out which packages are needed")
            lock = _resolved(requirements, staging, pip)
        folder = staging / "packages"
        folder.mkdir()
        (folder / LOCK).write_text(lock)
        if lock.strip():
            pip.run("--require-hashes", "--no-deps", "--target", str(folder), "-r", str(folder / LOCK))
        os.replace(folder, target)  # noqa: PTH105 -- onto an empty folder that is there, too
    except OSError as error:
        text = f"The packages could not be stored: {error.strerror or error}."
        raise Unavailable("packages_not_installed", text) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    packages = tuple(_pinned(lock))
    progress(f"Installed {len(packages)} packages")
    return PackagesInstalled(target, packages, lock)


def sweep_staging(folder: Path) -> None:
    """Remove files of killed installs in `folder`, the parent of targets."""
    for left in folder.glob(f"{STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)


def _require_packages(requirements: Sequence[str]) -> None:
    for requirement in requirements:
        if not _REQUIREMENT.fullmatch(requirement.strip()):
            text = (
                f"{requirement!r} is not a package such as pandas>=3. Addresses and options are not allowed."
            )
            raise Unavailable("packages_refused", text)


def _resolved(requirements: Sequence[str], staging: Path, pip: "_Pip") -> str:
    report = staging / "report.json"
    wanted = staging / "requirements.txt"
    wanted.write_text("".join(f"{line.strip()}\n" for line in requirements))
    if not requirements:
        return ""
    pip.run("--dry-run", "--ignore-installed", "--report", str(report), "-r", str(wanted))
    return "".join(sorted(_locked(entry) for entry in json.loads(report.read_text())["install"]))


def _locked(entry: Mapping[str, Mapping[str, object]]) -> str:
    archive = entry["download_info"].get("archive_info")
    assert isinstance(archive, dict)  # only wheels are requested, and wheels are archives
    hashes = archive.get("hashes") or dict([str(archive["hash"]).split("=", 1)])
    told = " ".join(f"--hash={kind}:{value}" for kind, value in sorted(hashes.items()) if kind == "sha256")
    return f"{entry['metadata']['name']}=={entry['metadata']['version']} {told}\n"


def _pinned(lock: str) -> list[tuple[str, str]]:
    found = re.findall(r"(?m)^([^\s=]+)==(\S+)", lock)
    return [(name, version) for name, version in found]


class _Pip:
    """Runs pip, and reports its work."""

    def __init__(self, progress: Progress, cancel: Cancellation, options: tuple[str, ...]) -> None:
        self._progress, self._cancel, self._options = progress, cancel, options
        self._step = "Running pip"

    def run(self, *arguments: str) -> None:
        """Run `pip install`; raises Unavailable."""
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "pip", "install", *_COMMON, *self._options, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)},
            start_new_session=True,
        )
        watch = Timer(_SECONDS, _kill, [process])
        watch.start()
        forget = self._cancel.on_set(lambda: _kill(process))
        said: list[str] = []
        try:
            for line in self._lines(process):
                said.append(line.strip())
                if _SHOWN.match(line):
                    self._step = line.strip()[:200]
                    self._progress(self._step)
        finally:
            forget()
            watch.cancel()
            _kill(process)
            process.communicate()
        if self._cancel.is_set:
            raise Unavailable("packages_stopped", "Installing the packages was stopped. Nothing was kept.")
        if process.returncode != 0:
            raise _failure(said, process.returncode)

    def _lines(self, process: "subprocess.Popen[str]") -> Iterator[str]:
        """Yield pip's lines. While pip is silent, report the elapsed time. This happens in the caller's thread, from
        which a page can be drawn."""
        lines: Queue[str | None] = Queue()
        reader = Thread(target=_read, args=(process, lines), name="pip", daemon=True)
        reader.start()
        began = monotonic()
        while True:
            try:
                line = lines.get(timeout=_SILENCE)
            except Empty:
                self._progress(f"{self._step} … {monotonic() - began:.0f} s so far")
                continue
            if line is None:
                return
            yield line


def _read(process: "subprocess.Popen[str]", lines: "Queue[str | None]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def _kill(process: "subprocess.Popen[str]") -> None:
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _failure(said: Sequence[str], code: int) -> Unavailable:
    if any(word in line for line in said for word in _OFFLINE):
        text = (
            "The package index cannot be reached, so the packages were not installed. Try again when online."
        )
        return Unavailable("packages_offline", text)
    reasons = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    reason = " ".join(dict.fromkeys(reasons))[:1500] or f"pip ended with exit code {code}"
    text = f"The packages could not be installed: {reason}. Only wheels are installed: nothing is built from source."
    return Unavailable("packages_not_installed", text)
