"""Finds the values of a toolset's `config:` keys, and decides which values the toolset's tools receive.

The value of a key that is not a secret comes from ToolsetConfigured; a secret comes from the vault, if it was set for
the toolset's source. If neither has a value for the key, the environment variable that the key names is used, if the
user agreed to this. Values of secrets only pass through here on their way to a tool process.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from typing import Literal, TypeAlias

from engine.errors import Invalid, Problem
from engine.secrets.scrubber import Scrubber
from engine.secrets.secret_names import checked_secret, toolset_secret
from engine.secrets.vault import Place, Vault
from engine.toolsets.guarded import steers
from engine.toolsets.manifest import ConfigKey, Manifest
from engine.toolsets.references import keys_of
from events.late_dataclass import dataclass

__all__ = ["Changes", "Configuration", "KeyState", "keep_secrets", "sorted_changes"]

LONGEST_VALUE = 4_096
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Source: TypeAlias = Place | Literal["settings"]
"""The place that a value comes from; `settings` means the toolset's settings in the log."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """The current state of one key."""

    name: str
    description: str
    secret: bool
    required: bool
    unless: tuple[str, ...]
    """Other keys; if one of them is set, this key is not needed."""
    env: str
    source: Source | None
    """The source of the value; None if there is no value."""
    value: str | None
    """The value that was set; never the value of a secret or of a variable of this machine."""
    withheld: bool = False
    """Whether the key's variable is set on this machine, but is not given to the toolset because the user has not
    agreed.
    """


@dataclass(frozen=True, slots=True)
class Configuration:
    """The keys of an installed toolset, and everything that may give them a value."""

    manifest: Manifest
    values: Mapping[str, str]
    """The values of keys that are not secrets, from `ToolsetConfigured`."""
    vault: Vault
    environ: Mapping[str, str] = field(repr=False)
    publisher: str | None = None
    """The source of the toolset; keys of another source do not belong to it."""
    allowed: frozenset[str] = frozenset()
    """The variables of this machine that the user agreed to give to the toolset."""

    def source(self, key: ConfigKey) -> Source | None:
        """Return the source of a key's value; None if it has no value."""
        host = key.env in self.allowed
        if key.secret:
            name = toolset_secret(self.manifest.id, key.name)
            return self.vault.where(name, (key.env,), source=self.publisher, host=host)
        if self.values.get(key.name):
            return "settings"
        return "environment" if host and self.environ.get(key.env, "").strip() else None

    def withheld(self, key: ConfigKey) -> bool:
        """Return whether a key has no value, although its variable is set on this machine."""
        if self.source(key) is not None or key.env in self.allowed:
            return False
        if key.secret:
            return self.vault.on_host(toolset_secret(self.manifest.id, key.name), (key.env,)) is not None
        return bool(self.environ.get(key.env, "").strip())

    def states(self) -> tuple[KeyState, ...]:
        """Return the state of every key, in the order of the manifest."""
        states = []
        for key in keys_of(self.manifest):
            source = self.source(key)
            told = self.values.get(key.name) if source == "settings" else None
            facts = (key.name, key.description, key.secret, key.required, key.unless, key.env)
            states.append(KeyState(*facts, source, told, self.withheld(key)))
        return tuple(states)

    def given(self) -> frozenset[str]:
        """Return the names of the keys that have a value."""
        return frozenset(key.name for key in keys_of(self.manifest) if self.source(key) is not None)

    def environment(self, *, of_servers: bool = False) -> dict[str, str]:
        """Return the variables that the toolset's tools are granted: only the variables of keys that have a value.

        With `of_servers`, include the variables that only its MCP servers name.
        """
        granted: dict[str, str] = {}
        for key in keys_of(self.manifest) if of_servers else self.manifest.config:
            value = self._secret(key) if key.secret else self._plain(key)
            if value and not steers(key.env):
                granted[key.env] = value
        return granted

    def stored(self) -> tuple[str, ...]:
        """Return the names of the keys stored for this toolset id, whatever their source, in the manifest's order."""
        kept = set(self.vault.names())
        return tuple(
            key.name
            for key in keys_of(self.manifest)
            if key.secret and toolset_secret(self.manifest.id, key.name) in kept
        )

    def changed(self, changes: "Changes") -> "Configuration":
        """Return the configuration with `changes` applied, and without values of keys that the toolset no
        longer has.
        """
        declared = {key.name for key in self.manifest.config if not key.secret}
        merged = {**self.values, **changes.plain}
        kept = {name: value for name, value in merged.items() if value and name in declared}
        return replace(self, values=kept)

    def kept_secrets(self) -> tuple[str, ...]:
        """Return the sorted names of secrets that were set for this toolset, without secrets from the environment."""
        mine = [
            name
            for name in self.stored()
            if self.vault.source(toolset_secret(self.manifest.id, name)) in (None, self.publisher)
        ]
        return tuple(sorted(mine))

    def _plain(self, key: ConfigKey) -> str | None:
        here = self.environ.get(key.env, "").strip() if key.env in self.allowed else ""
        return self.values.get(key.name) or here or None

    def _secret(self, key: ConfigKey) -> str | None:
        """Return the value of a secret. At its first use, an unbound secret is bound to this toolset's source."""
        name = toolset_secret(self.manifest.id, key.name)
        if self.publisher and name in self.vault.names() and self.vault.source(name) is None:
            with suppress(OSError):  # the file of keys cannot be written; the next use tries again
                self.vault.bind([name], self.publisher)
        return self.vault.get(name, (key.env,), source=self.publisher, host=key.env in self.allowed)


