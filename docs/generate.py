"""Makes the generated parts of README.md and docs/*.md from the declarations in the code.

`make docs` writes these parts, and `make check` fails if they are out of date. Each function returns Markdown for one
page.
"""

import importlib
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

import click
import duckdb
from fastapi.routing import APIWebSocketRoute
from pydantic import BaseModel

from docs.source import aliases, fields_of, meanings, sentences, summary
from engine.api.routes import api
from engine.app.queries import catalog as query_page
from engine.chats.signals import LiveCall, LiveTurn, Signal, Signals
from engine.cli.main import program
from engine.commands import catalog as command_page
from engine.commands.catalog import Command
from engine.config import SETTINGS
from engine.models.dialect import Dialect, Provider, base_of
from engine.models.providers import PROVIDERS
from engine.rendering import plans
from engine.rendering.renderer import Renderer
from engine.rendering.renderers import RENDERERS
from engine.toolsets import manifest as manifest_page
from engine.toolsets.manifest import Manifest
from engine.toolsets.manifest_read import ADVICE
from events.catalog.event_types import CATALOG, EVENT_TYPES
from events.declarations import (
    ByField,
    Copied,
    InFork,
    Makes,
    NamesContents,
    NamesFiles,
    Refers,
    RemovesContents,
    declared,
)
from events.event import ChatEvent, Event
from events.projections import (
    answers,
    cards,
    chats,
    definitions,
    locations,
    manifests,
    mcp_servers,
    messages,
    moments,
    replays,
    settings,
    sources,
    standing,
    steps,
    tool_calls,
    toolsets,
    turns,
)
from events.projections.registers import Column, Count, Table, View
from events.projector import Projector
from events.schema import CREATE_LOG

__all__ = [
    "api_routes",
    "api_signals",
    "cli",
    "cli_pages",
    "commands",
    "dialects",
    "event_modules",
    "events",
    "manifest",
    "problem_codes",
    "projections",
    "queries",
    "refusals",
    "renderers",
    "settings_table",
]

PROJECTIONS = (
    chats,
    messages,
    answers,
    cards,
    turns,
    steps,
    tool_calls,
    replays,
    manifests,
    moments,
    standing,
    toolsets,
    mcp_servers,
    definitions,
    locations,
    sources,
    settings,
)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(head), ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""


# ---- events ----------------------------------------------------------------------------------------------------------


def event_modules() -> list[ModuleType]:
    """Return the modules of the event catalog, in the order in which the page lists them."""
    return list(CATALOG.values())


def events() -> str:
    """Return every event with its stream, type, version and fields, and then the values inside events."""
    parts = []
    for heading, module in CATALOG.items():
        parts.append(f"## {heading}\n\n{summary(module)}")
        own = [event for event in EVENT_TYPES.values() if event.__module__ == module.__name__]
        parts += [_event(event) for event in own]
    return "\n\n".join([*parts, _values()])


def _event(event: type[Event]) -> str:
    head = f"### {event.model_fields['type'].default}\n\n{summary(event)} Version {event.schema_version}."
    if issubclass(event, ChatEvent):
        head += f"\n\n{_in_chats(event)}"
    rows = [_field(event, name) for name in event.model_fields if name != "type"]
    return f"{head}\n\n" + (_table(("field", "type", "default", "meaning"), rows) if rows else "No fields.")


def _in_chats(event: type[ChatEvent]) -> str:
    """Return an event's declarations: its lane in the history, how forks treat it, and what its ids refer to."""
    says = event.history.says
    told = [*says.sentences.values(), says.otherwise] if isinstance(says, ByField) else [says]
    quoted = ", ".join(f"“{sentence}”" for sentence in told if sentence)
    lane = f"The history shows it in the lane *{event.history.lane}*"
    lines = [f"{lane}, as {quoted}" if quoted else f"{lane}."]
    fork = event.fork
    if isinstance(fork, Copied):
        always = "" if fork.along else "always "
        along = f" together with the item that `{fork.along}` names" if fork.along else ""
        end = f", if its branch continues after `{fork.before_end}`" if fork.before_end else ""
        lines.append(f"Forks {always}copy it{along}{end}.")
    else:
        lines.append(f"Forks do not copy it: {fork.why}.")
    lines += [
        f"`{name}` is the id of a new {_in_words(one.kind)}." for name, one in declared(event, Makes).items()
    ]
    for name, one in declared(event, Refers).items():
        lines.append(f"`{name}` refers to {_named(one)}.")
    for name, sets in declared(event, InFork).items():
        value = f"the same as `{sets.same_as}`" if sets.same_as else f"`{_said(sets.value)}`"
        lines.append(f"In a fork, `{name}` is {value}.")
    for kind, what in (
        (NamesFiles, "refers to contents of files"),
        (NamesContents, "contains a value that refers to contents"),
        (RemovesContents, "lists removed contents"),
    ):
        lines += [f"`{name}` {what}." for name in declared(event, kind)]
    return " ".join(lines)


