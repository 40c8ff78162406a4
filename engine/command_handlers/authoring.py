"""Runs the examples of a bundle that is not installed, and packs it.

An example runs like a call, in a real tool process inside the sandbox, on the example's files, and a real renderer
shows its result. The user's data is not touched. Keys come only from the author's environment variables.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.command_handlers.packages import add_packages
from engine.errors import Problem, Unavailable
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import ErrorPlan
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.call_order import Judged, judge, verdict
from engine.toolsets.archive import open_bundle
from engine.toolsets.export import pack
from engine.toolsets.install import StagedBundle, packages_folder, stage
from engine.toolsets.manifest import MANIFEST_NAME, Example, ToolManifest
from engine.toolsets.manifest_read import read_manifest
from engine.toolsets.manifest_yaml import Node, parse_yaml
from engine.toolsets.problems import example_failed
from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace
from engine.workspace.manifest import FileEntry, difference
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Packed", "Trial", "TriedExample", "pack_bundle", "try_examples"]


@dataclass(frozen=True, slots=True)
class TriedExample:
    """One example of a manifest, and its outcome."""

    tool: str
    number: int
    """The number of the example within its tool, counted from 1."""
    description: str
    line: int | None
    """The line of the example in toolset.yaml."""
    ok: bool
    status: str
    faults: tuple[str, ...]
    """The problems, in sentences; empty if the example is `ok`."""
    seconds: float
    traceback: str
    """The part of the traceback that is in the tool's code, if the tool raised an exception."""
    stdout: str
    stderr: str
    result: JSON
    """The value that the tool returned; None if it returned nothing."""
    changed: tuple[str, ...]
    """Paths of files that the tool added, changed or removed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of running a bundle's examples."""

    toolset_id: str
    version: str
    ok: bool
    problems: tuple[Problem, ...]
    """A problem for each example that failed."""
    untried: tuple[str, ...]
    """Ids of tools without an example."""
    confinement: str
    """How the tool processes were confined."""
    examples: tuple[TriedExample, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A bundle as a ZIP, and the file name for it."""

    name: str
    data: bytes
    files: int


def try_examples(
    source: Path | bytes,
    environ: Mapping[str, str],
    *,
    progress: Callable[[str], None] = lambda _: None,
    preload: Sequence[str] = (),
) -> Trial:
    """Run every example of a bundle, one after the other. `progress` receives a description of each step.

    Raises:
        Invalid: the bundle is not valid; nothing ran.
        Unavailable: the bundle's packages cannot be installed, or no tool process can run.
    """
    with _scratch() as scratch, Pool(preload=preload) as pool:
        staged = stage(source, scratch / "toolsets")
        if any(tool.examples for tool in staged.manifest.tools):
            pool.warm()
        add_packages(scratch, staged, progress)
        lines = _lines(staged)
        trying = _Trying(staged, scratch, pool, environ)
        tried: list[TriedExample] = []
        for place, tool in enumerate(staged.manifest.tools):
            for number, example in enumerate(tool.examples):
                progress(f"{tool.id} {number + 1}/{len(tool.examples)} …")
                line = lines.get((place, number))
                tried.append(trying.run(tool, example, number + 1, line))
        return Trial(
            staged.manifest.id,
            staged.manifest.version,
            all(one.ok for one in tried),
            tuple(example_failed(t.tool, t.number, t.faults, t.line) for t in tried if not t.ok),
            tuple(tool.id for tool in staged.manifest.tools if not tool.examples),
            trying.confinement,
            tuple(tried),
        )


def pack_bundle(source: Path | bytes) -> Packed:
    """Return a bundle as a ZIP of its current files. The ZIP has the same bytes each time.

    Raises:
        Invalid: the bundle is not valid, or a key is written into its manifest.
    """
    with open_bundle(source) as files:
        manifest = read_manifest(files, files.folder).manifest
        contents = {path: files.read(path) for path in files}
    return Packed(f"{manifest.id}-{manifest.version}.zip", pack(contents), len(contents))


class _Trying:
    """Runs the examples of one staged bundle."""

    def __init__(self, staged: StagedBundle, scratch: Path, pool: Pool, environ: Mapping[str, str]) -> None:
        self._staged = staged
        self._scratch = scratch
        self._pool = pool
        manifest = staged.manifest
        keys = {key.name: environ.get(key.env, "").strip() for key in manifest.config}
        self._granted = {key.env: keys[key.name] for key in manifest.config if keys[key.name]}
        self._missing = [
            key.env
            for key in manifest.config
            if key.required and not keys[key.name] and not any(keys[other] for other in key.unless)
        ]
        self._blobs = FolderBlobs(scratch / "blobs")
        self._artifacts = {file.path: FileEntry(file.sha256, file.size) for file in staged.files}
        self.confinement = "not tried"

    def run(self, tool: ToolManifest, example: Example, number: int, line: int | None) -> TriedExample:
        """Run one example in a separate folder."""
        workspace = Workspace(self._scratch / "work" / f"{tool.id}-{number}", self._blobs)
        for path, text in example.files.items():
            (workspace.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace.folder / path).write_text(text, encoding="utf-8", newline="")
        before = workspace.snapshot().files
        outcome = self._pool.run(self._request(tool, example, workspace.folder), cancel=Cancellation())
        after = workspace.snapshot().files
        if outcome.error is None or outcome.error.kind != "host":
            self.confinement = outcome.confinement.level
        judged = judge(tool.effects, before, after, succeeded=outcome.status == "success")
        status, failure = verdict(outcome, judged, lambda: "cancelled")
        faults = [failure.message] if failure else list(self._faults(tool, example, outcome, judged))
        if failure and self._missing:
            names = ", ".join(self._missing)
            faults.append(f"Required keys without a value: {names}. Set them, and name them with --give-env.")
        changes = difference(before, after)
        return TriedExample(
            tool.id,
            number,
            example.description,
            line,
            not faults,
            status,
            tuple(faults),
            round(outcome.seconds, 3),
            failure.traceback if failure else "",
            outcome.stdout,
            outcome.stderr,
            dict(outcome.value) if outcome.value is not None else None,
            tuple(sorted([*changes.added, *changes.changed, *changes.removed])),
        )

    def _request(self, tool: ToolManifest, example: Example, folder: Path) -> RunRequest:
        manifest = self._staged.manifest
        packages = (packages_folder(self._scratch, self._staged.folder),) if manifest.requirements else ()
        return RunRequest(
            call_id=tool.id,
            bundle=self._staged.folder,
            entrypoint=tool.entrypoint,
            workspace=folder,
            arguments=example.args,
            environment=self._granted,
            packages=packages,
            limits=Limits(seconds=tool.timeout),
            network=manifest.permissions.network,
        )

    def _faults(
        self, tool: ToolManifest, example: Example, outcome: RunOutcome, judged: Judged
    ) -> Iterator[str]:
        """Yield the problems with the outcome of an example whose call succeeded."""
        value = dict(outcome.value or {})
        missing = [key for key in example.expected_keys if key not in value]
        if missing:
            yield f"The result has no {', '.join(missing)}; it has {', '.join(value) or 'no keys'}."
        if tool.renderer is None:
            return
        config = RenderConfig(tool.renderer.type, tool.renderer.config)
        plan = make_plan(
            config,
            CallFacts(args=dict(example.args), result=value, chat_id="example"),
            judged.files,
            self._artifacts,
        )
        if isinstance(plan, ErrorPlan):
            where = f" ({plan.expression})" if plan.expression else ""
            keys = f" Available: {', '.join(plan.keys)}." if plan.keys else ""
            yield f"The renderer {plan.wanted} cannot show the result{where}: {plan.message}.{keys}"


def _lines(staged: StagedBundle) -> dict[tuple[int, int], int]:
    """Return the line of each example in toolset.yaml: (tool, example) → line."""
    manifest = staged.folder / MANIFEST_NAME
    root, _ = parse_yaml(manifest.read_bytes(), MANIFEST_NAME) if manifest.is_file() else (None, [])
    return {
        (place, number): example.line
        for place, tool in enumerate(_items(root, "tools"))
        for number, example in enumerate(_items(tool, "examples"))
    }


def _items(node: Node | None, key: str) -> list[Node]:
    return node.keys[key].items if node and key in node.keys else []


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Yield a temporary folder, which is deleted afterwards, including read-only stored bundles in it."""
    try:
        with TemporaryDirectory(prefix="anabranch-try-", ignore_cleanup_errors=True) as place:
            yield Path(place).resolve()
    except OSError as error:
        message = f"The examples cannot run: {error.strerror or error}. Check whether the disk is full."
        raise Unavailable("trial", message) from error
