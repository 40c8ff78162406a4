"""`anabranch source …`: sources (databases and query engines)."""

from pathlib import Path
from typing import Any

import click

from engine.app.queries.catalog import ListSources, ListSourceTables
from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import data_option, json_option, working_on
from engine.cli.output import columns
from engine.cli.secret_input import read_secrets
from engine.commands.catalog import (
    AddSource,
    ProfileSourceTable,
    RefreshSourceTables,
    RemoveSource,
    SourceAnswer,
    TestSource,
)
from engine.errors import NotFound, Unavailable

__all__ = ["program"]

program = OrderedGroup(help="Connect databases and query engines, whose data stays where it is.")

_name_argument = click.argument("name", help="The source's name.")


@program.command("add")
@_name_argument
@click.option("--driver", required=True, help="postgresql, sqlite or flightsql.")
@click.option(
    "--address",
    required=True,
    help="The source's address, such as db.example.org:5432/analytics, /data/till.sqlite, grpc://host:50051.",
)
@click.option("--user", help="The user to log in as.")
@click.option(
    "--password", is_flag=True, help="Ask for the source's password or token, or read it from standard input."
)
@click.option(
    "--allow",
    multiple=True,
    help="A schema, or a table as schema.table, that may be read; by default all. Repeat for more.",
)
@click.option(
    "--dialect", default="", show_default=False, help="The SQL dialect; by default the driver's own."
)
@click.option("--max-rows", type=int, default=1_000_000, help="The maximum number of rows in one result.")
@click.option("--max-seconds", type=int, default=60, help="The time limit for one query, in seconds.")
@data_option
@json_option
def add(
    name: str,
    driver: str,
    address: str,
    user: str | None,
    password: bool,
    allow: tuple[str, ...],
    dialect: str,
    max_rows: int,
    max_seconds: int,
    data: Path | None,
    as_json: bool,
) -> None:
    """Add a source, and test it. Its password is stored with the other keys, never in the log."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        key = read_secrets([f"password of {name}"])[f"password of {name}"] if password else None
        engine.send(
            AddSource(name, driver, address, user, key, allow, dialect, max_rows, max_seconds=max_seconds)
        )
        answer = engine.send(TestSource(name))
        told = f"{name} was added. {_told(answer)}"
        output.done({**_document(answer), "added": True}, told)


@program.command("list")
@data_option
@json_option
def list_sources(data: Path | None, as_json: bool) -> None:
    """List the sources with the outcome of their last test."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListSources())
        table = [[r["name"], r["title"], r["address"], r["user"] or "", _state(r)] for r in rows]
        output.done(
            rows, columns(table, ["name", "driver", "address", "user", "state"]) if rows else "No sources."
        )


@program.command("show")
@_name_argument
@data_option
@json_option
def show(name: str, data: Path | None, as_json: bool) -> None:
    """Show one source: its address, the tables that may be read, and its limits."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListSources())
        row = next((one for one in rows if one["name"] == name), None)
        if row is None:
            raise NotFound("source_not_found", f"There is no source {name}. See `anabranch source list`.")
        output.done(row, "\n".join(f"{key}: {value}" for key, value in _shown(row).items()))


@program.command("test")
@_name_argument
@data_option
@json_option
def try_source(name: str, data: Path | None, as_json: bool) -> None:
    """Connect to a source, and report the server that answered or the error."""
    with working_on(data, as_json=as_json) as (output, engine):
        answer = engine.send(TestSource(name))
        if not answer.connected:
            raise Unavailable("source_unavailable", f"{name} does not answer: {answer.message}")
        output.done(_document(answer), _told(answer))


@program.command("tables")
@_name_argument
@click.option(
    "--like",
    default="",
    show_default=False,
    help="List only tables whose name contains this text; if there are none, search column names.",
)
@click.option("--refresh", is_flag=True, help="Read the list from the source again first.")
@data_option
@json_option
def tables(name: str, like: str, refresh: bool, data: Path | None, as_json: bool) -> None:
    """List a source's tables, as they were when the list was last read."""
    with working_on(data, as_json=as_json) as (output, engine):
        if refresh:
            answer = engine.send(RefreshSourceTables(name))
            if not answer.connected:
                raise Unavailable("source_unavailable", f"{name} does not answer: {answer.message}")
        found = engine.read(ListSourceTables(name, like))
        table = [
            [t["full_name"], t["kind"], "" if t["rows"] is None else f"{t['rows']:,}", len(t["columns"])]
            for t in found["tables"]
        ]
        listed = columns(table, ["table", "kind", "rows, about", "columns"]) if table else "No tables."
        more = f"\n{found['left_out']:,} more tables are not listed." if found["left_out"] else ""
        output.done(found, f"{listed}{more}")


@program.command("profile")
@_name_argument
@click.argument("table", help="The table's name as listed, such as sales.orders.")
@data_option
@json_option
def profile(name: str, table: str, data: Path | None, as_json: bool) -> None:
    """Read up to 100,000 rows of a table once, so that the offline analyst can answer questions about it."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.send(ProfileSourceTable(name, table))
        listed = engine.read(ListSourceTables(name, table))["tables"]
        has = next((t["read_for_questions"] for t in listed if t["full_name"] == table), None)
        told = f"You can now ask about {name}.{table}. It has {has or f'{rows:,} rows'}."
        output.done({"name": name, "table": table, "rows": rows, "rows_text": has}, told)


@program.command("remove")
@_name_argument
@data_option
@json_option
def remove(name: str, data: Path | None, as_json: bool) -> None:
    """Remove a source and forget its password; recorded results stay."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(RemoveSource(name))
        output.done({"name": name, "removed": True}, f"{name} was removed. Recorded results stay.")


def _document(answer: SourceAnswer) -> dict[str, Any]:
    names = ("name", "connected", "server", "tables", "schemas", "kind", "message", "code")
    return {name: getattr(answer, name) for name in names}


def _told(answer: SourceAnswer) -> str:
    if not answer.connected:
        return f"It does not answer yet: {answer.message}"
    return f"Connected to {answer.server}: {answer.tables:,} {'table' if answer.tables == 1 else 'tables'} can be read."


def _state(row: dict[str, Any]) -> str:
    if row["connected"] is None:
        return "not tested"
    return f"connected, {row['tables']:,} tables" if row["connected"] else f"not connected: {row['problem']}"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": row["name"],
        "driver": row["title"],
        "address": row["address"],
        "user": row["user"] or "none",
        "password": "stored" if row["has_key"] else "none stored",
        "may be read": ", ".join(row["allowed"]) or "everything that its user may read",
        "read only": row["read_only"],
        "SQL": row["language"],
        "limits": f"{row['max_rows']:,} rows, {row['max_bytes'] >> 20:,} MiB, {row['max_seconds']} s",
        "state": _state(row),
    }
