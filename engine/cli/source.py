"""`anabranch source …`: sources (databases and query engines)."""

from typing import Annotated, Any

import typer

from engine.app.queries.catalog import ListSources, ListSourceTables
from engine.cli.options import AsJson, Data, working_on
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

program = typer.Typer(
    help="Connect databases and query engines, whose data stays where it is.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="The source's name.")]


@program.command("add")
def add(
    name: Name,
    driver: Annotated[str, typer.Option(help="postgresql, sqlite or flightsql.")],
    address: Annotated[
        str,
        typer.Option(
            help="The source's address, such as db.example.org:5432/analytics, /data/till.sqlite, grpc://host:50051."
        ),
    ],
    user: Annotated[str | None, typer.Option(help="The user to log in as.")] = None,
    password: Annotated[
        bool,
        typer.Option(
            "--password", help="Ask for the source's password or token, or read it from standard input."
        ),
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            help="A schema, or a table as schema.table, that may be read; by default all. Repeat for more."
        ),
    ] = None,
    dialect: Annotated[str, typer.Option(help="The SQL dialect; by default the driver's own.")] = "",
    max_rows: Annotated[int, typer.Option(help="The maximum number of rows in one result.")] = 1_000_000,
    max_seconds: Annotated[int, typer.Option(help="The time limit for one query, in seconds.")] = 60,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Add a source, and test it. Its password is stored with the other keys, never in the log."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        key = read_secrets([f"password of {name}"])[f"password of {name}"] if password else None
        engine.send(
            AddSource(
                name, driver, address, user, key, allow or [], dialect, max_rows, max_seconds=max_seconds
            )
        )
        answer = engine.send(TestSource(name))
        told = f"{name} was added. {_told(answer)}"
        output.done({**_document(answer), "added": True}, told)


@program.command("list")
def list_sources(data: Data = None, as_json: AsJson = False) -> None:
    """List the sources with the outcome of their last test."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListSources())
        table = [[r["name"], r["title"], r["address"], r["user"] or "", _state(r)] for r in rows]
        output.done(
            rows, columns(table, ["name", "driver", "address", "user", "state"]) if rows else "No sources."
        )


@program.command("show")
def show(name: Name, data: Data = None, as_json: AsJson = False) -> None:
    """Show one source: its address, the tables that may be read, and its limits."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListSources())
        row = next((one for one in rows if one["name"] == name), None)
        if row is None:
            raise NotFound("source_not_found", f"There is no source {name}. See `anabranch source list`.")
        output.done(row, "\n".join(f"{key}: {value}" for key, value in _shown(row).items()))


@program.command("test")
def try_source(name: Name, data: Data = None, as_json: AsJson = False) -> None:
    """Connect to a source, and report the server that answered or the error."""
    with working_on(data, as_json=as_json) as (output, engine):
        answer = engine.send(TestSource(name))
        if not answer.connected:
            raise Unavailable("source_unavailable", f"{name} does not answer: {answer.message}")
        output.done(_document(answer), _told(answer))


@program.command("tables")
def tables(
    name: Name,
    like: Annotated[
        str,
        typer.Option(
            help="List only tables whose name contains this text; if there are none, search column names."
        ),
    ] = "",
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Read the list from the source again first.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
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
def profile(
    name: Name,
    table: Annotated[str, typer.Argument(help="The table's name as listed, such as sales.orders.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Read up to 100,000 rows of a table once, so that the offline analyst can answer questions about it."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.send(ProfileSourceTable(name, table))
        listed = engine.read(ListSourceTables(name, table))["tables"]
        has = next((t["read_for_questions"] for t in listed if t["full_name"] == table), None)
        told = f"You can now ask about {name}.{table}. It has {has or f'{rows:,} rows'}."
        output.done({"name": name, "table": table, "rows": rows, "rows_text": has}, told)


@program.command("remove")
def remove(name: Name, data: Data = None, as_json: AsJson = False) -> None:
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
    return f"{answer.server} answers, with {answer.tables:,} tables that may be read."


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
