"""Every shipped tool's schema matches its function."""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.tools.builtin import BUILTIN_TOOLS
from engine.tools.sources.offer import DESCRIBE, QUERY
from tests.support.bundle_code import function_of

BUNDLES = Path(__file__).parents[2] / "sample_bundles"


def declared() -> Iterator[tuple[str, dict[str, Any], Path | None]]:
    """Every tool that runs in a process: its id, its declaration and its bundle."""
    for tool in BUILTIN_TOOLS:
        if str(tool["entrypoint"] or "").startswith("anabranch_tool"):
            yield str(tool["id"]), dict(tool), None
    for file in sorted(BUNDLES.glob("*/toolset.yaml")):
        manifest = yaml.safe_load(file.read_text("utf-8"))
        for tool in manifest.get("tools") or ():
            yield f"{manifest['id']}:{tool['id']}", tool, file.parent


OF_SOURCES = {QUERY: {"source"}, DESCRIBE: {"source", "like"}}
"""What two tools take besides while there are sources: `engine.tools.sources.offer` adds it."""

TOOLS = {name: (tool, bundle) for name, tool, bundle in declared()}


@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_has_the_parameters_of_its_function_and_no_others(name: str) -> None:
    """Required parameters have no default, optional ones have one; no others are accepted."""
    tool, bundle = TOOLS[name]
    function = function_of(bundle, tool["entrypoint"])
    workspace, *taken = inspect.signature(function).parameters.values()
    assert workspace.name == "workspace"
    schema = tool["input_schema"]
    own = {parameter.name for parameter in taken}
    assert set(schema["properties"]) == own - OF_SOURCES.get(name, set())
    required = {parameter.name for parameter in taken if parameter.default is inspect.Parameter.empty}
    assert set(schema.get("required", ())) == required
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", TOOLS)
def test_every_argument_is_described(name: str) -> None:
    """The description is all that a model knows of an argument."""
    tool, _ = TOOLS[name]
    silent = [
        key for key, value in tool["input_schema"]["properties"].items() if not value.get("description")
    ]
    assert silent == []


def test_numbers_in_a_description_match_the_code() -> None:
    """`read_file` counts lines, and says how many come back."""
    files = importlib.import_module("anabranch_tool.files")
    tool, _ = TOOLS["read_file"]
    assert f"{files._MOST_CHARACTERS:,} characters" in tool["description"]
    limit = tool["input_schema"]["properties"]["limit"]
    assert limit["maximum"] == files._MOST_LINES
    default = inspect.signature(files.read_file).parameters["limit"].default
    assert str(default) in limit["description"]
    listing, _ = TOOLS["list_files"]
    assert f"{files._MOST_FILES:,}" in listing["description"]
