"""Fetching a bundle: only from the internet, and only from the address that was checked."""

import socket
from typing import Any

import httpcore
import pytest

from engine.errors import AnabranchError, Refused, Unavailable
from engine.toolsets.fetching import fetch
from engine.toolsets.public_addresses import is_of_own_network, is_public

OUTSIDE, OTHER = "93.184.216.34", "2606:2800:220:1::1"
INSIDE = [
    "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::",
    "2001:0:7f00:1::", "2606:2800:220:1:0:5efe:10.0.0.1", "2606:2800:220:1:200:5efe:7f00:1",
    f"{OTHER}%eth0", "", "nonsense", "0x7f.1", "2130706433", "127.1",
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
def test_a_local_or_private_address_is_recognized_in_every_notation(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [OUTSIDE, OTHER, "::ffff:93.184.216.34", "64:ff9b::93.184.216.34", "2002:5db8:d822::1", "1.1.1.1"],
)
def test_a_public_address_is_recognized(address: str) -> None:
    assert is_public(address)


class Net:
    """The edge of the network: what host names resolve to, one after another, and what is connected to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.answers: list[bytes] = []
        self.connected: list[str] = []
        self.sent: list[bytes] = []
        self.refuses: set[str] = set()
        monkeypatch.setattr(socket, "getaddrinfo", self.look_up)
        monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", lambda _, host, *a, **k: self.connect(host))

    def look_up(self, host: str, port: int, **_: Any) -> list[Any]:
        """What a name resolves to now."""
        turns = self.names[host]
        addresses = turns.pop(0) if len(turns) > 1 else turns[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    def connect(self, host: str) -> httpcore.NetworkStream:
        """A connection that answers."""
        self.connected.append(host)
        if host in self.refuses:
            raise httpcore.ConnectError("refused")
        net = self

        class Stream(httpcore.MockStream):
            def write(self, buffer: bytes, timeout: float | None = None) -> None:
                net.sent.append(buffer)

        return Stream([self.answers.pop(0)])


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Net:
    """A new simulated network."""
    return Net(monkeypatch)


def ok(body: bytes) -> bytes:
    """An answer."""
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def leads(to: str) -> bytes:
    """A redirect."""
    return f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode()


def test_the_connection_goes_to_the_address_that_was_checked(net: Net) -> None:
    """A name that resolves to something else the next time cannot redirect the connection."""
    net.names["a.example"] = [[OUTSIDE], ["127.0.0.1"]]
    net.answers = [ok(b"zip")]
    assert fetch("http://a.example/b.zip") == b"zip"
    assert net.connected == [OUTSIDE]
    assert b"host: a.example\r\n" in b"".join(net.sent).lower()


def test_if_an_address_does_not_answer_the_next_one_is_tried(net: Net) -> None:
    net.names["a.example"] = [[OTHER, OUTSIDE]]
    net.refuses, net.answers = {OTHER}, [ok(b"zip")]
    assert fetch("http://a.example:8080/b.zip") == b"zip"
    assert net.connected == [OTHER, OUTSIDE]
    net.refuses.add(OUTSIDE)
    with pytest.raises(Unavailable, match="cannot be fetched"):
        fetch("http://a.example/b.zip")


@pytest.mark.parametrize(
    "inner", ["127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%eth0"]
)
def test_one_private_address_is_enough_to_refuse_a_name(net: Net, inner: str) -> None:
    net.names["a.example"] = [[OUTSIDE, inner]]
    with pytest.raises(Refused, match="not an internet address"):
        fetch("http://a.example/b.zip")
    assert net.connected == []


def test_the_target_of_a_redirect_is_checked_too(net: Net) -> None:
    net.names = {"a.example": [[OUTSIDE]], "b.example": [["169.254.169.254"]]}
    net.answers = [leads("http://b.example/latest/meta-data")]
    with pytest.raises(Refused, match=r"b\.example is not"):
        fetch("http://a.example/b.zip")
    net.answers = [leads("//a.example/1")] * 9
    with pytest.raises(Refused, match="redirects more than"):
        fetch("http://a.example/b.zip")
    net.answers = [leads("file:///etc/passwd")]
    with pytest.raises(AnabranchError, match="not an http or https"):
        fetch("http://a.example/b.zip")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/",
        "http://localhost/", "http://0/", "http://user:pw@127.0.0.1/", "http://１２７.0.0.1/", "http://127.0.0.1./",
    ],
)  # fmt: skip
def test_this_machine_is_refused_in_every_notation(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: Any, **__: Any) -> None:
        raise AssertionError("it connected")

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    with pytest.raises(AnabranchError) as refused:
        fetch(url)
    assert refused.value.code in {"fetch_refused", "fetch_failed", "url"}


@pytest.mark.parametrize("address", ["10.1.2.3", "172.16.0.1", "192.168.1.1", "fc00::1"])
def test_fetching_from_the_users_own_network_needs_permission(net: Net, address: str) -> None:
    net.names["nas.example"] = [[address]] * 2
    with pytest.raises(Refused) as refused:
        fetch("http://nas.example/b.zip")
    assert refused.value.code == "fetch_own_network"
    net.answers = [ok(b"zip")]
    assert fetch("http://nas.example/b.zip", own_network=True) == b"zip"
    assert net.connected == [address]


@pytest.mark.parametrize(
    "address",
    [address for address in INSIDE if not is_of_own_network(address)],
    ids=lambda text: text or "empty",
)
def test_other_special_addresses_are_refused_even_with_permission(net: Net, address: str) -> None:
    net.names["nas.example"] = [[address]]
    with pytest.raises(AnabranchError) as refused:
        fetch("http://nas.example/b.zip", own_network=True)
    assert refused.value.code == "fetch_refused"
    assert net.connected == []


def test_a_redirect_from_a_public_address_to_a_private_one_is_refused(net: Net) -> None:
    net.names |= {"a.example": [[OUTSIDE]], "nas.example": [["10.0.0.7"]]}
    net.answers = [leads("http://nas.example/secret")]
    with pytest.raises(Refused):
        fetch("http://a.example/b.zip", own_network=True)
    assert net.connected == [OUTSIDE]
