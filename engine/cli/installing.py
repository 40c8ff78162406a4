"""`anabranch toolset install`: shows the sheet, asks for the user's agreement to each part, and installs."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from engine.app.queries.catalog import PreviewToolset, SheetShown
from engine.cli.authoring import bundle_at
from engine.cli.cli_context import ask, is_interactive
from engine.cli.options import data_option, give_env_option, json_option, working_on, yes_option
from engine.cli.output import Output
from engine.cli.port import Engine
from engine.commands.catalog import Installed, InstallToolset
from engine.errors import Refused

__all__ = ["install", "names_in"]


@click.command()
@click.argument("source", help="A ZIP or a folder with toolset.yaml, or the address of a ZIP.")
@yes_option
@give_env_option
@click.option(
    "--keep-keys",
    metavar="NAME,…",
    help="Stored keys that this ZIP may take over from the ZIP that it replaces.",
)
@click.option("--own-network", is_flag=True, help="Fetch the ZIP even if its address is in your own network.")
@data_option
@json_option
def install(
    source: str,
    yes: bool,
    give_env: str | None,
    keep_keys: str | None,
    own_network: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Install or upgrade a bundle, after you agree to its permissions.

    If the source is a folder, later changes to its code take effect without another installation. With `--yes`, the
    bundle gets no environment variables or stored keys unless you name them with `--give-env` and `--keep-keys`.
    """
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        bundle, reference = _bundle(source, own_network=own_network)
        given = None if give_env is None else names_in(give_env)
        while True:
            preview = engine.read(PreviewToolset(bundle, reference))
            if preview.outcome != "unchanged":
                output.note(preview.sheet)
                if not (yes or _agreed(as_json)):
                    raise Refused(
                        "not_agreed",
                        "The bundle was not installed. Agree to the permissions above, or give --yes.",
                    )
            named = list(preview.variables) if given is None and not yes else given or []
            done = _sent(engine, output, preview, bundle, reference, yes, named, names_in(keep_keys or ""))
            if done is not None:
                break
            output.note("The bundle has changed in the meantime. This is its current content.")
        _tell_withheld(output, preview, named)
        output.done(done, f"{done.toolset_id} {done.version}: {done.outcome}")


def _bundle(source: str, *, own_network: bool) -> tuple[Path | bytes, str | None]:
    """Return the bundle that the caller named, and the reference under which it is recorded (None for a folder)."""
    if source.startswith(("https://", "http://")):
        from engine.toolsets.fetching import fetch  # noqa: PLC0415 - httpx loads when something is fetched

        return fetch(source, own_network=own_network), source
    bundle = bundle_at(Path(source))
    return bundle, None if bundle.is_dir() else os.path.realpath(bundle)


def names_in(text: str) -> list[str]:
    """Return the names in a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _sent(
    engine: Engine,
    output: Output,
    preview: SheetShown,
    bundle: Path | bytes,
    reference: str | None,
    yes: bool,
    variables: Sequence[str],
    keep_keys: Sequence[str],
) -> Installed | None:
    """Install the bundle that the sheet showed. Return None if the bundle has changed since then and the user can be
    asked again.
    """
    command = InstallToolset(
        bundle,
        "yes" if yes else "sheet",
        reference,
        agreed_hash=preview.content_hash,
        keep_keys=keep_keys,
        variables=variables,
        progress=output.note,
    )
    try:
        return engine.send(command)
    except Refused as refused:
        if refused.code != "bundle_changed" or yes:
            raise
        return None


def _tell_withheld(output: Output, preview: SheetShown, named: Sequence[str]) -> None:
    """Print which of the wanted variables the toolset does not receive, and how to pass them."""
    if preview.outcome != "unchanged" and (rest := [n for n in preview.variables if n not in named]):
        toolset_id = preview.toolset_id
        output.note(
            f"{toolset_id} does not receive these variables: {', '.join(rest)}. To pass them, run "
            f"`anabranch toolset configure {toolset_id} --give-env {','.join(rest)}`."
        )


def _agreed(as_json: bool) -> bool:
    """Return whether the user agrees. Return False if the user cannot be asked: with `--json` or without a terminal."""
    return not as_json and is_interactive() and ask("confirm", "Install and enable?") == "y"
