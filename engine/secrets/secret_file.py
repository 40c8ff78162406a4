"""The user's secrets in a file that nobody else may read, with the names of the secrets in the keyring.

The file is in the user's configuration folder, never in the data folder, which may be copied, exported and shared. It
is written completely under a temporary name and then renamed, so that a crash leaves either the old file or the new
one.
"""

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from engine.errors import Unavailable
from engine.system.private_files import CONFIG_FOLDER, own_folder
from events.late_dataclass import dataclass

try:
    import fcntl
except ImportError:  # Windows: if two processes write at once, the last one wins
    fcntl = None  # type: ignore[assignment]

__all__ = ["Content", "SecretFile", "Stamp"]

Stamp: TypeAlias = tuple[int, int, int] | None
"""An identifier of the file's current content; None if there is no file."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Content:
    """The content of the file."""

    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    in_keyring: Mapping[str, int] = field(default_factory=dict)
    """Names whose values are in the keyring, each with the number of times that the value was set."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Name of a toolset's secret → the source to which the secret is bound."""


class SecretFile:
    """The file `secrets.json` in `folder`. The folder is created when something is first written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "secrets.json"

    def stamp(self) -> Stamp:
        """Return an identifier of the file's current content."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self) -> Content:
        """Return the content; empty if there is no file.

        Raises:
            Unavailable: the file cannot be read or understood (`secrets_unreadable`), or others may read it and that
                cannot be changed (`secrets_exposed`).
        """
        try:
            with self.path.open("rb") as file:
                self._keep_private(file.fileno())
                value = json.loads(file.read())
            secrets, in_keyring = value["secrets"], value["keyring"]
            sources = value.get("sources", {})
            texts = [*secrets, *secrets.values(), *in_keyring, *sources, *sources.values()]
            if not all(isinstance(text, str) for text in texts):
                raise TypeError("a name or a value is not text")
        except FileNotFoundError:
            return Content()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unavailable(
                "secrets_unreadable",
                f"The file with your keys, {self.path}, cannot be read ({type(error).__name__}). "
                "Repair it, or move it away and set your keys again.",
            ) from None  # because json's error would quote the file
        return Content(secrets, in_keyring, sources)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the file, so that no other process changes it during the block."""
        folder = self.path.parent
        own_folder(folder, CONFIG_FOLDER)
        descriptor = os.open(folder / "secrets.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def write(self, content: Content) -> None:
        """Replace the file with `content`, durably. Call this within `alone`, which takes the lock."""
        value: dict[str, object] = {
            "version": 1,
            "secrets": dict(content.secrets),
            "keyring": dict(content.in_keyring),
        }
        if content.sources:
            value["sources"] = dict(content.sources)
        # created with mode 0600
        descriptor, name = tempfile.mkstemp(prefix=".secrets-", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(value, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if os.name == "posix":
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _keep_private(self, descriptor: int) -> None:
        """Remove other users' access to the file; raise Unavailable if that is not possible."""
        if os.name != "posix":
            return
        found = os.fstat(descriptor)
        if not found.st_mode & _OTHERS:
            return
        try:
            os.fchmod(descriptor, 0o600)
        except OSError:
            raise Unavailable(
                "secrets_exposed",
                f"Other users can read the file with your keys, {self.path}, and you may not change its "
                "permissions. Make it your own with mode 600, or move it away and set your keys again.",
            ) from None
