"""The tools that this chat offers: a tree of three-state checkboxes, drawn in the browser without reruns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from ui import session
from ui.components.assets import component

__all__ = ["PickedTool", "PickerRow", "picked", "tool_picker"]

_mount = component("tool_picker")


@dataclass(frozen=True, slots=True)
class PickedTool:
    """A tool in a row of the tree."""

    name: str
    line: str
    """A description in one line."""
    sign: str
    """The name of an icon for how its result is shown; empty if there is none."""
    shows: str
    """The meaning of that icon, in words."""
    asks: bool
    ticked: bool
    reason: str
    """The reason why it cannot be ticked; empty if it can."""
    reaches: str = ""
    """The destination of its requests, if it uses the network; otherwise empty."""
    new: bool = False
    """Whether the tool came with an upgrade and was never offered in this chat."""


@dataclass(frozen=True, slots=True)
class PickerRow:
    """A toolset, the built-in tools, or an MCP server."""

    id: str
    group: str
    name: str
    reason: str
    """The reason why none of its tools is available; empty if there is no such reason."""
    tools: tuple[PickedTool, ...]


Changes = Sequence[Mapping[str, object]]


def tool_picker(
    rows: Sequence[PickerRow], *, manage: str, key: str, on_choose: Callable[[Changes], None]
) -> None:
    """Draw the trigger and, on a click, the tree.

    When it closes, `on_choose` receives all changes at once: `[{"id": toolset, "tool": name, "on": bool}, …]`.
    """
    _mount(
        key=key,
        data={"rows": [asdict(row) for row in rows], "manage": manage},
        width="content",
        on_chosen_change=lambda: on_choose(picked(key)),
    )


def picked(key: str) -> Changes:
    """Return the changes made since the last run in the picker with this key. Callbacks may call this even before the
    picker is first drawn.
    """
    try:
        return session.widget_value(key).chosen or ()
    except KeyError:
        return ()
