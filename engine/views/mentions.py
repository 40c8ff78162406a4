"""Everything that a question can name: tables, columns, files, results, moments, sources' tables, and tools'
commands. Pure.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from engine.tools.sources.catalog import SourceTable
from engine.tools.tool import Tool
from engine.views.chat import ChatView
from engine.views.placement import Result, results_of
from engine.workspace.table_facts import ColumnProfile, TableProfile
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Mention", "commands", "mention_document", "mentions"]

_MOST = 2_000
"""The maximum number of names in one list. Tables with hundreds of columns have many names."""
_MOST_FACTS = 6


@dataclass(frozen=True, slots=True)
class Mention:
    """One entry of a list."""

    group: str
    text: str
    """The text that is inserted into the question."""
    where: str
    """The context, such as the table that contains a column."""
    note: str
    """A note, such as the type or the number of rows."""
    facts: tuple[tuple[str, str], ...] = ()
    """Further facts that help to choose."""


def mentions(
    tables: Sequence[TableProfile],
    files: Collection[str],
    view: ChatView | None,
    moments: Iterable[str],
    sources: Mapping[str, Sequence[SourceTable]],
) -> list[Mention]:
    """Return the names that a question can use, in the order in which they are listed. The table of a result is listed
    under results, not under tables.
    """
    named = {result.plan.name: result for result in _results(view)} if view is not None else {}
    own = [table for table in tables if table.name not in named]
    columns = [_column(table, column) for table in own for column in table.columns]
    listed = [Mention("Tables", t.name, t.path, f"{t.rows:,} rows", _columns(t)) for t in own]
    read = {table.path for table in tables}
    others = [Mention("Files", path, "", "") for path in files if path not in read]
    results = [
        Mention("Results", name, (result.plan.title or "") if result.plan.title != name else "", "")
        for name, result in named.items()
        if name
    ]
    past = [Mention("Moments", name, "state of the files", "") for name in moments]
    there = [_at_source(name, table) for name, found in sources.items() for table in found]
    return [*columns, *listed, *others, *results, *past, *there][:_MOST]


def commands(tools: Sequence[Tool], ticked: Mapping[str, Sequence[str]]) -> list[Mention]:
    """Return the commands of a chat's tools, each with its arguments."""
    found = [
        Mention("Commands", f"/{tool.command}", tool.toolset_name, "", _arguments(tool))
        for tool in tools
        if tool.command and tool.available and tool.name in ticked.get(tool.home, ())
    ]
    return [*found, Mention("Commands", "/help", "", "lists all commands")]


def mention_document(one: Mention) -> JSONObject:
    """Return an entry as JSON for the browser."""
    facts: list[JSON] = [list(fact) for fact in one.facts]
    return {"group": one.group, "text": one.text, "where": one.where, "note": one.note, "facts": facts}


def _results(view: ChatView) -> Iterator[Result]:
    yield from results_of([call for message in view.branch() for call in message.calls])


def _column(table: TableProfile, column: ColumnProfile) -> Mention:
    facts = [
        ("Smallest", column.minimum),
        ("Largest", column.maximum),
        ("Different values", f"{'about ' if column.distinct_estimated else ''}{column.distinct:,}"),
        ("Missing", f"{column.missing:,}"),
        ("Unreadable", f"{column.unreadable:,}" if column.unreadable else None),
        ("Such as", ", ".join(column.values[:4]) or None),
    ]
    kept = tuple((name, value[:80]) for name, value in facts if value is not None)
    note = f"{column.distinct:,} values" if column.type == "VARCHAR" else column.type
    return Mention("Columns", column.name, table.name, note, kept)


def _at_source(name: str, table: SourceTable) -> Mention:
    shown = tuple((column.name, column.type) for column in table.columns[:_MOST_FACTS])
    note = table.kind if table.rows is None else f"about {table.rows:,} rows"
    return Mention("Sources", f"{name}.{table.full_name}", name, note, shown)


def _columns(table: TableProfile) -> tuple[tuple[str, str], ...]:
    shown = tuple((column.name, column.type) for column in table.columns[:_MOST_FACTS])
    more = len(table.columns) - len(shown)
    return (*shown, (f"and {more:,} more columns", "")) if more > 0 else shown


def _arguments(tool: Tool) -> tuple[tuple[str, str], ...]:
    schema = tool.input_schema
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return ()
    needed = required if isinstance(required, list) else []
    found = []
    for name, one in list(properties.items())[:_MOST_FACTS]:
        told = str(one.get("description") or "") if isinstance(one, dict) else ""
        mark = (
            " (rest of the line)"
            if name == tool.command_argument
            else ""
            if name in needed
            else " (optional)"
        )
        found.append((f"{name}{mark}", told.partition(". ")[0][:90]))
    return tuple(found)
