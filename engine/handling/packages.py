"""The packages of bundle versions (RUN-7): below `<data>/packages`, installed when the user agrees, never at a call."""

import contextlib
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from engine.cancel import Cancel
from engine.runtime.packages import install_packages, sweep_staging
from engine.toolsets.install import StagedBundle, packages_folder

__all__ = ["add_packages", "sweep_packages"]


def add_packages(data: Path, staged: StagedBundle, progress: Callable[[str], None]) -> None:
    """Install what a staged bundle requires; nothing where it requires nothing, or has it already.

    Raises:
        Unavailable: see `install_packages`; nothing is left behind.
    """
    target = packages_folder(data, staged.folder)
    if staged.manifest.requirements and not target.is_dir():
        install_packages(staged.manifest.requirements, target, progress, Cancel())


def sweep_packages(data: Path, keep: Collection[str]) -> None:
    """Remove what killed installs left, and packages of versions that no event names (`<id>/<version>-<hash>`)."""
    root = data / "packages"
    for folder in root.glob("*"):
        sweep_staging(folder)
    for folder in root.glob("*/*"):
        if folder.relative_to(root).as_posix() not in keep:
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                folder.parent.rmdir()
