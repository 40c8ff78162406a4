"""Explains an error in a cell: the failing lines, the error, and what to do about it."""

import difflib
import linecache
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["FILENAME", "OutOfTime", "explained", "remember_lines"]

FILENAME = "<python>"
_LONGEST = 3_000
_LONGEST_LINE = 200
_MOST_FRAMES = 6
_ALSO = 0.85
"""The similarity above which more than one name is suggested."""
_NETWORK = ("URLError", "gaierror", "HTTPError", "ConnectError", "NewConnectionError", "SSLError")
_NAMED = [
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
    "scipy",
    "statsmodels",
    "scikit-learn",
    "matplotlib",
    "altair",
]
_INSTALL = "`make run` installs it; by hand: pip install -r requirements-analysis.txt"
_MODULES = {"sklearn": "scikit-learn"}


class OutOfTime(BaseException):
    """Raised if a cell runs too long. It is not an Exception, so that the cell's own handlers do not catch it."""


def explained(
    error: BaseException, code: str, values: Mapping[str, Any], tables: Iterable[str], workspace: Path
) -> str:
    """Return the failing lines of `code`, the error and advice."""
    if isinstance(error, SyntaxError) and error.filename == FILENAME:
        return _syntax(error, code)
    lines = list(_lines(error, code))
    said = _said(error)
    advice = _advice(error, values, list(tables), workspace)
    text = "\n".join([*lines, said, *([advice] if advice else [])])
    return text.replace(f"{workspace}/", "")[:_LONGEST]


def _syntax(error: SyntaxError, code: str) -> str:
    text = (error.text or "").rstrip("\n")
    told = f"line {error.lineno}: {text.strip()}"
    if error.offset and text.strip():
        start = len(text) - len(text.lstrip())
        caret = max(0, error.offset - 1 - start)
        told += "\n" + " " * (len(f"line {error.lineno}: ") + caret) + "^"
    advice = ""
    if text.lstrip().startswith(("%", "!")):
        advice = "\nLines that begin with % or ! are for notebooks. Leave them out; packages cannot be added."
    return f"{told}\n{type(error).__name__}: {error.msg}{advice}"


