"""The visitors of a public demo. Each has its own engine in a temporary folder, deleted when the visitor leaves.

A visitor is identified by a token that the browser tab stores. With each run, the page reports which of its sessions
belongs to the visitor. The page also passes in a function that checks whether a session still exists, so that this
module does not depend on the page.
"""

import contextlib
import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, RLock, Thread

from engine.app.demo.limits import DemoLimits
from engine.app.demo.visitor_app import VisitorApp, bring_into
from engine.app.maintenance.chat_archive import Unpacked
from engine.app.wiring_parts import PRELOAD
from engine.errors import AnabranchError, Invalid, Unavailable
from engine.rendering.charts.renderer import ChartRenderer
from engine.runtime.hosts import close_hosts, new_hosts
from engine.system.data_folder_lock import LOCK, DataFolderLock, is_held
from engine.system.folder_removal import remove_tree

__all__ = ["DemoFull", "Visitors"]

_log = logging.getLogger("anabranch.demo")
_PREFIX = "anabranch-demo-"
_MAKING = 60.0
"""The seconds that another server may take to lock a folder that it has created."""


class DemoFull(Unavailable):
    """The demo already has as many visitors as are allowed."""

    def __init__(self, visitors: int) -> None:
        super().__init__(
            "demo_full", f"The demo is full right now: {visitors} visitors are here. Try again soon."
        )


class _Visitor:
    """One visitor's stay. The engine is opened when it is first needed."""

    def __init__(self, folder: Path, number: int, now: float) -> None:
        self.folder = folder
        self.number = number
        self.lock = RLock()
        self.app: VisitorApp | None = None
        self.gone = False
        self.sessions: set[str] = set()
        self.used = self.seen = now

    def end(self) -> None:
        """Close the engine and wipe the folder. Callers must not hold the lock of `Visitors`, since turns may have to
        end first.
        """
        with self.lock:
            self.gone = True
            _wipe(self.app, self.folder)


