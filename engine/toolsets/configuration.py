"""What a toolset's `config:` keys are set to, and what its tools receive of it.

A key that is no secret has its value from ToolsetConfigured, a secret from the vault; either else from the variable
that the key names. The values of secrets pass through here on their way to a tool process and are kept nowhere.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from engine.errors import Invalid, Problem
from engine.secrets.scrub import Scrubber
from engine.secrets.vault import Place, Vault, checked_secret, toolset_secret
from engine.toolsets.manifest import ConfigKey, Manifest

__all__ = ["Changes", "Configuration", "KeyState", "keep_secrets", "sorted_changes"]

LONGEST_VALUE = 4_096
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Source: TypeAlias = Place | Literal["settings"]
"""Where a value comes from; `settings` are the toolset's own, in the log."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """One key as it stands."""

    name: str
    description: str
    secret: bool
    required: bool
    unless: tuple[str, ...]
    """Keys one of which makes this one unnecessary."""
    env: str
    source: Source | None
    """None: it has no value."""
    value: str | None
    """Never a secret's."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The keys of an installed toolset with all that may give them a value."""

    manifest: Manifest
    values: Mapping[str, str]
    """Of keys that are no secrets, as ToolsetConfigured has them."""
    vault: Vault
    environ: Mapping[str, str] = field(repr=False)

    def source(self, key: ConfigKey) -> Source | None:
        """Where a key's value comes from."""
        if key.secret:
            return self.vault.where(toolset_secret(self.manifest.id, key.name), (key.env,))
        if self.values.get(key.name):
            return "settings"
        return "environment" if self.environ.get(key.env, "").strip() else None

    def states(self) -> tuple[KeyState, ...]:
        """Every key in the order of the manifest."""
        states = []
        for key in self.manifest.config:
            source = self.source(key)
            told = None if key.secret or source is None else self._plain(key)
            states.append(
                KeyState(
                    key.name, key.description, key.secret, key.required, key.unless, key.env, source, told
                )
            )
        return tuple(states)

    def given(self) -> frozenset[str]:
        """The names of the keys that have a value."""
        return frozenset(key.name for key in self.manifest.config if self.source(key) is not None)

    def environment(self) -> dict[str, str]:
        """The variables that the toolset's tools are granted: those of its keys that have a value, and no other."""
        granted: dict[str, str] = {}
        for key in self.manifest.config:
            if key.secret:
                value = self.vault.get(toolset_secret(self.manifest.id, key.name), (key.env,))
            else:
                value = self._plain(key)
            if value:
                granted[key.env] = value
        return granted

    def changed(self, changes: "Changes") -> "Configuration":
        """The same with other values; those of keys that the toolset no longer has are dropped."""
        declared = {key.name for key in self.manifest.config if not key.secret}
        merged = {**self.values, **changes.plain}
        kept = {name: value for name, value in merged.items() if value and name in declared}
        return replace(self, values=kept)

    def kept_secrets(self) -> tuple[str, ...]:
        """The names of the secrets that were set for this toolset, in order; not those of the environment."""
        kept = set(self.vault.names())
        names = (key.name for key in self.manifest.config if key.secret)
        return tuple(sorted(name for name in names if toolset_secret(self.manifest.id, name) in kept))

    def _plain(self, key: ConfigKey) -> str | None:
        return self.values.get(key.name) or self.environ.get(key.env, "").strip() or None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a user sets and takes away (None), checked."""

    plain: Mapping[str, str | None]
    secret: Mapping[str, str | None] = field(repr=False)


def keep_secrets(manifest: Manifest, changes: Changes, vault: Vault) -> bool:
    """Set and remove secrets in the vault; returns whether that changed anything.

    Raises:
        Unavailable: the user's keys cannot be read; nothing is changed.
    """
    vault.check()
    changed = False
    for key, value in changes.secret.items():
        name = toolset_secret(manifest.id, key)
        if value is None:
            changed |= vault.remove(name)
        elif name not in vault.names() or vault.get(name) != value:
            vault.set(name, value)
            changed = True
    return changed


def sorted_changes(manifest: Manifest, values: Mapping[str, str | None], vault: Vault) -> Changes:
    """Tell secrets from what may stand in the log. Blanks around a value are dropped; an empty one takes it away.

    Raises:
        Invalid: keys that the toolset does not have, or values that cannot be kept (`toolset_configuration`).
    """
    known = {key.name: key for key in manifest.config}
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
    names = ", ".join(key.name for key in manifest.config)
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
        return "it holds characters that are no text"
    if re.search(r"://[^/?#]*:[^/?#]*@", value):
        return "it holds a password, and this value is kept in the log; leave the password out"
    if scrubber.text(value) != value:
        return "it holds one of your keys, and this value is kept in the log; set the key as a secret"
    return None
