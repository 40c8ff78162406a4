"""The tools that a chat offers its model: converts between the chat's choice and the picker's rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from engine.commands.catalog import SelectTools
from engine.rendering.renderers import RENDERERS
from engine.views.model_info import Tool
from ui import session
from ui.components.tool_picker.component import PickedTool, PickerRow, picked, tool_picker
from ui.current_app import app, send

__all__ = ["changed_selection", "picker_rows", "settle_choice", "tools_picker"]

Selection = Mapping[str, Sequence[str]]

_GONE = "No longer in this toolset"


def tools_picker(chat_id: str | None, selection: Selection) -> None:
    """Draw the tool picker for a chat, or for the new chat. A choice becomes one event when the picker closes."""
    query = f"?chat={chat_id}" if chat_id else ""
    rows = picker_rows(app().tools(), selection, came_with_upgrade)
    tool_picker(
        [*rows, *_silent_servers({row.id for row in rows})],
        manage=f"toolsets{query}",
        key=_key(chat_id),
        on_choose=lambda changes: _choose(chat_id, changes),
    )


def settle_choice(chat_id: str | None) -> None:
    """Save a selection made just before a question: if both arrive in one run, the question's callback runs first."""
    changes = picked(_key(chat_id))
    if changes:
        _choose(chat_id, changes)


def _key(chat_id: str | None) -> str:
    return f"tool-picker-{chat_id or 'new'}"


def _silent_servers(shown: set[str]) -> list[PickerRow]:
    """Return the MCP servers that are on but have no known tools, with the reason."""
    return [
        PickerRow(f"mcp:{state.id}", "MCP servers", state.id, state.detail or "Connecting…", ())
        for state in app().mcp.states()
        if state.enabled and f"mcp:{state.id}" not in shown
    ]


def _choose(chat_id: str | None, changes: Iterable[Mapping[str, object]]) -> None:
    if chat_id is None:
        now = session.remembered("new-selection") or app().next_selection()
        session.remember("new-selection", changed_selection(now, changes))
    else:
        send(SelectTools(chat_id, changed_selection(app().chat(chat_id).selection, changes)))


def changed_selection(selection: Selection, changes: Iterable[Mapping[str, object]]) -> dict[str, list[str]]:
    """Return `selection` with the changes of the picker applied, in the order in which tools were ticked."""
    chosen = {home: list(names) for home, names in selection.items()}
    for change in changes:
        home, name = str(change["id"]), str(change["tool"])
        own = [tool for tool in chosen.get(home, []) if tool != name]
        chosen[home] = [*own, name] if change["on"] else own
    return chosen


def picker_rows(
    tools: Iterable[Tool], selection: Selection, upgraded: Callable[[Tool], frozenset[str]]
) -> list[PickerRow]:
    """Return the picker's rows: built-in tools, toolsets, MCP servers; each with its state in `selection`.

    Given a tool, `upgraded` returns the tools that the last upgrade of its toolset added.
    """
    homes: dict[str, list[Tool]] = {}
    for tool in tools:
        homes.setdefault(tool.home, []).append(tool)
    rows = [
        _row(home, own, selection.get(home, ()), upgraded(own[0]) if home in selection else frozenset())
        for home, own in homes.items()
    ]
    order = ["Built-in", "Toolsets", "MCP servers"]
    return sorted(rows, key=lambda row: order.index(row.group))


def _row(home: str, tools: Sequence[Tool], ticked: Sequence[str], upgraded: frozenset[str]) -> PickerRow:
    names = {tool.name for tool in tools}
    reasons = {"" if tool.available else tool.reason or "Not available" for tool in tools}
    gone = [PickedTool(name, "", "", "", False, True, _GONE) for name in ticked if name not in names]
    group = "MCP servers" if tools[0].server else "Toolsets" if tools[0].toolset_id else "Built-in"
    return PickerRow(
        id=home,
        group=group,
        name=tools[0].toolset_name,
        reason=reasons.pop() if len(reasons) == 1 else "",
        tools=(*(_picked(tool, ticked, tool.name in upgraded) for tool in tools), *gone),
    )


def _picked(tool: Tool, ticked: Sequence[str], upgraded: bool) -> PickedTool:
    renderer = RENDERERS.get(tool.render.renderer) if tool.render else None
    sign, shows = (renderer.sign if renderer else None) or ("", "")
    return PickedTool(
        name=tool.name,
        line=_first_line(tool.description),
        sign=sign,
        shows=shows,
        asks=tool.requires_confirmation,
        reaches=_reaches(tool),
        ticked=tool.name in ticked,
        reason="" if tool.available else tool.reason or "Not available",
        new=upgraded and tool.name not in ticked,
    )


def _reaches(tool: Tool) -> str:
    """Return the host to which the tool sends data, or `any address`; empty for a tool without network access."""
    if not tool.network:
        return ""
    host = tool.destination.rpartition(":")[2] if not tool.destination.startswith("mcp:") else ""
    return host if "." in host else "any address"


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line.partition(". ")[0].rstrip(".")


def came_with_upgrade(tool: Tool) -> frozenset[str]:
    """Return the tools that the last upgrade of the given tool's toolset added."""
    if tool.toolset_id is None or tool.server is not None or tool.content_hash is None:
        return frozenset()
    return _added(tool.toolset_id, tool.content_hash)


@lru_cache(maxsize=256)
def _added(toolset_id: str, _content_hash: str) -> frozenset[str]:
    versions = app().toolset_versions(toolset_id)
    if len(versions) < 2:
        return frozenset()
    return frozenset(versions[0].tools) - frozenset(versions[1].tools)
