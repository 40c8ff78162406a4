"""`anabranch toolset new`, `validate`, `test` and `pack`: for authors, who use them before a toolset is installed.

These commands do not need a data folder or a running app, and never open a data folder.
"""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.options import PATH, give_env_option, json_option, unused_data_option
from engine.cli.output import Output, require_folder, write_whole
from engine.errors import Invalid, NotFound, Problem, Refused

if TYPE_CHECKING:
    from engine.command_handlers.authoring import Trial, TriedExample

__all__ = ["bundle_at", "new", "pack", "try_out", "validate"]

_source_argument = click.argument(
    "source", type=PATH, help="A folder or a ZIP with toolset.yaml or SKILL.md."
)

_SHOWN_LINES = 20
_SHOWN_CHARACTERS = 2_000


@click.command()
@click.argument("name", help="The toolset's id: lower-case letters, digits and hyphens.")
@click.option("--into", type=PATH, default=".", help="The folder in which to create the toolset.")
@click.option("--skill", is_flag=True, help="Write only instructions: a SKILL.md without tools.")
@unused_data_option
@json_option
def new(name: str, into: Path, skill: bool, as_json: bool) -> None:
    """Create a small, complete toolset to start from, with comments and an example that passes."""
    from engine.toolsets.author import new_skill, new_toolset, write_new  # noqa: PLC0415 - slow to import

    output = Output(as_json=as_json)
    with output.failures():
        files = new_skill(name) if skill else new_toolset(name)
        if not into.is_dir():
            raise NotFound("folder_not_found", f"There is no folder {into}. Create it first.")
        write_new(files, into / name)
        made = into / name
        then = "validate" if skill else "test"
        lines = [f"{made / path}" for path in files] + ["", f"Next: anabranch toolset {then} {made}"]
        output.done({"toolset_id": name, "folder": str(made), "files": list(files)}, "\n".join(lines))


@click.command()
@_source_argument
@unused_data_option
@json_option
def validate(source: Path, as_json: bool) -> None:
    """Check a bundle and list every problem, without installing it. Advice does not fail the check."""
    from engine.toolsets.install import validate as problems_of  # noqa: PLC0415 - slow to import
    from engine.toolsets.manifest_read import ADVICE  # noqa: PLC0415

    output = Output(as_json=as_json)
    with output.failures():
        try:
            problems = problems_of(bundle_at(source))
        except Invalid as missing:
            problems = list(missing.problems)
        ok = all(problem.code in ADVICE for problem in problems)
        text = "\n".join(map(str, problems)) if problems else f"{source}: no problems."
        output.done({"ok": ok, "problems": problems}, text, 0 if ok else 1)


@click.command("test")
@_source_argument
@give_env_option
@unused_data_option
@json_option
def try_out(source: Path, give_env: str | None, as_json: bool) -> None:
    """Run the examples in a bundle's toolset.yaml in the sandbox, without installing the bundle.

    The bundle's code runs on this machine; its keys are set only from the variables that you name with `--give-env`.
    """
    from engine.command_handlers.authoring import try_examples  # noqa: PLC0415 - slow to import

    output = Output(as_json=as_json)
    with output.failures():
        try:
            given = {name.strip() for name in (give_env or "").split(",")}
            environ = {name: value for name, value in os.environ.items() if name in given}
            tried = try_examples(bundle_at(source), environ, progress=output.note)
        except Invalid as invalid:
            document = {"ok": False, "problems": invalid.problems, "examples": []}
            output.done(document, "\n".join(map(str, invalid.problems)), 1)
        output.done(asdict(tried), "\n".join(_told(tried)), 0 if tried.ok else 1)


@click.command()
@_source_argument
@click.option("--out", "-o", type=PATH, help="Where to write the ZIP.")
@unused_data_option
@json_option
def pack(source: Path, out: Path | None, as_json: bool) -> None:
    """Write a bundle as NAME-VERSION.zip, without hidden files. The same files always give an identical ZIP."""
    from engine.command_handlers.authoring import pack_bundle  # noqa: PLC0415 - slow to import

    output = Output(as_json=as_json)
    with output.failures():
        found = bundle_at(source)
        packed = pack_bundle(found)
        target = out or Path(packed.name)
        require_folder(target)
        if found.is_dir() and target.resolve().is_relative_to(found.resolve()):
            raise Refused(
                "target_in_bundle",
                f"{target} would be inside the bundle itself, and the next pack would include it. "
                f"Give another path, for example --out ../{packed.name}.",
            )
        write_whole(target, packed.data)
        size = len(packed.data)
        document = {"file": str(target), "bytes": size, "files": packed.files}
        output.done(document, f"{target}: {packed.files} files, {size:,} bytes")


def bundle_at(source: Path) -> Path:
    """Return the path of the bundle that the caller named.

    Raises: Invalid: there is no file or folder (`source_missing` in its problems).
    """
    if not source.exists():
        message = f"{source} is neither a file nor a folder. Check the path."
        raise Invalid("invalid_bundle", message, [Problem("source_missing", message)])
    return source.absolute()


def _told(trial: "Trial") -> Iterator[str]:
    count = len(trial.examples)
    ran = f"{count} example{'' if count == 1 else 's'}, sandbox: {trial.confinement}"
    yield f"{trial.toolset_id} {trial.version}: {ran if count else 'no example to run'}"
    for tried in trial.examples:
        yield from _example(tried)
    for tool in trial.untried:
        yield f"  –       {tool} has no example, so it was not tried"
    failed = sum(not tried.ok for tried in trial.examples)
    if failed:
        yield f"{failed} of {count} failed."


def _example(tried: "TriedExample") -> Iterator[str]:
    place = f"  toolset.yaml:{tried.line}" if tried.line and not tried.ok else ""
    name = f"{tried.tool} {tried.number}"
    told = f": {tried.description}" if tried.description else ""
    yield f"  {'ok' if tried.ok else 'FAILED':<7} {name}{told} ({tried.seconds:.2f} s){place}"
    if tried.ok:
        return
    for text in (*tried.faults, tried.traceback):
        yield from _indented(text)
    for what, text in (("stdout", tried.stdout), ("stderr", tried.stderr)):
        if text.strip():
            yield from _indented(f"{what}:\n{text}")


def _indented(text: str) -> Iterator[str]:
    cut = text if len(text) <= _SHOWN_CHARACTERS else f"…{text[-_SHOWN_CHARACTERS:]}"
    for line in cut.rstrip().splitlines()[-_SHOWN_LINES:]:
        yield f"          {line}"
