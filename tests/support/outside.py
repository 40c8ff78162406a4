"""The outside world in tests of the page: TCP and UDP servers on loopback that record everything they receive.

A browser reaches these servers as `localhost`, which is another host than the app's `127.0.0.1`. A connection is
recorded even if no request follows.
"""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock, Thread

__all__ = ["Outside", "outside"]

_ASKED = re.compile(rb"^[A-Z]+ /([^ ?]*)")
_ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\n"
    b"content-length: 19\r\nconnection: close\r\n\r\n<p>This is outside."
)


@dataclass
class Outside:
    """A server on loopback, and a record of what reached it."""

    port: int
    heard: list[str] = field(default_factory=list)
    """What arrived: the path of a request, `connection` for one without a request, `tls` or `datagram`."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def url(self) -> str:
        """The server's address, with another host name than the app's."""
        return f"http://localhost:{self.port}"

    @property
    def addresses(self) -> dict[str, str]:
        """The addresses that a hostile page tries."""
        secure = f"https://localhost:{self.port}"
        return {
            "outside": self.url,
            "secure": secure,
            "socket": self.url.replace("http", "ws"),
            "stun": f"stun:127.0.0.1:{self.port}",
        }

    def note(self, what: str) -> None:
        """Record what arrived."""
        with self._lock:
            self.heard.append(what)

    def taken(self) -> list[str]:
        """Return what arrived since the last call of this method, sorted and without duplicates."""
        with self._lock:
            heard, self.heard = self.heard, []
        return sorted(set(heard))


@contextmanager
def outside() -> Iterator[Outside]:
    """Listen until the end of the block."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tcp.bind(("127.0.0.1", 0))
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        tcp.listen(128)
        there = Outside(port)
        Thread(target=_accept, args=(tcp, there), daemon=True).start()
        Thread(target=_receive, args=(udp, there), daemon=True).start()
        yield there
        with suppress(OSError):
            tcp.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            udp.sendto(b"", ("127.0.0.1", port))


def _accept(tcp: socket.socket, there: Outside) -> None:
    with suppress(OSError):
        while True:
            connection, _ = tcp.accept()
            Thread(target=_answer, args=(connection, there), daemon=True).start()


def _answer(connection: socket.socket, there: Outside) -> None:
    with connection, suppress(OSError):
        connection.settimeout(2)
        try:
            first = connection.recv(4096)
        except TimeoutError:
            first = b""
        asked = _ASKED.match(first)
        there.note(asked[1].decode("latin-1") if asked else "tls" if first[:1] == b"\x16" else "connection")
        connection.sendall(_ANSWER)


def _receive(udp: socket.socket, there: Outside) -> None:
    with suppress(OSError):
        while data := udp.recv(4096):
            there.note(f"datagram {data[:2].hex()}")
