"""A chat's files as a tree of folders, for the Files panel. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Row", "Sign", "changed_signs", "told_apart", "tree_rows"]

Sign = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a folder, or a file."""

    path: str
    name: str
    depth: int
    folder: bool
    files: int = 0
    """The number of files in a folder and below."""
    open: bool = True


def changed_signs(changes: Mapping[str, Iterable[str]]) -> dict[str, Sign]:
    """Return the kind of change of each path, from the lists `added`, `changed` and `removed`."""
    signs: dict[str, Sign] = {}
    for sign in ("added", "changed", "removed"):
        signs.update(dict.fromkeys(changes[sign], sign))
    return signs


def told_apart(names: dict[str, str]) -> dict[str, str]:
    """Return the names by id, with a number added to repeated ones, because a choice is identified by its name.

    The names are given and returned with the latest first; the oldest of several equal names gets no number.
    """
    numbers: Counter[str] = Counter()
    told: dict[str, str] = {}
    for key, name in reversed(names.items()):
        numbers[name] += 1
        told[key] = f"{name} ({numbers[name]})" if numbers[name] > 1 else name
    return dict(reversed(told.items()))


def tree_rows(paths: Collection[str], shut: Collection[str] = (), find: str = "") -> list[Row]:
    """Return the rows of `paths`, folders first; folders in `shut` have no rows below them,
    unless there is a search.
    """
    wanted = find.strip().casefold()
    found = sorted((path for path in paths if wanted in path.casefold()), key=_order)
    below: dict[str, int] = {}
    for path in found:
        for folder in _folders(path):
            below[folder] = below.get(folder, 0) + 1
    rows: list[Row] = []
    seen: set[str] = set()
    for path in found:
        hidden = False
        for depth, folder in enumerate(_folders(path)):
            is_open = bool(wanted) or folder not in shut
            if folder not in seen:
                seen.add(folder)
                rows.append(Row(folder, folder.rpartition("/")[2], depth, True, below[folder], is_open))
            if not is_open:
                hidden = True
                break
        if not hidden:
            rows.append(Row(path, path.rpartition("/")[2], path.count("/"), False))
    return rows


def _folders(path: str) -> list[str]:
    """Return the folders that contain a path, the outermost first."""
    return [path[:at] for at, sign in enumerate(path) if sign == "/"]


def _order(path: str) -> list[tuple[int, str, str]]:
    """Order folders before files at each depth, and names without regard to case."""
    parts = path.split("/")
    return [
        (int(part is parts[-1] and at == len(parts) - 1), part.casefold(), part)
        for at, part in enumerate(parts)
    ]
