"""Folder snapshots: restored bit for bit, cheap if nothing changed, and safe from files that a tool plants."""

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Invalid, NotFound, Refused
from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace
from engine.workspace.limits import WorkspaceLimits
from engine.workspace.manifest import FileEntry, difference
from engine.workspace.memory_blobs import MemoryBlobs

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
Tree: TypeAlias = dict[str, tuple[bytes, bool]]
"""Path → content and executable bit."""

names = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=12
).filter(lambda name: name not in (".", ".."))
contents = st.tuples(st.binary(max_size=40), st.booleans())


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    tree: Tree = {}
    for parts in draw(st.lists(st.lists(names, min_size=1, max_size=5), max_size=8)):
        path = "/".join(parts)
        if not any(
            path == other or path.startswith(other + "/") or other.startswith(path + "/") for other in tree
        ):
            tree[path] = draw(contents)
    return tree


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "chat" / "workspace", FolderBlobs(tmp_path / "chat" / "blobs"))


@contextmanager
def fresh() -> Iterator[Workspace]:
    """A new workspace for each run of a property test."""
    root = Path(tempfile.mkdtemp())
    try:
        yield Workspace(root / "workspace", MemoryBlobs())
    finally:
        shutil.rmtree(root)


def put(folder: Path, tree: Tree) -> None:
    for path, (content, executable) in tree.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if executable else 0o644)


def tree_of(folder: Path) -> Tree:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in folder.rglob("*")
        if not path.is_dir()
    }


@pytest.mark.long
@POSIX
@settings(deadline=None, max_examples=60)
@given(trees())
def test_any_tree_is_restored_bit_for_bit(tree: Tree) -> None:
    with fresh() as workspace:
        put(workspace.folder, tree)
        snapshot = workspace.snapshot()
        assert snapshot.files.keys() == tree.keys()
        assert snapshot.skipped == ()
        copy = workspace.scratch_copy(snapshot.files, workspace.folder.parent / "elsewhere")
        assert tree_of(copy.folder) == tree
        assert copy.snapshot().files == snapshot.files


@pytest.mark.long
@POSIX
@settings(deadline=None, max_examples=60)
@given(trees(), trees())
def test_any_state_can_be_restored_from_any_other_and_back(first: Tree, second: Tree) -> None:
    with fresh() as workspace:
        put(workspace.folder, first)
        before = workspace.snapshot().files
        workspace.materialize({})
        assert list(workspace.folder.iterdir()) == []
        put(workspace.folder, second)
        after = workspace.snapshot().files
        for files, tree in ((before, first), (after, second), (before, first)):
            workspace.materialize(files)
            assert tree_of(workspace.folder) == tree
            assert workspace.snapshot().files == files


@POSIX
@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from([b"one", b"two", b"six", b"seven"])), max_size=15
    )
)
def test_edits_within_one_tick_of_the_clock_are_all_seen(edits: list[tuple[str, bytes]]) -> None:
    with fresh() as workspace:
        expected: dict[str, bytes] = {}
        for name, content in edits:
            (workspace.folder / name).write_bytes(content)
            expected[name] = content
            files = workspace.snapshot().files
            assert {path: workspace.blobs.read(entry.sha256) for path, entry in files.items()} == expected


def test_a_file_whose_times_are_forged_is_still_read_again(workspace: Workspace) -> None:
    target = workspace.folder / "a"
    target.write_bytes(b"one")
    os.utime(target, (1, 1))
    first = workspace.snapshot().files
    target.write_bytes(b"two")
    os.utime(target, (1, 1))
    assert set(difference(first, workspace.snapshot().files).changed) == {"a"}


def test_a_file_that_was_read_to_find_changes_is_stored_by_the_next_snapshot(workspace: Workspace) -> None:
    target = workspace.folder / "dropped.csv"
    target.write_text("n\n1\n")
    os.utime(target, (1, 1))
    _age(target)
    assert list(workspace.changes_since({}).added) == ["dropped.csv"]
    kept = workspace.snapshot().files["dropped.csv"]
    assert workspace.blobs.read(kept.sha256) == b"n\n1\n"