def _lines(error: BaseException, code: str) -> Iterator[str]:
    """Yield the lines of the cell in the traceback, outermost first."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == FILENAME]
    if len(frames) > _MOST_FRAMES:
        frames = [*frames[:2], *frames[-(_MOST_FRAMES - 2) :]]
    source = code.splitlines()
    for frame in frames:
        number = frame.lineno or 0
        line = source[number - 1].strip()[:_LONGEST_LINE] if 0 < number <= len(source) else ""
        place = "" if frame.name == "<module>" else f", in {frame.name}"
        yield f"line {number}{place}: {line}"


def _said(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _advice(error: BaseException, values: Mapping[str, Any], tables: list[str], workspace: Path) -> str:
    if isinstance(error, OutOfTime):
        return ""
    chain = list(_chain(error))
    if any(_is_network(one) for one in chain):
        return "This tool has no network: the data must be in the workspace's files."
    for one in chain:
        if isinstance(one, ModuleNotFoundError) and one.name:
            return _missing_module(one.name)
        if isinstance(one, MemoryError) or "Out of Memory" in str(one)[:300]:
            return "It needs more memory than a call may use. Select columns and aggregate with sql() first."
        if isinstance(one, EOFError) and traceback.extract_tb(one.__traceback__)[-1].filename == FILENAME:
            return "Nobody can answer input() here."
        if isinstance(one, OSError) and (told := _file(one, workspace)):
            return told
    near = [told for one in chain if (told := _near(one, values, tables))]
    return near[0] if near else ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_network(error: BaseException) -> bool:
    if type(error).__name__ in _NETWORK or isinstance(error, ConnectionError):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    refused = isinstance(error, PermissionError) and error.filename is None
    return refused and any(Path(frame.filename).name == "socket.py" for frame in frames)


def _missing_module(name: str) -> str:
    top = name.partition(".")[0]
    if top == "IPython":
        return "IPython is not installed here. Leave out the import: display() works without it."
    package = _MODULES.get(top, top)
    if package in _NAMED and not _version(package):
        return f"{package} is not installed here: {_INSTALL}."
    if _version(package):
        return f"{package} {_version(package)} is installed; it has no module {name}."
    installed = ", ".join(f"{one} {_version(one)}" for one in _NAMED if _version(one))
    return f"{name} is not installed here, and packages cannot be added. These are installed: {installed}."


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _file(error: OSError, workspace: Path) -> str:
    name = error.filename
    if not isinstance(name, str):
        return ""
    path = Path(name)
    inside = not path.is_absolute() or path.is_relative_to(workspace)
    if not inside:
        return f"{name} is outside the workspace, which is all that this tool can read. {_listed(workspace)}"
    if isinstance(error, FileNotFoundError):
        names = _names(workspace)
        near = difflib.get_close_matches(path.name.lower(), [Path(one).name.lower() for one in names], 3, 0.5)
        found = [one for one in names if Path(one).name.lower() in near]
        return f"Did you mean {' or '.join(found)}?" if found else _listed(workspace)
    return ""


def _names(workspace: Path) -> list[str]:
    found = (file for file in workspace.rglob("*") if file.is_file())
    names = sorted(file.relative_to(workspace).as_posix() for file in found)
    return [name for name in names if not name.startswith(".")]


def _listed(workspace: Path) -> str:
    names = _names(workspace)
    more = f" and {len(names) - 15} more" if len(names) > 15 else ""
    return f"Its files are: {', '.join(names[:15]) or 'none'}{more}."


def _near(error: BaseException, values: Mapping[str, Any], tables: list[str]) -> str:
    """Return suggestions for a name that does not exist; "" if there are none."""
    if isinstance(error, AttributeError) and error.name:
        owner = error.obj
        columns = [str(c) for c in owner.columns] if isinstance(owner, pd.DataFrame) else []
        return _did_you_mean(error.name, [*columns, *_attributes(owner)], columns, "columns")
    if isinstance(error, NameError) and error.name:
        columns = [str(c) for v in values.values() if isinstance(v, pd.DataFrame) for c in v.columns]
        own = [name for name in values if not name.startswith("_")]
        if error.name in tables:
            return f"The table is available as tables[{error.name!r}]."
        return _did_you_mean(error.name, [*own, *tables, *columns, *dir(__builtins__)], [], "")
    if isinstance(error, KeyError) and error.args and type(error) is KeyError:
        columns = _columns_on_the_way(error)
        return _did_you_mean(str(error.args[0]), columns, columns, "columns")
    return ""


def _attributes(owner: Any) -> list[str]:
    try:
        return [name for name in dir(owner) if not name.startswith("_")]
    except Exception:
        return []


def _did_you_mean(name: str, choices: Iterable[str], listed: list[str], what: str) -> str:
    unique = list(dict.fromkeys(choices))
    lowered = {choice.lower(): choice for choice in reversed(unique)}
    wanted = [re.sub(r"\W+", "", name.lower()), name.lower()]
    close = [match for one in wanted for match in difflib.get_close_matches(one, lowered, 3, 0.6)]
    close.sort(key=lambda match: -max(_likeness(one, match) for one in wanted))
    likely = [match for match in close if any(_likeness(one, match) > _ALSO for one in wanted)]
    near = list(dict.fromkeys(lowered[match] for match in likely or close[:1]))[:3]
    text = f"Did you mean {' or '.join(repr(one) for one in near)}?" if near else ""
    if listed:
        more = f" and {len(listed) - 20} more" if len(listed) > 20 else ""
        text += f" The {what} are: {', '.join(listed[:20])}{more}."
    return text.strip()


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _columns_on_the_way(error: BaseException) -> list[str]:
    """Return the columns of the DataFrame in which pandas looked for a key."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        if frame.f_code.co_filename == FILENAME:
            break
        for name in ("self", "obj", "frame", "left", "right"):
            value = frame.f_locals.get(name)
            if isinstance(value, pd.DataFrame) and len(value.columns):
                return [str(column) for column in value.columns]
    return []


def remember_lines(code: str) -> None:
    """Let libraries that quote source, such as warnings, find the lines of the cell."""
    linecache.cache[FILENAME] = (len(code), None, code.splitlines(keepends=True), FILENAME)
