"""Open streams: how many there may be, how they are fed from other threads, and their end when the server is to stop.

A server waits for its open responses before it stops; a stream that nobody ends would keep it for ever.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from threading import Lock
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engine.cli.output import as_json
from engine.errors import Unavailable
from events.text import scrub_surrogates

__all__ = ["BEAT", "Stream", "Streamed", "Streams", "event"]

BEAT = 15.0
"""Seconds of silence after which a stream says that it is still there."""
_MOST_WAITING = 20_000
"""Messages that a slow reader may fall behind before its stream is ended."""


class Streams:
    """The open streams of one server. Safe for several threads, and for a signal's handler."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._lock = Lock()
        self._open: set[Stream] = set()
        self._closed = False

    def open(self) -> "Stream":
        """Return a stream of the running event loop.

        Raises:
            Unavailable: there are too many, or the server stops.
        """
        stream = Stream(self._forget)
        with self._lock:
            if self._closed:
                raise Unavailable("closing", "Anabranch is closing. Start it again and retry.")
            if len(self._open) >= self._most:
                words = f"{self._most} streams are open, and no more are served at once. Close one."
                raise Unavailable("too_many_streams", words)
            self._open.add(stream)
        return stream

    def close(self) -> None:
        """End all of them, and open no more."""
        self._closed = True
        for stream in tuple(self._open):
            stream.cut()

    def _forget(self, stream: "Stream") -> None:
        with self._lock:
            self._open.discard(stream)


class Stream:
    """What one response or WebSocket sends."""

    def __init__(self, forget: "Callable[[Stream], None]") -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._forget = forget
        self._cut = False
        self._full = False

    def put(self, item: Any) -> None:
        """Send `item`, from any thread."""
        with suppress(RuntimeError):  # the loop has ended, and with it whoever listened
            self._loop.call_soon_threadsafe(self._take, item)

    def finish(self) -> None:
        """End once all that was put is sent."""
        self.put(_END)

    def cut(self) -> None:
        """End now."""
        self._cut = True
        self.put(_END)

    @property
    def was_cut(self) -> bool:
        """Whether it ended before its time."""
        return self._cut

    def _take(self, item: Any) -> None:
        if self._queue.qsize() >= _MOST_WAITING and not self._full:
            self._full = self._cut = True
            item = _END
        if not self._full or item is _END:
            self._queue.put_nowait(item)

    async def items(self, beat: float | None = None) -> AsyncIterator[Any]:
        """Yield what is put; None after each `beat` of silence."""
        while not self._cut:
            try:
                item = await asyncio.wait_for(self._queue.get(), beat)
            except TimeoutError:
                item = None
            if item is _END or self._cut:
                return
            yield item

    def leave(self) -> None:
        """Nobody listens any more."""
        self._forget(self)


class Streamed(StreamingResponse):
    """A streamed response that tells when it is over, however that came."""

    def __init__(self, content: AsyncIterator[bytes], media_type: str, over: Callable[[], None]) -> None:
        super().__init__(content, media_type=media_type, headers={"cache-control": "no-store"})
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


_END = object()


def event(kind: str, document: Any, position: int | None = None) -> bytes:
    """Return a server-sent event."""
    data = scrub_surrogates(json.dumps(as_json(document), ensure_ascii=False))
    mark = "" if position is None else f"id: {position}\n"
    return f"{mark}event: {kind}\ndata: {data}\n\n".encode()
