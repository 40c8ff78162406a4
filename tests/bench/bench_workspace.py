"""Ratios of snapshot and materialize to a bare walk with lstat: python -m tests.bench.bench_workspace"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace

FILES, FOLDERS = 10_000, 700


def walk(folder: str) -> int:
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat(follow_symlinks=False)
            count += walk(entry.path) if entry.is_dir(follow_symlinks=False) else 1
    return count


def timed(action: Callable[[], object], times: int = 7) -> float:
    """Median milliseconds."""
    seen = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        seen.append((time.perf_counter() - began) * 1000)
    return statistics.median(seen)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        workspace = Workspace(root / "workspace", FolderBlobs(root / "blobs"))
        for number in range(FILES):
            target = workspace.folder / f"folder{number % FOLDERS}" / f"{number}.txt"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(os.urandom(300))
        first = timed(workspace.snapshot, 1)
        files = workspace.snapshot().files
        time.sleep(0.1)  # until every status is older than the clock's granularity
        workspace.snapshot()
        floor = timed(lambda: walk(str(workspace.folder)))
        unchanged = timed(workspace.snapshot)
        nothing = timed(lambda: workspace.materialize(files))
        restarted = timed(lambda: Workspace(workspace.folder, workspace.blobs).snapshot(), 3)
        into_empty = timed(lambda: workspace.scratch_copy(files, root / "copy"), 1)
    print(f"walk with lstat               {floor:8.1f} ms")
    for name, value in [
        ("snapshot, unchanged", unchanged),
        ("materialize, nothing differs", nothing),
        ("snapshot, nothing known", restarted),
        ("first snapshot", first),
        ("materialize into empty", into_empty),
    ]:
        print(f"{name:29} {value:8.1f} ms  {value / floor:5.2f} times the walk")


if __name__ == "__main__":
    main()
