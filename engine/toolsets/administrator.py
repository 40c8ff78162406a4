"""Toolsets, tools and servers that the administrator of a machine disabled, in a file that users cannot override
(BND-6).

There can be two files: the system's `anabranch/admin.toml` (in `/etc/xdg` on Linux) and the file that `ANABRANCH_ADMIN`
names. An entry in either file disables the named item. A file that cannot be read or understood disables everything, so
that a typing error never enables anything; `anabranch doctor` says what is wrong with the file.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import platformdirs

from events.late_dataclass import dataclass

__all__ = ["Administrator", "Ban"]

_KEYS = ("disabled_toolsets", "disabled_tools", "disabled_servers")
_LARGEST = 1 << 20
ALL = "*"


@dataclass(frozen=True, slots=True)
class Ban:
    """The disabled ids; `*` means all ids of that kind."""

    toolsets: frozenset[str] = frozenset()
    """The ids of disabled toolsets; `builtin` means the built-in tools."""
    tools: frozenset[str] = frozenset()
    """The ids of disabled tools, including tools of MCP servers (`mcp:{server}:{tool}`)."""
    servers: frozenset[str] = frozenset()
    """The ids of disabled MCP servers, both from toolsets and from users."""
    problem: str | None = None
    """The reason why a file was not understood; everything is then disabled."""

    def toolset(self, toolset_id: str) -> bool:
        """Return whether a toolset is disabled."""
        return self.problem is not None or bool({toolset_id, ALL} & self.toolsets)

    def tool(self, tool_id: str) -> bool:
        """Return whether one tool is disabled, by its own entry or because everything is disabled."""
        return self.problem is not None or bool({tool_id, ALL} & self.tools)

    def server(self, server_id: str) -> bool:
        """Return whether an MCP server is disabled."""
        return self.problem is not None or bool({server_id, ALL} & self.servers)


class Administrator:
    """Reads the files again whenever they have changed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._named = environ.get("ANABRANCH_ADMIN") or None
        self._read: tuple[object, Ban] | None = None

    def files(self) -> tuple[Path, ...]:
        """The possible locations of the files; the last is from the environment variable, if set."""
        system = platformdirs.site_config_path("anabranch", appauthor=False) / "admin.toml"
        return (system, Path(self._named).expanduser()) if self._named else (system,)

    def stamp(self) -> object:
        """Return an identifier of the files' current state, which changes when the files change."""
        return tuple(_stamp(file) for file in self.files())

    def ban(self) -> Ban:
        """The toolsets, tools and servers that are currently disabled."""
        stamp = self.stamp()
        if self._read is None or self._read[0] != stamp:
            self._read = (stamp, self._all())
        return self._read[1]

    def _all(self) -> Ban:
        bans = list(self._bans())
        return Ban(
            frozenset().union(*(ban.toolsets for ban in bans)),
            frozenset().union(*(ban.tools for ban in bans)),
            frozenset().union(*(ban.servers for ban in bans)),
            "; ".join(ban.problem for ban in bans if ban.problem) or None,
        )

    def _bans(self) -> Iterator[Ban]:
        for file in self.files():
            named = self._named is not None and file == self.files()[-1]
            try:
                if named or file.exists():
                    yield _ban(file)
            except OSError as error:
                yield Ban(problem=f"{file} cannot be read: {error.strerror or error}")


def _stamp(file: Path) -> object:
    try:
        found = file.stat()
    except OSError as error:
        return error.errno
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def _ban(file: Path) -> Ban:
    with file.open("rb") as opened:
        content = opened.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        return Ban(problem=f"{file} has more than {_LARGEST:,} bytes")
    try:
        read = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return Ban(problem=f"{file} is not TOML: {error}")
    if unknown := sorted(read.keys() - set(_KEYS)):
        return Ban(
            problem=f"{file} has the key {unknown[0]}, which is not known; the keys are {', '.join(_KEYS)}"
        )
    for key, value in read.items():
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            return Ban(problem=f"{file}: {key} must be a list of ids, each as text")
    toolsets, tools, servers = (frozenset(read.get(key, ())) for key in _KEYS)
    return Ban(toolsets, tools, servers)
