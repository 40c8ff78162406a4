"""Packages are wheels pinned by hash, all installed or none; a folder of wheels replaces the index here."""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from engine.errors import Unavailable
from engine.runtime.packages import LOCK, PackagesInstalled, install_packages, sweep_staging
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest
from engine.system.cancellation import Cancellation

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    folder = tmp_path / "index"
    folder.mkdir()
    wheel(folder, "greeting", "1.0", "from voice import WORD\n", requires="voice>=2")
    wheel(folder, "voice", "2.0", "WORD = 'hello'\n")
    wheel(folder, "voice", "1.0", "WORD = 'old'\n")
    return folder


def wheel(folder: Path, name: str, version: str, code: str, requires: str = "") -> Path:
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={digest(text)},{len(text)}\n" for path, text in files.items())
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in files.items():
            archive.writestr(inner, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


def digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def install(
    index: Path, target: Path, *requirements: str, lock: str | None = None, cancel: Cancellation | None = None
) -> tuple[PackagesInstalled, list[str]]:
    said: list[str] = []
    options = ("--no-index", "-f", str(index))
    done = install_packages(
        requirements, target, said.append, cancel or Cancellation(), lock=lock, options=options
    )
    return done, said


def test_required_packages_are_installed_with_their_dependencies_and_a_tool_can_import_them(
    index: Path, tmp_path: Path
) -> None:
    installed, said = install(index, tmp_path / "version" / "packages", "greeting")
    assert installed.packages == (("greeting", "1.0"), ("voice", "2.0"))
    assert said[0] == "Finding out which packages are needed"
    assert any("Processing" in line for line in said)
    assert said[-1] == "Installed 2 packages"
    assert (installed.folder / LOCK).read_text() == installed.lock
    (tmp_path / "bundle" / "tools").mkdir(parents=True)
    code = "import greeting\ndef run(workspace): return {'word': greeting.WORD}"
    (tmp_path / "bundle" / "tools" / "tool.py").write_text(code)
    (tmp_path / "w").mkdir()
    with Pool() as pool:
        request = RunRequest(
            "c", tmp_path / "bundle", "tool:run", tmp_path / "w", {}, packages=(installed.folder,)
        )
        outcome = pool.run(request, cancel=Cancellation())
    assert outcome.value == {"word": "hello"}, outcome.error


@pytest.mark.long
def test_a_lock_installs_the_same_wheels_and_no_others(index: Path, tmp_path: Path) -> None:
    first, _ = install(index, tmp_path / "first", "voice<2")
    again, _ = install(index, tmp_path / "again", lock=first.lock)
    assert again.packages == first.packages == (("voice", "1.0"),)
    wheel(index, "voice", "1.0", "WORD = 'forged'\n")
    with pytest.raises(Unavailable, match=r"(?i)hash") as refused:
        install(index, tmp_path / "third", lock=first.lock)
    assert refused.value.code == "packages_not_installed"
    assert not (tmp_path / "third").exists()


@pytest.mark.long
def test_a_package_that_does_not_exist_or_must_be_built_is_reported_and_nothing_stays(
    index: Path, tmp_path: Path
) -> None:
    (index / "built-1.0.tar.gz").write_bytes(b"never opened")
    for requirement in ("missing", "voice>=9", "built"):
        with pytest.raises(Unavailable, match="wheels") as refused:
            install(index, tmp_path / "version" / "packages", requirement)
        assert requirement.partition(">")[0] in refused.value.message
        assert list((tmp_path / "version").iterdir()) == []


def test_an_unreachable_index_is_reported_with_a_message(index: Path, tmp_path: Path) -> None:
    options = ("-i", "http://127.0.0.1:9/simple")
    with pytest.raises(Unavailable) as refused:
        install_packages(["voice"], tmp_path / "v" / "p", lambda _: None, Cancellation(), options=options)
    assert refused.value.code == "packages_offline"
    assert list((tmp_path / "v").iterdir()) == []


@pytest.mark.parametrize("requirement", ["--pre", "-r /etc/passwd", "x @ http://y", "./here", "a\nb"])
def test_an_invalid_requirement_is_refused_before_the_index_is_contacted(
    tmp_path: Path, requirement: str
) -> None:
    with pytest.raises(Unavailable) as refused:
        install_packages([requirement], tmp_path / "p", lambda _: None, Cancellation())
    assert refused.value.code == "packages_refused"


@pytest.mark.long
def test_a_long_silence_of_pip_is_reported_with_its_duration(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large download prints one line, and then nothing until it has finished."""
    monkeypatch.setattr("engine.runtime.packages._SILENCE", 0.01)
    _, said = install(index, tmp_path / "v" / "p", "voice")
    assert any(line.endswith(" s so far") for line in said)


def test_stopping_an_install_leaves_no_files(index: Path, tmp_path: Path) -> None:
    cancel = Cancellation()

    def stop(_: str) -> None:
        cancel.set()

    with pytest.raises(Unavailable) as stopped:
        install_packages(
            ["voice"], tmp_path / "v" / "p", stop, cancel, options=("--no-index", "-f", str(index))
        )
    assert stopped.value.code == "packages_stopped"
    assert list((tmp_path / "v").iterdir()) == []


def test_leftovers_of_a_killed_install_are_deleted(tmp_path: Path) -> None:
    (tmp_path / ".packages-0123" / "packages").mkdir(parents=True)
    (tmp_path / "packages").mkdir()
    sweep_staging(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["packages"]
