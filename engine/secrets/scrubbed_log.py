"""The log that the engine writes to. It removes secrets from events before they are stored (LOG-6)."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.secrets.scrubber import Scrubber
from events.event import Recorded
from events.log import Append, EventLog, Subscription, Verification, Watcher

__all__ = ["ScrubbedLog"]


class ScrubbedLog:
    """An event log that removes secrets from appended events; everything else is passed to the underlying log."""

    def __init__(self, log: EventLog, scrubber: Scrubber) -> None:
        self._log = log
        self._scrubber = scrubber

    def append(self, *batch: Append) -> list[Recorded]:
        """See `EventLog.append`. Returns the events as stored."""
        return self._log.append(*(self._clean(append) for append in batch))

    def _clean(self, append: Append) -> Append:
        """Remove secrets from a batch of events. All events are searched at once, so that the secrets are read only
        once."""
        contents = [event.model_dump(mode="json") for event in append.events]
        clean = self._scrubber.json(contents)
        if clean is contents:
            return append
        events = [type(event).model_validate(one) for event, one in zip(append.events, clean, strict=True)]
        return replace(append, events=events)

    def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `EventLog.read_stream`."""
        return self._log.read_stream(stream, after)

    def read_all(self, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        """See `EventLog.read_all`."""
        return self._log.read_all(after, limit)

    def head(self) -> int:
        """See `EventLog.head`."""
        return self._log.head()

    def stream_version(self, stream: str) -> int:
        """See `EventLog.stream_version`."""
        return self._log.stream_version(stream)

    def verify(self) -> Verification:
        """See `EventLog.verify`."""
        return self._log.verify()

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`."""
        return self._log.watch(watcher)

    def subscribe(self, after: int = 0) -> Subscription:
        """See `EventLog.subscribe`."""
        return self._log.subscribe(after)

    def close(self) -> None:
        """See `EventLog.close`."""
        self._log.close()
