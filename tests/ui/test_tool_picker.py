"""The picker's rows: computed from the available tools and a chat's selection, and applying changes."""

from dataclasses import replace

from engine.views.model_info import Tool
from ui.widgets.tool_picker import changed_selection, picker_rows


def tool(home: str | None, name: str, **facts: object) -> Tool:
    made = Tool(
        tool_id=f"{home}:{name}" if home else name,
        toolset_id=home,
        toolset_name=home or "Built-in",
        name=name,
        title=name,
        description=f"{name} does one thing. And this is more about it.",
        input_schema={},
        requires_confirmation=False,
        effects="read",
        timeout=600,
        entrypoint="tools.m:f",
    )
    return replace(made, **facts)


NONE: frozenset[str] = frozenset()


def test_rows_are_grouped_as_built_in_toolsets_and_servers() -> None:
    served = tool("mcp:time", "now", server="time")
    rows = picker_rows([served, tool("weather", "today"), tool(None, "list_files")], {}, lambda _: NONE)
    assert [(row.group, row.id) for row in rows] == [
        ("Built-in", "builtin"),
        ("Toolsets", "weather"),
        ("MCP servers", "mcp:time"),
    ]
    assert rows[1].tools[0].line == "today does one thing"


def test_a_toolset_is_disabled_only_with_a_reason_that_all_its_tools_share() -> None:
    off = {"available": False, "reason": "Disabled in settings"}
    one = picker_rows([tool("a", "x", **off), tool("a", "y")], {}, lambda _: NONE)[0]
    assert (one.reason, [t.reason for t in one.tools]) == ("", ["Disabled in settings", ""])
    both = picker_rows([tool("a", "x", **off), tool("a", "y", **off)], {}, lambda _: NONE)[0]
    assert both.reason == "Disabled in settings"


def test_after_an_upgrade_new_tools_are_unselected_and_removed_ones_are_shown_as_unavailable() -> None:
    row = picker_rows([tool("a", "x"), tool("a", "y")], {"a": ["x", "gone"]}, lambda _: frozenset({"y"}))[0]
    told = {t.name: (t.ticked, t.new, t.reason) for t in row.tools}
    assert told == {
        "x": (True, False, ""),
        "y": (False, True, ""),
        "gone": (True, False, "No longer in this toolset"),
    }


def test_tools_of_a_toolset_that_a_chat_never_used_are_not_called_new() -> None:
    row = picker_rows([tool("a", "x")], {}, lambda _: frozenset({"x"}))[0]
    assert not row.tools[0].new


def test_changes_affect_only_the_tools_that_they_name() -> None:
    now = {"a": ["x", "y"], "b": ["z"]}
    changes = [{"id": "a", "tool": "x", "on": False}, {"id": "c", "tool": "w", "on": True}]
    assert changed_selection(now, changes) == {"a": ["y"], "b": ["z"], "c": ["w"]}
    assert now == {"a": ["x", "y"], "b": ["z"]}