def test_content_that_was_removed_from_the_store_is_stored_again(workspace: Workspace) -> None:
    target = workspace.folder / "a.txt"
    target.write_text("a")
    _age(target)
    sha256 = workspace.snapshot().files["a.txt"].sha256
    workspace.blobs.remove([sha256])
    workspace.lost([sha256])
    workspace.snapshot()
    assert workspace.blobs.read(sha256) == b"a"


def _age(path: Path) -> None:
    """Return once the file is older than the clock's granularity, so that its status is trusted."""
    status = path.stat()
    while time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < 60_000_000:
        Event().wait(0.005)


def test_unchanged_files_are_not_read_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    put(workspace.folder, {f"d{number % 3}/f{number}": (str(number).encode(), False) for number in range(30)})
    later = (workspace.folder / "d0" / "f0").stat().st_ctime_ns + 10_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: later)
    first = workspace.snapshot()
    assert first.read == 30
    assert workspace.snapshot().read == 0
    done = workspace.materialize(first.files)
    assert (done.written, done.removed) == (0, 0)
    (workspace.folder / "d1" / "f1").write_bytes(b"changed")
    second = workspace.snapshot()
    assert second.read == 1
    assert set(difference(first.files, second.files).changed) == {"d1/f1"}


def test_only_files_that_differ_are_written(workspace: Workspace) -> None:
    put(workspace.folder, {"same": (b"1", False), "changed": (b"2", False), "gone/x": (b"3", False)})
    before = workspace.snapshot().files
    shutil.rmtree(workspace.folder / "gone")
    (workspace.folder / "changed").write_bytes(b"other")
    untouched = (workspace.folder / "same").stat()
    done = workspace.materialize(before)
    assert (done.written, done.removed) == (2, 0)
    now = (workspace.folder / "same").stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (
        untouched.st_ino,
        untouched.st_mtime_ns,
        untouched.st_ctime_ns,
    )
    assert [path.name for path in workspace.folder.parent.iterdir() if path.name != "blobs"] == ["workspace"]


def test_editing_a_file_of_the_workspace_never_changes_its_blob(workspace: Workspace) -> None:
    (workspace.folder / "a").write_bytes(b"kept")
    files = workspace.snapshot().files
    workspace.materialize({})
    workspace.materialize(files)
    with (workspace.folder / "a").open("r+b") as stream:
        stream.write(b"EDIT")
    assert workspace.blobs.read(files["a"].sha256) == b"kept"
    assert set(workspace.changes_since(files).changed) == {"a"}


@POSIX
def test_a_changed_executable_bit_is_a_change_and_is_restored(workspace: Workspace) -> None:
    put(workspace.folder, {"run.sh": (b"#!/bin/sh\n", True)})
    before = workspace.snapshot().files
    (workspace.folder / "run.sh").chmod(0o644)
    after = workspace.snapshot().files
    assert (before["run.sh"].executable, after["run.sh"].executable) == (True, False)
    workspace.materialize(before)
    assert os.access(workspace.folder / "run.sh", os.X_OK)


@POSIX
def test_links_pipes_sockets_and_devices_are_left_out_reported_and_never_followed(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("sk-secret")
    folder = workspace.folder
    (folder / "kept").write_text("kept")
    (folder / "to_file").symlink_to(secret / "key")
    (folder / "to_folder").symlink_to(secret)
    (folder / "inside").symlink_to("kept")
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)  # a socket's path is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    snapshot = workspace.snapshot()
    assert set(snapshot.files) == {"kept"}
    reasons = {skipped.path: skipped.reason for skipped in snapshot.skipped}
    assert set(reasons) == {"to_file", "to_folder", "inside", "broken", "pipe", "socket"}
    assert "link" in reasons["to_folder"]
    assert reasons["pipe"] == "it is a pipe"
    assert reasons["socket"] == "it is a socket"
    workspace.materialize(snapshot.files)
    assert [path.name for path in folder.iterdir()] == ["kept"]
    assert (secret / "key").read_text() == "sk-secret"