@dataclass(frozen=True, slots=True)
class Changes:
    """The checked changes that a user makes to values. None removes a value."""

    plain: Mapping[str, str | None]
    secret: Mapping[str, str | None] = field(repr=False)


def keep_secrets(manifest: Manifest, changes: Changes, vault: Vault, publisher: str | None = None) -> bool:
    """Set and remove secrets in the vault, bound to `publisher`; return whether this changed anything.

    Raises:
        Unavailable: the user's keys cannot be read; nothing is changed.
    """
    vault.check()
    changed = False
    for key, value in changes.secret.items():
        name = toolset_secret(manifest.id, key)
        if value is None:
            changed |= vault.remove(name)
        elif name not in vault.names() or vault.get(name, source=publisher) != value:
            vault.set(name, value, publisher)
            changed = True
    return changed


def sorted_changes(manifest: Manifest, values: Mapping[str, str | None], vault: Vault) -> Changes:
    """Separate secrets from values that may be logged. Spaces around a value are removed; an empty value removes the
    key's value.

    Raises:
        Invalid: keys that the toolset does not have, or values that are not valid (`toolset_configuration`).
    """
    known = {key.name: key for key in keys_of(manifest)}
    problems = [_unknown(manifest, name) for name in values if name not in known]
    trimmed = {name: (value or "").strip() or None for name, value in values.items()}
    scrubber = Scrubber(vault.values)
    for name, value in trimmed.items():
        key = known.get(name)
        if (
            value
            and key
            and (fault := _secret_fault(manifest, key, value) or _plain_fault(key, value, scrubber))
        ):
            problems.append(Problem("config_value", f"{name}: {fault}"))
    if problems:
        raise Invalid(
            "toolset_configuration",
            f"{manifest.id} was not configured: {'; '.join(problem.message for problem in problems)}",
            problems,
        )
    return Changes(
        {name: value for name, value in trimmed.items() if not known[name].secret},
        {name: value for name, value in trimmed.items() if known[name].secret},
    )


def _unknown(manifest: Manifest, name: str) -> Problem:
    names = ", ".join(key.name for key in keys_of(manifest))
    there = f"it has {names}" if names else "it has none"
    return Problem("config_key_unknown", f"there is no key {name} in {manifest.id}; {there}")


def _secret_fault(manifest: Manifest, key: ConfigKey, value: str) -> str | None:
    if not key.secret:
        return None
    try:
        checked_secret(toolset_secret(manifest.id, key.name), value)
    except Invalid as error:
        return error.message
    return None


def _plain_fault(key: ConfigKey, value: str, scrubber: Scrubber) -> str | None:
    if key.secret:
        return None
    if len(value) > LONGEST_VALUE:
        return f"it has more than {LONGEST_VALUE:,} characters"
    if _CONTROL.search(value):
        return "it contains characters that are not text"
    if re.search(r"://[^/?#]*:[^/?#]*@", value):
        return "it contains a password, and this value would be written to the log; leave the password out"
    if scrubber.text(value) != value:
        return (
            "it contains one of your keys, and this value would be written to the log; store it as a secret"
        )
    return None
