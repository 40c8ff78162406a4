"""`anabranch mcp …`: the MCP servers whose tools chats can use, and Anabranch as an MCP server."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engine.app.queries.catalog import ListServers
from engine.cli.lazy_group import OrderedGroup
from engine.cli.local_engine import opened_app
from engine.cli.options import data_option, json_option, working_on
from engine.cli.output import Output, columns
from engine.cli.secret_input import read_secrets
from engine.cli.waiting import is_served
from engine.commands.catalog import DisableServer, EnableServer, RegisterServer, RemoveServer, TrustServer
from engine.config import data_folder
from engine.errors import Refused

__all__ = ["program"]

program = OrderedGroup(help="Manage MCP servers, or serve this app's tools as an MCP server.")

_server_argument = click.argument("server", help="The id of the MCP server.")


@program.command("list")
@data_option
@json_option
def list_servers(data: Path | None, as_json: bool) -> None:
    """List the MCP servers with their state and tools. Each server that may run is started to get its tools."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListServers())
        table = [
            [r["id"], r["toolset"] or "your settings", _words(r), r["how_held"], len(r["tools"]), r["runs"]]
            for r in rows
        ]
        head = ["id", "from", "state", "confinement", "tools", "runs"]
        output.done(rows, columns(table, head) if rows else "No MCP servers.")


def _words(row: dict[str, Any]) -> str:
    detail = row["detail"]
    if not detail or detail.startswith("not configured"):
        return str(detail or row["state"])
    return f"{row['state']}: {detail}"


@program.command("add")
@_server_argument
@click.option("--command", help="The program to start, such as uvx or npx.")
@click.option("--arg", multiple=True, help="An argument for the program; repeat for more.")
@click.option("--env", multiple=True, help="An environment variable for the server, as NAME=VALUE.")
@click.option("--url", help="The address of a server that speaks streamable HTTP.")
@click.option("--header", multiple=True, help="A header to send with each request, as NAME=VALUE.")
@click.option(
    "--secret",
    multiple=True,
    help="The NAME of a secret that other options contain as ${NAME}. You are asked for its value, or it is read "
    "from standard input.",
)
@click.option(
    "--network",
    is_flag=True,
    help="Let the server use the network; servers that npx or uvx starts always can.",
)
@click.option(
    "--path",
    multiple=True,
    help="A path that the server may read. Add :rw at the end to allow writing. Repeat for more.",
)
@click.option(
    "--unconfined", is_flag=True, help="Run the server without restrictions: it can do all that you can."
)
@data_option
@json_option
def add(
    server: str,
    command: str | None,
    arg: tuple[str, ...],
    env: tuple[str, ...],
    url: str | None,
    header: tuple[str, ...],
    secret: tuple[str, ...],
    network: bool,
    path: tuple[str, ...],
    unconfined: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Register an MCP server and allow it to start. Write secrets as ${NAME}, never as values."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        given = RegisterServer(
            server,
            command,
            arg,
            _pairs(env),
            url,
            _pairs(header),
            _values(secret),
            network,
            path,
            unconfined,
        )
        engine.send(given)
        output.done({"server_id": server, "enabled": True}, f"{server} is registered.")


def _values(names: Sequence[str]) -> dict[str, str]:
    return {name: value or "" for name, value in read_secrets(names).items()}


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise Refused("pair_expected", f"{text.split('=')[0][:40]!r} is not of the form NAME=VALUE.")
        pairs[name.strip()] = value
    return pairs


@program.command("remove")
@_server_argument
@data_option
@json_option
def remove(server: str, data: Path | None, as_json: bool) -> None:
    """Remove an MCP server that you registered, and its secrets."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(RemoveServer(server))
        output.done({"server_id": server, "removed": True}, f"{server} was removed.")


@program.command("enable")
@_server_argument
@data_option
@json_option
def enable(server: str, data: Path | None, as_json: bool) -> None:
    """Enable an MCP server."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(EnableServer(server))
        output.done({"server_id": server, "enabled": True}, f"{server} is enabled.")


@program.command("disable")
@_server_argument
@data_option
@json_option
def disable(server: str, data: Path | None, as_json: bool) -> None:
    """Disable an MCP server and stop it."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(DisableServer(server))
        output.done({"server_id": server, "enabled": False}, f"{server} is disabled.")


@program.command("trust")
@_server_argument
@click.option("--no", is_flag=True, help="Stop trusting the server: its tools ask before they run.")
@data_option
@json_option
def trust(server: str, no: bool, data: Path | None, as_json: bool) -> None:
    """Let an MCP server's tools run without asking first."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(TrustServer(server, trusted=not no))
        words = (
            f"The tools of {server} will ask before they run."
            if no
            else f"{server} is trusted: its tools run without asking."
        )
        output.done({"server_id": server, "trusted": not no}, words)


@program.command("serve")
@click.option("--chat", help="The chat in which calls are recorded; by default a new one.")
@click.option("--yes", is_flag=True, help="Run tools that normally ask first, unless they would send data.")
@data_option
def serve(chat: str | None, yes: bool, data: Path | None) -> None:
    """Serve toolsets and built-in tools to another program, as an MCP server on standard input and output."""
    output = Output(as_json=False)
    with output.failures():
        folder: Path = data_folder(data)
        if is_served(folder):
            raise Refused(
                "mcp_serve_beside",
                f"Anabranch is already running with the data folder {folder}, and only one process can write to it. "
                "Stop the app, or choose another folder with --data.",
            )
        with opened_app(folder) as app:
            from engine.cli.mcp_serving import serve_stdio  # noqa: PLC0415 - takes half a second

            serve_stdio(app, chat, allow=yes)
