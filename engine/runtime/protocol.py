"""The messages between the engine and a tool process. Plain data; imports only the standard library."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from events.late_dataclass import dataclass

__all__ = [
    "Asked",
    "Confinement",
    "Level",
    "Limits",
    "RunError",
    "RunOutcome",
    "RunRequest",
    "RunStatus",
    "Runtime",
]

RunStatus: TypeAlias = Literal["success", "error", "timed_out", "cancelled"]

Level: TypeAlias = Literal["process only", "filesystem only", "full"]
"""The level at which a tool process is confined, from the weakest to the strongest."""

Asked: TypeAlias = Level | Literal["strongest"]
"""The confinement that a tool process needs to run: a level, or `strongest`, the strongest one that this system has."""

Runtime: TypeAlias = Literal["plain", "source", "analysis"]
"""The set of packages loaded before a call: packages for tables, and more for sources or statistics."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one call."""

    seconds: float = 60.0
    """The time limit in seconds."""
    memory_bytes: int = 4 << 30
    """The maximum size of one process's private data, in bytes (RLIMIT_DATA)."""
    file_bytes: int = 2 << 30
    """The largest file that the tool may write, in bytes (RLIMIT_FSIZE)."""
    output_bytes: int = 1 << 20
    """The maximum number of bytes that are kept of stdout, and also of stderr."""
    result_bytes: int = 8 << 20
    """The maximum size of the returned dict as JSON, in bytes."""

    def within(self, most: "Limits") -> "Limits":
        """Return these limits. A limit that is higher than the same limit in `most` is lowered to it."""
        return Limits(
            seconds=min(self.seconds, most.seconds),
            memory_bytes=min(self.memory_bytes, most.memory_bytes),
            file_bytes=min(self.file_bytes, most.file_bytes),
            output_bytes=min(self.output_bytes, most.output_bytes),
            result_bytes=min(self.result_bytes, most.result_bytes),
        )


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One call of a function in a bundle."""

    call_id: str
    bundle: Path | None
    """The root folder of the stored bundle; None for functions of `anabranch_tool` itself (built-ins)."""
    entrypoint: str
    """`tools.module:function` or `module:function`; for built-ins `anabranch_tool.module:function`."""
    workspace: Path
    arguments: Mapping[str, Any]
    """The decoded JSON object, valid against the tool's schema; passed as keyword arguments."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the tool was granted in addition to the clean environment."""
    packages: tuple[Path, ...] = ()
    """Folders with the packages from the bundle's `requirements`, which are added to the end of the import path."""
    limits: Limits = Limits()
    network: bool = False
    """Whether the call may reach other machines, and this machine's own network addresses, with TCP and UDP."""
    readable: tuple[Path, ...] = ()
    """Files outside the workspace that the call may read, such as typed tables from the cache."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the call, as JSON. The tool process finds them in `anabranch_tool.context.given`."""
    runtime: Runtime = "plain"


@dataclass(frozen=True, slots=True)
class RunError:
    """The reason why a call has no result."""

    kind: str
    """A stable code: `exception`, `refused` (a `ToolError`), `crashed`, `timed_out`, `cancelled`, `not_a_dict`,
    `not_json`, `too_large`, `not_found`, `host`, `not_confined`, `too_much` (all its processes together exceeded a
    limit), `toolset_changed` (its stored files differ from the installed ones). A call that the engine answers itself
    may have another code."""
    message: str
    """One or two sentences for people; for an exception `TypeName: text`."""
    traceback: str = ""
    """The part of the traceback in the tool's code."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How the process was actually confined."""

    level: Level = "process only"
    layers: tuple[str, ...] = ()
    """Names of the layers that were enforced, e.g. `process group`, `clean environment`, `resource limits`."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a call ended. Everything in it comes from an untrusted process."""

    status: RunStatus
    value: Mapping[str, Any] | None = None
    error: RunError | None = None
    stdout: str = ""
    stderr: str = ""
    output_truncated: bool = False
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    confinement: Confinement = Confinement()
    environment: Mapping[str, Any] | None = None
    """The facts that the process reported about its environment (RUN-9); None if it ended before it reported them."""
