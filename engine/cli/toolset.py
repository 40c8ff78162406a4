"""`anabranch toolset …`: install with consent, list, enable, export, uninstall."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from engine.app.queries.catalog import Document, ExportToolset, ListKeys, ListToolsets
from engine.cli.authoring import new, pack, try_out, validate
from engine.cli.installing import install, names_in
from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import PATH, data_option, give_env_option, json_option, working_on
from engine.cli.output import columns, require_folder, write_whole
from engine.cli.secret_input import read_secrets
from engine.commands.catalog import (
    ConfigureToolset,
    DisableToolset,
    EnableToolset,
    RestoreToolset,
    UninstallToolset,
)
from engine.errors import NotFound, Refused
from engine.toolsets.lookalikes import visible

__all__ = ["program"]

program = OrderedGroup(help="Write, install and manage toolsets.")
for earlier in (new, validate, try_out, pack, install):
    program.add_command(earlier)

_toolset_argument = click.argument("toolset", help="The toolset's id.")


def _offers(row: Mapping[str, Any]) -> list[str]:
    skill = ["(instructions)"] if row["skill"] else []
    return [tool["tool_name"] for tool in row["tools"]] + skill


@program.command("list")
@data_option
@json_option
def list_toolsets(data: Path | None, as_json: bool) -> None:
    """List the installed toolsets and their tools."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListToolsets())
        table = [
            [r["id"], r["version"], r["reason"] or "available", ", ".join(_offers(r)), _from(r)] for r in rows
        ]
        head = ["id", "version", "state", "tools", "from"]
        output.done(rows, columns(table, head) if rows else "No toolsets.")


def _from(row: Mapping[str, Any]) -> str:
    return f"follows {row['follows']}" if row["follows"] else visible(row["source_ref"] or row["source_type"])


@program.command("show")
@_toolset_argument
@data_option
@json_option
def show(toolset: str, data: Path | None, as_json: bool) -> None:
    """Show one toolset with the schemas of its tools."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = [row for row in engine.read(ListToolsets()) if row["id"] == toolset]
        if not rows:
            raise NotFound("toolset_not_found", f"No toolset {toolset} is installed.")
        row = rows[0]
        lines = [f"{row['name']} {row['version']} ({row['id']})", row["description"], _from(row), ""]
        for tool in row["tools"]:
            asks = ", asks first" if tool["requires_confirmation"] else ""
            lines.append(f"{tool['tool_id']} ({tool['effects']}{asks}): {tool['description']}")
        if skill := row["skill"]:
            lines.append(f"Instructions that the model may read ({skill['name']}): {skill['description']}")
        if row["note"]:
            lines += ["", row["note"]]
        if row["changed_files"]:
            lines += ["", f"Changed since installation: {', '.join(row['changed_files'])}."]
            lines.append(
                f"Its tools do not run until `anabranch toolset restore {toolset}` restores the files."
            )
        output.done(row, "\n".join(lines))


@program.command("enable")
@_toolset_argument
@data_option
@json_option
def enable(toolset: str, data: Path | None, as_json: bool) -> None:
    """Enable a toolset."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        engine.send(EnableToolset(toolset))
        output.done({"toolset_id": toolset, "enabled": True}, f"{toolset} is enabled.")


