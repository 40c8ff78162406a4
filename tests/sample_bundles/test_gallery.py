"""Each chart of docs/charts.md is compiled, and its marks are compared with rows computed in another way."""

import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from docs.gallery import GALLERY, Example
from engine.rendering.charts.renderer import ChartRenderer
from tests.support.ask_offline import ROOT, bundle_module
from tests.support.long_cases import mostly_long

ORDERS = ROOT / "sample_bundles/sample-data/orders.csv"


@pytest.fixture(scope="module")
def renderer() -> Iterator[ChartRenderer]:
    charts = ChartRenderer()
    yield charts
    charts.close()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    shutil.copy(ORDERS, folder)
    return folder


def marks(node: Any, kind: str) -> Iterator[dict[str, Any]]:
    """The items of every mark of one kind in a scenegraph."""
    if isinstance(node, list):
        for item in node:
            yield from marks(item, kind)
    elif isinstance(node, dict):
        if node.get("marktype") == kind and node.get("role") == "mark":
            yield from node["items"]
        else:
            for key in ("scenegraph", "items"):
                yield from marks(node.get(key, []), kind)


def said(item: dict[str, Any], title: str) -> float | None:
    """The number that a mark's description gives for `title`."""
    for part in item.get("description", "").split("; "):
        name, _, value = part.partition(": ")
        if name == title:
            return float(value.replace(",", "").replace("−", "-"))
    return None


def test_the_gallery_contains_every_mark() -> None:
    assert len(GALLERY) == 37
    assert len({example.title for example in GALLERY}) == 37
    drawn = {example.arguments.get("mark") for example in GALLERY}
    assert {*bundle_module("chart_asked").MARKS} - drawn == set()


@pytest.mark.parametrize(
    "example",
    mostly_long(mostly_long(GALLERY, quick=range(0, 35, 4)), every=3),
    ids=lambda example: example.title,
)
def test_every_mark_shows_a_number_from_the_rows(
    example: Example, workspace: Path, renderer: ChartRenderer
) -> None:
    made = bundle_module("chart").run(workspace, **example.arguments)
    scene = json.loads(renderer.render(made["_spec"], made["_values"], kind="scene").data)
    items = [item for item in marks(scene, example.mark) if said(item, example.says) is not None]
    shown = sorted(number for item in items if (number := said(item, example.says)) is not None)
    assert shown
    assert len(made["summary"]) <= 500
    if not example.truth:
        _area_is_one(made["_values"])
        return
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE orders AS FROM read_csv('{ORDERS}')")
        truth = sorted(float(row[0]) for row in connection.execute(example.truth).fetchall())
    # a box and the line of its median name the same number; so do a line and its points
    times = len(shown) // len(truth)
    assert len(shown) == times * len(truth)
    assert shown == pytest.approx([number for number in truth for _ in range(times)], rel=1e-9)
    if example.arguments.get("mark") == "bar" and example.mark == "rect" and "facet" not in example.arguments:
        _lengths_are_proportional(items, example)


def _lengths_are_proportional(items: list[dict[str, Any]], example: Example) -> None:
    if example.arguments.get("stack") == "normalize":
        return
    lies = "orientation" in example.arguments or example.arguments.get("x") == "revenue"
    ratios = []
    for item in items:
        number = said(item, example.says)
        assert number is not None
        ratios.append(item["width" if lies else "height"] / number)
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-6)


def _area_is_one(values: list[dict[str, Any]]) -> None:
    steps = pairwise(values)
    area = sum((b["value"] - a["value"]) * (a["density"] + b["density"]) / 2 for a, b in steps)
    assert area == pytest.approx(1, abs=0.01)
