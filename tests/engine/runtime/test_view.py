"""The built-in tool `view`: pictures and PDF pages, converted for the model and the page."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from engine.tools.tool_output import split_returned
from engine.turn.pictures import fits_models
from tests.support.bundle_code import function_of
from tests.support.pdf import pdf

view = function_of(None, "anabranch_tool.view:view")


def shown(workspace: Path, path: str, **arguments: Any) -> tuple[dict[str, Any], bytes]:
    """The text that the model reads, and the one picture that comes with it."""
    returned = split_returned(view(workspace, path, **arguments))
    (picture,) = returned.pictures
    assert fits_models(picture.content, picture.media_type)
    return dict(returned.result), picture.content


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "gif", "bmp", "tiff"])
def test_a_picture_in_any_format_is_converted_to_one_that_every_provider_accepts(
    tmp_path: Path, suffix: str
) -> None:
    Image.new("RGB", (40, 30), "teal").save(tmp_path / f"a.{suffix}")
    told, content = shown(tmp_path, f"a.{suffix}")
    assert told == {"path": f"a.{suffix}", "kind": "picture", "width": 40, "height": 30}
    assert Image.open(BytesIO(content)).size == (40, 30)


@pytest.mark.long
def test_a_large_picture_is_reduced_and_its_true_size_given(tmp_path: Path) -> None:
    Image.effect_noise((3000, 2500), 90).convert("RGB").save(tmp_path / "photo.png")
    told, content = shown(tmp_path, "photo.png")
    assert (told["width"], told["height"]) == (3000, 2500)
    assert max(Image.open(BytesIO(content)).size) <= 1568


def test_a_pdf_page_is_returned_as_a_picture_with_its_text(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(pdf("North 120", "South 95"))
    told, content = shown(tmp_path, "report.pdf", page=2)
    assert (told["kind"], told["page"], told["pages"], told["text"]) == ("pdf", 2, 2, "South 95")
    assert len(Image.open(BytesIO(content)).convert("L").getcolors() or ()) > 1


def test_the_first_lines_of_a_text_are_returned(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    assert view(tmp_path, "notes.txt")["content"] == "one\ntwo\n"


@pytest.mark.parametrize(
    ("name", "content", "page", "why"),
    [
        ("report.pdf", pdf("only"), 2, "has 1 pages; there is no page 2"),
        ("broken.pdf", b"%PDF-1.7 and then nothing", 1, "damaged or not a PDF"),
        ("broken.png", b"\x89PNG\r\n\x1a\nrubbish", 1, "cannot be read as a picture"),
        ("text.png", b"hello", 1, "cannot be read as a picture"),
        ("data.parquet", b"PAR1\0\0", 1, "queried with SQL"),
        ("drawing.svg", b"<svg/>", 1, "read_file"),
    ],
)
def test_a_file_that_cannot_be_shown_gives_the_reason_and_what_can_open_it(
    tmp_path: Path, name: str, content: bytes, page: int, why: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=why):
        view(tmp_path, name, page=page)


@pytest.mark.long
def test_a_picture_made_to_fill_the_memory_is_refused(tmp_path: Path) -> None:
    """Its header says 20,000 by 20,000 pixels; nothing is decoded."""
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    with pytest.raises(ValueError, match="cannot be read as a picture"):
        view(tmp_path, "bomb.png")


def test_pictures_are_sent_in_base64(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    assert base64.b64decode(view(tmp_path, "a.png")["_pictures"][0]["data"]).startswith(b"\x89PNG")
