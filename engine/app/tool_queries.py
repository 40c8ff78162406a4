"""What an app is asked of its tools and toolsets."""

from collections.abc import Mapping
from pathlib import Path

from engine.app.log_queries import LogQueries
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.toolsets import Preview, ToolsetCommands
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox, ToolsetRow
from engine.views.toolsets import next_selection

__all__ = ["ToolQueries"]


class ToolQueries(LogQueries):
    """The part of `App` that tells what tools there are."""

    toolsets: ToolsetCommands
    _toolbox: Toolbox
    _questions: QuestionCommands

    def tools(self) -> tuple[Tool, ...]:
        """Return every tool there is."""
        return self._toolbox.tools()

    def runnable(self, tool_id: str) -> Tool:
        """Return a tool that can run now.

        Raises:
            Refused: there is none of that id, or it is not available.
        """
        return self._questions.tools.runnable(tool_id)

    def installed(self) -> list[ToolsetRow]:
        """Return the installed toolsets with their tools, availability and changed files."""
        return self.toolsets.copies.installed()

    def preview_toolset(self, source: Path | bytes, source_ref: str | None = None) -> Preview:
        """Return what installing `source` would ask the user to agree to."""
        return self.toolsets.preview(source, source_ref)

    def fetch_bundle(self, url: str) -> bytes:
        """Return the ZIP at a public address, to look into and to install with `source_ref=url`.

        Raises:
            Refused, Unavailable: the address is not public, or does not give it.
        """
        from engine.toolsets.fetching import fetch  # noqa: PLC0415 - httpx loads when somebody fetches

        return fetch(url)

    def next_selection(self) -> Mapping[str, list[str]]:
        """What a new chat ticks: the last choice in any chat, and what was installed since; everything at first."""
        return next_selection(self._last_selection(), self._toolbox.everything())
