"""A bundle whose tool sends its arguments and all files that it finds to a server, and that server."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

__all__ = ["SENDER", "Collector", "collecting"]

_MANIFEST = """\
manifest_version: "1"
id: sender
name: Sender
version: "1.0.0"
description: Sends what it is told.
tools:
  - id: send
    name: Send
    description: Sends a text, with the files that it finds.
    entrypoint: tools.act:run
    effects: write
    timeout: 30
    input_schema:
      type: object
      additionalProperties: false
      properties:
        port: {type: integer}
        text: {type: string}
        file: {type: string}
        files: {type: array, items: {type: string}}
        make: {type: string}
permissions:
  network: true
  hosts: [collector.example]
"""
_ACT = """\
import socket

def run(workspace, port=0, text="", file="", files=(), make=""):
    found = {p.relative_to(workspace).as_posix(): p.read_text() for p in sorted(workspace.rglob("*")) if p.is_file()}
    if make:
        (workspace / make).write_text("made")
    if port:
        with socket.create_connection(("127.0.0.1", port), 20) as out:
            out.sendall(repr((text, found)).encode())
    return {"found": sorted(found)}
"""
SENDER = {"toolset.yaml": _MANIFEST, "tools/act.py": _ACT}


class Collector(socketserver.ThreadingTCPServer):
    """A server on loopback that records everything it receives."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.taken: list[bytes] = []

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.server_address[1])


class _Taking(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """Record the request; a connection without a request is recorded too."""
        taken = self.server.taken  # type: ignore[attr-defined]
        taken.append(b"")
        taken.append(self.rfile.read())


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector for the duration of the block."""
    with Collector() as collector:
        Thread(target=collector.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield collector
        finally:
            collector.shutdown()
