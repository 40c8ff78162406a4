"""Changing a call in random analyses gives the same results as making the change by hand."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import BeginChat, RerunChat, Upload
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call, script

DATA = b"k,x\n" + b"".join(b"%s,%d\n" % (b"abcd"[n % 4 :][:1], n * 7 % 23) for n in range(40))
NAMES = ("a.txt", "b.txt", "data.csv")


def any_call(chance: Random) -> dict[str, Any]:
    """A call that succeeds with any files."""
    number = chance.randrange(100)
    match chance.randrange(5):
        case 0:
            return call("put", files={chance.choice(NAMES[:2]): str(number)})
        case 1:
            return call("put", files={"data.csv": f"k,x\na,{number}\nb,{number * 2}\n"})
        case 2:
            return call("look")
        case 3:
            return call("query", sql=f"SELECT k, sum(x) + {number} AS s FROM data GROUP BY ALL ORDER BY ALL")
        case _:
            return call("query", sql=f"SELECT count(*) AS n FROM data WHERE x > {number}")


def changed(given: dict[str, Any], chance: Random) -> dict[str, Any]:
    """The same tool with other arguments."""
    while True:
        other = any_call(chance)
        if other["name"] == given["name"] and (other != given or given["name"] == "look"):
            return other


def played(app: App, folder: Path, steps: list[list[dict[str, Any]]]) -> Talk:
    model = script(folder, [*({"calls": step} for step in steps), {"text": "Done."}])
    selection = {"kit": ["put", "look"], "data-analyst": ["query"]}
    begun = app.send(
        BeginChat("Go.", [Upload("data.csv", DATA)], model=model, selection=selection, depth="thorough")
    )
    assert app.wait(begun.turn_id, 500)
    return Talk(app, folder.parent, begun.chat_id)


@pytest.mark.parametrize(
    "seed",
    mostly_long(
        [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))], quick=(2,)
    ),
)
def test_a_changed_call_gives_the_same_results_as_a_change_by_hand(
    app: App, tmp_path: Path, seed: int
) -> None:
    """The calls before it are the same events; those after it have the results and the files of a new chat."""
    chance = Random(seed)
    steps = [
        [any_call(chance) for _ in range(chance.choice((1, 1, 1, 2)))] for _ in range(chance.randint(4, 8))
    ]
    talk = played(app, tmp_path / "one.json", steps)
    before, at = talk.calls(), chance.randrange(len(steps))
    place = chance.randrange(len(steps[at]))
    new = changed(steps[at][place], chance)
    ahead = sum(map(len, steps[:at]))
    app.send(RerunChat(talk.chat_id, call_id=before[ahead + place].call_id, arguments=new["arguments"]))

    steps[at][place] = new
    by_hand = played(app, tmp_path / "two.json", steps)

    assert [one.call_id for one in talk.calls()[:ahead]] == [one.call_id for one in before[:ahead]]
    assert not {one.call_id for one in talk.calls()[ahead:]} & {one.call_id for one in before}
    assert [(one.status, one.args, one.result) for one in talk.calls()] == [
        (one.status, one.args, one.result) for one in by_hand.calls()
    ]
    assert app.workspace.files(talk.chat_id) == app.workspace.files(by_hand.chat_id)
