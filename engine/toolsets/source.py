"""The source of a bundle: the publisher to which the bundle's keys and the user's agreement are bound.

An id is only a name that anybody can write into a manifest. Two bundles are the same toolset if they have the same id
and the same source: the folder, the address, or Anabranch itself. A ZIP does not name a publisher, so its content
counts as its source: a ZIP with other content has another source.
"""

import os
from urllib.parse import urlsplit

__all__ = ["SHIPPED_SOURCE", "SHIPS", "UNKNOWN", "followed", "is_zip", "source_of", "source_words"]

SHIPS = "ships with Anabranch: "
"""The prefix of the reference of a bundle that ships."""
SHIPPED_SOURCE = "shipped"
"""The source of a bundle that ships."""
_FOLDER, _ZIP = "folder:", "zip:"
UNKNOWN = "unknown"
"""The source of a key that was stored before keys had sources, for a toolset that is not installed here."""


def source_of(source_type: str, source_ref: str, content_hash: str) -> str:
    """Return an identifier of a bundle's source.

    `source_type` and `source_ref` are taken from its event; `content_hash` is used if there is no publisher.
    """
    if source_type == "local":
        return SHIPPED_SOURCE if source_ref.startswith(SHIPS) else f"{_FOLDER}{os.path.normpath(source_ref)}"
    if source_type == "url":
        parts = urlsplit(source_ref)
        return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2].lower()}{parts.path}"
    return f"{_ZIP}{content_hash}"


def followed(source_type: str, source_ref: str) -> str | None:
    """Return the folder that a toolset follows: changes there need no new install. None if it follows no folder."""
    return source_ref if source_type == "local" and not source_ref.startswith(SHIPS) else None


def is_zip(source: str) -> bool:
    """Return whether a source is a ZIP. A ZIP does not have a publisher."""
    return source.startswith(_ZIP)


def source_words(source: str) -> str:
    """Return a source in words."""
    if source == SHIPPED_SOURCE:
        return "shipped with Anabranch"
    if source.startswith(_FOLDER):
        return f"the folder {source.removeprefix(_FOLDER)}"
    if is_zip(source):
        return f"a ZIP (content {source.removeprefix(_ZIP)[:12]})"
    return "a source that was not recorded" if source == UNKNOWN else f"the address {source}"
