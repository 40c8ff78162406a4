"""Everything that users can send, read, set or see is documented; a failing test names what is missing."""

import inspect
import re

import pytest
from fastapi.routing import APIWebSocketRoute

from docs.generated_events import event_modules
from docs.generated_interfaces import cli_pages
from engine.api.routes import api
from engine.cli.ask import ask
from engine.commands import catalog as commands
from engine.config import SETTINGS
from engine.rendering.renderers import RENDERERS
from engine.toolsets.manifest import Manifest
from events.catalog.event_types import EVENT_TYPES
from events.projections.registry import TABLES, VIEWS
from events.read_models import PUBLIC
from tests.architecture.modules import ROOT, modules

DOCS = ROOT / "docs"


def page(name: str) -> str:
    """Return a page's text."""
    return (DOCS / f"{name}.md").read_text()


def undocumented(names: object, text: str, shape: str) -> list[str]:
    """Return those `names` that are not in `text` in the given form."""
    assert isinstance(names, list | tuple | set | dict)
    return sorted(name for name in names if shape.format(name) not in text)


def test_every_event_is_documented() -> None:
    """Each type has a heading, followed by its fields."""
    text = page("events")
    assert undocumented(EVENT_TYPES, text, "### {}\n") == []
    for name, event in EVENT_TYPES.items():
        section = text.split(f"### {name}\n")[1].split("\n#")[0]
        fields = [field for field in event.model_fields if field != "type"]
        assert undocumented(fields, section, "| `{}` |") == [], name
        assert f"Version {event.schema_version}." in section, name


def test_every_module_of_the_catalog_is_on_the_page_of_events() -> None:
    """Including modules for new kinds of streams."""
    assert {module.__name__ for module in event_modules()} == {e.__module__ for e in EVENT_TYPES.values()}


def test_every_read_model_is_documented() -> None:
    """The names that SQL can use, and the registers below them."""
    text = page("projections")
    assert undocumented(PUBLIC, text, "## {}\n") == []
    assert undocumented([view.name for view in VIEWS], text, "## {}\n") == []
    assert undocumented([table.name for table in TABLES], text, "### {}\n") == []


def test_every_command_is_documented() -> None:
    """The commands that `App.send` accepts, and their values."""
    text = page("commands")
    names = [name for name in commands.__all__ if inspect.isclass(getattr(commands, name))]
    assert undocumented(names, text, "## {}\n") == []
    assert (
        undocumented([command.__name__ for command in commands.Command.__subclasses__()], text, "## {}\n")
        == []
    )


def test_every_setting_is_documented() -> None:
    """Under its name in the log."""
    assert undocumented([setting.name for setting in SETTINGS], page("settings"), "| `{}` |") == []


@pytest.mark.long
def test_every_variable_of_the_environment_is_documented() -> None:
    """Every variable with our prefix that the source reads."""
    read = {name for module in modules() for name in re.findall(r"\bANABRANCH_[A-Z_]*[A-Z]\b", module.text)}
    assert undocumented(read, page("settings"), "| `{}` |") == []


def test_every_renderer_is_documented() -> None:
    """The renderers of manifests, and those that plans are made for."""
    text = page("renderers")
    assert undocumented(RENDERERS, text, "## {}\n") == []


def test_every_key_of_a_manifest_is_documented() -> None:
    """With its rule, and with every code that rejects a bundle."""
    text = page("manifest")
    parts = [Manifest.model_json_schema(), *Manifest.model_json_schema()["$defs"].values()]
    keys = {key for part in parts for key in part.get("properties", {})}
    assert undocumented(keys, text, "| `{}` |") == []


def test_every_problem_of_a_bundle_is_documented() -> None:
    """The page lists every code that the tests of bundles expect."""
    text = page("manifest")
    tested = set()
    for path in sorted((ROOT / "tests" / "engine" / "toolsets").glob("test_*.py")):
        tested |= set(re.findall(r'"([a-z]+(?:_[a-z0-9]+)+)"', path.read_text()))
    listed = set(re.findall(r"^\| `([a-z_0-9]+)` \| (?:refused|advice)", text, re.M))
    raised = set(re.findall(r'Problem\(\s*"([a-z_0-9]+)"', "".join(m.text for m in modules())))
    assert sorted(raised - listed) == []
    assert tested & listed, "the tests of bundles name none of the codes that the page lists"


def test_every_error_code_is_documented() -> None:
    """The codes that errors are raised with."""
    raised = {
        code
        for module in modules()
        for code in re.findall(r'(?:Refused|NotFound|Invalid|Unavailable)\(\s*"([a-z_0-9]+)"', module.text)
    }
    assert undocumented(raised, page("commands"), "| `{}` |") == []


def test_every_command_of_the_command_line_is_documented() -> None:
    """By its full name, with its help."""
    text = page("cli")
    assert undocumented([name for name, _ in cli_pages()], text, "## {}\n") == []
    assert ask.help
    assert ask.help in text


def test_every_route_is_documented() -> None:
    """HTTP routes with their operation, and WebSockets."""
    routes = api(lambda: pytest.fail("no app is needed"), lambda: pytest.fail("no token is needed"))
    text = page("api")
    named = [
        f"{method.upper()} /v1{path}"
        for path, methods in routes.openapi()["paths"].items()
        for method in methods
    ]
    named += [f"WebSocket /v1{route.path}" for route in routes.routes if isinstance(route, APIWebSocketRoute)]
    assert undocumented(named, text, "| `{}` |") == []


def test_every_page_is_linked_from_the_readme() -> None:
    """Nobody finds a page without links to it."""
    readme = (ROOT / "README.md").read_text()
    pages = [path.relative_to(ROOT).as_posix() for path in sorted(DOCS.glob("*.md"))]
    assert [path for path in pages if f"]({path})" not in readme] == []
    decisions = sorted((DOCS / "decisions").glob("*.md"))
    assert decisions
    assert "](docs/decisions" in readme


def test_links_between_pages_work() -> None:
    """Relative links in the README, the changelog and docs point to existing files."""
    broken = []
    for path in [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            if not (path.parent / target).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_every_field_has_a_meaning() -> None:
    """In the tables of generated pages; a signal may have no fields."""
    blank = [
        f"{name}: {row}"
        for name in ("events", "commands", "api", "projections", "settings", "renderers")
        for row in re.findall(r"^\| `\w+` \| .*\| *\|$", page(name), re.M)
        if name != "api" or row.count("|") > 4
    ]
    assert blank == []
