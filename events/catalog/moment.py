"""Facts about moments: named states of a chat's files, which SQL and Python can read."""

from typing import Annotated, Literal

from events.declarations import Copied, History, Makes, Refers
from events.event import ChatEvent, Value

__all__ = ["MomentForgotten", "MomentNamed", "MomentRead"]


class MomentNamed(ChatEvent):
    """A state of the chat's files was given a name."""

    type: Literal["MomentNamed"] = "MomentNamed"
    history = History("files", "The moment {name} was named.")
    fork = Copied("message_id")
    moment_id: Annotated[str, Makes("moment")]
    name: str
    """The SQL schema in which the tables of that state can be read."""
    message_id: Annotated[str | None, Refers("message")]
    """The chat's current message at that time; None is the root."""
    manifest_id: Annotated[str | None, Refers("manifest")]
    """The state of the files; None if there were no files."""
    description: str = ""
    call_id: Annotated[str | None, Refers("call", not_copied="cleared")] = None
    """The `name_moment` call; None if the user named the state without a call."""


class MomentForgotten(ChatEvent):
    """A moment's name was removed. The state stays in the history, and recorded calls that read it stay valid."""

    type: Literal["MomentForgotten"] = "MomentForgotten"
    history = History("files", "The name of a moment was removed.")
    fork = Copied("moment_id")
    moment_id: Annotated[str, Refers("moment")]


class MomentRead(Value):
    """Another state of the chat's files that a call could read, in addition to the current one."""

    name: str
    """The SQL schema: a moment's name, `at POSITION` or `branch NUMBER`."""
    manifest_id: Annotated[str | None, Refers("manifest", earlier=False, not_copied="kept")]
    """The state; None if there were no files. A fork that does not copy the state keeps the origin's id."""
