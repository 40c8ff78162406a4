"""Registers the built-in tools, and installs or upgrades the bundles that ship with this release."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from engine.chats.conflicts import retry_conflicts
from engine.chats.open_chats import stream_of
from engine.command_handlers.handovers import Handovers
from engine.command_handlers.packages import sweep_packages
from engine.command_handlers.staging_cleanup import discarded_on_failure
from engine.command_handlers.toolset_streams import ToolsetStreams
from engine.config import shipped_bundles
from engine.deciders import toolset as decide
from engine.errors import AnabranchError
from engine.tools.builtin import BUILTIN_TOOLS
from engine.tools.tool import BUILTIN
from engine.tools.toolbox import ReadModels
from engine.toolsets.archive import open_bundle
from engine.toolsets.install import StagedBundle, stage, stored_versions, sweep_staging, sweep_versions
from engine.toolsets.source import SHIPS, source_of
from events.canonical import canonical_json
from events.catalog.chat import ToolsAdded
from events.catalog.toolset import BuiltinToolsRegistered, ToolsetInstalled, ToolsetUpgraded
from events.event import Event
from events.json_value import JSON
from events.log import Append, EventLog

__all__ = ["ShippedToolsets"]

_ANALYST = "data-analyst"
"""The id of the toolset that every chat needs. Its new tools are therefore offered in old chats too."""


class ShippedToolsets:
    """Installs or upgrades the shipped toolsets at each start. Appends nothing if this release has nothing new."""

    def __init__(
        self,
        *,
        log: EventLog,
        read: ReadModels,
        data: Path,
        ships: Sequence[str],
        handovers: Handovers,
        streams: ToolsetStreams,
        commit: Callable[[StagedBundle], object],
    ) -> None:
        """`ships` lists the bundles to install. `commit` installs a bundle without asking, because it is shipped."""
        self._log = log
        self._read = read
        self._data = data
        self._root = data / "toolsets"
        self._ships = ships
        self._handovers = handovers
        self._streams = streams
        self._commit = commit

    def install(self) -> None:
        """Register the built-in tools of this release, install or upgrade the shipped bundles, and remove stored
        versions and packages that no event names."""
        sweep_staging(self._root)
        streams = _Streams(self._log)
        named = cache(lambda: self._named_versions(streams))
        sweep_versions(self._root, lambda version: version in named())
        stored = stored_versions(self._root)
        sweep_packages(self._data, lambda version: version in stored or version in named())
        decided_on = self._streams.version(BUILTIN)
        registered = [e.tools for e in streams.events(BUILTIN) if isinstance(e, BuiltinToolsRegistered)]
        if [canonical_json(tools) for tools in registered[-1:]] != [canonical_json(BUILTIN_TOOLS)]:
            self._streams.append(BUILTIN, decided_on, [BuiltinToolsRegistered(tools=list(BUILTIN_TOOLS))])
            if registered:
                self._add_to_chats(BUILTIN, _names(registered[-1]), _names(list(BUILTIN_TOOLS)))
        for toolset_id in self._ships:
            self._ship(toolset_id, streams)
        self._handovers.bind_all_loose()

    def _named_versions(self, streams: "_Streams") -> set[str]:
        """Return every stored toolset version that an event names, as `<id>/<version>-<hash>`."""
        ids = [folder.name for folder in self._root.glob("*") if folder.is_dir()]
        contents = [event for toolset_id in ids for event in streams.contents(toolset_id)]
        return {"/".join(Path(file.stored_path).parts[1:3]) for event in contents for file in event.files}

    def _ship(self, toolset_id: str, streams: "_Streams") -> None:
        """Install a shipped bundle, or upgrade it to the version in this release.

        If the user has uninstalled it, or has installed another bundle in its place, do nothing.
        """
        source = shipped_bundles() / toolset_id
        if not source.is_dir():
            return
        known = self._streams.known(toolset_id)
        with suppress(AnabranchError):
            if known is not None and self._stands(known, source):
                return
            contents = streams.contents(toolset_id)
            if contents and (known is None or contents[-1].consent != "ships"):
                return
            staged = stage(source, self._root, source_ref=f"{SHIPS}{toolset_id}")
            with discarded_on_failure(staged, self._streams.is_named):
                self._handovers.bind_loose(toolset_id, source_of("local", SHIPS, ""))
                self._commit(staged)
            if known is not None and toolset_id == _ANALYST:
                self._add_to_chats(toolset_id, known.tools, [tool.id for tool in staged.manifest.tools])

    def _add_to_chats(self, home: str, before: Collection[str], after: Sequence[str]) -> None:
        """Select the tools that are new in this release in each chat that already uses the toolset `home`.

        The chats are changed in the order of their last selections. A new chat starts with the selection that was made
        last in any chat, so the chat with that selection must remain the last one.
        """
        new = [name for name in after if name not in before]
        chats = [row for row in self._read("chats") if (row["selection"] or {}).get(home)] if new else []
        for chat in sorted(chats, key=lambda row: row["selection_position"]):
            retry_conflicts(partial(self._add_to_chat, chat["chat_id"], home, new))

    def _add_to_chat(self, chat_id: str, home: str, new: Sequence[str]) -> None:
        decided_on = self._log.stream_version(stream_of(chat_id))
        (chat,) = self._read("chats", chat_id=chat_id)
        ticked = chat["selection"][home]
        added = [name for name in new if name not in ticked]
        event = ToolsAdded(
            selection=chat["selection"] | {home: ticked + added},
            added=[name if home == BUILTIN else f"{home}:{name}" for name in added],
        )
        self._log.append(Append(stream_of(chat_id), [event], decided_on))

    def _stands(self, known: decide.Known, source: Path) -> bool:
        """Return whether exactly this content is installed and stored. If so, which is usual, there is nothing
        to do.
        """
        with open_bundle(source) as files:
            stored = self._root / known.toolset_id / f"{known.version}-{files.content_hash[:12]}"
            return files.content_hash == known.content_hash and stored.is_dir()


class _Streams:
    """The events of toolsets, read once at each start when they are first needed."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._events: dict[str, list[Event]] = {}

    def events(self, toolset_id: str) -> list[Event]:
        """Return a toolset's events."""
        if toolset_id not in self._events:
            stream = self._log.read_stream(f"toolset-{toolset_id}")
            self._events[toolset_id] = [recorded.event for recorded in stream]
        return self._events[toolset_id]

    def contents(self, toolset_id: str) -> list[ToolsetInstalled | ToolsetUpgraded]:
        """Return the events that stored a version of a toolset."""
        return [e for e in self.events(toolset_id) if isinstance(e, (ToolsetInstalled, ToolsetUpgraded))]


def _names(tools: JSON) -> list[str]:
    """Return the names of the declared tools that a chat can select: the tools that have code."""
    listed = tools if isinstance(tools, list) else []
    return [str(tool["id"]) for tool in listed if isinstance(tool, dict) and tool["entrypoint"]]
