"""Runs each turn in a separate thread, so that turns do not depend on a browser or caller (TRN-9)."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from threading import Lock, Thread, Timer

from engine.chats.signals import LiveTurn, Signals
from engine.errors import Unavailable
from engine.turn.parts import Turn, TurnParts
from engine.turn.turn import run_turn

__all__ = ["RunningTurns"]

_log = logging.getLogger("anabranch.turn")


class RunningTurns:
    """Starts turns, stops them, and waits for them."""

    def __init__(
        self, parts: TurnParts, signals: Signals, begins: Callable[[], None], after: Callable[[], None]
    ) -> None:
        """`begins` is called when a turn has started. `after` is called in the thread of a turn when that turn has
        ended and no other turn is running."""
        self._parts = parts
        self._signals = signals
        self._begins = begins
        self._after = after
        self.ended: Callable[[str], None] = lambda _: None
        """Called with the chat of each turn that has ended or waits for the user."""
        self._lock = Lock()
        self._running: dict[str, tuple[Turn, Future[None]]] = {}
        self._at_work = 0
        self._closed = False

    def start(self, turn: Turn, live: LiveTurn) -> None:
        """Run the started `turn` in a thread. A turn that continues waits until its earlier work is stored.

        Raises:
            Unavailable: the app is closing.
        """
        ended: Future[None] = Future()
        with self._lock:
            if self._closed:
                raise Unavailable("closing", "Anabranch is closing. Start it again and retry.")
            earlier = self._running.get(turn.turn_id)
            arguments = (turn, live, ended, earlier[1] if earlier else None)
            thread = Thread(target=self._run, args=arguments, name=f"turn-{turn.turn_id[:8]}", daemon=True)
            if earlier is None:
                self._signals.begin(turn.chat_id, live)
            try:
                thread.start()
            except RuntimeError:
                self._signals.end(turn.chat_id, turn.turn_id, "interrupted")
                raise
            self._running[turn.turn_id] = (turn, ended)
            self._at_work += 1
        self._begins()

    def _run(self, turn: Turn, live: LiveTurn, ended: Future[None], earlier: "Future[None] | None") -> None:
        try:
            if earlier is not None:
                wait_for([earlier])
                self._signals.begin(turn.chat_id, live)
            with _limited(turn):
                run_turn(self._parts, turn)
        except Exception:
            _log.exception("Turn %s failed.", turn.turn_id)
        finally:
            with self._lock:
                self._at_work -= 1
                idle = self._at_work == 0
            try:
                if idle:
                    self._after()
            except Exception:
                _log.exception("Work that follows the end of a turn failed.")
            finally:
                with self._lock:
                    if self._running[turn.turn_id][1] is ended:
                        del self._running[turn.turn_id]
                ended.set_result(None)
        if not turn.closing:
            self.ended(turn.chat_id)

    def stop(self, chat_id: str) -> int:
        """Stop the chat's turns; return the number of these turns."""
        with self._lock:
            turns = [turn for turn, _ in self._running.values() if turn.chat_id == chat_id]
        for turn in turns:
            turn.cancel.set()
        return len(turns)

    def forget_requests(self) -> None:
        """Forget the cached requests, so that the next request of each chat is built again from its events."""
        self._parts.before.clear()

    def wait(self, turn_id: str, seconds: float | None = None) -> bool:
        """Wait until a turn has ended, or for `seconds`; return whether it has ended."""
        with self._lock:
            running = self._running.get(turn_id)
        return running is None or not wait_for([running[1]], timeout=seconds).not_done

    def close(self, seconds: float = 10.0) -> None:
        """Stop all turns, which end as `interrupted`, and wait for them."""
        with self._lock:
            self._closed = True
            running = list(self._running.values())
        for turn, _ in running:
            turn.closing = True
            turn.cancel.set()
        wait_for([ended for _, ended in running], timeout=seconds)


@contextmanager
def _limited(turn: Turn) -> Iterator[None]:
    """Stop the turn if it works for longer than its rules allow."""
    if turn.rules.max_seconds is None:
        yield
        return
    timer = Timer(turn.rules.max_seconds, turn.run_out)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
