"""The calls of one step that will run, and the branch on which they work."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from engine.chats.chat_folder import ChatFolder
from engine.tools.sources.offer import source_named
from engine.tools.tool import Effects, Tool
from engine.workspace.manifest import Files
from events.catalog.moment import MomentRead
from events.catalog.tool_call import CallFailure, FinalStatus
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "Approval",
    "Branch",
    "PlannedCall",
    "Sending",
    "effects_of",
    "files_seen",
    "reaches_out",
    "texts_in",
]

Approval: TypeAlias = Literal["yes", "always in this chat"]
"""The permission that the user gave for a call in advance."""
Sending: TypeAlias = Literal["ask", "never", "freely"]
"""How to handle a call whose tool reaches the network, if the chat contains data."""


@dataclass(slots=True)
class Branch:
    """The branch on which a turn works, and its current position."""

    chat_id: str
    turn_id: str
    message_id: str | None
    """The message with the calls."""
    manifest_id: str | None
    folder: ChatFolder
    stopped_as: Callable[[], FinalStatus] = lambda: "cancelled"
    """Returns the status of a call that was stopped: by the user, or because the app closes."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A requested call: ready to run, waiting for the user, or already known to end without running."""

    call_id: str
    name: str
    """The tool's name, as the model or the user wrote it in the call."""
    tool: Tool | None
    arguments: JSON
    failure: CallFailure | None = None
    status: FinalStatus = "error"
    """The final status of the call if there is a failure."""
    answer: JSONObject | None = None
    """The engine's answer, if no process has to run."""
    picks: tuple[str, ...] = ()
    """Ids of the tools that later requests describe in full."""
    asks: bool = False
    """Whether the call needs the user's permission."""
    waits: bool = False
    """Whether the call needs permission and the user has not answered yet."""
    approved: Approval | None = None
    sends_to: str | None = None
    """The destination of the arguments, if the chat contains data and the call would send them."""
    commentary: str = ""
    moments: tuple[MomentRead, ...] = ()
    """The other states of the files that the call can read."""


def files_seen(tool: Tool | None, arguments: JSON, files: Files) -> Files:
    """Return the files that a call's process sees: all files or, with network access, only the files that its arguments
    name.

    So only files that the user was shown can be sent. If the arguments name a folder, the call sees all files in it.
    """
    if not reaches_out(tool, arguments):
        return files
    named = {text.removeprefix("./").rstrip("/") for text in texts_in(arguments)}
    return {path: entry for path, entry in files.items() if any(above in named for above in _above(path))}


def reaches_out(tool: Tool | None, arguments: JSON) -> bool:
    """Return whether a call's process reaches beyond the workspace, by network access or by reading a source."""
    return tool is not None and (tool.network or source_named(tool, arguments) is not None)


def texts_in(value: JSON) -> Iterator[str]:
    """Yield every text in a value, but not the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for below in value.values():
            yield from texts_in(below)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from texts_in(below)


def _above(path: str) -> Iterator[str]:
    yield path
    yield from (str(folder) for folder in PurePosixPath(path).parents if str(folder) != ".")


def effects_of(call: PlannedCall) -> Effects:
    """Return the declared effects of the call's tool; `read` if no such tool exists."""
    return call.tool.effects if call.tool is not None else "read"
