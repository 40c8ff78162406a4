"""Pages of a chat's PDF files as pictures. They are drawn in a tool process, because a file may attack its reader."""

import base64
import tempfile
from pathlib import Path, PurePosixPath

from engine.tools.file_tables import TableReads
from engine.workspace.blobs import BlobStore
from events.late_dataclass import dataclass

__all__ = ["PdfPage", "pdf_page"]


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page."""

    number: int
    """The number of the page, from 1."""
    pages: int
    picture: bytes
    media_type: str
    text: str


def pdf_page(reads: TableReads, blobs: BlobStore, path: str, sha256: str, number: int) -> PdfPage:
    """Return a page of a PDF in `blobs`.

    Raises:
        Unavailable: the page cannot be drawn or does not exist (`result_unread`).
        NotFound: the PDF is no longer stored.
    """
    with tempfile.TemporaryDirectory(prefix="anabranch-page-") as folder:
        file = Path(folder) / PurePosixPath(path).name
        with file.open("wb") as stream:
            blobs.copy_to(sha256, stream.fileno())
        found = reads.call(Path(folder), "anabranch_tool.view:view", {"path": file.name, "page": number})
    shown = found["_pictures"][0]
    return PdfPage(
        number, found["pages"], base64.b64decode(shown["data"]), shown["media_type"], found["text"]
    )
