"""The time to run 20 recorded calls again, compared with their recorded times.

python -m tests.bench.bench_replay
"""

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from engine.app.app import App, open_app
from engine.commands.catalog import BeginChat, ReplayChat, Upload
from tests.bench.harness import Figure, main, once

__all__ = ["measure"]

ROUNDS = 5
RECORDED = "the same calls when they were recorded"
_ORDERS = "region,month,revenue\n" + "".join(
    f"{'NSEW'[i % 4]},2026-{1 + i % 12:02d},{i * 37 % 991}\n" for i in range(2_000)
)
_BY = ("region", "month", "region, month", "month, region")


def measure() -> list[Figure]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name, open_app(Path(name) / "data") as app:
        chat_id = _recorded(app, Path(name))
        calls = list(app.chat(chat_id).calls.values())
        assert len(calls) == 20
        assert all(call.status == "success" for call in calls)
        recorded = 1000 * sum(call.seconds or 0.0 for call in calls)
        took = statistics.median(once(lambda: app.send(ReplayChat(chat_id))) for _ in range(ROUNDS))
        verdicts = {one.verdict for one in app.chat(chat_id).verdicts.values()}
        assert verdicts == {"identical"}
    ratio = took / recorded
    return [
        Figure("20 calls: queries, charts, Python", recorded, "ms", 1.0, RECORDED),
        Figure("all of them run again and compared", took, "ms", ratio, RECORDED, "≤ 1.5 x", ratio <= 1.5),
    ]


def _recorded(app: App, folder: Path) -> str:
    """A chat that starts with a call of each kind, so that the recorded times do not include starting a host."""
    steps: list[dict[str, Any]] = []
    for number in range(5):
        by = _BY[number % 4]
        sql = f"SELECT {by}, sum(revenue) AS r FROM orders WHERE revenue > {number} GROUP BY ALL ORDER BY ALL"
        steps.append({"name": "query", "arguments": {"sql": sql, "title": f"Query {number}"}})
        steps.append({"name": "describe", "arguments": {"table": "orders"}})
        chart = (
            f"SELECT region, sum(revenue) AS r FROM orders WHERE revenue > {number} GROUP BY ALL ORDER BY 1"
        )
        steps.append({"name": "chart", "arguments": {"sql": chart, "mark": "bar", "x": "region", "y": "r"}})
        code = f"tables['orders'].groupby('region')['revenue'].mean() + {number}"
        steps.append({"name": "python", "arguments": {"code": code}})
    warm, script = folder / "warm.json", folder / "script.json"
    warm.write_text(json.dumps([{"calls": steps[:4]}, {"text": "Warm."}]))
    script.write_text(json.dumps([*({"calls": [step]} for step in steps), {"text": "Done."}]))
    upload = Upload("orders.csv", _ORDERS.encode())
    for text, model in (("Warm up.", warm), ("Analyse.", script)):
        begun = app.send(BeginChat(text, [upload], model=f"scripted:{model}", depth="thorough"))
        app.wait(begun.turn_id)
    return begun.chat_id


if __name__ == "__main__":
    main(measure)
