"""A WebSocket for each chat that streams its running turns."""

import asyncio
import contextlib

from fastapi import WebSocket, WebSocketDisconnect

from engine.api.api_context import Running, StreamsOf
from engine.api.streams import Stream
from engine.app.app import App
from engine.chats.signals import Signal
from engine.commands.catalog import StopTurn
from engine.errors import AnabranchError

__all__ = ["live"]


async def live(app: Running, streams: StreamsOf, socket: WebSocket, chat_id: str) -> None:
    """Send the number of the chat's events and its running turns, then each signal of the chat.

    Accepts `{"type": "stop"}`.
    """
    await socket.accept()
    try:
        stream = streams.open()
    except AnabranchError as error:
        await socket.close(1013, error.code)
        return
    caught_up, stop_watching = app.watch(chat_id, stream.put)
    hello = {"type": "hello", "running": len(caught_up), "version": app.version(chat_id)}
    tasks = {
        asyncio.create_task(_listen(socket, app, chat_id)),
        asyncio.create_task(_send(socket, [hello, *caught_up], stream)),
    }
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop_watching()
        stream.leave()
        for task in tasks:
            task.cancel()
        for task in (await asyncio.wait(tasks))[0]:
            if not task.cancelled():
                # retrieve the exception, so that asyncio does not log the disconnect as an unhandled error
                task.exception()
        # if the client has disconnected, the socket is closed already
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(1012 if stream.was_cut else 1000)


async def _send(socket: WebSocket, first: list[Signal], stream: Stream) -> None:
    for signal in first:
        await socket.send_json(signal)
    async for signal in stream.items():
        await socket.send_json(signal)


async def _listen(socket: WebSocket, app: App, chat_id: str) -> None:
    while True:
        try:
            message = await socket.receive_json()
        except WebSocketDisconnect:
            return
        except (
            ValueError,
            KeyError,
            RecursionError,
        ):  # not JSON, or a binary message: ignored
            continue
        if isinstance(message, dict) and message.get("type") == "stop":
            with contextlib.suppress(AnabranchError):
                await asyncio.to_thread(app.send, StopTurn(chat_id))
