"""A tool's output is split into the result, data that is only for the page, and pictures."""

import base64
from typing import Any

import pytest

from engine.tools.tool_output import BadPicture, split_returned

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


def picture(content: bytes = PNG, media_type: str = "image/png", **more: Any) -> dict[str, Any]:
    """A picture as a tool returns it."""
    return {"media_type": media_type, "data": base64.b64encode(content).decode(), **more}


def test_keys_for_the_page_are_not_part_of_the_recorded_result() -> None:
    """A renderer can name them; they reach neither the log nor the models."""
    returned = split_returned({"rows": 3, "_values": [[1], [2]]})
    assert returned.result == {"rows": 3}
    assert returned.whole == {"rows": 3, "_values": [[1], [2]]}


def test_pictures_are_decoded_and_kept_out_of_result_and_plan() -> None:
    """Their bytes are stored once, as blobs."""
    returned = split_returned({"title": "A", "_pictures": [picture(caption="A line")]})
    assert returned.result == returned.whole == {"title": "A"}
    (kept,) = returned.pictures
    assert (kept.content, kept.media_type, kept.caption) == (PNG, "image/png", "A line")


@pytest.mark.parametrize(
    ("pictures", "why"),
    [
        ("x", "must be a list"),
        ([picture()] * 9, "at most 8"),
        ([{"media_type": "image/png"}], "Picture 1 must have"),
        ([{"media_type": "image/png", "data": "%%"}], "not base64"),
        ([picture(), picture(b"<svg/>", "image/svg+xml")], "Picture 2 must be a PNG"),
        ([picture(b"GIF89a", "image/png")], "that matches its `media_type`"),
        ([picture(PNG + b"\0" * (5 << 20))], "Make it smaller"),
        ([picture(media_type=["image/png"])], "must be a PNG"),  # type: ignore[arg-type]
    ],
)
def test_data_that_is_not_a_picture_is_refused_with_a_message(pictures: Any, why: str) -> None:
    """A tool cannot send other bytes to a model under a picture's name."""
    with pytest.raises(BadPicture, match=why):
        split_returned({"_pictures": pictures})
