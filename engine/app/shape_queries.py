"""An app's queries for shaping results: previews of edited calls and of cleaning steps."""

from collections.abc import Mapping, Sequence

from engine.app.chat_queries import ChatQueries
from engine.app.storage_errors import translate_storage_errors
from engine.command_handlers.shaping import ShapingCommands
from engine.commands.catalog import Step
from engine.system.cancellation import Cancellation
from engine.tools.call_previews import CallPreview
from engine.tools.shaping.preview import ShapePreview
from engine.tools.table_selects import Joinable
from events.json_value import JSON

__all__ = ["ShapeQueries"]


class ShapeQueries(ChatQueries):
    """The part of `App` that previews calls and cleaning steps."""

    _shaping: ShapingCommands

    def preview_call(
        self,
        chat_id: str,
        tool_id: str,
        arguments: Mapping[str, JSON],
        seconds: float | None = None,
        *,
        cancel: Cancellation | None = None,
    ) -> CallPreview:
        """Return the result of a tool call on the chat's files, without recording it.

        The call is stopped by `cancel`, after `seconds`, or at the tool's time limit.

        Raises:
            NotFound: there is no such chat or tool.
            Refused: the tool is not available, or asks before it runs, changes files or reaches the network.
        """
        with translate_storage_errors():
            return self._shaping.preview_call(chat_id, tool_id, arguments, seconds, cancel)

    def preview_shape(self, chat_id: str, table: str, steps: Sequence[Step]) -> ShapePreview:
        """Return the effect of the last of `steps` on a table, without recording it.

        Raises:
            NotFound: there is no such chat, table or column.
            Invalid: a step is not possible with these settings.
            Refused: there is nothing to do, or the tables cannot be read.
        """
        with translate_storage_errors():
            return self._shaping.preview(chat_id, table, steps)

    def joins(self, chat_id: str) -> tuple[Joinable, ...]:
        """Return the matching columns of the chat's tables, the best match first.

        Raises:
            NotFound: there is no such chat.
            Refused: the tables cannot be read (`select_failed`).
        """
        with translate_storage_errors():
            return self._shaping.joins(chat_id)

    def columns_of(self, chat_id: str, sql: str) -> tuple[tuple[str, str], ...]:
        """Return the name and DuckDB type of each column that a SELECT over the chat's tables returns.

        Raises:
            NotFound: there is no such chat.
            Refused: DuckDB cannot run the SELECT (`select_failed`).
        """
        with translate_storage_errors():
            return self._shaping.columns_of(chat_id, sql)
