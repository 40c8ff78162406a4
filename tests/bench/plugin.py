"""Anabranch next to its peers: a plug-in for benchmarks of other stores that accept plug-ins (BENCH_PLUGIN).

For a benchmark of latency, `contenders(bench, ctx)` returns `harness.C(name, op, per=events)`; for one that runs each
contender in a separate process, `f(n) -> {"seconds": …}`. The harness belongs to those benchmarks, and is imported from
there.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from events.catalog.chat import MessageAdded
from events.catalog.parts import TextPart
from events.duckdb_log import DuckDBLog
from events.identity import UuidV7
from events.log import Append
from tests.bench.history import build

_id = UuidV7()


def contenders(bench: str, ctx: dict[str, Any]) -> dict[str, Any]:
    """The contenders of a benchmark; see the module."""
    from lib import harness  # noqa: PLC0415 - the peers' own

    if bench in ("append_single", "append_batch"):
        return {"ours": _appending(harness, bench, ctx)}
    if bench == "bench_rebuild":
        return {
            "Anabranch, rebuild of all read models": lambda n: _timed(
                harness, n, lambda log: log.reads.rebuild()
            )
        }
    if bench == "bench_chain":
        return {"Anabranch, log verify": lambda n: _timed(harness, n, DuckDBLog.verify)}
    return {}


def _appending(harness: Any, bench: str, ctx: dict[str, Any]) -> Any:
    log = DuckDBLog(_log(harness, ctx["prefill"]))
    stream, per = f"chat-{_id()}", ctx.get("n", 1)

    def message() -> MessageAdded:
        text = TextPart(text="lorem ipsum " * 33)
        return MessageAdded(message_id=_id(), parent_id=None, role="user", parts=(text,))

    def op(_: int) -> None:
        log.append(Append(stream, [message() for _ in range(per)]))

    return harness.C("Anabranch, journal + chain + read models", op, per=per, close=log.close)


def _timed(harness: Any, events: int, action: Any) -> dict[str, float]:
    log = DuckDBLog(_log(harness, events))
    began = time.perf_counter()
    action(log)
    return {"seconds": time.perf_counter() - began}


def _log(harness: Any, events: int) -> Path:
    home: Path = harness.DATA / f"anabranch_{events}"
    if not home.exists():
        build(home, events)
    return home
