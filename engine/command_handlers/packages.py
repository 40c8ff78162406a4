"""Installs the packages that bundles require in `<data>/packages` (RUN-7): only after the user has agreed, and never
during a call.
"""

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from engine.errors import Unavailable
from engine.runtime.packages import STAGING, install_packages, sweep_staging
from engine.system.cancellation import Cancellation
from engine.toolsets.install import StagedBundle, packages_folder

__all__ = ["add_packages", "carry_packages", "sweep_packages"]


def add_packages(data: Path, staged: StagedBundle, progress: Callable[[str], None]) -> None:
    """Install the packages that a staged bundle requires, if there are any and they are not installed yet.

    Raises:
        Unavailable: see `install_packages`; nothing is left behind.
    """
    target = packages_folder(data, staged.folder)
    if staged.manifest.requirements and not target.is_dir():
        install_packages(staged.manifest.requirements, target, progress, Cancellation())


def carry_packages(
    data: Path, toolset_id: str, version: str, content_hash: str, staged: StagedBundle
) -> None:
    """Give a staged bundle the installed packages of the version that it replaces, if both versions require the same
    packages.

    Raises:
        Unavailable: the packages are missing (`packages_missing`) or cannot be stored.
    """
    target = packages_folder(data, staged.folder)
    if not staged.manifest.requirements or target.is_dir():
        return
    source = packages_folder(data, data / "toolsets" / toolset_id / f"{version}-{content_hash[:12]}")
    if not source.is_dir():
        raise Unavailable("packages_missing", f"The packages of {toolset_id} are missing; install it again.")
    staging = target.parent / f"{STAGING}{uuid4().hex}"
    try:
        try:
            shutil.copytree(
                source, staging, copy_function=os.link, symlinks=True
            )  # hard links are safe, because the files are never written to
        except OSError:  # a different file system, or a file system without links
            shutil.rmtree(staging, ignore_errors=True)
            shutil.copytree(source, staging, symlinks=True)
        staging.rename(target)
    except OSError as error:
        message = (
            f"The packages of {toolset_id} cannot be stored: {error.strerror or error}. Is the disk full?"
        )
        raise Unavailable("packages_missing", message) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def sweep_packages(data: Path, is_kept: Callable[[str], bool]) -> None:
    """Remove files of killed installs, and the packages of each version (`<id>/<version>-<hash>`) that is not kept."""
    root = data / "packages"
    for folder in root.glob("*"):
        sweep_staging(folder)
    for folder in root.glob("*/*"):
        if not is_kept(folder.relative_to(root).as_posix()):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                folder.parent.rmdir()
