"""Bundles made for tests: a valid one, changed in one place at a time."""

import io
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path

MANIFEST = """\
manifest_version: "1"
id: greeter
name: Greeter
version: "1.0.0"
description: Says hello.
tools:
  - id: greet
    name: Greet
    description: Greets somebody.
    entrypoint: tools.greet:run
    input_schema:
      type: object
      required: [who]
      properties:
        who: {type: string}
"""
GOOD: dict[str, bytes] = {
    "toolset.yaml": MANIFEST.encode(),
    "tools/greet.py": b"def run(workspace, who):\n    return {'hello': who}\n",
    "artifacts/card.html": b"<html></html>",
}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP of `files`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return packed.getvalue()


def with_entry(info: zipfile.ZipInfo, data: bytes = b"x") -> bytes:
    """Return the valid bundle's ZIP with one more entry."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in GOOD.items():
            archive.writestr(path, content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr(info, data)
    return packed.getvalue()


def folder(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write `files` below `root` and return it."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def manifest(**tool: str) -> dict[str, bytes]:
    """Return the valid bundle with its only tool's lines of YAML replaced, by key."""
    lines = {"id": "greet", "description": "Greets.", "entrypoint": "tools.greet:run"} | tool
    head = MANIFEST.split("tools:\n", maxsplit=1)[0]
    body = "\n".join(f"    {key}: {value}" for key, value in lines.items())
    return GOOD | {"toolset.yaml": f"{head}tools:\n  -{body[3:]}\n".encode()}


def with_lines(text: str) -> dict[str, bytes]:
    """Return the valid bundle with `text` appended to its manifest."""
    return GOOD | {"toolset.yaml": (MANIFEST + text).encode()}
