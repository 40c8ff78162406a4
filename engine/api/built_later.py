"""Builds the API on first use: FastAPI and its routes take a third of a second, and no page should wait for that."""

import asyncio
from collections.abc import Callable
from threading import Lock

from engine.api.guard import AsgiApp, Receive, Scope, Send

__all__ = ["BuiltLater"]


class BuiltLater:
    """An ASGI application that is built by its first request, or by an earlier call of `built`. Thread-safe."""

    def __init__(self, build: Callable[[], AsgiApp]) -> None:
        self._build = build
        self._lock = Lock()
        self._built: AsgiApp | None = None

    def built(self) -> AsgiApp:
        """Return the application; build it first if necessary."""
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        application = self._built if self._built is not None else await asyncio.to_thread(self.built)
        await application(scope, receive, send)
