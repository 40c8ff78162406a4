"""Decides what a bundle would receive: keys stored for its id, and variables of this machine. Pure.

Keys belong to a publisher, not to a name. Values set for one source are not given to another source with the same id.
A ZIP has no publisher: it gets the keys of the previous ZIP only if the user names them.
"""

from collections.abc import Collection, Sequence

from engine.errors import Refused
from engine.toolsets.source import is_zip, source_words
from events.late_dataclass import dataclass

__all__ = ["Handover", "another_source", "check_agreed", "keepable"]


@dataclass(frozen=True, slots=True)
class Handover:
    """The keys and variables that a bundle may receive if the user agrees to each one."""

    replaces: bool = False
    """Whether the bundle replaces another publisher's toolset with the same id."""
    another: str | None = None
    """See `another_source`."""
    keys_stored: tuple[str, ...] = ()
    """The stored keys of the previous ZIP."""
    variables: tuple[str, ...] = ()
    """Variables that the bundle wants and that are set on this machine, but that the user has not agreed to give to its
    source.
    """


def another_source(name: str, installed: str | None, source: str, stored: Sequence[str]) -> str | None:
    """Return a sentence if a bundle is a different toolset from the installed one with the same id; None if it is the
    same toolset.

    `installed` is the source of the installed toolset, `source` the source of the bundle; `stored` contains the keys
    stored for the installed toolset.
    """
    if installed in (None, source):
        return None
    assert installed is not None
    both = f"Installed under this id: {source_words(installed)}. This one: {source_words(source)}."
    keys = f" ({', '.join(stored)})" if stored else ""
    if is_zip(installed) and is_zip(source):
        return (
            f"A ZIP has no publisher, so it is unknown whether this {name} comes from the author of the installed one. "
            f"{both} The stored keys{keys} are given to this one only if you name them."
        )
    return f"This is not the installed {name}, but another toolset. {both} The stored keys{keys} are not handed over."


def keepable(installed: str | None, source: str) -> bool:
    """Return whether the user may give a bundle the keys of the installed toolset: only if both are ZIPs."""
    return installed is not None and is_zip(installed) and is_zip(source)


def check_agreed(
    handover: Handover, keep: Sequence[str], variables: Sequence[str], wanted: Collection[str]
) -> None:
    """Refuse an agreement to anything that the bundle does not request or may not have.

    `wanted` contains all variables that the bundle wants.

    Raises:
        Refused: a key that cannot be kept (`key_not_kept`), or a variable that is not wanted (`variable_not_wanted`).
    """
    for name in keep:
        if name not in handover.keys_stored:
            there = ", ".join(handover.keys_stored) or "none"
            raise Refused(
                "key_not_kept",
                f"The key {name} cannot be kept for this bundle. Keys that can be kept: {there}.",
            )
    for name in variables:
        if name not in wanted:
            there = ", ".join(wanted) or "none"
            raise Refused(
                "variable_not_wanted",
                f"The bundle does not ask for the variable {name}. It asks for: {there}.",
            )
