"""Follows links: finds the files outside the workspace that a call may read, because the user allowed their location
(SRC-1)."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from pathlib import Path

from engine.workspace.link_changes import link_changes
from engine.workspace.links import ENDING, Link, NotALink, link_of
from engine.workspace.locations import contains, look_again
from events.late_dataclass import dataclass

__all__ = ["Followed", "LinkedFiles", "changed_since", "is_link"]


@dataclass(frozen=True, slots=True)
class Followed:
    """The links of a folder."""

    links: Mapping[str, Link] = field(default_factory=dict)
    """The links that may be read: path → link."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """The links that are not followed: path → the reason, as the end of a sentence about the link."""


class LinkedFiles:
    """Follows links to locations that `allowed` returns. Thread-safe."""

    def __init__(self, allowed: Callable[[], Collection[str]]) -> None:
        self._allowed = allowed

    def follow(self, paths: Collection[str], folder: Path) -> Followed:
        """Return the links among `paths` in `folder` that may be read, and the reasons why other links may not."""
        mine = [path for path in paths if is_link(path)]
        if not mine:
            return Followed()
        allowed = self._allowed()
        links: dict[str, Link] = {}
        refused: dict[str, str] = {}
        for path in mine:
            try:
                links[path] = _permitted(link_of((folder / path).read_bytes()), allowed)
            except NotALink as error:
                refused[path] = str(error)
            except OSError as error:
                refused[path] = f"it cannot be read: {error.strerror}"
        return Followed(links, refused)


def _permitted(link: Link, allowed: Collection[str]) -> Link:
    if link.location not in allowed:
        raise NotALink(
            f"it points to {link.location}, which you have not allowed on this computer: add it with “Use a file from "
            "this computer”"
        )
    if not link.parts:
        raise NotALink(f"nothing is left at {link.location}")
    outside = next((part.path for part in link.parts if not contains(link.location, part.path)), None)
    if outside is not None:
        raise NotALink(f"it names {outside}, which is not in {link.location}")
    return link


def is_link(path: str) -> bool:
    """Return whether a file with this name is a link."""
    return path.lower().endswith(ENDING)


def changed_since(link: Link) -> str | None:
    """Return a sentence if a link's files no longer match the link."""
    now = look_again(link)
    if now == link:
        return None
    return f"{link.location} has changed since this state was recorded ({link_changes(link, now)})."
