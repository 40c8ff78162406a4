"""What changes between two versions of a toolset: what an upgrade asks the user to agree to."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.toolsets.manifest import Manifest, McpServer, ToolManifest

__all__ = ["ToolChange", "UpgradeDiff", "upgrade_diff", "wants_more"]

_REACH = {"read": 0, "create": 1, "write": 2}


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool that both versions have, and what is different in it."""

    tool: str
    fields: tuple[str, ...]
    """Names of the manifest's fields."""

    @property
    def schema_changed(self) -> bool:
        """Whether it takes other arguments."""
        return "input_schema" in self.fields


@dataclass(frozen=True, slots=True)
class UpgradeDiff:
    """Everything that a new version brings, drops or changes; ids, in order."""

    old_version: str
    new_version: str
    tools_added: tuple[str, ...] = ()
    tools_removed: tuple[str, ...] = ()
    tools_changed: tuple[ToolChange, ...] = ()
    permissions: tuple[tuple[str, bool, bool], ...] = ()
    """Name, before, after."""
    packages_added: tuple[str, ...] = ()
    packages_removed: tuple[str, ...] = ()
    mcp_added: tuple[str, ...] = ()
    mcp_removed: tuple[str, ...] = ()
    mcp_changed: tuple[str, ...] = ()
    config_added: tuple[str, ...] = ()
    config_removed: tuple[str, ...] = ()
    config_changed: tuple[str, ...] = ()
    """Keys that are needed otherwise, or taken from another variable."""

    @property
    def same_version(self) -> bool:
        """Whether other content comes under the same version, which is to be pointed out."""
        return self.old_version == self.new_version

    @property
    def asks_for_more(self) -> bool:
        """Whether the new version may do something that the old one could not."""
        gained = any(after and not before for _, before, after in self.permissions)
        return gained or bool(self.mcp_added or self.mcp_changed or self.packages_added or self.tools_added)


def upgrade_diff(old: Manifest, new: Manifest) -> UpgradeDiff:
    """Return what `new` changes against `old`."""
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


def wants_more(old: Manifest, new: Manifest) -> list[str]:
    """Return, in words, what `new` may do that was not agreed to with `old`; a new tool alone is no more than code."""
    changes = upgrade_diff(old, new)
    told = [f"the permission {name}" for name, before, after in changes.permissions if after and not before]
    told += [f"the package {package}" for package in changes.packages_added]
    told += [f"the MCP server {server}" for server in (*changes.mcp_added, *changes.mcp_changed)]
    told += [f"the key {key}" for key in (*changes.config_added, *changes.config_changed)]
    for change in changes.tools_changed:
        before, after = old.tool(change.tool), new.tool(change.tool)
        assert before is not None
        assert after is not None
        if _ASKS[before.requires_confirmation] > _ASKS[after.requires_confirmation]:
            where = " where the sandbox is full" if after.requires_confirmation else ""
            told.append(f"{change.tool} no longer asks first{where}")
        if _REACH[after.effects] > _REACH[before.effects]:
            told.append(f"{change.tool} has the effects {after.effects} instead of {before.effects}")
    return told


_ASKS: Mapping[bool | str, int] = {False: 0, "unless_confined": 1, True: 2}


def _only(these: Mapping[str, object], those: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(sorted(these.keys() - those.keys()))


def _different(old: ToolManifest | McpServer, new: ToolManifest | McpServer) -> tuple[str, ...]:
    return tuple(name for name in type(new).model_fields if getattr(old, name) != getattr(new, name))
