"""Anabranch's files have mode 0600 and its folders 0700 with any umask; exports follow the user's umask."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.app.doctor import examine
from engine.errors import Unavailable
from engine.secrets.api_token import known_token, made_token
from engine.system.data_folder_lock import DataFolderLock
from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace

ROOT = Path(__file__).parents[3]


def mode(path: Path) -> int:
    """The permissions of a file."""
    return stat.S_IMODE(path.lstat().st_mode)


def shared(folder: Path) -> list[str]:
    """All files and folders at and below a folder that other users can access."""
    found = [folder, *folder.rglob("*")]
    return [f"{path} {mode(path):o}" for path in found if not path.is_symlink() and mode(path) & 0o7077]


def run(*words: str, umask: int, config: Path) -> str:
    """Run Python in a new process."""
    environment = os.environ | {"ANABRANCH_CONFIG": str(config)}
    done = subprocess.run(
        [sys.executable, *words],
        check=False,
        cwd=ROOT,
        umask=umask,
        env=environment,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-1000:]
    return done.stdout


@pytest.mark.long
def test_a_session_with_an_open_umask_leaves_no_files_that_others_can_read(tmp_path: Path) -> None:
    data, config = tmp_path / "data", tmp_path / "config"
    run("-m", "tests.support.private_session", str(data), str(tmp_path / "scratch"), umask=0, config=config)
    assert len(list(data.rglob("*"))) > 30
    assert (config / "service-token").exists()
    assert shared(data) + shared(config) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "umask", [pytest.param(0o000, marks=pytest.mark.long), 0o022, pytest.param(0o027, marks=pytest.mark.long)]
)
def test_files_for_the_user_follow_the_users_umask(tmp_path: Path, umask: int) -> None:
    data, config, out = tmp_path / "data", tmp_path / "config", tmp_path / "out"
    out.mkdir()
    command = ("-c", "from engine.cli.main import main; main()")
    run(*command, "toolset", "new", "mine", "--into", str(out), umask=umask, config=config)
    run(*command, "definition", "set", "a", "b", "--data", str(data), umask=umask, config=config)
    run(*command, "log", "export", str(out / "log.parquet"), "--data", str(data), umask=umask, config=config)
    assert mode(out / "log.parquet") == 0o666 & ~umask
    assert mode(out / "mine" / "toolset.yaml") == 0o666 & ~umask
    assert mode(out / "mine") == 0o777 & ~umask
    assert shared(data) == []


def test_a_folder_with_open_permissions_is_made_private_and_that_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    with open_app(data):
        pass
    data.chmod(0o755)
    (data / "anabranch.lock").chmod(0o644)
    (checked,) = [check for check in examine(data) if check.name == "privacy"]
    assert not checked.ok
    assert str(data) in checked.detail
    assert (mode(data), mode(data / "anabranch.lock")) == (0o700, 0o600)
    assert "was accessible to other users" in caplog.text
    (again,) = [check for check in examine(data) if check.name == "privacy"]
    assert again.ok


def test_an_empty_folder_with_open_permissions_is_made_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    DataFolderLock(data).release()
    assert mode(data) == 0o700


@pytest.mark.parametrize("others", ["files", "sticky"])
def test_a_folder_with_open_permissions_that_others_use_is_refused_and_left_unchanged(
    tmp_path: Path, others: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    if others == "files":
        (data / "letter.txt").write_text("mine")
    before = 0o1777 if others == "sticky" else 0o755
    data.chmod(before)
    with pytest.raises(Unavailable, match="Choose a folder of your own") as caught:
        App(data)
    assert (caught.value.code, mode(data)) == ("folder_exposed", before)


def test_a_private_folder_with_other_files_is_used(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "letter.txt").write_text("mine")
    with open_app(data):
        assert mode(data / "anabranch.duckdb") == 0o600


def test_a_token_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    token = made_token(tmp_path / "config")
    (tmp_path / "config").chmod(0o755)
    (tmp_path / "config" / "service-token").chmod(0o644)
    assert known_token(tmp_path / "config") == token
    assert mode(tmp_path / "config" / "service-token") == 0o600
    assert made_token(tmp_path / "config") == token
    assert mode(tmp_path / "config") == 0o700


def test_files_that_a_tool_opened_to_others_are_made_private_by_the_snapshot(tmp_path: Path) -> None:
    script = tmp_path / "work" / "run.sh"
    script.parent.mkdir()
    script.write_text("echo")
    script.chmod(0o6777)
    script.parent.chmod(0o777)
    workspace = Workspace(tmp_path / "work", FolderBlobs(tmp_path / "blobs"))
    assert workspace.snapshot().files["run.sh"].executable
    assert (mode(script), mode(script.parent)) == (0o700, 0o700)
