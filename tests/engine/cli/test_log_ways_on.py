"""Recovering from a damaged or replaced log with the command line; commands that only read create no files."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from engine.app.app import open_app
from engine.cli.main import program
from engine.commands.catalog import ChangeSetting, CreateChat
from events.log_files import DATABASE, JOURNAL, KEPT
from tests.faults.test_full_disk import needs_small_disks
from tests.support.talk import Talk

ROOT = Path(__file__).parents[3]


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(program, [*map(str, words)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def filled(data: Path, titles: int = 4) -> None:
    with open_app(data) as app:
        talk = Talk(app, data.parent)
        talk.replies({"text": "Forty-two."})
        talk.ask("How many?")
        for number in range(titles):
            app.send(CreateChat(title=f"chat {number}"))


def damage(data: Path) -> None:
    """Damage the database so that DuckDB refuses to open it."""
    with (data / DATABASE).open("r+b") as file:
        file.seek(4096)
        file.write(bytes(8192))


@pytest.mark.parametrize(
    "words",
    [
        ("log", "verify"),
        ("log", "stats"),
        ("log", "tail"),
        ("log", "checkpoint"),
        ("log", "accept"),
        ("chat", "list"),
        ("check",),
        ("gc",),
        ("rebuild",),
        ("state", "--at", "1"),
        ("toolset", "list"),
        ("mcp", "list"),
        ("definition", "list"),
    ],
    ids=" ".join,
)
def test_commands_that_only_read_never_create_a_store(words: tuple[str, ...], tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    said = run(*words, "--data", nowhere, "--json", code=1)
    assert document(said)["error"]["code"] == "data_not_found"
    assert not nowhere.exists()


def test_the_doctor_does_not_create_a_store(tmp_path: Path) -> None:
    said = run("doctor", "--data", tmp_path / "nowhere", "--json")
    assert "there is no data" in next(
        c["detail"] for c in document(said)["checks"] if c["name"] == "data folder"
    )
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.long
def test_accepting_a_restored_backup_is_recorded(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    shutil.copytree(data, tmp_path / "backup")
    filled(data)
    shutil.rmtree(data)
    shutil.copytree(tmp_path / "backup", data)

    assert "older copy" in document(run("log", "verify", "--data", data, "--json", code=1))["problem"]
    assert "give --yes to agree" in run("log", "accept", "--data", data, code=1).stderr
    refused = run("ask", "Anything?", "--data", data, code=1).stderr
    assert "log accept" in refused
    run("log", "accept", "--yes", "--data", data)
    assert document(run("log", "verify", "--data", data, "--json"))["ok"]
    last = document(run("log", "tail", "-n", "20", "--data", data, "--json"))
    assert "LogAccepted" in {event["type"] for event in last}
    with open_app(data) as app:
        app.send(CreateChat(title="it goes on"))
    assert "nothing to accept" in run("log", "accept", "--data", data).stdout


@pytest.mark.long
@pytest.mark.usefixtures("own_first_run")
def test_a_log_can_be_compared_with_its_checkpoint(tmp_path: Path) -> None:
    data, note = tmp_path / "data", tmp_path / "checkpoint.txt"
    filled(data)
    run("log", "checkpoint", note, "--data", data)
    filled(data)
    assert document(run("log", "verify", "--against", note, "--data", data, "--json"))["against"]["continues"]
    filled(tmp_path / "other")
    other = run("log", "verify", "--against", note, "--data", tmp_path / "other", code=1)
    assert "belongs to another log" in other.stdout
    note.write_text(note.read_text().replace("anabranch/", "anabranch/0", 1))
    assert "or was changed since" in run("log", "verify", "--against", note, "--data", data, code=1).stderr


@pytest.mark.long
def test_a_database_that_cannot_be_opened_is_restored_completely(tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    filled(data)
    before = document(run("log", "tail", "-n", "1000", "--data", data, "--json"))
    damage(data)
    assert "log salvage" in run("chat", "list", "--data", data, code=1).stderr
    done = document(run("log", "salvage", new, "--data", data, "--json"))
    assert done["log"]["whole"]
    after = document(run("log", "tail", "-n", "1000", "--data", new, "--json"))
    assert after == before
    assert document(run("check", "--data", new, "--json"))["ok"]
    assert document(run("rebuild", "--data", new, "--json"))["identical"]
    assert "is not empty" in run("log", "salvage", new, "--data", data, code=1).stderr


@pytest.mark.long
def test_events_that_cannot_be_restored_are_listed(tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    filled(data, titles=3)
    kept = next((data / KEPT).glob("*.rows"))
    whole = kept.read_bytes()
    filled(data, titles=5)
    later = kept.read_bytes()[len(whole) :]
    kept.write_bytes(whole[:-40] + bytes(40) + later)
    damage(data)
    done = document(run("log", "salvage", new, "--data", data, "--json", code=1))
    assert not done["log"]["whole"]
    assert done["log"]["missing"]
    with open_app(new) as app:
        assert app.log.verify().ok
        assert app.log.head() == done["log"]["events"]
        for row in app.chats():
            app.chat(row["chat_id"])


def test_if_nothing_can_be_read_salvage_creates_no_folder(tmp_path: Path) -> None:
    data, new = tmp_path / "data", tmp_path / "new"
    filled(data)
    damage(data)
    shutil.rmtree(data / KEPT)
    (data / JOURNAL).unlink()
    assert "No event could be read" in run("log", "salvage", new, "--data", data, code=1).stderr
    assert sorted(path.name for path in tmp_path.iterdir() if "new" in path.name) == []


def test_no_second_copy_is_kept_if_the_setting_is_off(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    assert list((data / KEPT).glob("*.rows"))
    with open_app(data) as app:
        app.send(ChangeSetting("keep_journal", False))
    assert not (data / KEPT).exists()
    said = document(run("doctor", "--data", data, "--json"))["checks"]
    assert "keep_journal" in next(c["detail"] for c in said if c["name"] == "second copy")


@pytest.mark.long
def test_the_read_models_are_rebuilt_if_the_old_rows_cannot_be_read(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    with duckdb.connect(str(data / DATABASE)) as connection:
        connection.execute("DROP VIEW chats; DROP TABLE chat_state")
    said = run("rebuild", "--data", data)
    assert "the earlier rows could not be read" in said.stdout
    assert document(run("rebuild", "--data", data, "--json"))["identical"]


READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'


def where_it_may_only_be_read(data: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a namespace in which the folder is mounted read-only."""
    command = [sys.executable, "-c", "from engine.cli.main import main; main()", *words, "--data", str(data)]
    return subprocess.run(
        ["unshare", "-Urm", "sh", "-c", READ_ONLY, "sh", str(data), *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
@needs_small_disks
def test_a_read_only_folder_can_be_listed_verified_and_exported(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    out = tmp_path
    listed = where_it_may_only_be_read(data, "chat", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)) == 5
    verified = where_it_may_only_be_read(data, "log", "verify", "--json")
    assert json.loads(verified.stdout)["ok"], verified.stdout
    exported = where_it_may_only_be_read(data, "log", "export", str(out / "log.parquet"))
    assert exported.returncode == 0, exported.stderr
    chat_id = json.loads(listed.stdout)[-1]["chat_id"]
    assert where_it_may_only_be_read(data, "chat", "show", chat_id).returncode == 0
    refused = where_it_may_only_be_read(data, "ask", "Anything?")
    assert refused.returncode == 1
    assert "You cannot write to the data folder" in refused.stderr
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before
