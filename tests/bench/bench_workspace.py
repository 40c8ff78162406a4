"""Snapshot and materialize next to git and a bare directory walk: 10,000 small files, and 20 large ones.

python -m tests.bench.bench_workspace
"""

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace
from tests.bench.harness import Figure, interleaved, main, once

SMALL, FOLDERS = 10_000, 700
LARGE, LARGE_BYTES = 20, 8 << 20
WALK = "the scandir + lstat walk"
GIT = shutil.which("git")


def walk(folder: str) -> int:
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat(follow_symlinks=False)
            count += walk(entry.path) if entry.is_dir(follow_symlinks=False) else 1
    return count


def git(tree: Path, *arguments: str, into: Path | None = None) -> None:
    configured = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@localhost",
        "-c",
        "core.fsync=loose-object",
    ]
    command = ["git", *configured, f"--git-dir={tree.parent / 'git'}", f"--work-tree={into or tree}"]
    subprocess.run([*command, *arguments], check=True, capture_output=True, cwd=into or tree)


def commit(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "state")


def check_out(tree: Path, into: Path) -> None:
    into.mkdir()
    git(tree, "checkout", "-f", "HEAD", "--", ".", into=into)


def small_files(folder: Path) -> None:
    """Text of 300 bytes each, in folders."""
    made = random.Random(7)
    for number in range(SMALL):
        target = folder / f"folder{number % FOLDERS}" / f"{number}.txt"
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(f"{made.random():.6f},{made.random():.6f}\n" for _ in range(17)))


def large_files(folder: Path) -> None:
    """Numbers as text, which can be compressed."""
    made = random.Random(7)
    lines = [
        f"{made.random():.9f},{made.randrange(10**6)},species {made.randrange(9)}\n" for _ in range(40_000)
    ]
    for number in range(LARGE):
        made.shuffle(lines)
        text = "".join(lines)
        (folder / f"{number}.csv").write_text((text * (LARGE_BYTES // len(text) + 1))[:LARGE_BYTES])


def beside_git(
    make: Callable[[Path], None], root: Path, label: str, *, least: float | None
) -> tuple[Workspace, list[Figure]]:
    """First snapshot, and materializing into an empty folder, once each compared with git's."""
    workspace = Workspace(root / "workspace", FolderBlobs(root / "blobs"))
    make(workspace.folder)
    os.sync()
    ours = [once(workspace.snapshot)]
    files = workspace.snapshot().files
    os.sync()
    ours.append(once(lambda: workspace.scratch_copy(files, root / "copy")))
    names = [f"first snapshot of {label}", f"materialize {label} into an empty folder"]
    if GIT is None:
        return workspace, [
            Figure(n, ms, "ms", aim="git is not installed") for n, ms in zip(names, ours, strict=True)
        ]
    git(workspace.folder, "init", "-q")
    os.sync()
    theirs = [once(lambda: commit(workspace.folder))]
    os.sync()
    theirs.append(once(lambda: check_out(workspace.folder, root / "checkout")))
    figures = []
    for name, own, other in zip(names, ours, theirs, strict=True):
        ratio, aimed = own / other, least is not None
        aim = f"{least:g} times as fast as git" if aimed else ""
        holds = ratio <= 1 / least if least is not None else None
        figures.append(Figure(name, own, "ms", ratio, f"git's {other:,.0f} ms", aim, holds))
    return workspace, figures


def unchanged(workspace: Workspace) -> list[Figure]:
    files = workspace.snapshot().files
    time.sleep(0.1)  # until every status is older than the clock's granularity
    workspace.snapshot()
    contenders: dict[str, Callable[[], object]] = {
        WALK: lambda: walk(str(workspace.folder)),
        "snapshot": workspace.snapshot,
        "materialize": lambda: workspace.materialize(files),
        "anew": lambda: Workspace(workspace.folder, workspace.blobs).snapshot(),
    }
    if GIT is not None:
        contenders["git"] = lambda: git(workspace.folder, "status", "--porcelain")
    timed = interleaved(contenders, rounds=5)
    figures = [
        timed[WALK].figure("walk of 10,000 files, lstat of each", WALK),
        timed["snapshot"].figure("snapshot, 10,000 files unchanged", WALK, most=2),
        timed["materialize"].figure("materialize, no differences", WALK),
        timed["anew"].figure("snapshot without a cache, all files hashed again", WALK),
    ]
    return figures + ([timed["git"].figure("git status of the same files", WALK)] if GIT is not None else [])


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for part in ("small", "large"):
            (root / part).mkdir()
        workspace, figures = beside_git(small_files, root / "small", "10,000 small files", least=None)
        figures += unchanged(workspace)
        _, large = beside_git(
            large_files, root / "large", f"{LARGE} files of {LARGE_BYTES >> 20} MiB", least=10
        )
        return figures + large


if __name__ == "__main__":
    main(measure)
