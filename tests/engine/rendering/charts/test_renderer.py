"""The renderer: one confined process that survives bad charts and never fetches anything."""

import os
import signal
from collections.abc import Iterator

import pytest

from engine.rendering.charts.renderer import ChartFailed, ChartRenderer, NoRenderer
from engine.rendering.charts.theme import chart_config, standalone

BARS = {
    "mark": "bar",
    "encoding": {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b", "type": "quantitative"}},
}
ROWS = [{"a": "x", "b": 1234567.5}, {"a": "<b>&", "b": 2}]


@pytest.fixture(scope="module")
def renderer() -> Iterator[ChartRenderer]:
    charts = ChartRenderer()
    yield charts
    charts.close()


def test_one_process_turns_a_chart_into_png_svg_and_scene(renderer: ChartRenderer) -> None:
    png = renderer.render(BARS, ROWS)
    assert png.data.startswith(b"\x89PNG")
    assert (png.marks, png.media_type) == (2, "image/png")
    first = renderer.pid
    svg = renderer.render(BARS, ROWS, kind="svg", theme="dark").data.decode()
    assert "1,200,000" in svg
    assert "&lt;b&gt;" in svg
    assert b"scenegraph" in renderer.render(BARS, ROWS, kind="scene").data
    assert renderer.pid == first


def test_a_bad_chart_is_reported_and_the_next_one_is_drawn(renderer: ChartRenderer) -> None:
    with pytest.raises(ChartFailed, match="Vega-Lite cannot draw this chart"):
        renderer.render({"mark": "nonsense"}, ROWS)
    with pytest.raises(ChartFailed, match="draws no mark"):
        renderer.render({**BARS, "transform": [{"filter": "datum.b < 0"}]}, ROWS)
    with pytest.raises(ChartFailed, match="draws no mark"):
        renderer.render({**BARS, "title": "Counted as a mark once", "transform": [{"filter": "false"}]}, ROWS)
    assert renderer.render(BARS, ROWS).marks == 2


def test_warnings_of_vega_lite_are_returned_with_the_picture(renderer: ChartRenderer) -> None:
    odd = {**BARS, "encoding": {**BARS["encoding"], "colour": {"field": "a"}}}  # type: ignore[dict-item]
    assert "colour-encoding is dropped" in " ".join(renderer.render(odd, ROWS).warnings)
    assert renderer.render(BARS, ROWS).warnings == ()


def test_addresses_and_files_are_not_read(renderer: ChartRenderer) -> None:
    for url in ("http://127.0.0.1:9/x.json", "file:///etc/hostname", "/etc/hostname"):
        with pytest.raises(ChartFailed):
            renderer.render({**BARS, "data": {"url": url}})


@pytest.mark.long
def test_a_chart_that_uses_too_much_memory_ends_only_its_process(renderer: ChartRenderer) -> None:
    before = renderer.render(BARS, ROWS) and renderer.pid
    endless = {
        "data": {"sequence": {"start": 0, "stop": 1e9}},
        "mark": "point",
        "encoding": {"x": {"field": "data", "type": "quantitative"}},
    }
    with pytest.raises(ChartFailed, match="Draw fewer rows"):
        renderer.render(endless)
    assert renderer.render(BARS, ROWS).marks == 2
    assert renderer.pid != before


def test_a_killed_process_is_started_again(renderer: ChartRenderer) -> None:
    renderer.render(BARS, ROWS)
    assert renderer.pid is not None
    killed = renderer.pid
    os.kill(killed, signal.SIGKILL)
    os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
    assert renderer.render(BARS, ROWS).marks == 2
    assert renderer.pid != killed


def test_a_chart_that_takes_too_long_is_given_up() -> None:
    charts = ChartRenderer(seconds=0.001)
    try:
        with pytest.raises(ChartFailed, match="not drawn within"):
            charts.render(BARS, ROWS * 2000)
    finally:
        charts.close()
    with pytest.raises(NoRenderer):
        charts.render(BARS, ROWS)


def test_a_process_that_started_slowly_is_started_again_for_the_next_chart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    charts = ChartRenderer()
    try:
        with monkeypatch.context() as patch:
            patch.setattr("engine.rendering.charts.renderer._STARTING", 0.0)
            with pytest.raises(NoRenderer, match="did not start in time"):
                charts.render(BARS, ROWS)
        assert charts.render(BARS, ROWS).marks == 2
    finally:
        charts.close()


def test_numbers_are_written_the_same_on_every_machine() -> None:
    made = standalone(BARS, ROWS, "light")
    assert made["config"] == chart_config("light")
    assert made["config"]["numberFormat"] == ",.12~r"
    assert chart_config("dark")["range"]["category"] != chart_config("light")["range"]["category"]


@pytest.mark.long
def test_a_large_engine_process_does_not_make_its_renderer_restart_for_every_chart() -> None:
    """Linux gives a new process the peak memory of its parent, which looked as if the renderer had grown."""
    held = bytearray(700 << 20)
    held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])
    charts = ChartRenderer()
    try:
        charts.render(BARS, ROWS)
        first = charts.pid
        charts.render(BARS, ROWS)
        assert first is not None
        assert charts.pid == first
    finally:
        charts.close()
    assert len(held) == 700 << 20