@program.command("disable")
@_toolset_argument
@data_option
@json_option
def disable(toolset: str, data: Path | None, as_json: bool) -> None:
    """Disable a toolset."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        engine.send(DisableToolset(toolset))
        output.done({"toolset_id": toolset, "enabled": False}, f"{toolset} is disabled.")


@program.command("configure")
@_toolset_argument
@click.argument(
    "values", nargs=-1, metavar="[KEY=VALUE]...", help="A setting, as KEY=VALUE. KEY= removes its value."
)
@click.option(
    "--secret",
    multiple=True,
    help="The name of a secret setting. You are asked for its value, or the values are read from standard input, "
    "one per line.",
)
@give_env_option
@data_option
@json_option
def configure(
    toolset: str,
    values: tuple[str, ...],
    secret: tuple[str, ...],
    give_env: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Set a toolset's keys and settings, or list them with the source of each value.

    Secrets and the values of environment variables are never shown. With `--give-env ""`, the
    toolset receives no environment variables.
    """
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        known = {key["name"]: key for key in engine.read(ListKeys(toolset))}
        changes = _assigned(values)
        _check_secrets(toolset, known, changes, secret)
        changes |= read_secrets(secret)
        variables = None if give_env is None else names_in(give_env)
        if changes or variables is not None:
            engine.send(ConfigureToolset(toolset, changes, variables))
        states = engine.read(ListKeys(toolset))
        row = next(row for row in engine.read(ListToolsets()) if row["id"] == toolset)
        table = [
            [k["name"], k["value"] or ("(secret)" if k["secret"] and k["source"] else ""), _set(k), _need(k)]
            for k in states
        ]
        text = columns(table, ["key", "value", "from", "needed"]) if table else f"{toolset} has no keys."
        document = {
            "toolset_id": toolset,
            "available": row["available"],
            "reason": row["reason"],
            "keys": states,
        }
        output.done(document, f"{text}\n\n{toolset}: {row['reason'] or 'available'}")


def _check_secrets(
    toolset: str, known: Mapping[str, Document], changes: Mapping[str, str | None], asked: Sequence[str]
) -> None:
    """Reject secrets given on the command line, and `--secret` for keys that are not secret."""
    for name, value in changes.items():
        if value and name in known and known[name]["secret"]:
            raise Refused(
                "secret_in_arguments",
                f"{name} is a secret, and your shell saves commands in its history. "
                f"Use --secret {name} instead; you are then asked for the value.",
            )
    for name in asked:
        if name not in known or not known[name]["secret"]:
            there = ", ".join(name for name, key in known.items() if key["secret"]) or "none"
            raise NotFound("secret_unknown", f"{toolset} has no secret {name}. Its secrets: {there}.")


def _assigned(values: Sequence[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            raise Refused(
                "assignment", f"{name!r} is not of the form KEY=VALUE. For a secret, give --secret KEY."
            )
        found[name] = value or None
    return found


def _set(key: Document) -> str:
    if key["withheld"]:
        return f"not set ({key['env']} is set here; use --give-env {key['env']} to pass it)"
    return f"environment: {key['env']}" if key["source"] == "environment" else key["source"] or "not set"


def _need(key: Document) -> str:
    if not key["required"]:
        return "no"
    return f"unless {' or '.join(key['unless'])} is set" if key["unless"] else "yes"


@program.command("uninstall")
@_toolset_argument
@data_option
@json_option
def uninstall(toolset: str, data: Path | None, as_json: bool) -> None:
    """Uninstall a toolset and delete its secrets; its results in chats stay visible."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(UninstallToolset(toolset))
        output.done({"toolset_id": toolset, "uninstalled": True}, f"{toolset} is uninstalled.")


@program.command("restore")
@_toolset_argument
@data_option
@json_option
def restore(toolset: str, data: Path | None, as_json: bool) -> None:
    """Restore a toolset's files that differ from the installed version."""
    with working_on(data, as_json=as_json) as (output, engine):
        done = engine.send(RestoreToolset(toolset))
        put_back = f"{toolset} was restored to its installed state. Repaired files: {', '.join(done.files)}."
        output.done(
            done, put_back if done.files else f"No file of {toolset} has changed since it was installed."
        )


@program.command("export")
@_toolset_argument
@click.option("--out", "-o", type=PATH, help="Where to write the ZIP.")
@data_option
@json_option
def export(toolset: str, out: Path | None, data: Path | None, as_json: bool) -> None:
    """Write a toolset as a ZIP that can be installed elsewhere."""
    with working_on(data, as_json=as_json) as (output, engine):
        packed = engine.read(ExportToolset(toolset))
        target = out or Path(f"{toolset}.zip")
        require_folder(target)
        write_whole(target, packed)
        output.done(
            {"toolset_id": toolset, "file": str(target), "bytes": len(packed)},
            f"{target}: {len(packed):,} bytes",
        )
