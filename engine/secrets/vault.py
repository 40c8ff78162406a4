"""Stores and finds the user's keys: in the system's keyring, a private file, the environment, or the page's secrets.

Secrets have names: `model/openai` is a provider's key, `toolset/image-studio/GEMINI_API_KEY` a toolset's key. They are
never in events, in the data folder, or in any object's repr; only the scrubber receives `values`.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias

from engine.errors import Unavailable
from engine.secrets.keyring_store import KeyringStore, system_keyring
from engine.secrets.secret_file import Content, SecretFile, Stamp
from engine.secrets.secret_names import checked_secret
from engine.secrets.secret_variables import SHORTEST, secret_variables

__all__ = ["Place", "Vault"]

Place: TypeAlias = Literal["keyring", "file", "environment", "streamlit"]

_ASK_AGAIN = 60.0
"""The seconds until a keyring that returned no value is asked again."""


class Vault:
    """The user's secrets. Thread-safe; other processes may change them at any time."""

    def __init__(
        self,
        folder: Path,
        environ: Mapping[str, str] = os.environ,
        *,
        more: Callable[[], Mapping[str, str]] = dict,
        ring: KeyringStore | None = None,
    ) -> None:
        """Set up the vault; nothing is read or created yet.

        `folder` is the user's configuration folder; `more` returns further values by variable, as Streamlit's secrets
        do, and must not raise; `ring` replaces the system's keyring.
        """
        self._file = SecretFile(folder)
        self._environ = environ
        self._more = more
        self._ring = ring if ring is not None else system_keyring(environ)
        self._lock = RLock()
        self._read_as: tuple[Stamp] | None = None
        self._content = Content()
        self._from_ring: dict[str, str] = {}
        self._not_given: dict[str, float] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        self._scanned: tuple[dict[str, str], dict[str, str]] = ({}, {})

    def also(self, more: Callable[[], Mapping[str, str]]) -> None:
        """Use the values that `more` returns as further values, in place of the earlier `more`."""
        self._more = more

    def __repr__(self) -> str:
        return f"Vault({str(self._file.path)!r})"

    @property
    def place(self) -> Path:
        """The path of the file that is used if there is no keyring."""
        return self._file.path

    def get(
        self, name: str, env: Sequence[str] = (), *, source: str | None = None, host: bool = True
    ) -> str | None:
        """Return a secret: the stored value, else the value of the first variable in `env` that is set, else None.

        A secret that is bound to another `source` counts as not set. If `host` is false, variables of this machine and
        values from the page are ignored.
        """
        with self._lock:
            self._remember(name, env)
            return self._found(name, env, source=source, host=host)

    def where(
        self, name: str, env: Sequence[str] = (), *, source: str | None = None, host: bool = True
    ) -> Place | None:
        """Return where `get` finds a secret, without reading it from a keyring; None if it is not set."""
        with self._lock:
            self._remember(name, env)
            content = self._current()
            mine = _is_of(content, name, source)
            if mine and name in content.in_keyring and name not in self._not_given:
                return "keyring"
            if mine and name in content.secrets:
                return "file"
            return self.on_host(name, env) if host else None

    def on_host(self, name: str, env: Sequence[str] = ()) -> Place | None:
        """Return where this machine has a value for a secret: in its environment or from the page; None if it has no
        value.
        """
        if any(self._environ.get(variable, "").strip() for variable in env):
            return "environment"
        return "streamlit" if self._given(name, env) else None

    def of_host(self, name: str, env: Sequence[str] = ()) -> str | None:
        """Return a secret from this machine's environment or the page, even if a value is stored in this vault too."""
        with self._lock:
            self._remember(name, env)
            return self._on_host(name, env)

    def source(self, name: str) -> str | None:
        """Return the source that a secret is bound to; None if the secret is not bound or not set."""
        with self._lock:
            return self._current().sources.get(name)

    def bind(self, names: Sequence[str], source: str) -> None:
        """Bind stored secrets to a source; for other sources they count as not set.

        Raises:
            Unavailable: the file of secrets cannot be read; nothing is changed.
        """
        with self._lock:
            if not names:
                return
            with self._file.alone():
                content = self._file.read()
                kept = {*content.secrets, *content.in_keyring}
                bound = {name: source for name in names if name in kept}
                self._file.write(replace(content, sources={**content.sources, **bound}))
                self._read_as = None

    def names(self) -> tuple[str, ...]:
        """Return the sorted names of the stored secrets, without secrets from the environment."""
        with self._lock:
            content = self._current()
            return tuple(sorted({*content.secrets, *content.in_keyring}))

    def set(self, name: str, value: str, source: str | None = None) -> Place:
        """Store a secret, bound to `source` if that is given, and return where it is stored. Blanks around it are
        removed.

        Raises:
            Invalid: the value is not a valid secret (`secret_short`, `secret_long`, `secret_text`,
                `secret_placeholder`).
            Unavailable: the file of secrets cannot be read; nothing is changed.
        """
        value = checked_secret(name, value)
        with self._lock, self._file.alone():
            content = self._file.read()
            secrets = {key: kept for key, kept in content.secrets.items() if key != name}
            in_keyring = {key: times for key, times in content.in_keyring.items() if key != name}
            place: Place = "keyring" if self._ring.set(name, value) else "file"
            if place == "keyring":
                in_keyring[name] = content.in_keyring.get(name, 0) + 1
            else:
                secrets[name] = value
            sources = {key: kept for key, kept in content.sources.items() if key != name}
            if source is not None:
                sources[name] = source
            self._file.write(Content(secrets, in_keyring, sources))
            self._read_as = None
            return place

    def remove(self, name: str) -> bool:
        """Delete a stored secret; return whether there was one. Environment variables are not changed.

        Raises:
            Unavailable: the file of secrets cannot be read; nothing is changed.
        """
        with self._lock:
            if name not in self.names():
                self.check()
                return False
            with self._file.alone():
                content = self._file.read()
                if name in content.in_keyring:
                    self._ring.remove(name)
                secrets = {key: kept for key, kept in content.secrets.items() if key != name}
                in_keyring = {key: times for key, times in content.in_keyring.items() if key != name}
                sources = {key: kept for key, kept in content.sources.items() if key != name}
                self._file.write(Content(secrets, in_keyring, sources))
                self._read_as = None
                return True

    def check(self) -> None:
        """Check that the file of secrets can be read; other methods treat an unreadable file as empty.

        Raises:
            Unavailable: the file cannot be read, or others may read it and that cannot be changed.
        """
        self._file.read()

    def stamp(self) -> object:
        """Return an identifier of the stored secrets. It changes when this or another process changes them."""
        return (self._file.stamp(), tuple(sorted(self._more())))

    def values(self) -> dict[str, str]:
        """Return all known secrets by name: stored, requested, or recognized in the environment.

        Secrets from the environment have their variables' names. No secret is shorter than eight characters.
        """
        with self._lock:
            named = {name: self._found(name, self._asked.get(name, ())) for name in self.names()}
            named |= {name: self._found(name, env) for name, env in self._asked.items() if name not in named}
            known = {name: value for name, value in named.items() if value and len(value) >= SHORTEST}
            return known | secret_variables(self._more()) | self._variables()

    def _found(
        self, name: str, env: Sequence[str], *, source: str | None = None, host: bool = True
    ) -> str | None:
        content = self._current()
        mine = _is_of(content, name, source)
        if mine and name in content.in_keyring and (given := self._ring_gives(name)) is not None:
            return given
        if mine and name in content.secrets:
            return content.secrets[name]
        return self._on_host(name, env) if host else None

    def _on_host(self, name: str, env: Sequence[str]) -> str | None:
        here = (self._environ.get(variable, "").strip() for variable in env)
        return next((value for value in here if value), None) or self._given(name, env)

    def _ring_gives(self, name: str) -> str | None:
        """Return the keyring's value, which is then cached. If there is none, the keyring may be locked, so it is asked
        again later.
        """
        if name not in self._from_ring and time.monotonic() >= self._not_given.get(name, 0.0):
            value = self._ring.get(name)
            if value is None:
                self._not_given[name] = time.monotonic() + _ASK_AGAIN
            else:
                self._from_ring[name] = value
                self._not_given.pop(name, None)
        return self._from_ring.get(name)

    def _remember(self, name: str, env: Sequence[str]) -> None:
        """Remember the variables of a requested secret, so that `values` includes the secret even if the names of the
        variables do not look secret.
        """
        if env:
            self._asked[name] = tuple(env)

    def _given(self, name: str, env: Sequence[str]) -> str | None:
        more = self._more()
        return next((more[key].strip() for key in (name, *env) if more.get(key, "").strip()), None)

    def _current(self) -> Content:
        """Return the current content of the file; empty if it cannot be read."""
        stamp = self._file.stamp()
        if self._read_as != (stamp,):
            try:
                self._content = self._file.read() if stamp else Content()
            except Unavailable:
                self._content = Content()
            self._from_ring, self._not_given = {}, {}
            self._read_as = (stamp,)  # the stamp from before reading, so that a change meanwhile is noticed
        return self._content

    def _variables(self) -> dict[str, str]:
        environ = dict(self._environ)
        if environ != self._scanned[0]:
            self._scanned = (environ, secret_variables(environ))
        return self._scanned[1]


def _is_of(content: Content, name: str, source: str | None) -> bool:
    """Return whether a secret may be given to a source. A secret that is not bound yet may be given to any source."""
    return source is None or content.sources.get(name, source) == source
