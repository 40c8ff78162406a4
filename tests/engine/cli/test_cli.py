"""The command line: what each command prints, as text and as JSON, and its exit code."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from engine.app.app import open_app
from engine.app.doctor import examine
from engine.cli.main import main, program
from engine.cli.main import run as run_words
from tests.support.long_cases import mostly_long
from tests.support.providers.replies import HOLD, Reply
from tests.support.providers.server import fake_provider
from tests.support.talk import KIT, call, install_kit, script, write_bundle

Run = Callable[..., Result]
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bundle `kit`."""
    folder = tmp_path_factory.mktemp("data")
    with open_app(folder) as app:
        install_kit(app, tmp_path_factory.mktemp("kit"))
    return folder


@pytest.fixture
def run(data: Path) -> Run:
    """Run a command on the data folder."""

    def running(*words: object, code: int = 0) -> Result:
        result = CliRunner().invoke(program, [*map(str, words), "--data", str(data)])
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return running


def document(result: Result) -> Any:
    """The only JSON document on stdout."""
    return json.loads(result.stdout)


def error(result: Result) -> dict[str, Any]:
    """The error that a command printed as JSON."""
    (key,) = (found := document(result))
    assert key == "error"
    assert result.stderr == ""
    described: dict[str, Any] = found["error"]
    return described


