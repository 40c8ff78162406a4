"""Decides whether a toolset can be used now, and gives the reason if not (BND-6)."""

from collections.abc import Set

from engine.toolsets.manifest import Manifest
from events.late_dataclass import dataclass

__all__ = ["Availability", "AvailabilityFacts", "availability", "facts"]

BY_ADMINISTRATOR = "Disabled by administrator"
NOT_CONFIGURED = "Configure in Toolsets settings"
BY_USER = "Disabled in settings"
NO_SECRET = "API key not configured"  # noqa: S105 (a sentence)


@dataclass(frozen=True, slots=True)
class AvailabilityFacts:
    """The facts on which the decision depends."""

    disabled_by_administrator: bool = False
    missing_configuration: bool = False
    """Whether a required key that is not a secret has no value."""
    enabled: bool = True
    missing_secret: bool = False
    """Whether a required secret has no value."""


@dataclass(frozen=True, slots=True)
class Availability:
    """The decision, with the reason if the toolset is not available."""

    available: bool
    reason: str | None = None


def availability(known: AvailabilityFacts) -> Availability:
    """Return the decision, with the first reason that applies."""
    if known.disabled_by_administrator:
        return Availability(False, BY_ADMINISTRATOR)
    if known.missing_configuration:
        return Availability(False, NOT_CONFIGURED)
    if not known.enabled:
        return Availability(False, BY_USER)
    if known.missing_secret:
        return Availability(False, NO_SECRET)
    return Availability(True)


def facts(
    manifest: Manifest,
    *,
    enabled: bool,
    given: Set[str],
    disabled_by_administrator: bool = False,
) -> AvailabilityFacts:
    """Return the facts about a manifest's required keys; `given` contains the names of keys with a value."""
    missing = [
        key
        for key in manifest.config
        if key.required and key.name not in given and not given & frozenset(key.unless)
    ]
    return AvailabilityFacts(
        disabled_by_administrator=disabled_by_administrator,
        missing_configuration=any(not key.secret for key in missing),
        enabled=enabled,
        missing_secret=any(key.secret for key in missing),
    )
