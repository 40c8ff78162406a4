"""The changes between two versions of a toolset that the user must agree to."""

from collections.abc import Iterator, Mapping, Sequence

from engine.toolsets.manifest import Manifest, McpServer, ToolManifest
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ToolChange", "UpgradeDiff", "upgrade_diff", "wants_more"]

_REACH = {"read": 0, "create": 1, "write": 2}


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool that is in both versions, and its differences."""

    tool: str
    fields: tuple[str, ...]
    """The names of the changed manifest fields."""

    @property
    def schema_changed(self) -> bool:
        """Whether the tool takes other arguments."""
        return "input_schema" in self.fields


@dataclass(frozen=True, slots=True)
class UpgradeDiff:
    """The sorted ids of everything that a new version adds, removes or changes."""

    old_version: str
    new_version: str
    tools_added: tuple[str, ...] = ()
    tools_removed: tuple[str, ...] = ()
    tools_changed: tuple[ToolChange, ...] = ()
    permissions: tuple[tuple[str, bool, bool], ...] = ()
    """Permissions: name, before, after."""
    packages_added: tuple[str, ...] = ()
    packages_removed: tuple[str, ...] = ()
    mcp_added: tuple[str, ...] = ()
    mcp_removed: tuple[str, ...] = ()
    mcp_changed: tuple[str, ...] = ()
    config_added: tuple[str, ...] = ()
    config_removed: tuple[str, ...] = ()
    config_changed: tuple[str, ...] = ()
    """Keys whose requirement or variable has changed."""

    @property
    def same_version(self) -> bool:
        """Whether the content differs although the version is the same; the sheet must point this out."""
        return self.old_version == self.new_version

    @property
    def asks_for_more(self) -> bool:
        """Whether the new version may do something that the old version could not do."""
        gained = any(after and not before for _, before, after in self.permissions)
        return gained or bool(self.mcp_added or self.mcp_changed or self.packages_added or self.tools_added)


def upgrade_diff(old: Manifest, new: Manifest) -> UpgradeDiff:
    """Return the changes from `old` to `new`."""
    before, after = {tool.id: tool for tool in old.tools}, {tool.id: tool for tool in new.tools}
    servers_before = {server.id: server for server in old.mcp_servers}
    servers_after = {server.id: server for server in new.mcp_servers}
    rights_before, rights_after = old.permissions.model_dump(), new.permissions.model_dump()
    keys_before = {key.name: key.model_copy(update={"description": ""}) for key in old.config}
    keys_after = {key.name: key.model_copy(update={"description": ""}) for key in new.config}
    return UpgradeDiff(
        old.version,
        new.version,
        tools_added=_only(after, before),
        tools_removed=_only(before, after),
        tools_changed=tuple(
            ToolChange(name, fields)
            for name in sorted(before.keys() & after.keys())
            if (fields := _different(before[name], after[name]))
        ),
        permissions=tuple(
            (name, bool(rights_before.get(name)), bool(right))
            for name, right in sorted(rights_after.items())
            if right != rights_before.get(name)
        ),
        packages_added=tuple(sorted(set(new.requirements) - set(old.requirements))),
        packages_removed=tuple(sorted(set(old.requirements) - set(new.requirements))),
        mcp_added=_only(servers_after, servers_before),
        mcp_removed=_only(servers_before, servers_after),
        mcp_changed=tuple(
            name
            for name in sorted(servers_before.keys() & servers_after.keys())
            if servers_before[name] != servers_after[name]
        ),
        config_added=_only(keys_after, keys_before),
        config_removed=_only(keys_before, keys_after),
        config_changed=tuple(
            name
            for name in sorted(keys_before.keys() & keys_after.keys())
            if keys_before[name] != keys_after[name]
        ),
    )


def wants_more(old: Manifest, new: Manifest, skills: tuple[JSON, JSON] = (None, None)) -> list[str]:
    """Describe everything in `new` that the user did not already agree to in `old`. Changed code does not count.

    `skills` contains the front matter of SKILL.md, before and after. Parts that were removed, or that do less than
    before, need no new agreement.
    """
    changes = upgrade_diff(old, new)
    told = [f"the {what}" for what in ("name", "description") if getattr(old, what) != getattr(new, what)]
    told += [f"the new tool {tool}" for tool in changes.tools_added]
    told += [f"the permission {name}" for name, before, after in changes.permissions if after and not before]
    told += [f"the package {package}" for package in changes.packages_added]
    told += [f"the MCP server {server}" for server in (*changes.mcp_added, *changes.mcp_changed)]
    before_keys = {key.name: key for key in old.config}
    told += [f"the key {key.name}" for key in new.config if before_keys.get(key.name) != key]
    for change in changes.tools_changed:
        before, after = old.tool(change.tool), new.tool(change.tool)
        assert before is not None
        assert after is not None
        told += _tool_more(before, after, change.fields)
    if skills[1] is not None and skills[0] != skills[1]:
        told.append("a new purpose of its instructions")
    return told


def _tool_more(before: ToolManifest, after: ToolManifest, fields: Sequence[str]) -> Iterator[str]:
    """Yield everything that a tool says or does that it did not say or do before."""
    if _ASKS[before.requires_confirmation] > _ASKS[after.requires_confirmation]:
        where = " if the sandbox is full" if after.requires_confirmation else ""
        yield f"{after.id} no longer asks first{where}"
    if _REACH[after.effects] > _REACH[before.effects]:
        yield f"{after.id} has the effects {after.effects} instead of {before.effects}"
    for field, words in _TOLD.items():
        if field in fields:
            yield f"{after.id} has {words}"


_TOLD: Mapping[str, str] = {
    "name": "another name",
    "description": "another description",
    "input_schema": "other arguments",
    "command": "another slash command",
    "renderer": "another way to show its results",
}
"""Fields of a tool that a user or a model reads, or that affect the arguments of its calls. If such a field changes,
the user must agree again.
"""
_ASKS: Mapping[bool | str, int] = {False: 0, "unless_confined": 1, True: 2}


def _only(these: Mapping[str, object], those: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(sorted(these.keys() - those.keys()))


def _different(old: ToolManifest | McpServer, new: ToolManifest | McpServer) -> tuple[str, ...]:
    return tuple(name for name in type(new).model_fields if getattr(old, name) != getattr(new, name))
