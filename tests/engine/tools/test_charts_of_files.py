"""A chart of a file's rows is drawn and checked like one that contains its rows."""

import sys
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import open_app
from events.catalog.tool_call import ToolCallFinished
from tests.support.hostile_chat import hostile_chat

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX")

SPEC = {
    "mark": "bar",
    "encoding": {
        "x": {"field": "town", "type": "nominal"},
        "y": {"field": "units", "type": "quantitative", "aggregate": "sum"},
    },
}
ROWS = "town,units\n" + "".join(f"{'abc'[n % 3]},1\n" for n in range(30))


def chart(spec: dict[str, Any], text: str = ROWS, **more: Any) -> tuple[str, dict[str, Any]]:
    return "chart", {"write": {"towns.csv": text}, "spec": spec, "data": "towns.csv", "title": "T", **more}


def finished(data: Path, *calls: tuple[str, dict[str, Any]]) -> list[ToolCallFinished]:
    """The end events of `calls` in a new chat."""
    chat = hostile_chat(data, calls)
    with open_app(data) as app:
        events = [recorded.event for recorded in app.log.read_stream(f"chat-{chat}")]
    return [event for event in events if isinstance(event, ToolCallFinished)]


def test_a_chart_of_a_file_has_a_picture(tmp_path: Path) -> None:
    (drawn,) = finished(tmp_path / "data", chart(SPEC))
    assert [(one.media_type, one.caption) for one in drawn.pictures] == [("image/png", "T")]


@pytest.mark.long
def test_a_chart_of_a_file_is_an_error_if_it_draws_no_mark(tmp_path: Path) -> None:
    (failed,) = finished(tmp_path / "data", chart({**SPEC, "transform": [{"filter": "false"}]}, fail=""))
    assert failed.error is not None
    assert failed.error.kind == "bad_chart"
    assert "draws no mark" in failed.error.message


@pytest.mark.long
def test_a_file_that_is_not_a_table_gives_no_picture_and_no_error(tmp_path: Path) -> None:
    """The card says that the file cannot be read."""
    (drawn,) = finished(tmp_path / "data", chart(SPEC, text=""))
    assert (drawn.status, drawn.pictures) == ("success", ())
