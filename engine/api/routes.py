"""The routes under /v1: health, and a WebSocket for each chat that carries its running turns."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from engine.app import App
from engine.commands import StopTurn
from engine.signals import Signal

__all__ = ["api"]


def api(app: Callable[[], App]) -> FastAPI:
    """Return the API over `app`."""
    routes = FastAPI(title="Anabranch", version=version("anabranch"), docs_url=None, redoc_url=None)

    @routes.get("/health", operation_id="health")
    def health() -> dict[str, Any]:
        """That the service is there, which process it is, and where its log stands."""
        opened = app()
        return {"ok": opened.log.recovery.problem is None, "pid": os.getpid(), "position": opened.log.head()}

    @routes.websocket("/chats/{chat_id}/ws")
    async def live(socket: WebSocket, chat_id: str) -> None:
        """Send what catches up, then each signal of the chat; take `{"type": "stop"}`."""
        await socket.accept()
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Signal] = asyncio.Queue()

        def watcher(signal: Signal) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, signal)

        caught_up, stop_watching = app().watch(chat_id, watcher)
        tasks = {
            asyncio.create_task(_listen(socket, app(), chat_id)),
            asyncio.create_task(_send(socket, caught_up, queue)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop_watching()
            for task in tasks:
                task.cancel()
            for task in (await asyncio.wait(tasks))[0]:
                if not task.cancelled():
                    task.exception()  # looked at, so that nobody logs that the other side has left
            # where the other side left, it is closed already
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    return routes


async def _send(socket: WebSocket, first: list[Signal], queue: "asyncio.Queue[Signal]") -> None:
    await socket.send_json({"type": "hello", "running": len(first)})
    for signal in first:
        await socket.send_json(signal)
    while True:
        await socket.send_json(await queue.get())


async def _listen(socket: WebSocket, app: App, chat_id: str) -> None:
    while True:
        try:
            message = await socket.receive_json()
        except WebSocketDisconnect:
            return
        except (ValueError, KeyError):  # no JSON, or no text at all: nothing that we were asked
            continue
        if isinstance(message, dict) and message.get("type") == "stop":
            app.send(StopTurn(chat_id))
