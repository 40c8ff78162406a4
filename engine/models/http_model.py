"""A model over HTTP: the loop that all dialects share, from the request to deltas and the final reason."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace

from engine.models import failures
from engine.models.addresses import is_private
from engine.models.dialect import Place
from engine.models.http_exchange import Answer, HttpRequest, Lost, Received, exchange
from engine.models.model import Delta, Finished, ModelRequest, Usage
from engine.models.reply_json import frames
from engine.system.cancellation import Cancellation
from events.json_value import JSON

__all__ = ["RemoteModel"]

_MOST_OF_AN_ERROR = 1 << 20


class RemoteModel:
    """A remote model. See `Model`."""

    def __init__(
        self,
        place: Place,
        *,
        needs_key: bool,
        sees: bool = False,
        window: int | None = None,
    ) -> None:
        self._place = place
        self._dialect = place.provider.dialect
        self._needs_key = needs_key
        self.provider = place.provider.id
        self.sees = sees
        self.reads_tables = False
        self.revises = True
        self.reviews = True
        self.window = window
        self.parameters: Mapping[str, JSON] = self._dialect.parameters(place.provider, place.model)

    def body(self, request: ModelRequest) -> bytes:
        """See `Model.body`; a request without parameters or model name gets those of this model."""
        if not request.parameters or not request.model:
            request = replace(
                request,
                parameters=request.parameters or self.parameters,
                model=request.model or self._place.model,
            )
        return self._dialect.body(request, self._place)

    def stream(self, request: ModelRequest, cancel: Cancellation) -> Iterator[Delta]:
        """See `Model.stream`."""
        place = self._place
        if self._needs_key and not place.key:
            yield failures.no_key(place)
            return
        if place.key and not re.fullmatch("[!-~]+", place.key):
            yield failures.bad_key(place)
            return
        if place.key and place.base_url.startswith("http:") and not is_private(place.base_url):
            yield failures.plain_http(place)
            return
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
            "user-agent": "anabranch",
            **place.headers,
        }
        url = self._dialect.endpoint(place.base_url, request.model or place.model)
        with closing(exchange(HttpRequest(url, headers, self.body(request)), cancel)) as received:
            yield from self._read(_Reply(received), cancel)

    def _read(self, reply: "_Reply", cancel: Cancellation) -> Iterator[Delta]:
        place = self._place
        answer = reply.head()
        if answer is None:
            yield self._lost(reply, cancel, Usage())
            return
        if not 200 <= answer.status < 300:
            body = b"".join(reply.body(_MOST_OF_AN_ERROR))
            failed = failures.refused_by(place, answer.status, answer.headers, body, time.time())
            yield Finished("cancelled") if cancel.is_set else failed
            return
        reader = self._dialect.reader(place)
        for frame in frames(reply.body()):
            if cancel.is_set:
                break
            yield from reader.read(frame)
        if cancel.is_set:
            yield Finished("cancelled", reader.usage)
            return
        yield from reader.finish()
        ending = reader.ending
        if reply.loss is not None and ending.reason == "error" and ending.error is None:
            yield self._lost(reply, cancel, ending.usage)
        else:
            yield failures.ended(place, ending, answer.headers, time.time())

    def _lost(self, reply: "_Reply", cancel: Cancellation, usage: Usage) -> Finished:
        if cancel.is_set:
            return Finished("cancelled", usage)
        return failures.lost(self._place, reply.loss or Lost("cut", ""), usage)


class _Reply:
    """The items of an exchange, divided into head and body; if the exchange failed, `loss` says how."""

    def __init__(self, received: Iterator[Received]) -> None:
        self._received = received
        self.loss: Lost | None = None

    def head(self) -> Answer | None:
        """Return the head; None if there was no answer."""
        first = next(self._received, None)
        if isinstance(first, Lost):
            self.loss = first
        return first if isinstance(first, Answer) else None

    def body(self, most: int | None = None) -> Iterator[bytes]:
        """Yield the body in pieces as they arrive; with `most`, stop after the piece that reaches that many bytes."""
        size = 0
        for item in self._received:
            if isinstance(item, Lost):
                self.loss = item
            elif isinstance(item, bytes):
                yield item
                size += len(item)
                if most is not None and size >= most:
                    return
