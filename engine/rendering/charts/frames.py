"""Frames on a stream socket. A frame consists of four bytes that give a length, and as many bytes of content."""

import socket
import struct

__all__ = ["read_frame", "write_frame"]

_LENGTH = struct.Struct(">I")


def write_frame(channel: socket.socket, body: bytes) -> None:
    """Send one frame."""
    channel.sendall(_LENGTH.pack(len(body)) + body)


def read_frame(channel: socket.socket, most: int = 256 << 20) -> bytes | None:
    """Return the next frame, or None if the other end is closed.

    Raises:
        OSError: the frame is longer than `most` bytes, or the socket timed out.
    """
    head = _exactly(channel, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > most:
        raise OSError(f"a frame of {length:,} bytes is longer than {most:,}")
    return _exactly(channel, length)


def _exactly(channel: socket.socket, wanted: int) -> bytes | None:
    parts, left = [], wanted
    while left:
        part = channel.recv(min(left, 1 << 20))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
