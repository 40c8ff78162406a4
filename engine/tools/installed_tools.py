"""Makes tools and toolsets from read-model rows: escapes texts, decides availability, finds code and files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.rendering.plan import RenderConfig
from engine.runtime.protocol import Confinement
from engine.tools.local_requirements import asks_first, lacking, packages_of, reach_of, runtime_of
from engine.tools.tool import Tool
from engine.toolsets.availability import BY_ADMINISTRATOR, BY_USER, availability, facts
from engine.toolsets.configuration import Configuration
from engine.toolsets.lookalikes import visible_lines
from engine.toolsets.source import followed, source_of
from engine.workspace.manifest import FileEntry
from events.late_dataclass import dataclass

__all__ = ["StoredBundle", "publisher_of", "stored_bundles", "tool_of", "toolset_of", "visible"]


@dataclass(slots=True)
class StoredBundle:
    """The folder of an installed bundle's files, and the list of these files."""

    folder: Path
    files: dict[str, FileEntry]


def stored_bundles(rows: Iterable[Mapping[str, Any]], data: Path) -> dict[str, StoredBundle]:
    """Return the stored bundles by toolset, from the rows of `toolset_files`."""
    found: dict[str, StoredBundle] = {}
    for row in rows:
        folder = data.joinpath(*Path(row["stored_path"]).parts[:3])
        bundle = found.setdefault(row["toolset_id"], StoredBundle(folder, {}))
        bundle.folder = folder
        bundle.files[row["path"]] = FileEntry(row["sha256"], row["size"])
    return found


def visible(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with hidden characters in its name and description made visible, because these texts are
    untrusted."""
    return {**row} | {name: visible_lines(row[name] or "") for name in ("name", "description")}


def publisher_of(row: Mapping[str, Any]) -> str:
    """Return a toolset's source, to which keys and permissions are bound."""
    return source_of(row["source_type"], row["source_ref"], row["content_hash"])


def toolset_of(
    row: Mapping[str, Any],
    tools: Iterable[Mapping[str, Any]],
    configuration: Configuration,
    *,
    banned: bool,
    note: str | None,
) -> dict[str, Any]:
    """Return a toolset's row with its tools in order, its availability, and the folder that it is updated from."""
    decided = availability(
        facts(
            configuration.manifest,
            enabled=bool(row["enabled"]),
            given=configuration.given(),
            disabled_by_administrator=banned,
        )
    )
    own = sorted((visible(tool) for tool in tools), key=lambda tool: tool["place"])
    told = {"available": decided.available, "reason": decided.reason, "note": note}
    return visible(row) | {"tools": own, "follows": followed(row["source_type"], row["source_ref"])} | told


def tool_of(
    row: Mapping[str, Any],
    toolset: Mapping[str, Any],
    bundle: StoredBundle | None,
    *,
    data: Path,
    held: Callable[[], Confinement | None],
    render: RenderConfig | None,
    banned: bool,
) -> Tool:
    """Return the tool in a row of `tools`. For a built-in tool, `toolset` is empty and `bundle` is None."""
    folder = bundle.folder if bundle else None
    runtime, reach = runtime_of(toolset, row["tool_name"]), reach_of(toolset)
    off = BY_ADMINISTRATOR if banned else lacking(runtime) if row["enabled"] else BY_USER
    return replace(
        _declared(row, toolset, held),
        bundle=folder,
        packages=packages_of(data, toolset, folder),
        artifacts=bundle.files if bundle else {},
        network=reach.network,
        destination=reach.destination,
        runtime=runtime,
        render=render,
        available=bool(toolset.get("available", True)) and off is None,
        reason=off if banned else toolset.get("reason") or off,
        note=toolset.get("note"),
    )


def _declared(
    row: Mapping[str, Any], toolset: Mapping[str, Any], held: Callable[[], Confinement | None]
) -> Tool:
    """Return the tool as its bundle declares it."""
    return Tool(
        tool_id=row["tool_id"],
        toolset_id=row["toolset_id"],
        toolset_name=toolset.get("name", "Built-in"),
        name=row["tool_name"],
        title=row["name"],
        description=row["description"],
        input_schema=row["input_schema"],
        requires_confirmation=asks_first(toolset, row, held),
        effects=row["effects"],
        timeout=row["timeout"],
        entrypoint=row["entrypoint"],
        version=toolset.get("version"),
        content_hash=toolset.get("content_hash"),
        source=publisher_of(toolset) if toolset else "",
        command=row["command"],
        command_argument=row["command_argument"],
    )