def _said(value: object) -> str:
    return "null" if value is None else str(value).lower()


def _in_words(kind: str) -> str:
    return {"queued": "queued question", "rerun": "re-run"}.get(kind, kind)


def _named(one: Refers) -> str:
    article = "an existing" if one.earlier else "a"
    kind = "an item of any kind" if one.kind == "any" else f"{article} {_in_words(one.kind)}"
    lacks = "in a fork that does not contain it"
    fork = {"renamed": "", "cleared": f"; null {lacks}", "kept": f"; kept even {lacks}"}
    instead = f"; {lacks}, the same as `{one.instead}`" if one.instead else ""
    return f"{kind}{fork[one.not_copied]}{instead}"


def _field(cls: type[BaseModel], name: str) -> tuple[str, str, str, str]:
    source = next(field for field in fields_of(cls) if field.name == name)
    return f"`{name}`", _code(source.annotation), _code(source.default), source.doc


def _values() -> str:
    modules = [importlib.import_module(name) for name in ("events.event", "events.catalog.parts")]
    modules += event_modules()
    parts = ["## Values inside events"]
    for module in modules:
        for name in sorted(module.__all__):
            value = getattr(module, name)
            is_model = (
                inspect.isclass(value) and issubclass(value, BaseModel) and not issubclass(value, Event)
            )
            if not is_model or value.__module__ != module.__name__ or not value.model_fields:
                continue
            rows = [_field(value, field) for field in value.model_fields]
            parts.append(
                f"### {name}\n\n{summary(value)}\n\n{_table(('field', 'type', 'default', 'meaning'), rows)}"
            )
    named = [found for module in modules for found in aliases(module)]
    parts.append(
        "### Names of types\n\n"
        + _table(("name", "type", "meaning"), [(f"`{n}`", _code(t), doc) for n, t, doc in named])
    )
    return "\n\n".join(parts)


# ---- projections -----------------------------------------------------------------------------------------------------


def projections() -> str:
    """Return every read model with its columns and its SQL, and the tables of registers that they are based on."""
    connection = duckdb.connect()
    connection.execute(CREATE_LOG)
    Projector().catch_up(connection)
    parts = []
    for module in PROJECTIONS:
        declared = {name: getattr(module, name) for name in module.__all__}
        views = [
            (view.name, view, meanings(module)[name])
            for name, view in declared.items()
            if isinstance(view, View)
        ]
        parts += [_view(view, meaning, connection) for _, view, meaning in sorted(views)]
        parts += [_registers(table) for table in declared.values() if isinstance(table, Table)]
    connection.close()
    return "\n\n".join(parts)


def _view(view: View, meaning: str, connection: duckdb.DuckDBPyConnection) -> str:
    described = connection.execute(f"DESCRIBE SELECT * FROM {view.name}").fetchall()
    columns = _table(("column", "type"), [(f"`{row[0]}`", row[1]) for row in described])
    sql = textwrap.dedent(view.sql).strip()
    order = ", then ".join(f"`{name}`" for name in view.order.split(", "))
    return (
        f"## {view.name}\n\n{meaning} Sorted by {order}.\n\n{columns}\n\n"
        f"<details><summary>Its SQL</summary>\n\n```sql\n{sql}\n```\n\n</details>"
    )


def _registers(table: Table) -> str:
    rows = [(f"`{table.key}`", table.key_type, f"the key: {table.key_field.told}")]
    rows += [(f"`{name}`", column.sql_type, _register(column)) for name, column in table.columns.items()]
    return f"### {table.name}\n\n{_table(('column', 'type', 'from'), rows)}"


def _register(column: Column) -> str:
    register = column.register
    if isinstance(register, Count):
        return f"number of {', '.join(f'`{name}`' for name in register.types)}"
    by_source: dict[str, list[str]] = {}
    for event_type, source in register.sources.items():
        where = (register.where or {}).get(event_type)
        by_source.setdefault(source.told, []).append(
            f"`{event_type}`" + (f" where `{where}`" if where else "")
        )
    return "last of " + "; ".join(f"{', '.join(types)}: {source}" for source, types in by_source.items())


# ---- commands, settings, renderers -----------------------------------------------------------------------------------


def commands() -> str:
    """Return every command with its fields, and the classes of the fields' values."""
    own = [
        thing
        for thing in vars(command_page).values()
        if inspect.isclass(thing) and issubclass(thing, Command)
    ]
    own.remove(Command)
    others = [getattr(command_page, name) for name in command_page.__all__]
    values = [thing for thing in others if inspect.isclass(thing) and thing not in own]
    return "\n\n".join(_dataclass(cls) for cls in [*own, *values])


