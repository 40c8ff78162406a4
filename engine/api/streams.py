"""Open streams: limits their number, feeds them from other threads, and ends them when the server stops.

A server waits for its open responses before it stops, so an open stream would keep the server running forever.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from threading import Lock
from typing import Any, Literal, TypeAlias

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engine.errors import Unavailable
from engine.views.documents import as_json
from events.text import scrub_surrogates

__all__ = ["BEAT", "Kind", "Stream", "Streamed", "Streams", "TooManyStreams", "event"]

BEAT = 15.0
"""The interval in seconds at which a stream that has nothing to send reports that it is still open."""
_MOST_WAITING = 20_000
"""The number of unsent messages at which the stream of a slow reader is ended."""


Kind: TypeAlias = Literal["watch", "turn", "command", "follow"]
"""The purpose of a stream. Each kind has a separate limit, so that open `watch` streams never prevent anyone from
asking a question.
"""

_OF_A_BROWSER = 4
"""The maximum number of HTTP/1.1 streams of one browser. A browser opens at most six connections to an address, and
needs some of them for other requests.
"""


class TooManyStreams(Unavailable):
    """Raised when the maximum number of streams is open."""

    retry_after = 5
    """The number of seconds after which the client should try again."""

    def __init__(self, most: int) -> None:
        super().__init__("too_many_streams", f"{most} streams are open, which is the maximum. Close one.")


class Streams:
    """The open streams of one server. Thread-safe, and safe in signal handlers."""

    def __init__(self, most: int = 64) -> None:
        """Serve at most `most` streams of each kind."""
        self._most = most
        self._lock = Lock()
        self._open: dict[Stream, tuple[Kind, str | None]] = {}
        self._closed = False

    def open(self, kind: Kind = "watch", browser: str | None = None) -> "Stream":
        """Return a stream in the running event loop. `browser` marks clients that can open only a few connections.

        If too many streams of this kind or of this browser are open, a new `turn` stream closes the oldest stream, if
        possible a `turn` stream, because a turn continues even if nobody follows it. A new stream of another kind is
        refused.

        Raises:
            TooManyStreams: too many streams are open.
            Unavailable: the server is stopping.
        """
        stream = Stream(self._forget)
        with self._lock:
            if self._closed:
                raise Unavailable("closing", "Anabranch is closing. Start it again and retry.")
            alike = [one for one, (of, _) in self._open.items() if of == kind]
            own = [one for one, (_, by) in self._open.items() if browser is not None and by == browser]
            for open_ones, most in ((alike, self._most), (own, _OF_A_BROWSER)):
                if len(open_ones) < most:
                    continue
                turns = [one for one in open_ones if self._open.get(one, ("",))[0] == "turn"]
                if kind != "turn":
                    raise TooManyStreams(most)
                oldest = turns[0] if turns else open_ones[0]
                del self._open[oldest]
                oldest.cut(yielded=True)
            self._open[stream] = kind, browser
        return stream

    def close(self) -> None:
        """Close all streams, and refuse new ones."""
        self._closed = True
        for stream in tuple(self._open):
            stream.cut()

    def _forget(self, stream: "Stream") -> None:
        with self._lock:
            self._open.pop(stream, None)


class Stream:
    """The output of one response or WebSocket."""

    def __init__(self, forget: "Callable[[Stream], None]") -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._forget = forget
        self._cut = False
        self._full = False
        self.yielded = False
        """Whether the stream was ended to make room for another stream."""

    def put(self, item: Any) -> None:
        """Add `item` to the stream's queue. Any thread may call this."""
        with suppress(RuntimeError):  # the event loop has ended, so no client is listening
            self._loop.call_soon_threadsafe(self._take, item)

    def finish(self) -> None:
        """End the stream after everything in the queue is sent."""
        self.put(_END)

    def cut(self, *, yielded: bool = False) -> None:
        """End the stream now, without sending the rest of its queue. `yielded` means that the stream is ended to make
        room for another stream.
        """
        self.yielded = yielded
        self._cut = True
        self.put(_END)

    @property
    def was_cut(self) -> bool:
        """Whether the stream was ended early, by `cut`."""
        return self._cut

    def _take(self, item: Any) -> None:
        if self._queue.qsize() >= _MOST_WAITING and not self._full:
            self._full = self._cut = True
            item = _END
        if not self._full or item is _END:
            self._queue.put_nowait(item)

    async def items(self, beat: float | None = None) -> AsyncIterator[Any]:
        """Yield the items that are put into the stream. After each `beat` seconds of silence, yield None."""
        while not self._cut:
            try:
                item = await asyncio.wait_for(self._queue.get(), beat)
            except TimeoutError:
                item = None
            if item is _END or self._cut:
                return
            yield item

    def leave(self) -> None:
        """Forget the stream, because the client has disconnected."""
        self._forget(self)


class Streamed(StreamingResponse):
    """A streamed response that calls a function when it ends, for any reason."""

    def __init__(self, content: AsyncIterator[bytes], media_type: str, over: Callable[[], None]) -> None:
        super().__init__(content, media_type=media_type, headers={"cache-control": "no-store"})
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


_END = object()


def event(kind: str, document: Any, position: int | None = None) -> bytes:
    """Return a server-sent event with a document."""
    data = scrub_surrogates(json.dumps(as_json(document), ensure_ascii=False))
    mark = "" if position is None else f"id: {position}\n"
    return f"{mark}event: {kind}\ndata: {data}\n\n".encode()
