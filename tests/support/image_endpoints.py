"""Image servers on loopback with the answers of a test: Gemini's, Imagen's, and OpenAI-compatible ones."""

import base64
import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["JPEG", "Asked", "ImageServer", "Reply", "gemini_picture", "image_server", "openai_picture", "png"]

JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00 made up"


def png(shade: int = 0, width: int = 8, height: int = 8) -> bytes:
    """A picture in one colour that browsers can show."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([shade, 255 - shade, 128]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@dataclass(frozen=True)
class Asked:
    """A request as received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """An answer; an object is sent as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class ImageServer:
    """Answers each request with the result of `answer`."""

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.at_once = 0
        """The largest number of requests that were open at the same time."""
        self._open = 0
        self._lock = threading.Lock()
        self.url = ""

    def serve(self, asked: Asked) -> Reply:
        """Count the request and answer it."""
        with self._lock:
            self.asked.append(asked)
            self._open += 1
            self.at_once = max(self.at_once, self._open)
        try:
            return self.answer(asked)
        finally:
            with self._lock:
                self._open -= 1


@contextmanager
def image_server(answer: Callable[[Asked], Reply]) -> Iterator[ImageServer]:
    """Serve on a free port for the duration of the block."""
    served = ImageServer(answer)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = served.serve(Asked(self.command, self.path, headers, json.loads(sent) if sent else None))
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(body))} | dict(reply.headers)).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def gemini_picture(data: bytes, kind: str = "image/png") -> Reply:
    """A Gemini answer with text, an empty part and a picture."""
    inline = {"inlineData": {"mimeType": kind, "data": base64.b64encode(data).decode()}}
    thought = {"thought": True, "inlineData": {"mimeType": kind, "data": "AAAA"}}
    parts = [{"text": "Here it is."}, {}, thought, inline]
    return Reply({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})


def openai_picture(data: bytes) -> Reply:
    """An answer of an images endpoint."""
    return Reply({"created": 1, "data": [{"b64_json": base64.b64encode(data).decode()}]})