def queries() -> str:
    """Return every query with its fields, and the values that queries return."""
    named = (getattr(query_page, name) for name in query_page.__all__)
    classes = [thing for thing in named if inspect.isclass(thing)]
    return "\n\n".join(_dataclass(cls, "###") for cls in sorted(classes, key=lambda cls: cls.__name__))


def _dataclass(cls: type, head: str = "##") -> str:
    rows = [(f"`{f.name}`", _code(f.annotation), _code(f.default), f.doc) for f in fields_of(cls)]
    table = _table(("field", "type", "default", "meaning"), rows) if rows else "No fields."
    return f"{head} {cls.__name__}\n\n{summary(cls)}\n\n{table}"


def refusals() -> str:
    """Return the stable codes of errors, with their messages."""
    return _table(("code", "message"), [(f"`{s.code}`", s.text) for s in sentences("engine", raised=True)])


def settings_table() -> str:
    """Return a table of the settings that are recorded in the log."""
    rows = [
        (
            f"`{s.name}`",
            type(s.default).__name__,
            f"`{s.default!r}`" if s.default != "" else "empty",
            s.description,
        )
        for s in SETTINGS
    ]
    return _table(("setting", "type", "default", "meaning"), rows)


def renderers() -> str:
    """Return every renderer with its configuration and the plan that it makes."""
    parts = [_renderer(renderer) for renderer in RENDERERS.values()]
    parts.append(f"## error\n\n{summary(plans.ErrorPlan)}\n\n{_plan(plans.ErrorPlan)}")
    for value in (plans.FileRef, plans.Image):
        rows = [_field(value, field) for field in value.model_fields]
        table = _table(("field", "type", "default", "meaning"), rows)
        parts.append(f"## {value.__name__}\n\n{summary(value)}\n\n{table}")
    return "\n\n".join(parts)


def _renderer(renderer: Renderer) -> str:
    lines = [f"## {renderer.name}", summary(renderer.plan or renderer.make)]
    need = f" It needs {' or '.join(f'`{key}`' for key in renderer.needs)}." if renderer.needs else ""
    keys = ", ".join(f"`{key}`" for key in sorted(renderer.all_keys))
    lines.append(f"In menus: {renderer.title}. Configuration: {keys}.{need}")
    lines.append(
        _plan(renderer.plan) if renderer.plan else "It stores the plan of the renderer that suits the file."
    )
    return "\n\n".join(lines)


def _plan(plan: type[plans.RenderPlan]) -> str:
    rows = [_field(plan, field) for field in plan.model_fields if field != "renderer"]
    return f"The stored plan:\n\n{_table(('field', 'type', 'default', 'meaning'), rows)}"


def dialects() -> str:
    """Return every model dialect, with the providers that use it and the address that is asked for a reply."""
    spoken: dict[Dialect, list[Provider]] = {}
    for provider in PROVIDERS.values():
        spoken.setdefault(provider.dialect, []).append(provider)
    rows = [
        (
            summary(type(dialect)),
            ", ".join(f"`{provider.id}`" for provider in providers),
            _code(dialect.endpoint(base_of(providers[0], None), "MODEL")),
        )
        for dialect, providers in spoken.items()
    ]
    return _table(("dialect", "providers", "address of a reply"), rows)


# ---- the manifest ----------------------------------------------------------------------------------------------------

MANIFEST_PARTS = (
    ("The file", "Manifest"),
    ("tools", "ToolManifest"),
    ("tools: renderer", "RendererManifest"),
    ("tools: examples", "Example"),
    ("mcp_servers", "McpServer"),
    ("config", "ConfigKey"),
    ("permissions", "Permissions"),
)
_DERIVED = {
    "ToolManifest.name": "the id in words",
    "ToolManifest.command": "the id with hyphens",
    "ToolManifest.command_argument": "the first required string",
    "ConfigKey.env": "the name in capitals",
}


def manifest() -> str:
    """Return every key of toolset.yaml, with its type, default, rule and meaning."""
    schema = Manifest.model_json_schema()
    parts = []
    for title, name in MANIFEST_PARTS:
        described = schema if name == "Manifest" else schema["$defs"][name]
        cls = getattr(manifest_page, name)
        rows = [_key(cls, key, described["properties"][key]) for key in cls.model_fields]
        parts.append(
            f"## {title}\n\n{summary(cls)}\n\n{_table(('key', 'type', 'default', 'rule', 'meaning'), rows)}"
        )
    return "\n\n".join(parts)


