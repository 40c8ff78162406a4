"""The wheel: it runs everything without a checkout, and adds only one name to site-packages."""

import json
import sys
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT
from tests.support.wheel import Installation, install_wheel

SERVER = ROOT / "tests" / "support" / "mcp" / "server.py"
DRAW = """
import sys
sys.path.insert(0, "anabranch") # as entry.py does
from engine.rendering.charts.renderer import ChartRenderer
spec = {"mark": "bar", "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}}}
renderer = ChartRenderer()
sys.stdout.buffer.write(renderer.render(spec, [{"a": "x", "b": 1}], kind="svg").data)
renderer.close()
"""


pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Build and install the wheel once."""
    return install_wheel(tmp_path_factory.mktemp("wheel"))


def shipped(root: Path, *names: str) -> set[str]:
    """The files below folders of `root`, without those that Python generates."""
    return {
        path.relative_to(root).as_posix()
        for name in names
        for path in (root / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_adds_one_name_to_site_packages(installation: Installation) -> None:
    """A package called `engine` or `ui` could hide another project's package, or be hidden by it."""
    found = {path.name for path in installation.packages.iterdir()} - {"dependencies.pth"}
    assert {name.partition("-")[0] for name in found} == {"anabranch"}
    done = installation.run_python("import engine")
    assert "No module named 'engine'" in done.stderr


def test_the_wheel_contains_every_file_that_the_app_needs_and_no_other(installation: Installation) -> None:
    """Code, styles, scripts, sample bundles and sample data; neither tests nor docs."""
    names = ("engine", "events", "ui", "sample_bundles", ".streamlit")
    inside = installation.packages / "anabranch"
    assert shipped(inside, ".") == shipped(ROOT, *names)
    assert {path.name for path in inside.iterdir()} == set(names)


def test_help_is_printed(installation: Installation) -> None:
    """By the console script."""
    done = installation.run("--help")
    assert done.returncode == 0, done.stderr
    assert "Usage: anabranch" in done.stdout


@pytest.mark.long
def test_the_doctor_finds_no_problems(installation: Installation) -> None:
    """The sample bundles are installed, and a tool process starts and is confined."""
    done = installation.run("doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert "data-analyst" in checks["toolsets"]["detail"]
    assert "process group" in checks["tool processes"]["detail"]


@pytest.mark.long
def test_a_question_about_the_sample_data_is_answered_with_a_chart(installation: Installation) -> None:
    """A tool of a sample bundle runs in a tool process, over the sample data of the wheel."""
    orders = installation.packages / "anabranch" / "sample_bundles" / "sample-data" / "orders.csv"
    done = installation.run("ask", "revenue per month as a line chart", "--file", str(orders), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (call,) = json.loads(done.stdout)["tool_calls"]
    assert (call["tool_id"], call["status"]) == ("data-analyst:chart", "success")
    assert call["render_plan"]["renderer"] == "chart"


def test_a_picture_of_a_chart_is_drawn(installation: Installation) -> None:
    """By the confined process, which finds the code below `anabranch`."""
    done = installation.run_python(DRAW.replace("anabranch", str(installation.packages / "anabranch"), 1))
    assert done.stdout.startswith("<svg"), done.stderr


@pytest.mark.long
def test_the_launcher_starts_a_server(installation: Installation) -> None:
    """The launcher is run by its path, and imports the code that confines the server."""
    added = installation.run("mcp", "add", "kitchen", "--command", sys.executable, "--arg", str(SERVER))
    assert added.returncode == 0, added.stdout + added.stderr
    (listed,) = json.loads(installation.run("mcp", "list", "--json").stdout)
    assert (listed["id"], listed["state"]) == ("kitchen", "ready")
    assert "process group" in listed["held"]["layers"]
