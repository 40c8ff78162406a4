"""A model reviews the numbers of its answer in a separate request; a number that it calls wrong is doubted."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.turn_document import turn_document
from engine.cli.why_text import number_text
from engine.commands.catalog import BeginChat, ChangeSetting, ForkChat, Upload
from engine.models.messages import Message
from engine.numbers.review_request import REVIEW_SYSTEM
from engine.views.dossier import dossier_document
from engine.views.event_descriptions import what_happened
from events.catalog.answer import NumbersReviewed
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider
from tests.support.talk import Talk, call

ORDERS = b"region,revenue\nEast,271640\nWest,515210\nNorth,180400\n"
SQL = "SELECT region, revenue FROM orders"
QUERY = {"calls": [call("query", sql=SQL, title="Revenue")]}


def answered(
    app: App, folder: Path, review: dict[str, str] | None, *replies: dict[str, Any], revises: bool = True
) -> Talk:
    script = folder / "script.json"
    script.write_text(json.dumps({"replies": [QUERY, *replies], "revises": revises, "review": review}))
    uploads = [Upload("orders.csv", ORDERS)]
    turn = app.send(BeginChat("How are the regions?", uploads, model=f"scripted:{script}"))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def document(talk: Talk) -> dict[str, Any]:
    turns = talk.app.chat(talk.chat_id).turns.values()
    return turn_document(talk.app, talk.chat_id, max(turns, key=lambda one: one.started_at).turn_id)


def statuses(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["text"], one["status"]) for one in found["numbers"]]


def reviews(talk: Talk) -> list[NumbersReviewed]:
    return [event for event in talk.events() if isinstance(event, NumbersReviewed)]


def test_a_number_that_the_review_calls_wrong_is_sent_back_with_the_reason(app: App, tmp_path: Path) -> None:
    """No rule knows what "third" refers to."""
    wrong, right = "East is the third region, with 271,640.", "East is the second region, with 271,640."
    review = {"third": "wrong: North is third, East is second"}
    talk = answered(app, tmp_path, review, {"text": wrong}, {"text": right})
    found = document(talk)
    assert (found["answer"], found["drafts"]) == (right, [wrong])
    assert statuses(found) == [("second", "plain"), ("271,640", "exact")]
    turn = next(iter(app.chat(talk.chat_id).turns.values()))
    request = app.request(talk.chat_id, turn.turn_id, turn.steps)
    sent = [one for one in request.messages if isinstance(one, Message)][-1].data_part
    assert (
        "- third in “East is the third region, with 271,640.”: a review found it wrong: North is third"
        in sent
    )
    draft, answer = reviews(talk)
    assert [(one.text, one.verdict) for one in draft.numbers] == [("third", "wrong"), ("271,640", "right")]
    assert what_happened(draft) == "The numbers of the answer were reviewed: 1 of 2 may be wrong."
    assert what_happened(answer) == "The numbers of the answer were reviewed: none of 2 may be wrong."


def test_a_number_that_is_wrong_again_is_marked_and_explained(app: App, tmp_path: Path) -> None:
    """A cell was found for the number, but the review says that the sentence means another one."""
    text = "The best region made 271,640."
    review = {"271,640": "wrong: the best is West with 515210"}
    talk = answered(app, tmp_path, review, {"text": text}, {"text": text})
    found = document(talk)
    assert found["drafts"] == [text]
    (number,) = found["numbers"]
    assert number["status"] == "unbacked"
    assert number["review"] == {"verdict": "wrong", "source": None, "reason": "the best is West with 515210"}
    dossier = app.dossier(talk.chat_id, talk.branch()[-1].message_id, 1)
    assert dossier.review == (
        "Script script.json reviewed the answer and found this number wrong: the best is West with 515210."
    )
    told = number_text(dossier_document(dossier))
    assert told.startswith("271,640: Found wrong\n")
    assert dossier.review in told


def test_an_unconfirmed_number_is_traced_if_the_source_in_the_review_gives_it(
    app: App, tmp_path: Path
) -> None:
    text = "For every euro that the west took, there were 53 cents there."
    without = document(answered(app, tmp_path, None, {"text": text}, revises=False))
    assert statuses(without)[-1][1] in ("unclear", "unbacked")
    review = {"53": "right = 271640 / 515210 * 100"}
    found = document(answered(app, tmp_path, review, {"text": text}, revises=False))
    assert statuses(found) == [("53", "derived")]
    assert [one["value"] for one in found["numbers"][0]["derivation"]["cells"]] == [271640, 515210]


@pytest.mark.parametrize(
    "source",
    ["271640 / 180400", "999 / 1885", "rows(East; West)", "53", "sum(nothing)", "", "__import__('os')"],
)
def test_a_review_without_a_source_does_not_prove_a_number(app: App, tmp_path: Path, source: str) -> None:
    text = "For every euro that the west took, there were 53 cents there."
    review = {"53": f"right = {source}" if source else "right"}
    talk = answered(app, tmp_path, review, {"text": text}, revises=False)
    assert statuses(document(talk))[-1][1] in ("unclear", "unbacked")
    dossier = app.dossier(talk.chat_id, talk.branch()[-1].message_id, 1)
    assert "found this number right" in dossier.review
    assert dossier.review.endswith("The results do not confirm this.")


def test_a_review_that_cannot_be_parsed_changes_nothing_and_that_is_reported(
    app: App, tmp_path: Path
) -> None:
    replies = [
        Reply(calls=(Call("toolset__data-analyst__query", {"sql": SQL}),)),
        Reply(text="East made 271,640."),
        Reply(text="I think that all of it is fine."),
    ]
    with fake_provider("openai", replies) as server:
        turn = app.send(
            BeginChat(
                "What did East make?",
                [Upload("orders.csv", ORDERS)],
                model="openai:fake-model",
                base_url=server.base_url,
            )
        )
        app.wait(turn.turn_id)
        assert server.problems == []
        asked = server.requests[-1].json
    talk = Talk(app, tmp_path, turn.chat_id)
    assert statuses(document(talk)) == [("271,640", "exact")]
    (review,) = reviews(talk)
    assert review.numbers == ()
    assert review.problem == "The model did not reply in the form that it was asked for."
    assert what_happened(review) == "The numbers of the answer could not be reviewed."
    system, question = (one["content"] for one in asked["messages"])
    assert system == REVIEW_SYSTEM
    assert "East made 271,640[1]." in str(question)
    assert "1: 271,640: 271,640 = revenue of East in R1" in str(question)
    assert "tools" not in asked
    sent, replied = app.review_texts(turn.chat_id, review.message_id) or ("", "")
    assert sent in str(question)
    assert replied == "I think that all of it is fine."


@pytest.mark.parametrize("last", [Reply(status=400), Reply(text="1 wrong: it is We", finish="length")])
def test_an_incomplete_review_decides_nothing(app: App, tmp_path: Path, last: Reply) -> None:
    replies = [
        Reply(calls=(Call("toolset__data-analyst__query", {"sql": SQL}),)),
        Reply(text="East made 271,640."),
    ]
    with fake_provider("openai", [*replies, *[last] * 9]) as server:
        uploads = [Upload("orders.csv", ORDERS)]
        turn = app.send(BeginChat("Why?", uploads, model="openai:fake-model", base_url=server.base_url))
        app.wait(turn.turn_id)
    talk = Talk(app, tmp_path, turn.chat_id)
    found = document(talk)
    assert (found["finish"], found["drafts"], statuses(found)) == ("stop", [], [("271,640", "exact")])
    (review,) = reviews(talk)
    assert review.numbers == ()
    assert review.problem


def test_no_review_is_requested_if_the_setting_is_off_or_there_is_nothing_to_review(
    app: App, tmp_path: Path
) -> None:
    assert reviews(answered(app, tmp_path, {}, {"text": "Nothing to report."})) == []
    app.send(ChangeSetting("review_numbers", False))
    assert reviews(answered(app, tmp_path, {}, {"text": "East made 271,640."})) == []
    app.send(ChangeSetting("review_numbers", None))  # the app is that of all tests here


def test_a_fork_contains_the_review_of_its_answer(app: App, tmp_path: Path) -> None:
    review = {"271,640": "wrong: it is West"}
    talk = answered(app, tmp_path, review, {"text": "It is 271,640."}, revises=False)
    fork = app.send(ForkChat(talk.chat_id))
    there = Talk(app, tmp_path, fork)
    numbers = app.numbers(fork, there.branch()[-1].message_id)
    assert [one.traced.review.reason for one in numbers if one.traced.review] == ["it is West"]
