"""Recovers a data folder whose database cannot be opened: its log, and the files of its chats and toolsets."""

import os
import shutil
from pathlib import Path

from engine.app.maintenance.checkpoints import anchor_of
from engine.errors import Refused, Unavailable
from engine.system.data_folder import require_store
from engine.system.data_folder_lock import held_by_another, holder, is_held
from engine.system.folder_removal import remove_tree
from events.late_dataclass import dataclass
from events.log import LogError
from events.salvage import Salvaged, salvage

__all__ = ["SalvagedFolder", "salvage_into"]

_FILES = ("chats", "toolsets", "toolset-copies")


@dataclass(frozen=True, slots=True)
class SalvagedFolder:
    """The events and contents that were recovered from a data folder."""

    log: Salvaged
    files: int
    """The number of files of chats and toolsets that were copied."""
    unreadable: tuple[str, ...] = ()
    """The files that could not be read, each with the reason."""

    def text(self, folder: Path) -> str:
        """Return the report for the user."""
        read = ", ".join(f"{count:,} from {name}" for name, count in self.log.sources.items() if count)
        lines = [f"{self.log.events:,} events in {folder}, and {self.files:,} files. Rows read: {read}."]
        if self.log.whole:
            lines.append("No event is missing, and all hashes are unchanged.")
        else:
            lines += [f"missing  events {first:,} to {last:,}" for first, last in self.log.missing]
            lines.append(
                f"{self.log.left_out:,} more were left out, because an earlier event of their chat "
                "is missing. All events have new numbers and hashes."
            )
        lines.append(
            f"Check the new folder with `anabranch check --data {folder}`. The damaged folder was not changed."
        )
        return "\n".join(lines)


def salvage_into(data: Path, folder: Path) -> SalvagedFolder:
    """Recover everything readable in `data` into the new folder `folder`.

    Raises:
        NotFound: there is no data in `data` (`data_not_found`).
        Refused: `folder` is not empty (`folder_taken`).
        Unavailable: another process is using `data` (`log_held`), nothing can be read (`log_unreadable`), or the disk
            reported an error (`disk`).
    """
    require_store(data)
    if is_held(data):
        raise held_by_another(data, holder(data))
    if folder.exists() and any(folder.iterdir()):
        raise Refused("folder_taken", f"{folder} is not empty. Give a folder that does not exist yet.")
    known = anchor_of(data).read(None).other
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    unreadable: list[str] = []
    try:
        done = salvage(data, fresh, known.position if known else 0)
        files = sum(_copied(data / name, fresh / name, unreadable) for name in _FILES)
        if folder.exists():
            folder.rmdir()
        fresh.rename(folder)
    except LogError as error:
        remove_tree(fresh)
        raise Unavailable("log_unreadable", str(error)) from error
    except OSError as error:
        remove_tree(fresh)
        raise Unavailable(
            "disk",
            f"The operating system reported an error: {error.strerror or error}. Nothing was created or changed.",
        ) from error
    return SalvagedFolder(done, files, (*done.unreadable, *unreadable))


def _copied(source: Path, target: Path, unreadable: list[str]) -> int:
    """Copy the readable files of a folder; return the number of copied files."""
    copied = 0

    def copy(path: str, to: str) -> None:
        nonlocal copied
        try:
            shutil.copy2(path, to)
            copied += 1
        except OSError as error:
            unreadable.append(f"{path}: {error.strerror}")

    if source.is_dir():
        try:
            shutil.copytree(source, target, symlinks=True, copy_function=copy)
        except shutil.Error as error:
            unreadable += [f"{path}: {why}" for path, _, why in error.args[0]]
    return copied
