"""An analysis of 12 calls, run again over next month's file, has the same results as a new one."""

from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import BeginChat, RerunChat, Upload
from tests.engine.replay.test_recorded_analysis import CALLS, orders, targets
from tests.support.talk import Talk, script

TWELVE = CALLS[2:14]
"""Seven queries, three charts, and two of Python: a regression and a forecast."""


def next_month() -> bytes:
    """The orders with other numbers, one region less and more rows."""
    lines = [line.split(",") for line in orders().decode().splitlines()[1:]]
    kept = [[n, r, m, u, str(int(v) * 2 + int(n) % 7)] for n, r, m, u, v in lines if r != "S"]
    kept += [[str(600 + at), "E", "2026-12", "3", str(at)] for at in range(40)]
    return ("n,region,month,units,revenue\n" + "\n".join(map(",".join, kept)) + "\n").encode()


TARGETS = targets()
"""Once: a workbook has the time at which it was made."""


def analysed(app: App, folder: Path, name: str, data: bytes) -> Talk:
    model = script(folder / f"{name}.json", [*({"calls": [one]} for one in TWELVE), {"text": "Done."}])
    files = [Upload("orders.csv", data), Upload("targets.xlsx", TARGETS)]
    turn = app.send(BeginChat("Analyse.", files, model=model, depth="thorough", allow_confirmations=True))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def results(talk: Talk) -> list[Any]:
    return [(one.tool_id, one.status, one.result, one.error, one.render_plan) for one in talk.calls()]


@pytest.mark.long
def test_refreshing_with_next_months_file_gives_the_same_as_a_new_analysis(app: App, tmp_path: Path) -> None:
    talk = analysed(app, tmp_path, "old", orders())
    fresh = analysed(app, tmp_path, "new", next_month())
    before = results(talk)
    assert len(before) == 12
    assert {status for _, status, *_ in before} == {"success"}

    found = app.rerun(
        talk.chat_id, app.send(RerunChat(talk.chat_id, files=[Upload("orders.csv", next_month())]))
    )

    assert [one["status"] for one in found["calls"]] == ["ran"] * 12
    assert all(one["moved"] for one in found["calls"])
    assert results(talk) == results(fresh) != before
    assert app.workspace.files(talk.chat_id) == app.workspace.files(fresh.chat_id)
