"""Keys on the command line: never in its arguments, never in its output."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.app.app import open_app
from engine.cli.main import program
from engine.commands.catalog import InstallToolset
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, write_bundle

SECRET = "made-up-secret-0123"
CONFIG = """\
config:
  - {name: REGION, description: Where it works.}
  - {name: KIT_KEY, secret: true, required: true, unless: [REGION]}
  - {name: SECOND_KEY, secret: true}
"""
Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder only for the test."""
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command with text on standard input."""

    def running(*words: str, given: str = "", code: int = 0) -> Result:
        result = CliRunner().invoke(program, [*words, "--data", str(tmp_path / "data")], input=given)
        assert result.exit_code == code, (result.output, result.exception)
        assert SECRET not in result.output
        return result

    return running


@pytest.fixture
def kit(tmp_path: Path) -> None:
    """Install the kit, which needs keys."""
    with open_app(tmp_path / "data") as app:
        files = KIT | {"toolset.yaml": KIT["toolset.yaml"] + CONFIG}
        app.send(InstallToolset(write_bundle(tmp_path / "kit", files), "yes"))


def code_of(result: Result) -> str:
    found: str = json.loads(result.stdout)["error"]["code"]
    return found


@pytest.mark.long
@pytest.mark.usefixtures("kit")
def test_a_toolset_is_configured_with_its_secret_from_standard_input(run: Run, config: Path) -> None:
    before = json.loads(run("toolset", "configure", "kit", "--json").stdout)
    assert (before["available"], before["reason"]) == (False, "API key not configured")
    assert [key["source"] for key in before["keys"]] == [None] * 3
    run("toolset", "configure", "kit", "--secret", "KIT_KEY", given=f"{SECRET}\n")
    after = json.loads(run("toolset", "configure", "kit", "REGION=eu", "--json").stdout)
    assert (after["toolset_id"], after["available"], after["reason"]) == ("kit", True, None)
    assert [(key["name"], key["source"], key["value"]) for key in after["keys"]] == [
        ("REGION", "settings", "eu"),
        ("KIT_KEY", "file", None),
        ("SECOND_KEY", None, None),
    ]
    text = run("toolset", "configure", "kit").stdout
    assert "KIT_KEY     (secret)  file      unless REGION is set" in text
    assert text.endswith("kit: available\n")
    run("toolset", "configure", "kit", "KIT_KEY=", "REGION=")
    assert "kit: API key not configured" in run("toolset", "configure", "kit").stdout
    assert SECRET not in (config / "secrets.json").read_text()


@pytest.mark.usefixtures("kit")
def test_several_secrets_are_read_from_one_line_each(run: Run, tmp_path: Path) -> None:
    words = ("toolset", "configure", "kit", "--secret", "KIT_KEY", "--secret", "SECOND_KEY")
    run(*words, given=f"{SECRET}\n{SECRET}-2\n")
    with open_app(tmp_path / "data") as app:
        assert [app.vault.get(f"toolset/kit/{key}") for key in ("KIT_KEY", "SECOND_KEY")] == [
            SECRET,
            f"{SECRET}-2",
        ]


@pytest.mark.usefixtures("kit")
@pytest.mark.parametrize(
    ("words", "given", "code"),
    mostly_long(
        [
            ([f"KIT_KEY={SECRET}"], "", "secret_in_arguments"),
            (["--secret", "REGION"], SECRET, "secret_unknown"),
            (["--secret", "KIT_KEY"], "", "secret_missing"),
            (["--secret", "KIT_KEY", "--secret", "SECOND_KEY"], SECRET, "secret_missing"),
            (["--secret", "KIT_KEY"], "short", "toolset_configuration"),
            (["REGION"], "", "assignment"),
            (["GONE=x"], "", "toolset_configuration"),
        ],
        quick=(0, 3, 5),
    ),
)
def test_a_setting_that_cannot_be_configured_is_refused(
    run: Run, words: list[str], given: str, code: str
) -> None:
    result = run("toolset", "configure", "kit", *words, "--json", given=given, code=1)
    assert code_of(result) == code
    run("toolset", "configure", "kit", *words, given=given, code=1)


def test_a_toolset_that_does_not_exist_has_no_keys(run: Run) -> None:
    assert code_of(run("toolset", "configure", "gone", "--json", code=1)) == "toolset_not_found"


def test_a_key_for_models_is_set_listed_and_removed(
    run: Run, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("key", "list").stdout == "No keys.\n"
    monkeypatch.setenv("GEMINI_API_KEY", "made-up-gemini-1")
    done = json.loads(run("key", "set", "openrouter", "--json", given=f"{SECRET}\n").stdout)
    assert done == {"provider": "openrouter", "source": "file"}
    assert json.loads(run("key", "list", "--json").stdout) == [
        {"provider": "gemini", "source": "environment"},
        {"provider": "openrouter", "source": "file"},
    ]
    assert "gemini      environment: GEMINI_API_KEY or GOOGLE_API_KEY" in run("key", "list").stdout
    assert json.loads((config / "secrets.json").read_text())["secrets"] == {"model/openrouter": SECRET}
    run("key", "remove", "openrouter")
    result = run("key", "remove", "gemini", code=1)
    assert "Its key comes from the variable GEMINI_API_KEY or GOOGLE_API_KEY." in result.output
    assert code_of(run("key", "remove", "openrouter", "--json", code=1)) == "key_not_found"


@pytest.mark.parametrize(
    ("words", "given", "code"),
    [
        (["set", "Open AI"], SECRET, "provider_name"),
        (["set", "open-ai"], SECRET, "provider_unknown"),
        (["set", "openai"], " \n", "secret_missing"),
        (["set", "openai"], "short", "secret_short"),
        (["remove", "../x"], "", "provider_name"),
    ],
)
def test_an_invalid_key_is_refused(run: Run, words: list[str], given: str, code: str) -> None:
    assert code_of(run("key", *words, "--json", given=given, code=1)) == code


def test_a_broken_key_file_is_reported(run: Run, config: Path) -> None:
    config.mkdir()
    (config / "secrets.json").write_text("{")
    assert code_of(run("key", "list", "--json", code=1)) == "secrets_unreadable"
