"""Previews calls and applies table-shaping steps. Each step is SQL that runs as one of the user's own calls."""

from collections.abc import Mapping, Sequence

from engine.command_handlers.tool_runs import ToolRuns
from engine.commands import steps as given
from engine.commands.catalog import RunTool, ShapeTable
from engine.commands.steps import Step
from engine.errors import Invalid, NotFound, Refused
from engine.system.cancellation import Cancellation
from engine.tools.call_previews import CallPreview, CallPreviews
from engine.tools.shaping.looked import Choice, Looked
from engine.tools.shaping.looking import concluded, looks
from engine.tools.shaping.preview import ShapePreview, compared_sql, preview_of, result_name
from engine.tools.shaping.statement import HELPERS, Shape, begun, stepped
from engine.tools.table_selects import Joinable, TableSelects
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON

__all__ = ["ShapingCommands"]

_QUERY = "data-analyst:query"
_MOST_STEPS = 50
_TYPED = (".parquet", ".pq", ".arrow", ".feather")
"""The endings of files whose columns have types."""


class ShapingCommands:
    """Handles the commands that shape tables. Thread-safe."""

    def __init__(self, runs: ToolRuns, previews: CallPreviews, selects: TableSelects) -> None:
        self._runs = runs
        self._previews = previews
        self._selects = selects

    def preview_call(
        self,
        chat_id: str,
        tool_id: str,
        arguments: Mapping[str, JSON],
        seconds: float | None,
        cancel: Cancellation | None,
    ) -> CallPreview:
        """See `ShapeQueries.preview_call`."""
        return self._previews.run(chat_id, self._runs.runnable(tool_id), dict(arguments), seconds, cancel)

    def columns_of(self, chat_id: str, sql: str) -> tuple[tuple[str, str], ...]:
        """See `ShapeQueries.columns_of`."""
        (found,) = self._selects.run(chat_id, [f"SELECT * FROM (\n{sql}\n) LIMIT 0"])
        return tuple(zip(found.columns, found.types, strict=True))

    def joins(self, chat_id: str) -> tuple[Joinable, ...]:
        """See `ShapeQueries.joins`."""
        return self._selects.joins(chat_id)

    def preview(self, chat_id: str, table: str, steps: Sequence[Step]) -> ShapePreview:
        """See `ShapeQueries.preview_shape`."""
        before, after, looked = self._shaped(chat_id, table, steps, strict=False)
        selected = self._selects.run(chat_id, compared_sql(before, after, steps[-1]))
        results = [one.as_dicts() for one in selected]
        return preview_of(before, after, steps[-1], looked, results, (selected[2].columns, selected[2].rows))

    def shape(self, command: ShapeTable) -> str:
        """See `ShapeTable`."""
        _, shape, _ = self._shaped(command.chat_id, command.table, command.steps, strict=True)
        title = f"{shape.table}: {'; '.join(shape.said)}"
        arguments: dict[str, JSON] = {
            "sql": shape.sql,
            "title": title if len(title) <= 100 else f"{title[:99]}…",
            "name": command.name or result_name(shape.table),
        }
        return self._runs.run(RunTool(command.chat_id, _QUERY, arguments, from_call_id=command.from_call_id))

    def _shaped(
        self, chat_id: str, table: str, steps: Sequence[Step], *, strict: bool
    ) -> tuple[Shape, Shape, Looked]:
        """Return the table before and after the last step, and the facts about its values that the last step needed.

        If the last step lacks a choice, the suggested choice is used, or an error is raised if `strict` is set. Earlier
        steps must have all choices.
        """
        if not 1 <= len(steps) <= _MOST_STEPS:
            raise Invalid("step_count", f"Give 1 to {_MOST_STEPS} steps, not {len(steps)}.")
        profile = self._profile(chat_id, table)
        _require_plain_names(profile)
        columns = [(column.name, column.type) for column in profile.columns]
        shape = begun(profile.name, columns, _as_written(profile, steps))
        before, looked = shape, Looked()
        for step in steps:
            _require_useful(shape, step)
            before = shape
            stepped(shape, step, Looked().found)  # check names and columns before reading anything
            wanted = looks(shape, step)
            results = [one.as_dicts() for one in self._selects.run(chat_id, wanted)] if wanted else []
            looked = concluded(step, results)
            if looked.needed and (strict or step is not steps[-1]):
                choice = looked.needed[0]
                raise Refused("step_choice", f"{choice.question} {_ways(choice)}")
            shape = stepped(shape, _with_suggestions(step, looked), looked.found)
        return before, shape, looked

    def _profile(self, chat_id: str, table: str) -> TableProfile:
        tables = self._selects.tables(chat_id)
        found = next((one for one in tables if one.name.lower() == table.lower()), None)
        if found is None:
            known = ", ".join(one.name for one in tables) or "none"
            raise NotFound("table_not_found", f"This chat has no table {table}. Its tables are: {known}.")
        return found


def _as_written(profile: TableProfile, steps: Sequence[Step]) -> list[str]:
    """Return the columns that must be read from the file as text, because a step parses them as dates or numbers."""
    if profile.path.lower().endswith(_TYPED):
        return []
    wanted = {step.column for step in steps if isinstance(step, given.ReadDates | given.ReadNumbers)}
    return [column.name for column in profile.columns if column.name in wanted and column.type != "VARCHAR"]


def _require_plain_names(profile: TableProfile) -> None:
    taken = [column.name for column in profile.columns if column.name.lower().startswith(HELPERS)]
    if taken:
        raise Refused(
            "step_column_name",
            f"{profile.name} has a column named {taken[0]}. Names that begin with {HELPERS} are used for intermediate "
            "values. Rename the column in SQL first.",
        )


def _require_useful(shape: Shape, step: Step) -> None:
    """Refuse a step that parses dates or numbers in a column that already has such a type."""
    if not isinstance(step, given.ReadDates | given.ReadNumbers) or step.column not in shape.names:
        return
    kind, what = shape.kind(step.column), "dates" if isinstance(step, given.ReadDates) else "numbers"
    dated = kind == "DATE" or kind.startswith("TIMESTAMP")
    if (what == "dates" and dated) or (what == "numbers" and kind != "VARCHAR"):
        other = dated and what == "numbers"
        why = f"cannot be read as {what}" if other else f"are {what} already, so there is nothing to read"
        raise Refused("step_needless", f"{step.column} is not text but {kind}: its values {why}.")


def _ways(choice: Choice) -> str:
    """Return a text about a missing choice: the reason for the likely option, if any, and the accepted values."""
    why = f"{choice.why} " if choice.why else ""
    return f"{why}Specify `{choice.name}`: {', '.join(str(value) for value, _ in choice.options)}."


def _with_suggestions(step: Step, looked: Looked) -> Step:
    """Return a step for a preview: a `ReadDates` step gets the suggested date order if it is missing."""
    suggested = {choice.name: choice.suggested for choice in looked.needed}
    if isinstance(step, given.ReadDates) and "order" in suggested:
        return given.ReadDates(step.column, suggested["order"])  # type: ignore[arg-type] # one of its options
    return step
