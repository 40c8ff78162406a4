"""The built-in tool `view`: shows a picture, a page of a PDF or the beginning of a text to the user and to the model.

Decoders run here, in a confined process, because a file may be crafted to attack them.
"""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.files import read_file
from anabranch_tool.workspace_paths import existing_file

__all__ = ["view"]

_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ico", ".ppm")
_LONGEST_SIDE = 1_568
"""The maximum side in pixels: providers scale larger pictures down."""
_MOST_PIXELS = 80_000_000
_MOST_BYTES = 3_500_000
_MOST_TEXT = 6_000
"""The maximum number of characters of a PDF page's text."""


def view(workspace: Path, path: str, page: int = 1) -> dict[str, Any]:
    """Show the file `path`; for a PDF, show its `page` (from 1) as a picture with its text.

    Raises:
        ToolError: there is no such file or page, or the file does not have the format that its name says.
    """
    file = existing_file(workspace, path)
    suffix = file.suffix.lower()
    if suffix == ".pdf":
        return _pdf(file, path, page)
    if suffix in _PICTURES:
        return _picture(file, path)
    if suffix == ".svg":
        raise ToolError(
            f"{path} is an SVG drawing. Read its source with read_file; the user sees it with preview."
        )
    read = read_file(workspace, path, limit=200)
    if read.get("binary"):
        raise ToolError(
            f"{path} is not a picture, a PDF or text ({read['kind']}, {read['bytes']:,} bytes). {read['note']}"
        )
    return {**read, "kind": "text"}


def _picture(file: Path, path: str) -> dict[str, Any]:
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415 - other tools need no decoders

    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    try:
        with Image.open(file) as opened:
            frames = int(getattr(opened, "n_frames", 1))
            whole = ImageOps.exif_transpose(opened)
            size = whole.size
            shown = _encoded(whole)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise ToolError(f"{path} cannot be read as a picture: {error}") from None
    told: dict[str, Any] = {"path": path, "kind": "picture", "width": size[0], "height": size[1]}
    if frames > 1:
        told["note"] = f"The first of its {frames} frames is shown."
    return {**told, "_pictures": [{**shown, "caption": path}]}


def _pdf(file: Path, path: str, page: int) -> dict[str, Any]:
    import pypdfium2  # noqa: PLC0415 - other tools need no reader of PDFs

    try:
        document = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        why = "it is protected by a password" if locked else f"it is damaged or not a PDF ({error})"
        raise ToolError(f"{path} cannot be opened: {why}.") from None
    with document:
        pages = len(document)
        if not 1 <= page <= pages:
            raise ToolError(f"{path} has {pages} pages; there is no page {page}.")
        sheet = document[page - 1]
        text = sheet.get_textpage().get_text_bounded().replace("\r\n", "\n").strip()
        scale = min(2.0, _LONGEST_SIDE / max(*sheet.get_size(), 1.0))
        shown = _encoded(sheet.render(scale=scale).to_pil())
    told: dict[str, Any] = {
        "path": path,
        "kind": "pdf",
        "page": page,
        "pages": pages,
        "text": text[:_MOST_TEXT],
    }
    if len(text) > _MOST_TEXT:
        told["note"] = f"The first {_MOST_TEXT:,} of {len(text):,} characters of this page are here."
    elif not text:
        told["note"] = "This page contains no text: it is a scan or a drawing."
    return {**told, "_pictures": [{**shown, "caption": f"{path}, page {page} of {pages}"}]}


def _encoded(picture: Any) -> dict[str, str]:
    """Return the picture in a format that every provider accepts: PNG, or JPEG if the PNG is too large."""
    small = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    small.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    buffer = BytesIO()
    small.save(buffer, "PNG")
    media_type = "image/png"
    if buffer.tell() > _MOST_BYTES:
        buffer, media_type = BytesIO(), "image/jpeg"
        small.convert("RGB").save(buffer, "JPEG", quality=85)
    return {"media_type": media_type, "data": base64.b64encode(buffer.getvalue()).decode()}