def recorded(data: Path) -> list[tuple[Any, ...]]:
    """The number of events, read from a closed log."""
    with duckdb.connect(str(data / "anabranch.duckdb"), read_only=True) as connection:
        return connection.execute("SELECT count(*) FROM event_log").fetchall()


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A script with one call and then an answer."""
    step = {"text": "I make a table.", "calls": [call("put", files={"t.csv": "n\n1\n2\n"})], "tokens_in": 7}
    return script(tmp_path / "script.json", [step, {"text": "Made **it**.", "tokens_out": 3}])


def test_ask_prints_the_answer_and_its_calls(run: Run, model: str) -> None:
    assert run("ask", "make a table", "--model", model).stdout == "[kit:put: success]\n\nMade **it**.\n"


def test_ask_as_json_has_the_documented_structure(run: Run, model: str, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("x")
    asked = run("ask", "make", "--model", model, "--file", tmp_path / "given.txt", "--json")
    found = document(asked)
    assert asked.stderr == ""
    keys = [
        "chat_id",
        "turn_id",
        "finish",
        "answer",
        "drafts",
        "tool_calls",
        "usage",
        "numbers",
        "definitions",
    ]
    assert list(found) == keys
    assert (found["finish"], found["answer"]) == ("stop", "Made **it**.")
    assert found["usage"]["tokens_in"] == 7
    (made,) = found["tool_calls"]
    assert list(made) == [
        "id", "tool_id", "status", "args", "result", "error", "commentary", "render_plan",
        "pre_manifest_id", "post_manifest_id", "started_at", "finished_at",
    ]  # fmt: skip
    assert (made["tool_id"], made["status"], made["commentary"]) == ("kit:put", "success", "I make a table.")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", made["started_at"])


@pytest.mark.long
def test_ask_continues_a_chat(run: Run, model: str, tmp_path: Path) -> None:
    chat_id = document(run("ask", "make", "--model", model, "--json"))["chat_id"]
    more = script(tmp_path / "more.json", [{}, {}, {"text": "Two rows."}])
    again = document(run("ask", "how many?", "--chat", chat_id, "--model", more, "--json"))
    assert (again["chat_id"], again["answer"]) == (chat_id, "Two rows.")
    shown = document(run("chat", "show", chat_id, "--json"))
    assert [m["content"] for m in shown["messages"]] == ["make", "", "Made **it**.", "how many?", "Two rows."]


@pytest.mark.parametrize(
    ("reply", "finish", "code"),
    mostly_long(
        [
            ({"text": "x", "finish": "length"}, "length", 0),
            ({"text": "x", "finish": "content_filter"}, "content_filter", 1),
            ({"text": "x", "error": "The server is asleep. Wake it."}, "error", 1),
        ],
        quick=(0,),
    ),
)
def test_the_exit_code_says_how_a_turn_ended(
    run: Run, tmp_path: Path, reply: dict[str, Any], finish: str, code: int
) -> None:
    name = script(tmp_path / "s.json", [reply])
    found = document(run("ask", "x", "--model", name, "--json", code=code))
    assert found["finish"] == finish
    assert ("error" in found) == (finish == "error")
    if "error" in reply:
        assert found["error"] == {"code": "turn_failed", "message": "The server is asleep. Wake it."}
        assert run("ask", "x", "--model", name, code=1).stderr == "The server is asleep. Wake it.\n"


@pytest.mark.long
def test_ask_as_json_reports_errors_of_a_provider(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(reply: Reply) -> dict[str, Any]:
        with fake_provider("openai", [reply]) as server:
            ask = ["ask", "x", "--model", "ollama:m", "--base-url", server.base_url, "--json"]
            found: dict[str, Any] = document(run(*ask, code=1))
            server.release()
        assert found["finish"] == "error"
        assert (found["answer"], list(found["error"])) == ("Half", ["code", "message"])
        return found["error"]

    cut = asked(Reply(text="Half", cut=300))
    assert cut["code"] == "broken"
    assert re.fullmatch(
        r"The connection to Ollama at \S+ ended before the reply did\. Retry\.", cut["message"]
    )
    monkeypatch.setattr("engine.models.http_exchange.IDLE_SECONDS", 0.2)
    silent = asked(Reply(text=("Half", HOLD, "more")))
    assert silent["code"] == "broken"
    assert re.match(r"Ollama at \S+ sent nothing for .+\. Retry", silent["message"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    mostly_long(
        [
            (["ask", "hi", "--file", "/nope/x.csv"], "file_not_found", "/nope/x.csv cannot be read"),
            (["ask", "hi", "--model", "nobody:1"], "model_unknown", "cannot use the model nobody:1"),
            (["ask", "hi", "--model", "scripted:/nope.json"], "script_not_found", "There is no script"),
            (["ask", "  "], "question_empty", "Type a question"),
            (["ask", "hi", "--chat", "nope"], "chat_not_found", "There is no chat nope"),
            (["ask", "hi", "--chat", "../../etc"], "chat_not_found", "not the id of a chat"),
            (["chat", "show", "nope"], "chat_not_found", "There is no chat nope"),
            (["chat", "fork", "nope"], "chat_not_found", "There is no chat nope"),
            (["toolset", "show", "nope"], "toolset_not_found", "No toolset nope"),
            (
                ["toolset", "export", "kit", "--out", "/nope/kit.zip"],
                "folder_not_found",
                "There is no folder /nope",
            ),
            (["toolset", "install", "/nope"], "invalid_bundle", ""),
            (["tool", "run", "kit:nope"], "tool_not_found", "There is no tool kit:nope"),
            (["tool", "run", "kit:put", "--args", "{"], "arguments_json", "--args is not valid JSON"),
            (["tool", "run", "kit:put", "--args", "[]"], "arguments_json", "one JSON object"),
            (
                ["tool", "run", "kit:put", "--args", '{"say": NaN}'],
                "arguments_json",
                "--args is not valid JSON",
            ),
            (["tool", "run", "kit:put", "--file", "/nope/x"], "file_not_found", "cannot be read"),
            (["tool", "run", "kit:look", "--preview"], "preview_usage", "Give --chat"),
            (
                ["send", "ShapeTable", "chat_id=nope", "table=a", "steps=[]"],
                "step_count",
                "Give 1 to 50 steps",
            ),
            (["log", "export", "/nope/log.parquet"], "folder_not_found", "There is no folder /nope"),
            (["state", "--at", "123456"], "position_not_found", "no position 123456"),
        ],
        quick=(0, 2, 5, 8, 12, 18),
    ),
)
def test_a_refused_command_prints_a_short_error_and_records_nothing(
    run: Run, data: Path, words: list[str], code: str, says: str
) -> None:
    before = recorded(data)
    told = error(run(*words, "--json", code=1))
    assert told["code"] == code
    assert says in told["message"]
    plain = run(*words, code=1)
    assert plain.stdout == ""
    assert "Traceback" not in plain.stderr
    assert 1 <= len(plain.stderr.splitlines()) <= 3
    assert recorded(data) == before


@pytest.mark.parametrize(
    "words", [["ask"], ["chat", "nope"], ["log", "tail", "-n", "0"], ["state"], ["--nope"]]
)
def test_wrong_usage_exits_with_2_and_prints_nothing_on_stdout(words: list[str]) -> None:
    result = CliRunner().invoke(program, words)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_misspelled_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_words(["aks"]) == 2
    assert capsys.readouterr().err == "No such command 'aks'. Did you mean 'ask'? See --help.\n"


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run_words(["--version"]) == 0
    assert capsys.readouterr().out == f"anabranch {declared}\n"


def test_with_json_a_usage_error_is_also_printed_as_a_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["anabranch", "ask", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = json.loads(capsys.readouterr().out)["error"]
    assert (told["code"], "question" in told["message"]) == ("usage", True)


def test_a_data_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(program, ["chat", "list", "--data", str(tmp_path / "file" / "data")])
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert str(tmp_path / "file") in result.stderr


def test_an_internal_error_is_one_line_that_says_where_the_details_are(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("engine.app.log_queries.LogQueries.chats", lambda _: {}["key"])
    told = error(run("chat", "list", "--json", code=1))
    assert told["code"] == "internal"
    file = Path(told["message"].split("Details are in ")[1].rstrip("."))
    assert told["message"].startswith("This is an error in Anabranch itself (KeyError: 'key').")
    assert "Traceback" in Path(f"{file}").with_suffix(".txt").read_text()
    assert len(run("chat", "list", code=1).stderr.splitlines()) == 1


def test_chats_are_listed_shown_and_forked(run: Run, model: str) -> None:
    chat_id = document(run("ask", "first of all", "--model", model, "--json"))["chat_id"]
    row = next(r for r in document(run("chat", "list", "--json")) if r["chat_id"] == chat_id)
    assert row["title"] == "first of all"
    assert chat_id in run("chat", "list").stdout
    shown = document(run("chat", "show", chat_id, "--json"))
    assert list(shown) == ["chat_id", "title", "active_leaf_message_id", "active_manifest_id", "messages",
                           "compactions", "own_runs"]  # fmt: skip
    assert list(shown["messages"][1]) == [
        "message_id", "parent_id", "role", "content", "parts", "tool_calls", "created_at"
    ]  # fmt: skip
    assert "  [kit:put: success]" in run("chat", "show", chat_id).stdout
    fork = document(run("chat", "fork", chat_id, "--json"))["chat_id"]
    ours = document(run("chat", "show", fork, "--all", "--json"))["messages"]
    assert [m["content"] for m in ours] == [m["content"] for m in shown["messages"]]


def test_toolsets_are_listed_and_shown_with_tools_and_availability(run: Run) -> None:
    rows = document(run("toolset", "list", "--json"))
    assert [row["id"] for row in rows] == ["app-builder", "data-analyst", "image-studio", "kit", "web-search"]
    assert {
        "name",
        "version",
        "description",
        "enabled",
        "installed_at",
        "source_type",
        "source_ref",
        "tools",
    } <= set(rows[0])
    told = {row["id"]: (row["available"], row["reason"]) for row in rows}
    assert (told["kit"], told["web-search"]) == ((True, None), (False, "API key not configured"))
    assert [t["tool_id"] for t in document(run("toolset", "show", "kit", "--json"))["tools"]] == [
        "kit:put", "kit:add", "kit:look", "kit:ask_first"
    ]  # fmt: skip
    assert "kit:ask_first (write, asks first)" in run("toolset", "show", "kit").stdout


@pytest.mark.long
def test_installing_needs_consent_and_reports_its_result(run: Run, tmp_path: Path) -> None:
    text = KIT["toolset.yaml"].replace("id: kit\n", "id: second\n", 1)
    folder = write_bundle(tmp_path / "second", KIT | {"toolset.yaml": text})
    assert error(run("toolset", "install", folder, "--json", code=3))["code"] == "not_agreed"
    assert run("toolset", "install", folder, code=3).stderr.startswith("Install Kit (second) 1.0.0\n")
    done = document(run("toolset", "install", folder, "--yes", "--json"))
    assert (done["toolset_id"], done["version"], done["outcome"]) == ("second", "1.0.0", "installed")
    assert document(run("toolset", "install", folder, "--json"))["outcome"] == "unchanged"
    run("toolset", "disable", "second")
    assert document(run("toolset", "show", "second", "--json"))["enabled"] is False
    run("toolset", "enable", "second")
    packed = tmp_path / "second.zip"
    assert (
        document(run("toolset", "export", "second", "-o", packed, "--json"))["bytes"] == packed.stat().st_size
    )
    run("toolset", "uninstall", "second")
    assert document(run("toolset", "install", packed, "--yes", "--json"))["outcome"] == "installed"
    run("toolset", "uninstall", "second")


def test_an_address_that_is_not_public_is_refused(run: Run) -> None:
    refused = error(run("toolset", "install", "http://127.0.0.1:9/kit.zip", "--yes", "--json", code=1))
    assert refused["code"] == "fetch_refused"


def test_validate_lists_every_problem_and_succeeds_if_there_is_only_advice(run: Run, tmp_path: Path) -> None:
    good = write_bundle(tmp_path / "good")
    assert document(run("toolset", "validate", good, "--json")) == {"ok": True, "problems": []}
    line = "    effects: read\n"
    advised = KIT | {
        "toolset.yaml": KIT["toolset.yaml"].replace(line, f"{line}    renderer: {{type: hologram}}\n")
    }
    found = document(run("toolset", "validate", write_bundle(tmp_path / "advised", advised), "--json"))
    assert (found["ok"], [p["code"] for p in found["problems"]]) == (True, ["renderer_unknown"])
    bad = KIT | {
        "toolset.yaml": KIT["toolset.yaml"]
        .replace("effects: read", "effects: magic")
        .replace("id: add", "id: put")
    }
    refused = run("toolset", "validate", write_bundle(tmp_path / "bad", bad), "--json", code=1)
    found = document(refused)
    assert found["ok"] is False
    assert {"code", "file", "line", "message"} == set(found["problems"][0])
    assert len(found["problems"]) >= 2
    told = error(run("toolset", "install", tmp_path / "bad", "--yes", "--json", code=1))
    assert told["code"] == "invalid_bundle"
    assert told["problems"] == found["problems"]


@pytest.mark.long
def test_a_tool_runs_without_a_model_and_its_call_is_recorded(run: Run) -> None:
    done = document(run("tool", "run", "kit:put", "--args", '{"files": {"a.txt": "1"}}', "--json"))
    assert (done["status"], done["result"]) == ("success", {"saw": {}})
    again = run("tool", "run", "read_file", "--args", '{"path": "a.txt"}', "--chat", done["chat_id"])
    assert again.stdout.startswith("success\n")
    failed = document(run("tool", "run", "kit:put", "--args", '{"fail": "no"}', "--json", code=1))
    assert (failed["status"], failed["error"]["message"]) == ("error", "ValueError: no")
    denied = document(run("tool", "run", "kit:ask_first", "--json", code=1))
    assert denied["status"] == "denied"
    assert document(run("tool", "run", "kit:ask_first", "--yes", "--json"))["status"] == "success"


@pytest.mark.long
def test_the_short_name_of_a_tool_is_answered_with_its_full_id(run: Run) -> None:
    for words in (["run", "query"], ["render", "query", "--as", "json"]):
        refused = run("tool", *words, code=1)
        assert "There is no tool query. Did you mean data-analyst:query?" in refused.stderr
    assert "The tools are: " in run("tool", "run", "nothing", code=1).stderr


@pytest.mark.long
def test_a_file_of_a_chat_is_replaced_from_the_terminal(run: Run, model: str, tmp_path: Path) -> None:
    """Earlier states keep the old file. A command that did not read the file first is refused."""
    (tmp_path / "orders.csv").write_text("n\n1\n")
    (tmp_path / "november.csv").write_text("n\n2\n")
    asked = run("ask", "go", "--model", model, "--file", tmp_path / "orders.csv", "--json")
    chat_id = document(asked)["chat_id"]
    given = tmp_path / "november.csv"
    refused = run("send", "SaveFile", f"chat_id={chat_id}", "path=orders.csv", f"content=@{given}", code=1)
    assert "A file orders.csv already exists." in refused.stderr
    saved = run("chat", "save-file", chat_id, f"orders.csv={given}", f"new.csv={given}")
    assert saved.stdout == "Saved orders.csv, new.csv.\n"
    for name, text in (("orders.csv", "2"), ("new.csv", "2")):
        read = run("tool", "run", "read_file", "--args", json.dumps({"path": name}), "--chat", chat_id)
        assert text in read.stdout
    assert (
        "does not have the form NAME=PATH" in run("chat", "save-file", chat_id, "orders.csv", code=1).stderr
    )


@pytest.mark.long
def test_numbers_that_are_in_no_result_are_listed_below_the_answer(run: Run, tmp_path: Path) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nWest,355020\nEast,120000\n")
    steps = [
        {"calls": [call("query", sql="SELECT region, revenue FROM orders")]},
        {"text": "West made 355,020 of revenue, and East 987,654. East: 987,654."},
    ]
    told = run("ask", "go", "--model", script(tmp_path / "s.json", steps), "--file", orders).stdout
    assert told.endswith("East: 987,654.\n\nNot in any result: 987,654.\n")


@pytest.mark.long
def test_a_question_whose_tool_needs_approval_exits_with_3_and_continues_when_answered(
    run: Run, tmp_path: Path
) -> None:
    asking = script(
        tmp_path / "s.json", [{"calls": [call("ask_first", files={"a": "1"})]}, {"text": "Done."}]
    )
    waits = document(run("ask", "go", "--model", asking, "--json", code=3))
    (waiting,) = waits["tool_calls"]
    assert (waits["finish"], waiting["status"]) == ("awaiting_confirmation", "awaiting_confirmation")
    done = document(run("chat", "approve", waiting["id"], "--json"))
    assert (done["turn_id"], done["finish"], done["answer"]) == (waits["turn_id"], "stop", "Done.")
    assert done["tool_calls"][0]["status"] == "success"
    assert error(run("chat", "approve", waiting["id"], "--json", code=1))["code"] == "call_not_waiting"
    told = run("ask", "go", "--model", asking, code=3).stdout
    call_id = re.search(r"anabranch chat deny (\S+)", told)
    assert call_id is not None
    denied = document(run("chat", "deny", call_id[1], "--reason", "no", "--json"))
    assert (denied["finish"], denied["tool_calls"][0]["status"]) == ("stop", "denied")
    assert document(run("ask", "go", "--model", asking, "--yes", "--json"))["finish"] == "stop"


@pytest.mark.long
def test_a_waiting_call_is_approved_with_other_arguments(run: Run, tmp_path: Path) -> None:
    asking = script(
        tmp_path / "s.json", [{"calls": [call("ask_first", files={"a": "1"})]}, {"text": "Done."}]
    )
    (waiting,) = document(run("ask", "go", "--model", asking, "--json", code=3))["tool_calls"]
    for text, code in [
        ("[", "arguments_json"),
        ("[1]", "arguments_json"),
        ('{"say": 1}', "arguments_invalid"),
    ]:
        assert error(run("chat", "approve", waiting["id"], "--args", text, "--json", code=1))["code"] == code
    done = document(run("chat", "approve", waiting["id"], "--args", '{"back": {"n": 2}}', "--json"))
    assert done["tool_calls"][0]["result"] == {"n": 2}
    assert error(run("chat", "deny", "0000", "--json", code=1))["code"] == "call_not_found"


@pytest.mark.long
def test_a_slash_command_runs_its_tool(run: Run) -> None:
    done = document(run("ask", '/look {"back": {"n": 3}}', "--json"))
    assert (done["finish"], done["tool_calls"][0]["result"]) == ("stop", {"n": 3})
    assert '"n": 3' in run("ask", '/look {"back": {"n": 3}}').stdout
    assert "`/look`" in run("ask", "/help").stdout
    assert error(run("ask", "/nothing", "--json", code=1))["code"] == "command_not_found"


def test_the_log_is_verified_counted_followed_and_exported(run: Run, tmp_path: Path) -> None:
    verified = document(run("log", "verify", "--json"))
    assert list(verified) == ["ok", "events", "head_position", "first_bad_position", "problem", "notices"]
    assert verified["ok"] is True
    stats = document(run("log", "stats", "--json"))
    assert (
        stats["events"]
        == verified["events"]
        == sum(stats["types"].values())
        == sum(stats["streams"].values())
    )
    tail = document(run("log", "tail", "-n", 3, "--json"))
    assert [e["position"] for e in tail] == [stats["events"] - 2, stats["events"] - 1, stats["events"]]
    assert {"type", "stream", "version", "event_id", "occurred_at", "payload", "hash"} <= set(tail[0])
    file = tmp_path / "log.parquet"
    assert document(run("log", "export", file, "--json"))["events"] == stats["events"]
    table = pq.read_table(file)
    assert table.num_rows == stats["events"]
    assert table.column("position").to_pylist() == list(range(1, stats["events"] + 1))
    assert table.column("type").to_pylist()[-3:] == [e["type"] for e in tail]


@pytest.mark.long
def test_a_past_state_shows_the_data_of_that_time(run: Run, model: str) -> None:
    before = document(run("log", "stats", "--json"))["events"]
    chat_id = document(run("ask", "later", "--model", model, "--json"))["chat_id"]
    then = document(run("state", "--at", before, "--json"))
    assert list(then) == [
        "position",
        "toolsets",
        "tools",
        "chats",
        "messages",
        "workspace_manifests",
        "tool_calls",
    ]
    assert chat_id not in [row["chat_id"] for row in then["chats"]]
    now = document(run("log", "stats", "--json"))["events"]
    there = document(run("state", "--at", now, "--chat", chat_id, "--json"))
    assert [row["role"] for row in there["messages"]] == ["user", "assistant", "assistant"]
    assert [row["status"] for row in there["tool_calls"]] == ["success"]
    assert "messages" in run("state", "--at", now).stdout


def test_a_rebuild_gives_the_same_rows(run: Run) -> None:
    found = document(run("rebuild", "--json"))
    assert list(found) == ["events", "seconds", "identical"]
    assert found["identical"] is True


def test_the_doctor_checks_everything_and_names_problems(run: Run, data: Path, tmp_path: Path) -> None:
    found = document(run("doctor", "--json"))
    assert found["ok"] is True
    (toolsets,) = [check for check in found["checks"] if check["name"] == "toolsets"]
    assert "image-studio (API key not configured)" in toolsets["detail"]
    assert [c["name"] for c in found["checks"]] == [
        "python",
        "packages",
        "administrator",
        "privacy",
        "data folder",
        "log",
        "second copy",
        "toolsets",
        "tool processes",
    ]
    (tmp_path / "file").write_text("")
    bad = examine(tmp_path / "file" / "data")[-1]
    assert (bad.name, bad.ok) == ("data folder", False)


def test_a_second_process_is_told_which_process_uses_the_folder(data: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from engine.cli.main import main; main()",
        "chat",
        "list",
        "--data",
        str(data),
    ]
    with open_app(data):
        plain, as_json = (
            subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
            for words in (command, [*command, "--json"])
        )
    assert (plain.returncode, plain.stdout) == (1, "")
    assert f"in use by process {os.getpid()}" in plain.stderr
    assert len(plain.stderr.splitlines()) == 1
    told = json.loads(as_json.stdout)["error"]
    assert (as_json.returncode, told["code"]) == (1, "log_held")


@pytest.mark.long
def test_check_lists_damaged_files_and_gc_lists_unexplained_items(run: Run, data: Path) -> None:
    with open_app(data) as app:
        stored = next(row for row in app.read("toolset_files") if row["path"] == "tools/act.py")
    foreign = data / "chats" / "chat-of-another-log" / "blobs" / "ab"
    foreign.mkdir(parents=True)
    (foreign / ("ab" * 32)).write_bytes(b"1234")
    (data / stored["stored_path"]).unlink()
    told = run("check", code=1).stdout
    assert f"missing  tools/act.py of toolset kit {Path(stored['stored_path']).parts[2]}" in told
    assert "`anabranch toolset restore ID`" in told
    assert document(run("check", "--json", code=1))["bad_files"][0]["what"] == "missing"
    assert "Changed since installation: tools/act.py." in run("toolset", "show", "kit").stdout
    assert "Repaired files: tools/act.py." in run("toolset", "restore", "kit").stdout
    assert "has changed since it was installed" in run("toolset", "restore", "kit").stdout
    assert document(run("toolset", "restore", "kit", "--json")) == {"toolset_id": "kit", "files": []}
    assert "all unchanged since they were written" in run("check").stdout
    told = run("gc").stdout
    assert "chat chat-of-another-log is not in this log (1 file, 4 bytes)" in told
    assert "`anabranch gc --unexplained NAME`" in told
    assert foreign.is_dir()
    assert error(run("gc", "--unexplained", "nothing", "--json", code=1))["code"] == "unexplained_not_found"
    assert document(run("gc", "--unexplained", "chat-of-another-log", "--json"))["removed"] == 1
    assert not foreign.parent.parent.exists()
    assert "does not explain" not in run("gc").stdout