@POSIX
@pytest.mark.parametrize(
    ("name", "reason", "shown"),
    [
        (b"bad\xff.csv", "its name is not valid UTF-8", "bad\\xff.csv"),
        (b"line\nbreak", "its name contains control characters", "line\nbreak"),
        (b"back\\slash", "its name contains a backslash", "back\\slash"),
    ],
)
def test_files_whose_names_do_not_work_everywhere_are_left_out_but_not_deleted(
    workspace: Workspace, name: bytes, reason: str, shown: str
) -> None:
    target = workspace.folder / os.fsdecode(name)
    for path in (target, workspace.folder / os.fsdecode(name + b"-folder") / "inner"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    snapshot = workspace.snapshot()
    assert snapshot.files == {}
    assert [(skipped.path, skipped.reason) for skipped in snapshot.skipped] == [
        (shown, reason),
        (shown + "-folder", reason),
    ]
    workspace.materialize({})
    assert target.read_bytes() == b"x"


@POSIX
def test_deeply_nested_folders_and_overlong_paths_are_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, times in (("d", 80), ("e" * 200, 12)):
        monkeypatch.chdir(workspace.folder)
        for _ in range(times):
            Path(name).mkdir()
            monkeypatch.chdir(name)
        Path("f").write_text("too far")
    snapshot = workspace.snapshot()
    assert snapshot.files == {}
    deep, long = sorted(skipped.reason for skipped in snapshot.skipped)
    assert "nested deeper than 64" in deep
    assert "longer than 2048 bytes" in long


@POSIX
@pytest.mark.parametrize("kind", ["link to folder", "link to file", "pipe", "folder", "file"])
def test_links_pipes_and_folders_in_the_way_of_a_file_are_replaced_and_never_followed(
    workspace: Workspace, tmp_path: Path, kind: str
) -> None:
    put(workspace.folder, {"data/x.csv": (b"1", False), "data/deep/y.csv": (b"2", False)})
    files = workspace.snapshot().files
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.csv").write_text("not ours")
    shutil.rmtree(workspace.folder / "data")
    way = workspace.folder / "data"
    match kind:
        case "link to folder":
            way.symlink_to(outside)
        case "link to file":
            way.mkdir()
            (way / "x.csv").symlink_to(outside / "x.csv")
        case "pipe":
            os.mkfifo(way)
        case "folder":
            put(workspace.folder, {"data/x.csv/inner": (b"3", False)})
        case "file":
            way.write_bytes(b"4")
    workspace.materialize(files)
    assert tree_of(workspace.folder) == {"data/x.csv": (b"1", False), "data/deep/y.csv": (b"2", False)}
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"x.csv": "not ours"}


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/etc/x",
        "a//b",
        "a\\b",
        "a/../b",
        "",
        ".",
        "a/",
        "x\0y",
        "a\nb",
        "a\ud800",
        "/".join("d" * 70),
    ],
)
def test_a_manifest_that_could_leave_the_folder_is_refused_before_anything_is_touched(
    workspace: Workspace, path: str
) -> None:
    (workspace.folder / "mine").write_bytes(b"1")
    blob = workspace.blobs.put_bytes(b"evil")
    with pytest.raises(Invalid):
        workspace.materialize({path: FileEntry(blob.sha256, blob.size)})
    assert tree_of(workspace.folder) == {"mine": (b"1", False)}


def test_a_missing_blob_is_named_before_anything_is_touched(workspace: Workspace) -> None:
    (workspace.folder / "mine").write_bytes(b"1")
    with pytest.raises(NotFound, match="0000"):
        workspace.materialize({"a": FileEntry("0" * 64, 1)})
    assert tree_of(workspace.folder) == {"mine": (b"1", False)}


@pytest.mark.parametrize("limits", [WorkspaceLimits(files=2), WorkspaceLimits(bytes=5)])
def test_a_folder_beyond_the_limits_is_refused_before_it_is_read(
    tmp_path: Path, limits: WorkspaceLimits
) -> None:
    blobs = MemoryBlobs()
    workspace = Workspace(tmp_path / "workspace", blobs, limits)
    for name in "abc":
        (workspace.folder / name).write_bytes(b"12")
    with pytest.raises(Refused, match="contains more than"):
        workspace.snapshot()
    assert list(blobs.all()) == []


