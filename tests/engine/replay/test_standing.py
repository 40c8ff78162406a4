"""Standing questions: pinned answers run again with the chat's present files, and what each check says."""

from pathlib import Path

from engine.app.app import App
from engine.commands.catalog import (
    BeginChat,
    CheckStandingQuestion,
    MarkSeen,
    PinAnswer,
    Upload,
)
from engine.views.standing import StandingQuestion
from tests.support.talk import Talk, call, script

AUGUST = b"region,revenue\nEast,90500\nWest,200\nNorth,50\n"
SEPTEMBER = b"region,revenue\nEast,84310\nWest,220\nNorth,500\n"
NORTH = b"region,revenue\nEast,10\nWest,220\nNorth,500\n"
BY_REGION = "SELECT region, sum(revenue) AS r FROM orders GROUP BY ALL ORDER BY r DESC"
LEADER = "SELECT region, r FROM by_region LIMIT 1"


def asked(app: App, folder: Path, text: str, data: bytes = AUGUST) -> Talk:
    """A chat with an answer of two calls, the second of which reads the first one's table."""
    model = script(
        folder / f"script{len(list(folder.glob('script*')))}.json",
        [
            {"calls": [call("query", sql=BY_REGION, title="By region")]},
            {"calls": [call("query", sql=LEADER, title="Leader")]},
            {"text": text},
        ],
    )
    turn = app.send(BeginChat("How is the East doing?", [Upload("orders.csv", data)], model=model))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def save(talk: Talk, data: bytes) -> None:
    """Change the file in the chat's folder."""
    talk.place.joinpath("orders.csv").write_bytes(data)


def question(talk: Talk) -> StandingQuestion:
    (found,) = [one for one in talk.app.standing_questions() if one.of.chat_id == talk.chat_id]
    return found


def check(talk: Talk, pin_id: str) -> StandingQuestion:
    talk.app.send(CheckStandingQuestion(talk.chat_id, pin_id))
    return question(talk)


def test_a_number_that_moved_is_told_with_its_movement_until_it_was_seen(app: App, tmp_path: Path) -> None:
    """The chat stays where it is; what moved is on a branch that can be compared."""
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    leaf = app.chat(talk.chat_id).leaf
    new = question(talk)
    assert (new.of.value.text, new.of.group, new.of.verdict) == ("90,500", "same", "not checked")
    assert check(talk, pin_id).of.verdict == "same"
    events = len(talk.events())

    save(talk, SEPTEMBER)
    moved = check(talk, pin_id)
    assert (moved.of.group, moved.of.verdict, moved.of.value.text) == ("moved", "moved", "84,310")
    assert moved.change == -6190
    assert moved.of.leaf is not None
    assert app.chat(talk.chat_id).leaf == leaf
    assert moved.of.calls == 2
    assert moved.of.texts == ("90,500", "90,500", "84,310")
    assert len(talk.events()) > events

    app.send(MarkSeen(talk.chat_id, pin_id))
    seen = question(talk)
    assert (seen.of.group, seen.change) == ("same", 0)


def test_a_check_that_finds_nothing_new_leaves_two_events_and_no_branch(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    before, messages = len(talk.events()), len(app.chat(talk.chat_id).messages)
    check(talk, pin_id)
    assert [event.type for event in talk.events()[before:]] == [
        "StandingQuestionCheckStarted",
        "StandingQuestionChecked",
    ]
    assert len(app.chat(talk.chat_id).messages) == messages


def test_a_word_that_changed_no_longer_follows(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "**East** leads.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, NORTH)
    moved = check(talk, pin_id)
    assert (moved.of.verdict, moved.of.baseline.text, moved.of.value.text) == (
        "no longer follows",
        "East",
        "North",
    )
