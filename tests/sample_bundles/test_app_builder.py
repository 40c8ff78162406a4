"""app-builder in use: installed, exported, imported again, and run in tool processes."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import open_app
from engine.commands.catalog import CreateChat, RunTool, Upload, UploadFiles
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import CodePlan, DocumentPlan, HtmlPlan, ImagesPlan, TablePlan, plan_files
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.builtin import BUILTIN_TOOLS
from engine.tools.tool_output import split_returned
from engine.toolsets.export import export_toolset, stored_contents
from engine.toolsets.install import StagedBundle, stage, validate
from engine.toolsets.schema import argument_faults
from engine.workspace.manifest import FileEntry
from tests.support.chromium import find_chromium
from tests.support.long_cases import mostly_long
from tests.support.processes import life

BUNDLE = Path(__file__).parents[2] / "sample_bundles" / "app-builder"
PYTHON = Path(sys.executable).resolve().as_posix()

Call = Callable[..., RunOutcome]


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> StagedBundle:
    return stage(BUNDLE, tmp_path_factory.mktemp("data") / "toolsets", source_ref="app-builder")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def call(staged: StagedBundle, pool: Pool, workspace: Path) -> Call:
    """Run a tool of the stored bundle with arguments that match its schema."""

    def run(tool_id: str, /, **arguments: Any) -> RunOutcome:
        tool = staged.manifest.tool(tool_id)
        assert tool is not None
        assert argument_faults(tool.input_schema, arguments) == []
        limits = Limits(seconds=tool.timeout)
        request = RunRequest("c", staged.folder, tool.entrypoint, workspace, arguments, limits=limits)
        return pool.run(request, cancel=Cancellation())

    return run


def value(outcome: RunOutcome) -> dict[str, Any]:
    assert outcome.error is None, outcome.error
    assert outcome.value is not None
    return dict(outcome.value)


def failure(outcome: RunOutcome) -> str:
    assert outcome.status == "error"
    assert outcome.error is not None
    return outcome.error.message


def test_the_bundle_is_valid_and_only_commands_need_approval(staged: StagedBundle) -> None:
    assert validate(BUNDLE) == []
    tools = {tool.id: tool for tool in staged.manifest.tools}
    assert list(tools) == ["write_file", "read_file", "run_command", "preview", "report"]
    assert [tool.id for tool in tools.values() if tool.requires_confirmation] == ["run_command"]
    assert {tool.id: tool.effects for tool in tools.values()} == {
        "write_file": "write",
        "read_file": "read",
        "run_command": "write",
        "preview": "write",
        "report": "read",
    }
    assert not staged.manifest.permissions.network


def test_after_export_and_import_the_same_tools_are_offered(staged: StagedBundle, tmp_path: Path) -> None:
    data = staged.folder.parents[2]
    contents = stored_contents(data, staged.files)
    packed = export_toolset(staged.manifest, contents)
    again = stage(packed, tmp_path / "toolsets")
    assert again.manifest == staged.manifest
    assert export_toolset(again.manifest, contents) == packed


@pytest.mark.long
def test_every_example_in_the_manifest_runs(staged: StagedBundle, call: Call, workspace: Path) -> None:
    for tool in staged.manifest.tools:
        for example in tool.examples:
            for path, text in example.files.items():
                (workspace / path).write_text(text)
            assert set(example.expected_keys) <= value(call(tool.id, **example.args)).keys()


def test_a_file_can_be_written_replaced_and_read(call: Call, workspace: Path) -> None:
    """With the same contract as the built-in tools of these names."""
    assert value(call("write_file", path="app/a.txt", content="one\ntwo\nthree\n")) == {
        "path": "app/a.txt",
        "bytes": 14,
        "created": True,
    }
    read = value(call("read_file", path="app/a.txt", offset=1, limit=1))
    assert (read["content"], read["total_lines"], read["next_offset"]) == ("two\n", 3, 2)
    (workspace / "app/a.txt").chmod(0o755)
    assert not value(call("write_file", path="./app/a.txt", content="é"))["created"]
    assert (workspace / "app/a.txt").read_text(encoding="utf-8") == "é"
    assert (workspace / "app/a.txt").stat().st_mode & 0o700 == 0o700
    assert [path.name for path in (workspace / "app").iterdir()] == ["a.txt"]


def test_the_file_tools_have_the_schemas_of_the_built_in_ones(staged: StagedBundle) -> None:
    """Whichever of the two is offered, a model calls it in the same way."""
    for name in ("read_file", "write_file"):
        own = staged.manifest.tool(name)
        built_in = next(tool for tool in BUILTIN_TOOLS if tool["id"] == name)
        assert own is not None
        assert own.input_schema == built_in["input_schema"]


@pytest.mark.parametrize("path", ["../out.txt", "/etc/passwd", "a/../../out.txt", "..", "a\\b", ".", "a\0b"])
def test_a_path_outside_the_workspace_is_refused(path: str, call: Call, workspace: Path) -> None:
    assert "is not a path in the workspace" in failure(call("write_file", path=path, content="x"))
    assert "is not a path in the workspace" in failure(call("read_file", path=path))
    assert list(workspace.iterdir()) == []
    assert sorted(path.name for path in workspace.parent.iterdir()) == ["workspace"]


def test_links_to_files_and_folders_are_not_followed(call: Call, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    (workspace / "folder").symlink_to(tmp_path / "outside")
    (workspace / "file.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    for path in ("folder/secret.txt", "file.txt"):
        assert "link" in failure(call("read_file", path=path)) or "not a folder" in failure(
            call("read_file", path=path)
        )
        assert call("write_file", path=path, content="x").status == "error"
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret"


def test_reading_a_missing_file_lists_the_existing_ones_and_binary_files_are_refused(
    call: Call, workspace: Path
) -> None:
    (workspace / "data.bin").write_bytes(b"\x00\xff\xfe")
    assert "The files are: data.bin" in failure(call("read_file", path="gone.txt"))
    assert value(call("read_file", path="data.bin"))["binary"]
    (workspace / "long.txt").write_text("x\n" * 300_000)
    found = value(call("read_file", path="long.txt"))
    assert (found["lines"], found["next_offset"]) == (500, 500)


def test_a_command_runs_in_the_workspace_and_its_failure_is_a_result(call: Call, workspace: Path) -> None:
    (workspace / "here.txt").write_text("")
    script = "import os, sys; print(os.listdir()); print('oh', file=sys.stderr); sys.exit(3)"
    found = value(call("run_command", command=f'"{PYTHON}" -c "{script}"'))
    assert (found["exit_code"], found["timed_out"], found["truncated"]) == (3, False, False)
    assert "['here.txt']" in found["output"]
    assert "oh" in found["output"]


def test_a_command_is_not_run_by_a_shell(call: Call, workspace: Path) -> None:
    script = "import sys; print(sys.argv[1:])"
    found = value(call("run_command", command=f'"{PYTHON}" -c "{script}" $HOME ; touch hacked > x | y `z`'))
    assert "['$HOME', ';', 'touch', 'hacked', '>', 'x', '|', 'y', '`z`']" in found["output"]
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("no-such-program-here x", "there is no program"),
        ("'unclosed", "check its quotes"),
        ("  ", "is empty"),
    ],
)
def test_a_command_that_cannot_start_says_why(command: str, told: str, call: Call) -> None:
    assert told in failure(call("run_command", command=command))


@pytest.mark.long
def test_a_command_that_takes_too_long_is_ended_with_all_processes_it_started(
    call: Call, workspace: Path
) -> None:
    (workspace / "long.py").write_text(
        "import os, subprocess, sys, time\n"
        "held = os.open('life', os.O_WRONLY)\n"
        "os.write(held, b'x')\n"
        "code = 'import time; time.sleep(600)'\n"
        "child = subprocess.Popen([sys.executable, '-c', code], pass_fds=[held])\n"
        "time.sleep(600)\n"
    )
    with life(workspace) as child:
        outcome = call("run_command", command=f'"{PYTHON}" long.py', seconds=1.5)
        assert value(outcome)["timed_out"]
        assert outcome.seconds < 500
        assert child.over()


def test_a_program_left_running_does_not_delay_the_end_of_the_call(call: Call) -> None:
    script = (
        "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    )
    outcome = call("run_command", command=f'"{PYTHON}" -c "{script}"')
    assert value(outcome)["exit_code"] == 0
    assert outcome.seconds < 500


def test_endless_output_of_a_command_is_cut_and_does_not_stop_it(call: Call) -> None:
    script = "import sys; sys.stdout.write('x' * 3_000_000); sys.exit(7)"
    found = value(call("run_command", command=f'"{PYTHON}" -c "{script}"'))
    assert (len(found["output"]), found["truncated"], found["exit_code"]) == (100_000, True, 7)


def test_a_preview_includes_the_console_output_and_a_picture_of_the_page(call: Call, workspace: Path) -> None:
    """In a browser that is confined like a tool: it has no network and cannot write here."""
    script = "console.log('drawn');\nfetch('http://127.0.0.1:1/x').catch((e) => console.error(e.message));\nnope();"
    (workspace / "page.html").write_text(f"<h1>Hello</h1><script>\n{script}\n</script>")
    result = value(call("preview", path="page.html"))
    if find_chromium() is None:
        assert "no Chromium is installed" in result["note"]
        return
    said = " ".join(result["console"])
    assert "drawn (line 2)" in said
    assert "Uncaught ReferenceError: nope is not defined (line 4)" in said
    assert "Failed to fetch" in said
    (picture,) = split_returned(result).pictures
    assert picture.media_type == "image/png"
    assert [path.name for path in workspace.iterdir()] == ["page.html"]


def test_a_report_takes_its_numbers_from_results_by_name(
    staged: StagedBundle, call: Call, workspace: Path
) -> None:
    """The model types no numbers; years and codes have no separators."""
    (workspace / "regions.csv").write_text("region,year,revenue\nNorth,2012,1715360\nSouth,2012,902140.5\n")
    arguments: dict[str, Any] = {
        "title": "Q3",
        "summary": "One.\n\nTwo.",
        "figures": [
            {"label": "North", "result": "regions", "column": "Revenue", "where": {"region": "North"}}
        ],
        "bars": {"result": "regions", "labels": "region", "values": "revenue"},
        "table": {"result": "regions", "columns": ["region", "year", "revenue"]},
    }
    result = value(call("report", **arguments))
    assert result["figures"] == [{"label": "North", "value": "1,715,360"}]
    page = result["_page"]
    assert page["summary"] == ["One.", "Two."]
    assert [bar["value"] for bar in page["bars"]] == [1715360, 902140.5]
    assert page["table"]["rows"] == [["North", "2012", "1,715,360"], ["South", "2012", "902,140.50"]]
    assert page["table"]["numbers"] == [False, True, True]
    tool = staged.manifest.tool("report")
    assert tool is not None
    assert tool.renderer is not None
    config = RenderConfig(tool.renderer.type, tool.renderer.config)
    artifacts = {file.path: FileEntry(file.sha256, file.size) for file in staged.files}
    plan = make_plan(config, CallFacts(arguments, result, "c"), {}, artifacts)
    assert isinstance(plan, HtmlPlan)
    assert (plan.title, plan.artifact.path, plan.data) == ("Q3", "artifacts/report.html", page)


@pytest.mark.parametrize(
    ("arguments", "why"),
    mostly_long(
        [
            ({"table": {"result": "region"}}, "There is no result “region”. Available results: regions"),
            ({"table": {"result": "regions", "columns": ["sales"]}}, "Its columns are: region, revenue"),
            (
                {"figures": [{"label": "x", "result": "regions", "column": "revenue"}]},
                "needs one row of regions, and 2 fit",
            ),
            (
                {"bars": {"result": "regions", "labels": "revenue", "values": "region"}},
                "which is not a number",
            ),
        ],
        quick=(0,),
    ),
)
def test_a_report_of_a_missing_result_lists_the_existing_ones(
    arguments: dict[str, Any], why: str, call: Call, workspace: Path
) -> None:
    (workspace / "regions.csv").write_text("region,revenue\nNorth,1\nSouth,2\n")
    assert why in failure(call("report", title="x", **arguments))


def test_a_written_file_is_shown_as_code(staged: StagedBundle, call: Call) -> None:
    tool = staged.manifest.tool("write_file")
    assert tool is not None
    assert tool.renderer is not None
    result = value(call("write_file", path="a.py", content="x = 1\n"))
    files = {"a.py": FileEntry("a" * 64, 6)}
    config = RenderConfig(tool.renderer.type, tool.renderer.config)
    plan = make_plan(config, CallFacts({}, result, "c"), files, {})
    assert isinstance(plan, CodePlan)
    assert (plan.language, plan.editable, plan.title) == ("python", True, "a.py")


def test_the_page_is_self_contained_and_escapes_every_text() -> None:
    page = (BUNDLE / "artifacts" / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<img|src=", page)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", page)
    assert "light-dark(" in page
    assert "</head>" in page


PAGE = """<!doctype html><html><head><link rel=stylesheet href="css/style.css"><script defer src="app.js"></script>
<script src="https://cdn.example/lib.js"></script></head><body><img src=/logo.png alt="A logo"><img src="none.png">
<p>é</p></body></html>"""
APP = {
    "app/index.html": PAGE,
    "app/css/style.css": '@import "more.css"; body { background: url(../back.svg) }',
    "app/css/more.css": "p { color: teal }",
    "app/back.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "app/app.js": "document.body.dataset.made = '</script>'",
    "logo.png": "no picture, but bytes",
}


def write(workspace: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")


def test_a_preview_contains_the_files_that_the_page_loads_from_the_workspace(
    call: Call, workspace: Path
) -> None:
    write(workspace, APP)
    found = value(call("preview", path="app/index.html"))
    assert {key: found[key] for key in ("file", "shown", "put_in", "missing", "elsewhere")} == {
        "file": "app/index.html",
        "shown": "preview/app-index.html",
        "put_in": ["app/css/style.css", "app/css/more.css", "app/back.svg", "app/app.js", "logo.png"],
        "missing": ["app/none.png"],
        "elsewhere": ["https://cdn.example/lib.js"],
    }
    page = (workspace / found["shown"]).read_text(encoding="utf-8")
    assert "p { color: teal }" in page
    assert 'url("data:image/svg+xml;base64,' in page
    assert 'src="data:image/png;base64,' in page
    assert 'alt="A logo"' in page
    assert page.index("<p>é</p>") < page.index("document.body.dataset.made") < page.index("</body>")
    assert page.count("</script>") == 3, "no script ends another one"
    assert (workspace / "app/index.html").read_text(encoding="utf-8") == PAGE


def test_a_page_that_loads_nothing_is_previewed_unchanged(call: Call, workspace: Path) -> None:
    write(workspace, {"page.html": "<h1>Hello</h1>", "notes.md": "# Notes"})
    assert value(call("preview", path="page.html"))["shown"] == "page.html"
    assert value(call("preview", path="notes.md"))["shown"] == "notes.md"
    assert not (workspace / "preview").exists()


def test_a_preview_cannot_read_files_outside_the_workspace(call: Call, workspace: Path) -> None:
    (workspace.parent / "secret.css").write_text("* { content: 'outside' }")
    (workspace / "link.css").symlink_to(workspace.parent / "secret.css")
    write(
        workspace,
        {"p.html": '<link rel=stylesheet href="../secret.css"><link rel=stylesheet href="link.css">'},
    )
    found = value(call("preview", path="p.html"))
    assert (found["missing"], found["shown"]) == (["../secret.css", "link.css"], "p.html")
    assert "is not a path in the workspace" in failure(call("preview", path="../secret.css"))
    assert "available files: link.css" in failure(call("preview", path="gone.html"))


@pytest.mark.parametrize(
    ("name", "plan"),
    mostly_long(
        [
            ("a.html", HtmlPlan),
            ("a.md", DocumentPlan),
            ("a.csv", TablePlan),
            ("a.png", ImagesPlan),
            ("a.py", CodePlan),
        ],
        quick=(1, 3),
    ),
)
def test_a_preview_is_shown_according_to_the_kind_of_its_file(tmp_path: Path, name: str, plan: type) -> None:
    with open_app(tmp_path / "data") as app:
        chat_id = app.send(CreateChat())
        app.send(UploadFiles(chat_id, [Upload(name, b"<p>x</p>")]))
        call_id = app.send(RunTool(chat_id, "app-builder:preview", {"path": name}))
        made = app.chat(chat_id).calls[call_id].plan
    assert isinstance(made, plan)
    assert {(file.path, file.origin) for file in plan_files(made)} == {(name, "workspace")}  # type: ignore[arg-type]
