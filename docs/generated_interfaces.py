"""Makes the generated parts of docs/cli.md and docs/api.md."""

from collections.abc import Iterator
from typing import Any

import click
from fastapi.routing import APIWebSocketRoute

from docs.source import fields_of, summary
from docs.tables import as_code, table_of
from engine.api.routes import api
from engine.chats.signals import LiveCall, LiveTurn, Signal, Signals
from engine.cli.main import program

__all__ = ["api_routes", "api_signals", "cli", "cli_pages"]


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


def _nothing() -> Any:
    raise AssertionError("routes are described without an app")


def api_routes() -> str:
    """Return a table of every route under /v1."""
    routes = api(_nothing, _nothing)
    rows = []
    for path, methods in routes.openapi()["paths"].items():
        for method, described in methods.items():
            words = " ".join(described.get("description", described.get("summary", "")).split())
            rows.append((f"`{method.upper()} /v1{path}`", as_code(described["operationId"]), words))
    for route in routes.routes:
        if isinstance(route, APIWebSocketRoute):
            rows.append((f"`WebSocket /v1{route.path}`", as_code(route.name), summary(route.endpoint)))
    return table_of(("route", "operation", "what it does"), sorted(rows))


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
    table = table_of(("type", "what it does", "fields"), rows)
    return f"{table}\n\nEach signal also has `type` and `chat_id`. A `call` is an object with {call_keys}."
