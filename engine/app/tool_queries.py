"""An app's queries about its tools and toolsets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.app.log_queries import LogQueries
from engine.chats.workspaces import Workspaces
from engine.command_handlers.locations import location_rows
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.sources import driver_rows, source_rows, source_tables
from engine.command_handlers.toolsets import Preview, ToolsetCommands
from engine.tools.sources.sources import Sources
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox, ToolsetRow
from engine.views.toolsets import ToolsetVersion, next_selection, toolset_versions
from engine.workspace.locations import Entry, browse

__all__ = ["ToolQueries"]


class ToolQueries(LogQueries):
    """The part of `App` that reports which tools exist."""

    sources: Sources
    toolsets: ToolsetCommands
    _toolbox: Toolbox
    _questions: QuestionCommands
    _workspaces: Workspaces

    def source_rows(self) -> list[dict[str, Any]]:
        """Return the sources that can be queried in chats, with their facts, limits and last test results."""
        return source_rows(self.sources)

    def source_tables(self, name: str, like: str = "") -> dict[str, Any]:
        """Return a source's tables that match the text `like`; see `ListSourceTables`.

        Raises:
            NotFound, Unavailable: there is no such source, or it does not answer.
        """
        return source_tables(self.sources, name, like)

    def source_drivers(self) -> list[dict[str, Any]]:
        """Return the kinds of sources, and whether their drivers are installed."""
        return driver_rows()

    def locations(self) -> list[dict[str, Any]]:
        """Return the locations that chats may read in place, with kind, files, bytes, hashed files and problem."""
        return location_rows(self._workspaces.locations)

    def browse_folder(self, folder: str) -> list[Entry]:
        """Return the entries of a folder of this computer that can be used in place.

        Raises:
            NotFound, Refused: there is no such folder, or it cannot be opened.
        """
        return browse(folder)

    def toolset_versions(self, toolset_id: str) -> list[ToolsetVersion]:
        """Return every version of a toolset that was installed, the latest first."""
        return toolset_versions(self.log.read_stream(f"toolset-{toolset_id}"))

    def tools(self) -> tuple[Tool, ...]:
        """Return all tools."""
        return self._toolbox.tools()

    def runnable(self, tool_id: str) -> Tool:
        """Return a tool that can run now.

        Raises:
            Refused: no tool has that id, or the tool is not available.
        """
        return self._questions.tools.runnable(tool_id)

    def installed(self) -> list[ToolsetRow]:
        """Return the installed toolsets with their tools, availability and changed files."""
        return self.toolsets.copies.installed()

    def preview_toolset(self, source: Path | bytes, source_ref: str | None = None) -> Preview:
        """Return the consent sheet that the user must accept to install `source`."""
        return self.toolsets.preview(source, source_ref)

    def fetch_bundle(self, url: str, *, own_network: bool = False) -> bytes:
        """Return the ZIP at a public address, for inspection and for installation with `source_ref=url`.

        Raises:
            Refused, Unavailable: the address is not public or (with `own_network`) in the user's network, or returns
                no ZIP.
        """
        from engine.toolsets.fetching import fetch  # noqa: PLC0415 - httpx loads when something is fetched

        return fetch(url, own_network=own_network)

    def next_selection(self) -> Mapping[str, list[str]]:
        """Return the tools for a new chat: the last selection in any chat, and all tools of toolsets that it does not
        mention. If no tools were ever selected, return all tools.
        """
        return next_selection(self._last_selection(), self._toolbox.everything())