class Visitors:
    """All visitors of this process. Thread-safe."""

    def __init__(
        self,
        limits: DemoLimits,
        is_live: Callable[[str], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
        temporary: Path | None = None,
    ) -> None:
        """Remove the folders that a killed server left, and start looking for visitors who have left.

        `is_live` returns whether a session of the page still exists. `temporary` is by default the system's folder for
        temporary files.
        """
        self.limits = limits
        self._is_live, self._clock = is_live, clock
        place = temporary or Path(tempfile.gettempdir())
        _sweep(place)
        self._root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        self._folder_lock = DataFolderLock(self._root)
        self._hosts = new_hosts(PRELOAD)
        self._charts = ChartRenderer()
        self._lock, self._preparing = RLock(), RLock()
        self._visitors: dict[str, _Visitor] = {}
        self._count = 0
        self._ended = Event()
        self._janitor = Thread(target=self._look_after, name="demo visitors", daemon=True)
        self._janitor.start()

    def enter(self, token: str, session_id: str) -> VisitorApp:
        """Return the engine of the visitor `token`, and open it first if necessary; `session_id` is the page session
        that shows it.

        Raises:
            DemoFull: there is no room for another visitor.
            Unavailable: the demo is closing, or its disk reported an error.
        """
        while True:
            visitor = self._admitted(token, session_id)
            with visitor.lock:
                if visitor.gone:
                    continue  # deleted in the meantime: try again
                if visitor.app is None:
                    with self._undone(token, visitor):
                        shutil.copytree(self._prepared(), visitor.folder, dirs_exist_ok=True)
                        visitor.app = VisitorApp(visitor.folder, self.limits, self._hosts, self._charts)
                return visitor.app

    def stay(self, token: str) -> int | None:
        """Return the serial number of a visitor's stay; None if the visitor has no engine. A visitor whose engine was
        deleted gets a new number."""
        with self._lock:
            visitor = self._visitors.get(token)
            return visitor.number if visitor is not None else None

    def has_room(self, token: str) -> bool:
        """Return whether `token` could enter now."""
        with self._lock:
            return (
                token in self._visitors or len(self._visitors) < self.limits.visitors or bool(self._absent())
            )

    def bring_back(self, token: str, source: bytes) -> Unpacked:
        """Give the visitor an engine with the chats of a downloaded file, in place of the current one.

        Raises:
            Invalid, Refused: the file was not made by Anabranch, is incomplete or too large. The visitor keeps the
                current engine.
        """
        with self._lock:
            visitor = self._visitors.get(token)
            folder = self._new_folder()
        if visitor is None:
            raise Unavailable(
                "demo_wiped", "Your session was wiped in the meantime. Restore the file once more."
            )
        try:
            app, brought = bring_into(folder, source, self.limits, self._hosts, self._charts)
        except AnabranchError:
            remove_tree(folder)
            raise
        except Exception as error:
            _log.warning("A file could not be restored.", exc_info=True)
            remove_tree(folder)
            raise Invalid(
                "log_file_bad", "This file cannot be restored: its events do not fit together."
            ) from error
        with visitor.lock:
            if visitor.gone:
                _wipe(app, folder)
                raise Unavailable(
                    "demo_wiped", "Your session was wiped in the meantime. Restore the file once more."
                )
            before, visitor.app = visitor.app, app
            left, visitor.folder = visitor.folder, folder
        _wipe(before, left)
        return brought

    def leave(self, token: str) -> None:
        """Close a visitor's engine and delete its folder, even if it is still in use."""
        with self._lock:
            visitor = self._visitors.pop(token, None)
        if visitor is not None:
            visitor.end()

    def look_round(self) -> int:
        """Delete the engines of visitors who have left or were idle for too long; return the number of these
        visitors."""
        now, leaving = self._clock(), []
        with self._lock:
            for token, visitor in self._visitors.items():
                visitor.sessions = {each for each in visitor.sessions if self._is_live(each)}
                if visitor.sessions:
                    visitor.seen = now
                away = now - visitor.seen > self.limits.grace_seconds
                if away or now - visitor.used > self.limits.idle_minutes * 60:
                    leaving.append(token)
        for token in leaving:
            self.leave(token)
        return len(leaving)

    def close(self) -> None:
        """Delete the engines of all visitors and end every process. A second call does nothing."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._janitor.join(timeout=10)
        with self._lock:
            tokens = list(self._visitors)
        for token in tokens:
            self.leave(token)
        close_hosts(self._hosts)
        self._charts.close()
        self._folder_lock.release()
        remove_tree(self._root)

    def _admitted(self, token: str, session_id: str) -> _Visitor:
        left: _Visitor | None = None
        with self._lock:
            if self._ended.is_set():
                raise Unavailable("closing", "The demo is closing. Reload the page in a moment.")
            visitor = self._visitors.get(token)
            if visitor is None:
                left = self._made_room()
                folder = self._new_folder()
                visitor = self._visitors[token] = _Visitor(folder, self._count, self._clock())
            visitor.sessions.add(session_id)
            visitor.used = visitor.seen = self._clock()
        if left is not None:
            left.end()
        return visitor

    def _made_room(self) -> _Visitor | None:
        """Make room for a visitor. If the demo is full, remove the visitor whose tab has been closed the longest, and
        return it so that the caller can end it.

        Raises:
            DemoFull: the demo is full and every visitor's tab is open.
        """
        if len(self._visitors) < self.limits.visitors:
            return None
        absent = self._absent()
        if not absent:
            raise DemoFull(self.limits.visitors)
        return self._visitors.pop(absent[0])

    def _absent(self) -> list[str]:
        """Return the visitors whose tab is closed but who could still come back, the longest absent first."""
        away = [
            (visitor.seen, token)
            for token, visitor in self._visitors.items()
            if not any(self._is_live(each) for each in visitor.sessions)
        ]
        return [token for _, token in sorted(away)]

    def _prepared(self) -> Path:
        """Return a folder with the bundles already installed. The folder is made once. An engine opens three times as
        fast in a copy of it.
        """
        folder = self._root / "prepared"
        with self._preparing:
            if not folder.exists():
                fresh = self._new_folder()
                VisitorApp(fresh, self.limits, self._hosts, self._charts).close()
                fresh.rename(folder)
        return folder

    def _new_folder(self) -> Path:
        self._count += 1
        folder = self._root / f"{self._count:06d}"
        folder.mkdir(mode=0o700)
        return folder

    @contextmanager
    def _undone(self, token: str, visitor: _Visitor) -> Iterator[None]:
        """Clean up a visitor whose engine fails to open in the block."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._visitors.pop(token, None)
            visitor.gone = True
            remove_tree(visitor.folder)
            raise

    def _look_after(self) -> None:
        pause = min(5.0, max(0.2, self.limits.grace_seconds / 4))
        while not self._ended.wait(pause):
            try:
                self.look_round()
            except Exception:  # a failure with one visitor must not stop the clean-up of the others
                _log.exception("Cleaning up after the demo's visitors failed.")


def _wipe(app: VisitorApp | None, folder: Path) -> None:
    if app is not None:
        try:
            app.close()
        except Exception:
            _log.exception("A visitor's engine could not be closed.")
    remove_tree(folder)
    if folder.exists():  # something was written into it during the removal
        with contextlib.suppress(OSError):
            remove_tree(folder)


def _sweep(place: Path) -> None:
    """Remove the folders of servers that no longer run."""
    for folder in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            young = time.time() - folder.stat().st_mtime < _MAKING
            if not is_held(folder) and ((folder / LOCK).exists() or not young):
                remove_tree(folder)