@POSIX
def test_a_huge_sparse_file_counts_by_its_size(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace", MemoryBlobs(), WorkspaceLimits(bytes=1 << 30))
    with (workspace.folder / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(Refused):
        workspace.snapshot()


@POSIX
def test_a_sparse_file_is_reported_and_takes_little_space_and_time(tmp_path: Path) -> None:
    blobs = tmp_path / "blobs"
    folder = Workspace(tmp_path / "w", FolderBlobs(blobs))
    with (folder.folder / "sparse.bin").open("wb") as file:
        file.truncate(2 << 30)
        file.seek(1 << 30)
        file.write(b"a little")
    with (folder.folder / "scattered.bin").open("wb") as file:
        for place in range(0, 64 << 20, 1 << 20):
            file.seek(place)
            file.write(b"x")
    (folder.folder / "dense.bin").write_bytes(b"x" * (4 << 20))
    with (folder.folder / "short.bin").open("wb") as file:
        file.truncate(1 << 19)
    found = folder.snapshot()
    assert set(found.files) == {"dense.bin", "short.bin"}
    assert [skipped.path for skipped in found.skipped] == ["scattered.bin", "sparse.bin"]
    assert "2,147,483,648 bytes" in found.skipped[1].reason
    assert "holes" in found.skipped[1].reason
    assert sum(path.stat().st_size for path in blobs.rglob("*") if path.is_file()) < 16 << 20


@POSIX
def test_a_folder_of_any_depth_in_the_way_of_a_file_is_removed(workspace: Workspace) -> None:
    put(workspace.folder, {"data.csv": (b"1", False)})
    files = workspace.snapshot().files
    (workspace.folder / "data.csv").unlink()
    here = os.open(workspace.folder, os.O_RDONLY)
    for name in ["data.csv", *("d" * 100 for _ in range(3000))]:
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.fchmod(here, 0o500)
        os.close(here)
        here = inner
    os.close(here)
    workspace.materialize(files)
    assert workspace.snapshot().files == files
    assert (workspace.folder / "data.csv").read_bytes() == b"1"


@POSIX
def test_setuid_and_setgid_bits_are_removed_from_files_that_a_tool_left(workspace: Workspace) -> None:
    planted = workspace.folder / "planted"
    planted.write_text("#!/bin/sh\nid\n")
    planted.chmod(0o6755)
    for _ in range(2):
        assert workspace.snapshot().files["planted"].executable
        assert planted.stat().st_mode & 0o7777 == 0o700
        planted.chmod(0o4755)  # again, after it is known
    named = workspace.folder / "line\nbreak"
    named.write_text("x")
    named.chmod(0o4711)
    assert "line" in workspace.snapshot().skipped[0].path
    assert named.stat().st_mode & 0o7777 == 0o700


def test_permissions_that_a_tool_removed_do_not_prevent_snapshots_or_restores(workspace: Workspace) -> None:
    put(workspace.folder, {"closed/x": (b"1", False), "fixed/y": (b"2", False), "file": (b"3", False)})
    files = workspace.snapshot().files
    for name, mode in (("closed", 0o000), ("fixed", 0o555), ("file", 0o000), (".", 0o500)):
        (workspace.folder / name).chmod(mode)
    assert workspace.snapshot().files == files
    for name, mode in (("fixed", 0o555), (".", 0o000)):
        (workspace.folder / name).chmod(mode)
    workspace.materialize({"fixed/z": files["file"]})
    workspace.materialize(files)
    assert workspace.snapshot().files == files


@POSIX
def test_a_long_list_of_left_out_files_is_summed_up(workspace: Workspace) -> None:
    for number in range(205):
        (workspace.folder / f"link{number}").symlink_to("x")
    skipped = workspace.snapshot().skipped
    assert len(skipped) == 201
    assert skipped[-1].reason == "and 5 more of this kind"


@POSIX
def test_a_file_that_the_user_has_open_keeps_its_content_when_the_folder_changes(
    workspace: Workspace,
) -> None:
    (workspace.folder / "a").write_bytes(b"old")
    before = workspace.snapshot().files
    (workspace.folder / "a").write_bytes(b"new")
    with (workspace.folder / "a").open("rb") as stream:
        workspace.materialize(before)
        assert stream.read() == b"new"
    assert (workspace.folder / "a").read_bytes() == b"old"
