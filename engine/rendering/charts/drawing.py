"""The process that draws charts: it confines itself, imports vl_convert, then answers one request at a time.

A frame consists of four bytes that give a length, and as many bytes of content. A request is one frame of JSON; the
answer is a frame of JSON and, if the chart was drawn, a frame with its bytes.
"""

import contextlib
import io
import json
import os
import re
import resource
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.rendering.charts.frames import read_frame, write_frame
from engine.runtime.sandbox.confine import Confined, Ready, Terms, can_have_own_mounts

__all__ = ["main"]

_MARKS = re.compile(r'<g class="mark-(?!group|none)(\w+) role-mark[^>]*(?<!/)>(.*?)</g>', re.DOTALL)
"""Matches a group of marks with its content. A group without marks is a self-closing tag, which does not match: the
text after it belongs to the title."""
_SHAPE = re.compile(r"<(?:path|text|image|line|rect)\b")
_WARNINGS = 20
_FOR_MODELS = 1.0
"""Pictures up to this scale are meant for models. They are sent with each request of the chat, so they should be
small."""
_COLOURS = 128


def main(arguments: Sequence[str]) -> None:
    """Serve requests until the engine closes its end of the socket.

    Arguments: the descriptor of the socket, the process's own folder, its limits on memory (bytes) and processor time
    (seconds), and the seconds after which a request ends the process.
    """
    descriptor, folder, memory, seconds, longest = arguments
    channel = socket.socket(fileno=int(descriptor))
    private = Path(folder)
    confined = _confine(private, float(seconds), int(memory))
    said = private / "warnings"
    with said.open("ab") as written:
        os.dup2(written.fileno(), 2)
    try:
        import vl_convert  # noqa: PLC0415 -- only once the process is confined
    except ImportError as error:
        write_frame(channel, json.dumps({"missing": str(error)}).encode())
        return
    started = {"confined": confined.level, "layers": confined.layers}
    write_frame(channel, json.dumps(started).encode())
    while (request := read_frame(channel)) is not None:
        if hasattr(signal, "alarm"):  # ends this process if its engine has died
            signal.alarm(int(longest))
        head, body = _answer(vl_convert, json.loads(request), said)
        write_frame(channel, json.dumps(head).encode())
        if body is not None:
            write_frame(channel, body)
        if hasattr(signal, "alarm"):
            signal.alarm(0)


def _confine(private: Path, seconds: float, memory_bytes: int) -> Confined:
    return Ready(own_mounts=can_have_own_mounts()).confine(
        Terms(
            workspace=private,
            private=private,
            bundle=None,
            packages=(),
            environment={"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(private)},
            network=False,
            seconds=seconds,
            memory_bytes=memory_bytes,
            file_bytes=16 << 20,
        )
    )


def _answer(converter: Any, request: Mapping[str, Any], said: Path) -> tuple[dict[str, Any], bytes | None]:
    os.truncate(said, 0)
    try:
        body, marks = _drawn(converter, request)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        return {"failed": str(error)[:4000]}, None
    if len(body) > request["most_bytes"]:
        return {
            "failed": f"The picture has {len(body):,} bytes; the limit is {request['most_bytes']:,}."
        }, None
    head = {"marks": sum(marks.values()), "kinds": marks}
    return {**head, "warnings": _warnings(said), "peak_bytes": _peak_bytes()}, body


def _peak_bytes() -> int:
    """Return the peak memory of this process, in bytes; 0 if it is not known.

    On Linux `ru_maxrss` begins with the peak of the process that started this one, so a large engine would make each
    process look large (getrusage(2), "resource usage metrics are preserved across an execve").
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = Path("/proc/self/status").read_text("ascii", "replace")
            return int(text.partition("VmHWM:")[2].split()[0]) << 10
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _drawn(converter: Any, request: Mapping[str, Any]) -> tuple[bytes, dict[str, int]]:
    spec, nothing_fetched = request["spec"], {"allowed_base_urls": [], "show_warnings": True}
    if request["kind"] == "scene":
        return json.dumps(converter.vegalite_to_scenegraph(spec, **nothing_fetched)).encode(), {}
    svg: str = converter.vegalite_to_svg(spec, **nothing_fetched)
    marks: dict[str, int] = {}
    for kind, group in _MARKS.findall(svg):
        marks[kind] = marks.get(kind, 0) + len(_SHAPE.findall(group))
    if request["kind"] == "svg":
        return svg.encode(), marks
    png: bytes = converter.svg_to_png(svg, scale=request["scale"])
    return (_fewer_colours(png) if request["scale"] <= _FOR_MODELS else png), marks


def _fewer_colours(png: bytes) -> bytes:
    """Return the picture with a colour palette, in about a tenth of the bytes. Charts have few colours."""
    from PIL import Image  # noqa: PLC0415 -- only once the process is confined

    small = io.BytesIO()
    with Image.open(io.BytesIO(png)) as opened:
        reduced = opened.convert("RGB").quantize(
            _COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
        )
        reduced.save(small, "PNG", optimize=True)
    return small.getvalue() if small.tell() < len(png) else png


def _warnings(said: Path) -> list[str]:
    """Return Vega-Lite's warnings, for instance about encodings that it dropped or scales that it could not make."""
    found = []
    with contextlib.suppress(OSError):
        found = said.read_text("utf-8", "replace").splitlines()
    return list(dict.fromkeys(line.strip()[:300] for line in found if line.strip()))[:_WARNINGS]
