"""The part of this machine that a started server may access: its program, its home folder, and the paths that the user
agreed to.

The user knows the command from the sheet. The program's files are found from its location: a Python environment with
its interpreter, or a folder of Node.js packages. Everything else must be declared in `paths`.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from events.late_dataclass import dataclass

__all__ = ["Grant", "grant", "interpreters", "program_files"]

_RUNS = re.compile(r"(python|pypy|node|bun|deno|ruby|perl|php|sh|bash)[0-9.]*")
"""Interpreters, which run the file that is their first argument."""
_WRITE = ":rw"
_FOLLOWED = 4
"""How many interpreters are followed if an interpreter is itself run by another interpreter."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The access granted to one server."""

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    """Folders that the server may write to."""
    network: bool


def grant(
    command: str,
    args: Sequence[str],
    paths: Sequence[str],
    *,
    home: Path,
    network: bool,
    system: Sequence[str],
    search: str | None = None,
) -> Grant:
    """Return the access of a server.

    Args:
        command: the program's path.
        args: its arguments; if the program is an interpreter, the file that it runs is part of the program.
        paths: files and folders that the user agreed to, as in `McpServer.paths`, but with variables replaced by their
            values.
        home: the server's own folder.
        network: whether it may use the network.
        system: the paths that every process may read.
        search: the folders in which programs such as `uvx` look for their interpreter, in the format of PATH.
    """
    readable, writable = [*system, *program_files(command), *interpreters(search)], [str(home)]
    readable += _script(command, args)
    for path in paths:
        place = os.path.expanduser(path.removesuffix(_WRITE))  # noqa: PTH111 - one that is no user's stays as it is
        (writable if path.endswith(_WRITE) else readable).append(place)
    return Grant(tuple(dict.fromkeys(readable)), tuple(dict.fromkeys(writable)), network)


def program_files(command: str) -> tuple[str, ...]:
    """Return the files and folders of a program: itself, its environment, and its interpreter."""
    return tuple(dict.fromkeys(_program(Path(command), _FOLLOWED)))


def _script(command: str, args: Sequence[str]) -> tuple[str, ...]:
    """Return the files of the program that an interpreter runs: the first argument that is not an option."""
    if not _RUNS.fullmatch(Path(command).name):
        return ()
    first = next((arg for arg in args if not arg.startswith("-")), "")
    return program_files(first) if Path(first).is_absolute() and Path(first).is_file() else ()


def interpreters(search: str | None) -> tuple[str, ...]:
    """Return the paths of the first Python and the first Node.js executables found in `search`."""
    found = [shutil.which(name, path=search) for name in ("python3", "python", "node")] if search else []
    return tuple(dict.fromkeys(file for program in found if program for file in program_files(program)))


def _program(path: Path, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    for file in dict.fromkeys((path, Path(os.path.realpath(path)))):
        yield str(file)
        root = file.parent.parent
        packages = next((folder for folder in file.parents if folder.name == "node_modules"), None)
        if packages is not None:
            yield str(packages)
        if file.parent.name != "bin":
            continue
        if (root / "pyvenv.cfg").is_file():
            yield str(root)
            yield from _program(Path(os.path.realpath(_python(root))), depth - 1)
        else:
            yield from (str(found) for found in sorted(root.glob("lib/python3*")))
            yield from (str(found) for found in sorted(root.glob("lib/libpython3*")))
            yield str(root / "lib" / "node_modules")
    interpreter = _shebang(path)
    if interpreter is not None:
        yield from _program(interpreter, depth - 1)


def _python(environment: Path) -> Path:
    """Return the interpreter that a Python environment was made with."""
    for line in (environment / "pyvenv.cfg").read_text("utf-8", "replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            return Path(value.strip()) / "python3"
    return environment / "bin" / "python3"


def _shebang(path: Path) -> Path | None:
    """Return the interpreter that a script names; None if it is not a script."""
    try:
        with path.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        found = shutil.which(named)
        return Path(found) if found else None
    return Path(words[0]) if words else None
