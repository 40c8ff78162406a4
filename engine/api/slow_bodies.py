"""Ends requests whose body does not arrive in time. Each open request uses a task, a file descriptor and memory."""

import asyncio
from typing import Any

from starlette.exceptions import HTTPException

__all__ = ["BODY_SECONDS", "timely"]

BODY_SECONDS = 30.0
"""The maximum seconds to wait for a body. Each `_SLOWEST` bytes that arrive add one second."""
_SLOWEST = 1 << 10


def timely(receive: Any, seconds: float = BODY_SECONDS) -> Any:
    """Return an ASGI `receive` that ends with status 408 if a body arrives too slowly.

    Only the time spent waiting counts. Once the body is complete, there is no limit.
    """
    left, whole = seconds, False

    async def receiving() -> Any:
        nonlocal left, whole
        if whole:
            return await receive()
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            message = await asyncio.wait_for(receive(), max(left, 0.0))
        except TimeoutError:
            words = "The body of the request arrived too slowly. Send the request again."
            raise HTTPException(408, words, headers={"connection": "close"}) from None
        left += len(message.get("body", b"")) / _SLOWEST - (loop.time() - began)
        whole = not message.get("more_body", False)
        return message

    return receiving
