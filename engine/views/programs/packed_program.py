"""Packs a program with its data into one ZIP whose bytes depend only on its content. Pure."""

import io
import zipfile

from engine.views.programs.notebook import notebook
from engine.views.programs.program import Program
from engine.views.programs.sql_script import sql_script

__all__ = ["packed_program"]

_NEVER = (1980, 1, 1, 0, 0, 0)


def packed_program(program: Program, kind: str, name: str) -> bytes:
    """Return a ZIP with `NAME.ipynb` (`kind` is "notebook") or `NAME.sql`, and the data folder beside it."""
    text, ending = (notebook(program), "ipynb") if kind == "notebook" else (sql_script(program), "sql")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _add(archive, f"{name}.{ending}", text.encode())
        for path, content in sorted(program.data.items()):
            _add(archive, f"{program.folder}/{path}", content)
    return packed.getvalue()


def _add(archive: zipfile.ZipFile, path: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(path, _NEVER)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)
