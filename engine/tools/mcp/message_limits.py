"""Limits on an MCP server's messages, checked while reading: a huge message would fill memory and block the loop.

The SDK appends each chunk to the text so far and splits the text again, which takes quadratic time for a long line, and
it reads whole HTTP bodies. With the limits in this module, a message longer than `MCP_MESSAGE_BYTES` ends the
connection.
"""

import logging
import re
from collections.abc import AsyncIterator

import httpx2
import mcp_types as types
from anyio.streams.text import TextReceiveStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from engine.system.input_limits import MCP_MESSAGE_BYTES

__all__ = ["WholeLines", "bound_body", "is_too_long", "refused_answer"]

_TOO_LONG = "(a message that is too long)"
_ID = re.compile(r'"id"\s*:\s*([0-9]{1,15})')
_log = logging.getLogger("anabranch.mcp")


class WholeLines(TextReceiveStream):
    """A server's standard output in whole lines. A line that is longer than `MCP_MESSAGE_BYTES` becomes `_TOO_LONG`."""

    _rest: str = ""

    async def receive(self) -> str:
        """Return one or more whole lines.

        Raises:
            anyio.EndOfStream: the output ended.
        """
        parts, length = [self._rest], len(self._rest)
        while True:
            chunk = await super().receive()
            parts.append(chunk)
            length += len(chunk)
            if "\n" in chunk:
                lines, end, self._rest = "".join(parts).rpartition("\n")
                return lines + end
            if length > MCP_MESSAGE_BYTES:
                _log.warning("An MCP server sent a message of more than %s bytes.", f"{MCP_MESSAGE_BYTES:,}")
                self._rest = ""
                return f"{_TOO_LONG}\n"


def is_too_long(error: Exception) -> bool:
    """Return whether a message was longer than `MCP_MESSAGE_BYTES` and so could not be read; this ends the
    connection."""
    return _unread_line(error) == _TOO_LONG


def _unread_line(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return ""
    line = error.errors(include_url=False, include_context=False)[0]["input"]
    return line if isinstance(line, str) else ""


async def bound_body(response: httpx2.Response) -> None:
    """Make a response fail with an error as soon as it is too long. Used as a hook of an HTTP client.

    Event streams have no end, so the SDK limits each event. Compressed bodies are refused, because a few bytes can
    expand to gigabytes.

    Raises:
        httpx2.ReadError: the body is compressed.
    """
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise httpx2.ReadError("the answer is compressed, although that was not asked for")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: object) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > MCP_MESSAGE_BYTES:
                raise httpx2.ReadError(f"the answer has more than {MCP_MESSAGE_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def refused_answer(error: Exception) -> SessionMessage | None:
    """Return an error that ends a request whose answer is nested too deeply to be read; None for other messages.

    Without this error the request would wait until its time limit.
    """
    if not isinstance(error, ValidationError) or "recursion limit" not in str(error)[:2_000]:
        return None
    found = _ID.search(_unread_line(error))
    if found is None:
        return None
    words = types.ErrorData(code=types.INVALID_REQUEST, message="its answer is nested too deeply to be read")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=int(found.group(1)), error=words))
