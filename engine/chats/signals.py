"""Live updates of a running turn for its watchers. They are never stored, and are dropped when the turn ends. They
contain only JSON values.
"""

import logging
from collections.abc import Callable
from dataclasses import field, replace
from threading import RLock
from typing import Any, TypeAlias

from events.late_dataclass import dataclass

__all__ = ["MOST_ARGUMENTS", "LiveCall", "LiveTurn", "Signal", "Signals", "Watcher"]

_log = logging.getLogger("anabranch.signals")

Signal: TypeAlias = dict[str, Any]
"""`{"type": …, "chat_id": …, …}`; the types are `turn`, `text`, `step`, `call`, `upload`, `end` and `changed`."""

MOST_ARGUMENTS = 2_000
"""The maximum number of characters of a running call's arguments that watchers receive."""

Watcher: TypeAlias = Callable[[Signal], None]


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call of a running turn, as watchers see it."""

    call_id: str
    name: str
    toolset: str
    status: str
    commentary: str = ""
    arguments: str = ""
    """The arguments of the call: its SQL, its code, or its arguments as JSON; cut at `MOST_ARGUMENTS`."""
    fraction: float | None = None
    text: str = ""


@dataclass(slots=True)
class LiveTurn:
    """The state of a running turn, for a watcher who joins later."""

    turn_id: str
    message_id: str
    """The id of the question."""
    started_at: float
    """The time of the start, in seconds since 1970."""
    text: str = ""
    """The draft of the current step."""
    calls: dict[str, LiveCall] = field(default_factory=dict)


class Signals:
    """The watchers of each chat, and the reported state of the running turns."""

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        """`clean` removes secrets from the messages that a tool writes."""
        self._clean = clean
        self._lock = RLock()
        self._watchers: dict[str, list[Watcher]] = {}
        self._turns: dict[str, dict[str, LiveTurn]] = {}

    def watch(self, chat_id: str, watcher: Watcher) -> tuple[list[Signal], Callable[[], None]]:
        """Return the current state and a function that stops watching. `watcher` gets each later signal, in order.

        Watchers are called in the turn's thread and must not block; a watcher that raises an error is not called again.
        """
        with self._lock:
            self._watchers.setdefault(chat_id, []).append(watcher)
            caught_up = [_picture(chat_id, turn) for turn in self._turns.get(chat_id, {}).values()]

        def stop() -> None:
            self._forget(chat_id, watcher)

        return caught_up, stop

    def begin(self, chat_id: str, turn: LiveTurn) -> None:
        """Report that a turn began to run."""
        with self._lock:
            self._turns.setdefault(chat_id, {})[turn.turn_id] = turn
            self._send(_picture(chat_id, turn))

    def end(self, chat_id: str, turn_id: str, reason: str) -> None:
        """Report that a turn ended. Everything else about it is in its events."""
        with self._lock:
            turns = self._turns.get(chat_id, {})
            turns.pop(turn_id, None)
            if not turns:
                self._turns.pop(chat_id, None)
            self._send({"type": "end", "chat_id": chat_id, "turn_id": turn_id, "reason": reason})

    def text(self, chat_id: str, turn_id: str, text: str) -> None:
        """Report more text of the current step."""
        with self._lock:
            turn = self._turns.get(chat_id, {}).get(turn_id)
            if turn is not None:
                turn.text += text
            self._send({"type": "text", "chat_id": chat_id, "turn_id": turn_id, "text": text})

    def step(self, chat_id: str, turn_id: str) -> None:
        """Report that a step's reply ended with calls. The text so far is then commentary, not the answer."""
        with self._lock:
            turn = self._turns.get(chat_id, {}).get(turn_id)
            if turn is not None:
                turn.text = ""
            self._send({"type": "step", "chat_id": chat_id, "turn_id": turn_id})

    def call(self, chat_id: str, turn_id: str, call: LiveCall) -> None:
        """Report a new call, or the new status of a call."""
        clean = self._clean
        call = replace(
            call, text=clean(call.text), commentary=clean(call.commentary), arguments=clean(call.arguments)
        )
        with self._lock:
            turn = self._turns.get(chat_id, {}).get(turn_id)
            if turn is not None:
                turn.calls[call.call_id] = call
            self._send({"type": "call", "chat_id": chat_id, "turn_id": turn_id, "call": _call(call)})

    def upload(self, chat_id: str, name: str, received: int, size: int | None) -> None:
        """Report the progress of an upload: the bytes received so far, and the total if it is known."""
        with self._lock:
            told = {"type": "upload", "chat_id": chat_id, "name": name, "received": received, "size": size}
            self._send(told)

    def changed(self, chat_id: str) -> None:
        """Report that something durable changed in the chat and must be read again."""
        with self._lock:
            self._send({"type": "changed", "chat_id": chat_id})

    def running(self, chat_id: str) -> list[LiveTurn]:
        """Return the chat's running turns at this moment."""
        with self._lock:
            return [replace(turn, calls=dict(turn.calls)) for turn in self._turns.get(chat_id, {}).values()]

    def _send(self, signal: Signal) -> None:
        for watcher in tuple(self._watchers.get(signal["chat_id"], ())):
            try:
                watcher(signal)
            except Exception:  # a watcher whose page is closed must not stop the turn
                _log.warning("A watcher of chat %s failed and was removed.", signal["chat_id"], exc_info=True)
                self._forget(signal["chat_id"], watcher)

    def _forget(self, chat_id: str, watcher: Watcher) -> None:
        with self._lock:
            watchers = self._watchers.get(chat_id, [])
            if watcher in watchers:
                watchers.remove(watcher)
            if not watchers:
                self._watchers.pop(chat_id, None)


def _picture(chat_id: str, turn: LiveTurn) -> Signal:
    return {
        "type": "turn",
        "chat_id": chat_id,
        "turn_id": turn.turn_id,
        "message_id": turn.message_id,
        "started_at": turn.started_at,
        "text": turn.text,
        "calls": [_call(call) for call in turn.calls.values()],
    }


def _call(call: LiveCall) -> dict[str, Any]:
    return {name: getattr(call, name) for name in LiveCall.__slots__}
