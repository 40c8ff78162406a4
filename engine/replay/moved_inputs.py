"""Finds linked files that have changed since a recorded state, because a past call reads their current contents."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from engine.chats.part_hashes import PartHashes
from engine.tools.linked_files import is_link
from engine.workspace.blobs import BlobStore
from engine.workspace.link_changes import link_changes
from engine.workspace.links import Link, NotALink, link_of
from engine.workspace.locations import look_again
from engine.workspace.manifest import Files

__all__ = ["moved_links", "named_links"]


def named_links(files: Files, texts: Iterable[str]) -> Files:
    """Return the links in `files` that are named, by path or table name, in the texts of a call."""
    given = list(texts)
    words = {word.lower() for text in given for word in re.findall(r"\w+", text)}
    found = {}
    for path, entry in files.items():
        if not is_link(path):
            continue
        name = re.sub(r"\W+", "_", PurePosixPath(path).name.lower().split(".")[0]).strip("_")
        tables = any(word in (name, f"t_{name}", f"_{name}") or word.startswith(f"{name}_") for word in words)
        if tables or any(path in text for text in given):
            found[path] = entry
    return found


def moved_links(files: Files, blobs: BlobStore, hashes: PartHashes) -> str:
    """Return a sentence for each link in `files` whose linked files have changed since the link was recorded; "" if
    none has changed.
    """
    told = []
    for path, link in _links(files, blobs):
        now = look_again(link)
        if now != link:
            found = link_changes(link, now, hashes.of(link), hashes.of(now))
            told.append(f"The files behind {path} have changed since: {found}.")
    return " ".join(told)


def _links(files: Files, blobs: BlobStore) -> Iterator[tuple[str, Link]]:
    for path, entry in files.items():
        if is_link(path):
            try:
                yield path, link_of(blobs.read(entry.sha256))
            except NotALink:
                continue
