"""Stored toolset files that have changed since their installation never run, and one command restores them."""

import os
import py_compile
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import InstallToolset, RestoreToolset, RunTool
from engine.errors import NotFound, Unavailable
from engine.toolsets.kept_files import COPIES
from engine.views.chat import CallView
from tests.engine.command_handlers.test_toolsets import zipped
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, Talk, write_bundle

_EVIL = 'def run(workspace, **_):\n    return {"saw": "evil"}\n'


def stored(app: App) -> Path:
    """The folder of the kit's stored files."""
    return app.data / next(
        row["stored_path"].removesuffix("/tools/act.py")
        for row in app.read("toolset_files")
        if row["toolset_id"] == "kit" and row["path"] == "tools/act.py"
    )


def run(talk: Talk) -> CallView:
    """A call of the kit."""
    call_id = talk.app.send(RunTool(talk.chat_id, "kit:look", {}))
    return talk.app.chat(talk.chat_id).calls[call_id]


def write(file: Path, text: str) -> None:
    """Edit a read-only file in place."""
    file.chmod(0o600)
    file.write_text(text)


def edited(folder: Path) -> str:
    write(folder / "tools/act.py", _EVIL)
    return "tools/act.py was changed"


def edited_with_its_times_kept(folder: Path) -> str:
    file = folder / "tools/act.py"
    was = file.stat()
    write(file, _EVIL + "#" * (was.st_size - len(_EVIL)))
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    return "tools/act.py was changed"


def one_bit_flipped(folder: Path) -> str:
    file = folder / "tools/act.py"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.chmod(0o600)
    file.write_bytes(data)
    return "tools/act.py was changed"


def removed(folder: Path) -> str:
    (folder / "tools/act.py").unlink()
    return "tools/act.py is missing"


def added(folder: Path) -> str:
    (folder / "tools/json.py").write_text("evil = True\n")
    return "tools/json.py was added"


def linked(folder: Path) -> str:
    file, elsewhere = folder / "tools/act.py", folder.parent.parent / "elsewhere.py"
    shutil.copy(file, elsewhere)
    file.unlink()
    file.symlink_to(elsewhere)
    return "tools/act.py is a link"


def compiled(folder: Path) -> str:
    """Bytecode that Python prefers to the source next to it, and never compares with that."""
    source, evil = folder / "tools/act.py", folder.parent.parent / "evil.py"
    evil.write_text(_EVIL)
    target = source.parent / "__pycache__" / "act.cpython-311.pyc"
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), cfile=str(target), invalidation_mode=mode)
    return "tools/__pycache__/act.cpython-311.pyc was added"


def the_folder_is_gone(folder: Path) -> str:
    shutil.rmtree(folder)
    return "tools/act.py is missing, toolset.yaml is missing"


def the_folder_is_a_link(folder: Path) -> str:
    folder.rename(elsewhere := folder.parent.parent / "kit-elsewhere")
    folder.symlink_to(elsewhere)
    return "its folder is a link"


CHANGES = [
    edited,
    edited_with_its_times_kept,
    one_bit_flipped,
    removed,
    added,
    linked,
    compiled,
    the_folder_is_gone,
    the_folder_is_a_link,
]


@pytest.mark.parametrize("change", mostly_long(CHANGES, quick=(0, 2, 5, 7)))
def test_a_changed_toolset_does_not_run_until_it_is_restored(
    talk: Talk, change: Callable[[Path], str]
) -> None:
    assert run(talk).status == "success"
    wrong = change(stored(talk.app))
    refused = run(talk)
    assert refused.status == "error"
    assert refused.error is not None
    assert refused.error["kind"] == "toolset_changed"
    assert wrong in refused.error["message"]
    assert (
        "Nothing was run. To restore its files, run `anabranch toolset restore kit`"
        in refused.error["message"]
    )
    (row,) = [row for row in talk.app.installed() if row["id"] == "kit"]
    assert row["changed_files"]
    done = talk.app.send(RestoreToolset("kit"))
    assert list(done.files) == row["changed_files"]
    assert (stored(talk.app) / "tools/act.py").read_text() == KIT["tools/act.py"]
    assert run(talk).status == "success"
    assert talk.app.send(RestoreToolset("kit")).files == ()


def test_a_change_made_while_the_app_was_closed_is_found_by_the_first_call(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(zipped(KIT), "yes"))
        edited(stored(app))
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path)
        assert run(talk).error is not None
        app.send(RestoreToolset("kit"))
        assert run(talk).status == "success"


def test_a_change_during_a_call_drops_its_result(talk: Talk) -> None:
    talk.replies(
        {"calls": [{"name": "put", "arguments": {"wait": True}, "provider_call_id": ""}]}, {"text": "."}
    )
    turn_id = talk.start()
    place = talk.inside()
    added(stored(talk.app))
    (place / "go").touch()
    talk.ended(turn_id)
    (ran,) = talk.calls()
    assert ran.error is not None
    assert "during this call, so its result was dropped" in ran.error["message"]
    talk.app.send(RestoreToolset("kit"))


def test_a_damaged_copy_is_replaced_from_the_folder_that_it_came_from(tmp_path: Path) -> None:
    source = write_bundle(tmp_path / "kit")
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(source, "yes"))
        copies = [file for file in (app.data / COPIES).rglob("*") if file.is_file()]
        for copy in copies:
            write(copy, "flipped")
        edited(stored(app))
        assert "tools/act.py" in app.send(RestoreToolset("kit")).files
        assert run(Talk(app, tmp_path)).status == "success"
        edited(stored(app))
        shutil.rmtree(source)
        assert "tools/act.py" in app.send(RestoreToolset("kit")).files, "the copy is a good one again"


def test_a_toolset_without_a_good_copy_says_where_to_get_it_and_changes_nothing(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(zipped(KIT), "yes"))
        edited(stored(app))
        shutil.rmtree(app.data / COPIES)
        with pytest.raises(Unavailable, match=r"no intact copy of tools/act\.py.*toolset install"):
            app.send(RestoreToolset("kit"))
        assert (stored(app) / "tools/act.py").read_text() == _EVIL
        app.send(InstallToolset(zipped(KIT), "yes"))
        assert run(Talk(app, tmp_path)).status == "success"
        with pytest.raises(NotFound):
            app.send(RestoreToolset("gone"))


def test_toolsets_that_an_older_release_installed_without_copies_get_copies_at_the_next_start(
    tmp_path: Path,
) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(zipped(KIT), "yes"))
        shutil.rmtree(app.data / COPIES)
    with open_app(tmp_path / "data") as app:
        edited(stored(app))
        assert app.send(RestoreToolset("kit")).files == ("tools/act.py",)


def test_previewing_an_installed_bundle_again_repairs_the_stored_one_and_never_removes_it(
    tmp_path: Path,
) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(zipped(KIT), "yes"))
        added(stored(app))
        app.preview_toolset(zipped(KIT))
        assert run(Talk(app, tmp_path)).status == "success"


def test_a_changed_toolset_is_not_exported(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(zipped(KIT), "yes"))
        edited(stored(app))
        with pytest.raises(Unavailable, match=r"tools/act\.py has changed since it was installed"):
            app.toolsets.export("kit")
