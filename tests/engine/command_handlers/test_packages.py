"""Packages that a bundle requires: installed with it, only for it, and never during a call."""

from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.commands.catalog import InstallToolset
from engine.errors import Unavailable
from tests.engine.runtime.test_packages import wheel
from tests.support.talk import KIT, Talk, call, write_bundle

ACT = "import greeting\n\ndef run(workspace, **_):\n    return {'word': greeting.WORD}\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, the only place where packages are searched."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def bundle(folder: Path, requirement: str) -> Path:
    manifest = KIT["toolset.yaml"] + f"requirements: [{requirement}]\n"
    return write_bundle(folder, KIT | {"toolset.yaml": manifest, "tools/act.py": ACT})


@pytest.mark.long
def test_a_tool_can_import_the_packages_that_its_bundle_requires(index: Path, tmp_path: Path) -> None:
    wheel(index, "greeting", "1.0", "WORD = 'hello'\n")
    said: list[str] = []
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(bundle(tmp_path / "kit", "greeting"), "yes", progress=said.append))
        assert said[-1] == "Installed 1 packages"
        talk = Talk(app, tmp_path)
        talk.replies({"calls": [call("look")]}, {"text": "."})
        talk.ask()
        assert talk.calls()[0].result == {"word": "hello"}
        packed = app.toolsets.export("kit")
        assert b"greeting/__init__" not in packed
    with open_app(tmp_path / "data") as app:
        assert app.send(InstallToolset(tmp_path / "kit", "yes")).outcome == "unchanged"
        assert len(list((tmp_path / "data" / "packages").glob("kit/*"))) == 1


@pytest.mark.long
def test_a_bundle_with_a_missing_package_is_refused_and_leaves_nothing(index: Path, tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        head = app.log.head()
        with pytest.raises(Unavailable, match="missing"):
            app.send(InstallToolset(bundle(tmp_path / "kit", "missing"), "yes"))
        assert app.log.head() == head
        assert not (tmp_path / "data" / "toolsets" / "kit").exists()
        assert not list((tmp_path / "data" / "packages").glob("kit/*"))


@pytest.mark.long
def test_a_live_folder_keeps_the_packages_that_the_user_agreed_to(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(index, "greeting", "1.0", "WORD = 'hello'\n")
    source = bundle(tmp_path / "kit", "greeting")
    with open_app(tmp_path / "data") as app:
        app.send(InstallToolset(source, "yes"))
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))  # nothing is installed at a call
        (source / "tools" / "act.py").write_text(ACT.replace("'word'", "'said'"))
        talk = Talk(app, tmp_path)
        talk.replies({"calls": [call("look")]}, {"text": "."})
        talk.ask()
        assert talk.calls()[0].result == {"said": "hello"}
    with open_app(tmp_path / "data") as app:
        assert len(list((tmp_path / "data" / "packages").glob("kit/*"))) == 2
