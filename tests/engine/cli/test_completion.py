"""Completion: the shells' scripts, where they are installed, and the answers to a shell that asks."""

from pathlib import Path

import pytest

from engine.cli.main import main, run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder and shell."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ([], "function _anabranch_completion;"),
        (["bash"], "_anabranch_completion() {"),
        (["zsh"], "#compdef anabranch\n"),
    ],
)
def test_the_script_of_the_named_or_the_users_shell_is_printed(
    words: list[str], starts: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--show-completion", *words]) == 0
    assert capsys.readouterr().out.startswith(starts)


@pytest.mark.parametrize(("shell", "start"), [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", None)])
def test_an_installed_script_is_loaded_once(
    shell: str, start: str | None, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if start:
        (home / start).write_bytes(b"alias a=b # \xff\n")
    assert run(["--show-completion", shell]) == 0
    script = capsys.readouterr().out
    for added in (True, False):
        assert run(["--install-completion", shell]) == 0
        told = capsys.readouterr().out
        assert (f"Added a line to {home / (start or '')} that loads it." in told) == (
            added and start is not None
        )
    place = Path(told.removeprefix("Wrote ").split(". Open")[0])
    assert place.is_relative_to(home)
    assert place.read_text().strip() == script.strip()
    if start:
        _, line = (home / start).read_bytes().split(b"\n\n")
        assert (str(place) if shell == "bash" else "fpath+=~/.zfunc;").encode() in line


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_other_shells_get_an_error(
    option: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([option, "tcsh"]) == 2
    told = "Completion does not work with tcsh. Name a shell: bash, zsh, fish. See --help.\n"
    assert capsys.readouterr().err == f"Invalid value for '{option}': {told}"
    monkeypatch.delenv("SHELL")
    assert run([option]) == 2
    assert "$SHELL is not set" in capsys.readouterr().err
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "line", "code", "out"),
    [
        ("bash_complete", "anabranch chat sh", 0, "plain,show\n"),
        ("bash_complete", "anabranch log tail --c", 0, "plain,--count\n"),
        ("bash_complete", "anabranch chat rewind x --what f", 0, "plain,files\n"),
        ("complete_bash", "anabranch", 1, ""),  # the script of an earlier release must not start the app
    ],
)
def test_a_shell_that_asks_gets_the_words_that_fit(
    asked: str,
    line: str,
    code: int,
    out: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_ANABRANCH_COMPLETE", asked)
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capfd.readouterr().out) == (code, out)
