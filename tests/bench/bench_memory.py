"""The memory of a process that answers 10,000 questions in 1,000 chats, which has to stay bounded.

python -m tests.bench.bench_memory
"""

import gc
import os
import tempfile
from pathlib import Path

from engine.app.app import open_app
from engine.commands.catalog import CreateChat
from tests.bench.bench_past import Analyst, asked
from tests.bench.harness import Figure, main

__all__ = ["measure"]

CHATS = 1_000


def measure() -> list[Figure]:
    """Return the process's memory after every few thousand questions, for 1,000 chats with ten questions each."""
    with tempfile.TemporaryDirectory() as name, open_app(Path(name) / "data") as app:
        app.providers.models.resolve = lambda *_: Analyst()  # type: ignore[method-assign]
        chats = [app.send(CreateChat(selection={})) for _ in range(CHATS)]
        used: list[float] = []
        for number in range(10):
            for chat_id in chats:
                asked(app, chat_id, f"Hello {number}?")
                app.chat(chat_id)
            used.append(_resident())
    return [
        Figure(
            f"memory after {len(chats) * (number + 1):,} questions in {len(chats):,} chats",
            value,
            "MB",
            value / used[3],
            f"after {len(chats) * 4:,}",
            "≤ 1.1 x" if number == len(used) - 1 else "",
            value <= 1.1 * used[3] if number == len(used) - 1 else None,
        )
        for number, value in enumerate(used)
        if number in (0, 3, 6, 9)
    ]


def _resident() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main(measure)
