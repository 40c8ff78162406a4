"""`anabranch rerun --pinned`: checks the standing questions, one after the other. Made for cron."""

from pathlib import Path
from typing import NoReturn

from engine.app.queries.catalog import Document, ListStandingQuestions
from engine.cli.options import opened
from engine.cli.output import Output, columns
from engine.cli.port import Engine, stoppable
from engine.commands.catalog import CheckStandingQuestion, StopTurn
from engine.errors import AnabranchError

__all__ = ["check_pinned"]

_MOVED = 4
"""The exit code if a value or result moved."""
_MOVEMENTS = ("moved", "no longer follows")
_SAID = {"no longer follows": "no longer true"}
_MARKS = ("verdict", "value", "branch_leaf")
"""If a question's value or results move, at least one of these fields of its document changes."""


def check_pinned(output: Output, data: Path | None, chat: str | None) -> NoReturn:
    """Check all standing questions, or those of one chat, and print the outcome of each check."""
    with opened(data) as engine:
        wanted = [one for one in engine.read(ListStandingQuestions()) if chat in (None, one["chat_id"])]
        verdicts = [_check(engine, one) for one in wanted]
    if any(one["check"] == "could not run" for one in verdicts):
        code = 1
    else:
        code = _MOVED if any(one["check"] != "same" for one in verdicts) else 0
    output.done(verdicts, _text(verdicts), code)


def _check(engine: Engine, one: Document) -> Document:
    """Check one question. Return its document after the check, with the outcome as `check`."""
    command = CheckStandingQuestion(one["chat_id"], one["pin_id"])
    try:
        check_id = stoppable(lambda: engine.send(command), lambda _: engine.send(StopTurn(one["chat_id"])))
    except AnabranchError as error:
        return one | {"check": "could not run", "check_id": None, "why": error.message}
    now = {found["pin_id"]: found for found in engine.read(ListStandingQuestions())}.get(one["pin_id"], one)
    found = now["last_verdict"] or "could not run"
    if found == "same" and now["verdict"] in _MOVEMENTS and any(now[key] != one[key] for key in _MARKS):
        # since this command began, a running app checked the question and found that it moved
        found = now["verdict"]
    return now | {"check": found, "check_id": check_id}


def _results(one: Document) -> str:
    """For an answer without a value, return a text that says how many results moved in this check."""
    number = one["moved"] if one["check"] in _MOVEMENTS else 0
    return f"{number} result{'' if number == 1 else 's'} moved"


def _text(verdicts: list[Document]) -> str:
    if not verdicts:
        return (
            "No answer is pinned. Pin an answer on the page, or with `anabranch send PinAnswer chat_id=CHAT`."
        )
    rows = [
        (
            " ".join(one["question"].split())[:60],
            one["value"] if one["value"] is not None else _results(one),
            one["before"] or "",
            _SAID.get(one["check"], one["check"]),
        )
        for one in verdicts
    ]
    lines = [columns(rows, ["question", "value", "was", "check"])]
    lines += [f"{one['question'][:60]}: {one['why']}" for one in verdicts if one["check"] == "could not run"]
    lines += [
        f"{one['question'][:60]}: “{said['text']}” is no longer true."
        for one in verdicts
        for said in one["sentences"]
        if not said["follows"]
    ]
    return "\n".join(lines)
