"""Decides whether an IP address is public, including embedded addresses of the other IP version. Pure."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

__all__ = ["is_of_own_network", "is_public"]

_LOW_32 = tuple(
    IPv6Network(text)
    for text in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)
"""Networks whose last 32 bits are an IPv4 address: compatible, mapped, translated, and NAT64."""
_OWN_4 = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_OWN_6 = IPv6Network("fc00::/7")
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}


def is_public(address: str) -> bool:
    """Return whether `address` is on the public internet: not on this machine or its networks, and not a multicast
    address. False for a text that is not an IP address in its usual spelling.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.scope_id is not None:
        return False
    return _is_plain(found) and all(_is_plain(inner) for inner in _inside(found))


def is_of_own_network(address: str) -> bool:
    """Return whether `address`, in its usual spelling, is on a private network (RFC 1918, RFC 4193). This machine
    itself does not count.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        return found in _OWN_6
    return any(found in network for network in _OWN_4)


def _is_plain(address: IPv4Address | IPv6Address) -> bool:
    known_as_mapped = isinstance(address, IPv6Address) and any(address in network for network in _LOW_32[1:4])
    closed = (
        address.is_multicast
        or address.is_loopback
        or address.is_unspecified
        or address.is_link_local
        or (address.is_private and not known_as_mapped)
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )
    return not closed and (address.is_global or known_as_mapped)


def _inside(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses to which packets for an IPv6 address may be sent."""
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if any(address in network for network in _LOW_32) or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFF_FFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
