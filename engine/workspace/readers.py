"""Reads large files in threads during a walk: hashing and writing do not hold the interpreter lock."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from types import TracebackType
from typing import TypeVar

__all__ = ["FileToRead", "Readers", "Unreadable"]

_THREADS = min(4, (os.cpu_count() or 1) + 2)
"""The number of threads: some wait for the disk while others hash."""
_OPEN = 16
"""The maximum number of opened files that wait for their turn."""

T = TypeVar("T")


class Unreadable(Exception):
    """Raised if the file itself could not be read; the text is the system's message. Errors of the store stay
    OSErrors."""


class FileToRead(FileIO):
    """A file whose own read errors can be distinguished from errors of the store to which it is written."""

    def read(self, size: int | None = -1, /) -> bytes:
        """See `FileIO.read`; raises Unreadable."""
        try:
            return bytes(super().read(size))
        except OSError as error:
            raise Unreadable(error.strerror) from error


class Readers:
    """Runs jobs in its own threads, and their continuations in the caller's thread. All jobs end when the block
    ends.
    """

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._waiting: deque[Callable[[], None]] = deque()

    def __enter__(self) -> "Readers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while self._waiting and error is None:
                self._waiting.popleft()()
        finally:
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)

    def submit(self, file: FileIO, job: Callable[[], T], then: Callable[[T], None]) -> None:
        """Run `job`, which reads `file`, in a thread and close the file; later run `then` with its result in this
        thread. Raises the error of an earlier job.
        """
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, "reading files")
        future = self._threads.submit(job)
        future.add_done_callback(lambda _: file.close())  # even if the job never ran
        self._waiting.append(lambda: then(future.result()))
        if len(self._waiting) > _OPEN:
            self._waiting.popleft()()
