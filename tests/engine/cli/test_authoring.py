"""The author's commands in the terminal: new, validate, test and pack, all without a data folder."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import program
from engine.toolsets.install import validate
from tests.engine.toolsets.bundles import GOOD, folder, zipped
from tests.support.long_cases import mostly_long


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An author's folder, and a data folder that must not be touched."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANABRANCH_DATA", str(tmp_path / "data"))
    return tmp_path


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(program, ["toolset", *map(str, words)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def bundle(desk: Path, code: str, more: str = "", name: str = "kit") -> Path:
    """A bundle with the tool `act`, with the given code and further lines of YAML."""
    manifest = f"""\
manifest_version: "1"
id: {name}
name: Kit
version: "2.1.0"
tools:
  - id: act
    description: Acts.
    entrypoint: tools.act:run
    timeout: 5
    input_schema: {{type: object, properties: {{n: {{type: integer}}}}}}
{more}"""
    return folder(desk / name, {"toolset.yaml": manifest.encode(), "tools/act.py": code.encode()})


EXAMPLE = "    examples: [{args: {n: 1}, files: {in/a.txt: hello}, expected_keys: [n]}]\n"


def test_a_new_toolset_passes_its_own_test_and_is_packed_without_a_data_folder(desk: Path) -> None:
    run("new", "weather")
    assert run("validate", "weather").stdout == "weather: no problems.\n"
    tried = document(run("test", "weather", "--json"))
    assert (tried["ok"], tried["problems"], len(tried["examples"])) == (True, [], 1)
    assert tried["examples"][0]["result"]["rows"] == [
        {"value": "Oslo", "count": 2},
        {"value": "Lima", "count": 1},
    ]
    packed = document(run("pack", "weather", "--json"))
    assert packed["file"] == "weather-0.1.0.zip"
    assert validate(desk / packed["file"]) == []
    assert not (desk / "data").exists()


@pytest.mark.parametrize("name", ["x", "9lives", "a-b-c", "a" * 40])
def test_every_id_gives_a_valid_toolset(desk: Path, name: str) -> None:
    run("new", name)
    assert validate(desk / name) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Weather!"], "cannot be the name of a toolset"),
        (["a/b"], "cannot be the name"),
        (["con"], "is not a valid name on Windows"),
        (["a" * 41], "at most 40"),
        (["a--b", "--skill"], "single hyphens"),
        (["weather", "--into", "nowhere"], "no folder nowhere"),
    ],
)
def test_an_invalid_new_toolset_is_refused_with_a_message(desk: Path, words: list[str], said: str) -> None:
    assert said in run("new", *words, code=1).stderr
    assert list(desk.iterdir()) == []


def test_an_existing_folder_is_left_unchanged(desk: Path) -> None:
    (desk / "weather").mkdir()
    (desk / "weather" / "mine.txt").write_text("mine")
    found = document(run("new", "weather", "--json", code=1))
    assert found["error"]["code"] == "folder_exists"
    assert [path.name for path in desk.rglob("*")] == ["weather", "mine.txt"]


def test_an_example_that_raises_is_reported_with_the_tools_own_frames_and_output(desk: Path) -> None:
    source = bundle(desk, "def run(workspace, n):\n    print('so far')\n    return {'n': n / 0}\n", EXAMPLE)
    told = run("test", source, code=1).stdout
    assert "FAILED  act 1" in told
    assert "toolset.yaml:" in told
    for line in ("ZeroDivisionError: division by zero", "tools/act.py", "so far"):
        assert line in told
    tried = document(run("test", source, "--json", code=1))
    (example,) = tried["examples"]
    assert (tried["ok"], example["status"], example["stdout"]) == (False, "error", "so far\n")
    assert "anabranch" not in example["traceback"].lower()
    (problem,) = tried["problems"]
    assert (problem["code"], problem["file"], problem["line"]) == ("example_failed", "toolset.yaml", 11)


@pytest.mark.parametrize(
    ("code", "more", "said"),
    mostly_long(
        [
            ("def run(workspace, n):\n    return {'m': n}\n", "", "The result has no n; it has m."),
            ("def run(workspace, n):\n    return [n]\n", "", "must return a dict"),
            ("def run(workspace, n):\n    return {'n': float('nan')}\n", "", "$return.n is nan"),
            ("import os\ndef run(workspace, n):\n    os._exit(3)\n", "", "exit code 3"),
            (
                "def run(workspace, n):\n    (workspace / 'x').write_text('x')\n    return {'n': n}\n",
                "    effects: read\n",
                "declares that it only reads, but it changed x",
            ),
            (
                "def run(workspace, n):\n    return {'n': n}\n",
                "    renderer: {type: table, rows: $return.rows}\n",
                "The renderer table cannot show the result ($return.rows)",
            ),
            (
                "import socket\ndef run(workspace, n):\n    socket.create_connection(('127.0.0.1', 9))\n",
                "",
                "Error",
            ),
        ],
        quick=(0, 3, 6),
    ),
)
def test_an_example_that_would_fail_in_a_chat_also_fails_in_toolset_test(
    desk: Path, code: str, more: str, said: str
) -> None:
    (example,) = document(run("test", bundle(desk, code, more + EXAMPLE), "--json", code=1))["examples"]
    assert said in " ".join(example["faults"])


def test_keys_come_from_the_authors_variables_and_a_missing_one_is_named(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os\ndef run(workspace, n):\n    return {'n': len(os.environ['SKY_KEY'])}\n"
    source = bundle(desk, code, EXAMPLE + "config: [{name: sky-key, secret: true, required: true}]\n")
    assert "Required keys without a value: SKY_KEY" in run("test", source, code=1).stdout
    monkeypatch.setenv("SKY_KEY", "abc")
    assert "name them with --give-env" in run("test", source, code=1).stdout
    assert document(run("test", source, "--give-env", "SKY_KEY", "--json"))["examples"][0]["result"] == {
        "n": 3
    }


def test_a_zip_can_be_tested_too_and_a_tool_without_an_example_is_named(desk: Path) -> None:
    (desk / "greeter.zip").write_bytes(zipped(GOOD))
    told = run("test", "greeter.zip").stdout
    assert told == "greeter 1.0.0: no example to run\n  –       greet has no example, so it was not tried\n"


def test_an_invalid_bundle_is_not_run_and_lists_its_problems(desk: Path) -> None:
    source = bundle(desk, "def walk(workspace):\n    return {}\n", EXAMPLE)
    for command in ("validate", "test"):
        found = document(run(command, source, "--json", code=1))
        assert found["ok"] is False
        assert [problem["code"] for problem in found["problems"]] == ["entrypoint_function"]
    assert document(run("test", "nowhere", "--json", code=1))["problems"][0]["code"] == "source_missing"


def test_packing_gives_the_same_bytes_whatever_extra_files_the_folder_contains(desk: Path) -> None:
    source = bundle(desk, "def run(workspace):\n    return {}\n")
    run("pack", source)
    first = (desk / "kit-2.1.0.zip").read_bytes()
    folder(source, {".git/config": b"x", "tools/__pycache__/act.pyc": b"x", ".env": b"KEY=1", "a.swp": b"x"})
    (source / "tools" / "act.py").touch()
    run("pack", source, "--out", "again.zip")
    assert (desk / "again.zip").read_bytes() == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.namelist() == ["tools/act.py", "toolset.yaml"]


def test_invalid_bundles_and_bundles_with_secrets_are_not_packed(desk: Path) -> None:
    bad = bundle(desk, "def run(:\n", name="bad")
    assert document(run("pack", bad, "--json", code=1))["error"]["code"] == "invalid_bundle"
    server = "mcp_servers: [{id: s, command: uvx, env: {API_KEY: ghp_0123456789abcdefghij}}]\n"
    leaky = bundle(desk, "def run(workspace):\n    return {}\n", server, name="leaky")
    assert "looks like a key" in run("pack", leaky, code=1).stderr
    good = bundle(desk, "def run(workspace):\n    return {}\n", name="good")
    assert "inside the bundle itself" in run("pack", good, "-o", good / "a.zip", code=1).stderr
    assert [*desk.glob("*.zip"), *good.glob("*.zip")] == []
