"""Lists and changes the sources that can be queried in chats, and their keys."""

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any

from engine.chats.conflicts import retry_conflicts
from engine.deciders import sources as decide
from engine.deciders.source_addresses import Address, read_address
from engine.deciders.sources import Source
from engine.secrets.secret_names import source_secret
from engine.secrets.vault import Vault
from events.catalog.source import SourceFacts, SourceTested
from events.event import Event
from events.log import Append, EventLog

__all__ = ["SourceBook"]


class SourceBook:
    """Reads and changes the sources. Thread-safe."""

    def __init__(self, log: EventLog, read: Callable[[str], list[dict[str, Any]]], vault: Vault) -> None:
        """`read` returns the rows of a read model, given its name."""
        self._log = log
        self._read = read
        self._vault = vault
        self._lock = RLock()
        self._known: dict[str, Source] | None = None

    def forget(self) -> None:
        """Drop cached data about sources, because one was changed."""
        with self._lock:
            self._known = None

    def all(self) -> Mapping[str, Source]:
        """Return the sources by name, in order."""
        with self._lock:
            if self._known is None:
                rows = sorted(self._read("sources"), key=lambda row: str(row["name"]))
                self._known = {row["name"]: decide.source_of_row(row) for row in rows}
            return dict(self._known)

    def find(self, name: str) -> Source:
        """Return a source.

        Raises:
            NotFound: no source has that name.
        """
        return decide.require_source(self.all(), name)

    def address(self, source: Source) -> Address:
        """Return the parsed address of a source."""
        return read_address(source.driver, source.facts.address)

    def key(self, source: Source) -> str | None:
        """Return the password or token of a source. Pass it only to the source's process and do not store it."""
        return self._vault.get(source_secret(source.name), source=_holder(source.facts))

    def has_key(self, source: Source) -> bool:
        """Return whether a password or token is stored."""
        return self._vault.where(source_secret(source.name), source=_holder(source.facts)) is not None

    def add(self, name: str, facts: SourceFacts, key: str | None) -> None:
        """Add a source. The key is stored first, so that every source in the log has its key, even after an
        interruption.

        Raises:
            Invalid, Refused, Unavailable: the source breaks a rule, or the key cannot be stored.
        """
        with self._lock:
            facts, key = _without_key(facts, key)
            decide.add(self.all(), name, facts)
            self._keep(name, facts, key)
            self._change(name, lambda: decide.add(self.all(), name, facts))

    def change(self, name: str, facts: SourceFacts, key: str | None) -> None:
        """Change the facts or the key of a source; an empty key removes the stored one.

        Raises:
            NotFound, Invalid, Refused, Unavailable: the source is missing or breaks a rule, or the key cannot be
                stored.
        """
        with self._lock:
            facts, key = _without_key(facts, key)
            decide.change(self.find(name), facts)
            self._keep(name, facts, key)
            self._change(name, lambda: decide.change(self.find(name), facts))

    def remove(self, name: str) -> None:
        """Remove a source, then its key. After an interruption, the key of a removed source may remain, but it is not
        used.

        Raises:
            NotFound: no source has that name.
        """
        with self._lock:
            self._change(name, lambda: decide.remove(self.find(name)))
            self._vault.remove(source_secret(name))

    def tested(self, name: str, result: SourceTested) -> None:
        """Record the result of a test, unless the source was removed during the test."""
        with self._lock:
            self._change(name, lambda: [result] if name in self.all() else [])

    def _keep(self, name: str, facts: SourceFacts, key: str | None) -> None:
        if key:
            self._vault.set(source_secret(name), key, _holder(facts))
        elif key is not None:
            self._vault.remove(source_secret(name))

    def _change(self, name: str, decided: Callable[[], Sequence[Event]]) -> None:
        def attempt() -> None:
            self._known = None
            at = self._log.stream_version(f"source-{name}")
            events = decided()
            if events:
                self._log.append(Append(f"source-{name}", events, expected=at))

        retry_conflicts(attempt)
        self._known = None


def _holder(facts: SourceFacts) -> str:
    """Return an identifier of the source's address, to which its key is bound. A restored log may contain a source with
    the same name at another address, which must not receive the key.
    """
    address = read_address(decide.find_driver(facts.driver), facts.address)
    return f"{facts.driver} {address.scheme}://{address.host}:{address.port} {facts.user or ''}"


def _without_key(facts: SourceFacts, key: str | None) -> tuple[SourceFacts, str | None]:
    """Remove user and password from the address in `facts`. Return the changed facts, and the source's key."""
    driver = decide.find_driver(facts.driver)
    address = read_address(driver, facts.address)
    user = (facts.user or address.user) if driver.logs_in else None
    checked = facts.model_copy(update={"address": address.text, "user": user or None})
    return decide.checked_facts(checked), key if key is not None or not address.key else address.key