def _key(cls: type[BaseModel], key: str, schema: dict[str, Any]) -> tuple[str, str, str, str, str]:
    source = next(field for field in fields_of(cls) if field.name == key)
    derived = _DERIVED.get(f"{cls.__name__}.{key}")
    required = cls.model_fields[key].is_required() and not derived
    default = derived or ("**required**" if required else _default(cls, key))
    return f"`{key}`", _json_type(schema), default, _rule(schema), source.doc


def _default(cls: type[BaseModel], key: str) -> str:
    value = cls.model_fields[key].get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return "as below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "empty" if value in ("", (), {}) else "none" if value is None else f"`{value}`"


def _json_type(schema: dict[str, Any]) -> str:
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_json_type(part) for part in schema["anyOf"] if part.get("type") != "null")
    if "$ref" in schema:
        return "mapping"
    words = {"string": "text", "boolean": "true or false", "integer": "whole number", "number": "number"}
    if schema.get("type") == "array":
        return f"list of {_json_type(schema['items'])}".replace("of mapping", "of mappings")
    return words.get(schema.get("type", ""), "mapping")


def _rule(schema: dict[str, Any]) -> str:
    for part in [schema, *schema.get("anyOf", ()), schema.get("items", {})]:
        rules = []
        if "pattern" in part:
            rules.append(f"`{part['pattern'].strip('^$')}`")
        if "exclusiveMinimum" in part:
            rules.append(f"above {part['exclusiveMinimum']:g}")
        if "maximum" in part:
            rules.append(f"at most {part['maximum']:g}")
        if "maxLength" in part:
            rules.append(f"up to {part['maxLength']:,} characters")
        if rules:
            return ", ".join(rules)
    return ""


def problem_codes() -> str:
    """Return every error code for refused bundles, and every code of advice for their authors."""
    rows = [
        (f"`{s.code}`", "advice" if s.code in ADVICE else "refused", s.text)
        for s in sentences("engine.toolsets", raised=False)
    ]
    return _table(("code", "result", "message"), rows)


# ---- the command line ------------------------------------------------------------------------------------------------


def cli_pages() -> list[tuple[str, click.Context]]:
    """Return each command of the command line with its full name; a group comes before its commands."""
    top = click.Context(program, info_name="anabranch", terminal_width=100, **program.context_settings)
    return [(context.command_path, context) for context in _below(top)]


def _below(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            _, command, _ = context.command.resolve_command(context, [name])
            assert command is not None, name
            yield from _below(click.Context(command, context, name))


def cli() -> str:
    """Return the help of every command, as it is printed."""
    return "\n\n".join(f"## {name}\n\n```text\n{_help(context)}\n```" for name, context in cli_pages())


def _help(context: click.Context) -> str:
    return "\n".join(line.rstrip() for line in context.get_help().rstrip().splitlines())


# ---- the API ---------------------------------------------------------------------------------------------------------


def _nothing() -> Any:
    raise AssertionError("routes are described without an app")


def api_routes() -> str:
    """Return a table of every route under /v1."""
    routes = api(_nothing, _nothing)
    rows = []
    for path, methods in routes.openapi()["paths"].items():
        for method, described in methods.items():
            words = " ".join(described.get("description", described.get("summary", "")).split())
            rows.append((f"`{method.upper()} /v1{path}`", _code(described["operationId"]), words))
    for route in routes.routes:
        if isinstance(route, APIWebSocketRoute):
            rows.append((f"`WebSocket /v1{route.path}`", _code(route.name), summary(route.endpoint)))
    return _table(("route", "operation", "what it does"), sorted(rows))


def api_signals() -> str:
    """Return every kind of message that a chat's WebSocket sends. Examples are made by the code that sends them."""
    sent: list[Signal] = []
    signals = Signals()
    signals.watch("chat", sent.append)
    call = LiveCall("call", "Query", "Data analyst", "running")
    signals.begin("chat", LiveTurn("turn", "message", 0.0))
    signals.text("chat", "turn", "more")
    signals.step("chat", "turn")
    signals.call("chat", "turn", call)
    signals.changed("chat")
    signals.end("chat", "turn", "stop")
    told = {"turn": Signals.begin}
    rows = []
    for signal in sent:
        kind = str(signal["type"])
        keys = ", ".join(f"`{key}`" for key in signal if key not in {"type", "chat_id"})
        rows.append((f"`{kind}`", summary(told.get(kind) or getattr(Signals, kind)), keys))
    call_keys = ", ".join(f"`{field.name}`" for field in fields_of(LiveCall))
    table = _table(("type", "what it does", "fields"), rows)
    return f"{table}\n\nEach signal also has `type` and `chat_id`. A `call` is an object with {call_keys}."
