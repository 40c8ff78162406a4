"""Storing a bundle: completely or not at all, read-only, by hash; leftovers of crashes are deleted."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from engine.errors import Unavailable
from engine.toolsets import install
from engine.toolsets.install import (
    InstalledVersion,
    discard,
    outcome,
    stage,
    sweep_staging,
    sweep_versions,
    validate,
)
from tests.engine.toolsets.bundles import GOOD, folder, manifest, zipped


def test_a_bundle_is_stored_read_only_under_its_version_and_hash(tmp_path: Path) -> None:
    staged = stage(zipped(GOOD), tmp_path / "toolsets", source_ref="greeter.zip")
    assert staged.folder == tmp_path / "toolsets" / "greeter" / f"1.0.0-{staged.content_hash[:12]}"
    assert (staged.source_type, staged.source_ref) == ("zip", "greeter.zip")
    for file in staged.files:
        stored = tmp_path / file.stored_path
        data = stored.read_bytes()
        assert data == GOOD[file.path]
        assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
        assert stored.stat().st_mode & 0o777 == 0o400
    assert [path.name for path in (tmp_path / "toolsets").glob("[!.]*")] == ["greeter"]


def test_files_are_distinguished_by_kind(tmp_path: Path) -> None:
    files = GOOD | {"assets/data.csv": b"a\n1\n", "README.md": b"hi", "assets/make.py": b""}
    staged = stage(folder(tmp_path / "in", files), tmp_path / "toolsets")
    assert staged.source_type == "local"
    assert {file.path: file.kind for file in staged.files} == {
        "README.md": "asset",
        "artifacts/card.html": "artifact",
        "assets/data.csv": "asset",
        "assets/make.py": "python",
        "toolset.yaml": "config",
        "tools/greet.py": "python",
    }


def test_the_content_hash_is_over_sorted_paths_hashes_and_sizes(tmp_path: Path) -> None:
    rows = [[path, hashlib.sha256(data).hexdigest(), len(data)] for path, data in sorted(GOOD.items())]
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    staged = stage(zipped(GOOD), tmp_path / "toolsets")
    assert staged.content_hash == hashlib.sha256(text.encode()).hexdigest()


def test_installing_the_same_content_again_changes_nothing(tmp_path: Path) -> None:
    first = stage(zipped(GOOD), tmp_path / "toolsets")
    times = {file.path: (tmp_path / file.stored_path).stat().st_mtime_ns for file in first.files}
    again = stage(folder(tmp_path / "in", GOOD), tmp_path / "toolsets")
    assert (first.created, again.created) == (True, False)
    assert times == {file.path: (tmp_path / file.stored_path).stat().st_mtime_ns for file in again.files}
    installed = InstalledVersion("greeter", "1.0.0", first.content_hash)
    assert outcome(None, first) == "installed"
    assert outcome(installed, again) == "unchanged"


def test_different_content_is_an_upgrade_and_the_older_version_stays(tmp_path: Path) -> None:
    first = stage(zipped(GOOD), tmp_path / "toolsets")
    second = stage(zipped(GOOD | {"assets/new": b"1"}), tmp_path / "toolsets")
    assert outcome(InstalledVersion("greeter", "1.0.0", first.content_hash), second) == "upgraded"
    assert first.folder.is_dir()
    assert second.folder.is_dir()


def test_a_stored_version_that_was_changed_is_repaired(tmp_path: Path) -> None:
    first = stage(zipped(GOOD), tmp_path / "toolsets")
    code = first.folder / "tools" / "greet.py"
    code.chmod(0o644)
    code.write_text("evil")
    (first.folder / "tools" / "more.py").write_text("evil")
    again = stage(zipped(GOOD), tmp_path / "toolsets")
    assert code.read_bytes() == GOOD["tools/greet.py"]
    assert sorted(path.name for path in (first.folder / "tools").iterdir()) == ["greet.py"]
    assert sorted(path.name for path in (tmp_path / "toolsets").glob("[!.]*")) == ["greeter"]
    discard(again)
    assert code.is_file(), "looking at the same bundle again never takes away what is installed"


def test_discarding_removes_new_files_but_not_files_that_existed_before(tmp_path: Path) -> None:
    first = stage(zipped(GOOD), tmp_path / "toolsets")
    discard(stage(zipped(GOOD), tmp_path / "toolsets"))
    assert first.folder.is_dir()
    discard(stage(zipped(GOOD | {"assets/new": b"1"}), tmp_path / "toolsets"))
    assert [path.name for path in first.folder.parent.iterdir()] == [first.folder.name]
    discard(first)
    assert not first.folder.parent.exists()


@pytest.mark.parametrize(
    ("step", "nth"), [("_write", 1), ("sync_files", 0), ("sync_folders", 0), ("sync_folders", 1)]
)
def test_a_failing_disk_leaves_nothing_behind(
    step: str, nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))
    real = getattr(install, step)

    def failing(*args: object) -> None:
        if next(calls) == nth:
            raise OSError(28, "No space left on device")
        real(*args)

    monkeypatch.setattr(install, step, failing)
    with pytest.raises(Unavailable, match="No space left"):
        stage(zipped(GOOD), tmp_path / "toolsets")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_rename_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: Path, target: Path) -> Path:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(Unavailable):
        stage(zipped(GOOD), tmp_path / "toolsets")
    assert list(tmp_path.iterdir()) == []


def test_an_install_does_not_touch_the_staging_folder_of_another_install(tmp_path: Path) -> None:
    other = folder(tmp_path / "toolsets" / ".staging-other", GOOD)
    stage(zipped(GOOD), tmp_path / "toolsets")
    assert other.is_dir()


def test_every_file_is_synced_to_disk_before_the_version_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, rename = os.fsync, Path.rename
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle))[1])
    monkeypatch.setattr(Path, "rename", lambda self, target: (steps.append("name"), rename(self, target))[1])
    stage(zipped(GOOD), tmp_path / "toolsets")
    assert steps.index("name") >= len(GOOD)
    assert steps[-1] == "sync"


def test_leftovers_of_a_crash_are_deleted(tmp_path: Path) -> None:
    root = tmp_path / "toolsets"
    kept = stage(zipped(GOOD), root)
    folder(root / ".staging-123", GOOD)
    orphan = stage(zipped(GOOD | {"assets/new": b"1"}), root)
    folder(root / ".staging-456", GOOD)
    assert sweep_staging(root) == 2
    assert sweep_versions(root, lambda version: version == f"greeter/{kept.folder.name}") == 1
    assert kept.folder.is_dir()
    assert not orphan.folder.exists()
    foreign = folder(root / "greeter" / "9.9.9-of-another-log", GOOD)
    assert sweep_versions(root, lambda version: False) == 0, "a marker is gone once it was looked at"
    assert kept.folder.is_dir()
    assert foreign.is_dir(), "what this log does not explain is not swept"
    assert sweep_staging(tmp_path / "nothing") == 0


def test_validating_writes_nothing_and_lists_everything(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", manifest(effects="x", entrypoint="gone:run"))
    before = sorted(tmp_path.rglob("*"))
    assert [problem.code for problem in validate(made)] == ["entrypoint_module", "invalid_value"]
    assert sorted(tmp_path.rglob("*")) == before
    assert validate(folder(tmp_path / "good", GOOD)) == []
