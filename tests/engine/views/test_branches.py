"""The drawn tree of a chat: a row for each question and answer, and lanes for branches, now and in the past."""

import time

from engine.commands.catalog import EditMessage, SelectLeaf
from engine.views.branches import branch_rows, rows_at
from tests.support.talk import Talk, call


def drawn(talk: Talk) -> list[tuple[str, int, int | None]]:
    return [(row.label, row.lane, row.parent) for row in branch_rows(talk.app.chat(talk.chat_id))]


def test_a_turn_is_one_row_regardless_of_its_number_of_steps(talk: Talk) -> None:
    talk.replies({"text": "I look.", "calls": [call("look")]}, {"text": "**Three** rows.\nAnd more."})
    talk.ask("how many?")
    assert drawn(talk) == [("how many?", 0, None), ("Three rows.", 0, 0)]


def test_a_branch_keeps_its_lane_and_a_new_branch_next_to_it_gets_another_one(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    talk.ask("a")
    first, answer = talk.branch()
    talk.retry(first.message_id)
    talk.app.send(SelectLeaf(talk.chat_id, answer.message_id))
    talk.ask("b")
    turn = talk.app.send(EditMessage(talk.chat_id, talk.branch()[2].message_id, "c"))
    talk.ended(turn.turn_id)
    assert drawn(talk) == [
        ("a", 0, None),
        ("One.", 0, 0),
        ("One.", 1, 0),
        ("b", 0, 1),
        ("Two.", 0, 3),
        ("c", 2, 1),
        ("Two.", 2, 5),
    ]
    rows = branch_rows(talk.app.chat(talk.chat_id))
    assert [row.label for row in rows if row.on_path] == ["a", "One.", "c", "Two."]
    assert [row.here for row in rows] == [False] * 6 + [True]


def test_later_rows_are_listed_separately_below_the_row_that_they_follow(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    talk.ask("a")
    position = talk.app.log.head()
    talk.ask("b")
    then, now = talk.app.chat(talk.chat_id, at=position), talk.app.chat(talk.chat_id)
    rows, later = rows_at(then, now, position)
    assert [(row.label, row.here) for row in rows] == [("a", False), ("One.", True)]
    assert [(row.label, row.parent, row.on_path) for row in later] == [("b", 1, False), ("Two.", 2, False)]


def test_a_row_leaves_out_formatting_marks_and_handles_many_of_them_quickly(talk: Talk) -> None:
    """Such texts could otherwise delay everybody. Marks within a word stay."""
    talk.replies({"text": "a" + "_" * 100_000 + "b"}, {"text": "."})
    talk.ask("__an__ `id` of _snake_case_")
    began = time.thread_time()
    (question, _, _), (answer, _, _) = drawn(talk)
    assert time.thread_time() - began < 1
    assert question == "an id of snake_case"
    assert answer.startswith("a____")


def test_an_answer_without_text_is_described(talk: Talk) -> None:
    talk.replies({"calls": [call("look")]}, {"text": "  "})
    talk.ask("go")
    assert drawn(talk)[1][0] in ("Used tools", "No text")


def test_a_branch_continues_to_the_message_last_used_in_it(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."}, {"text": "Three."})
    talk.ask("a")
    first, answer = talk.branch()
    talk.retry(first.message_id)
    talk.app.send(SelectLeaf(talk.chat_id, answer.message_id))
    talk.ask("b")
    view = talk.app.chat(talk.chat_id)
    assert [m.text for m in view.branch(view.tip(first.message_id))] == ["a", "One.", "b", "Two."]
    other = next(m for m in view.messages.values() if m.text == "One." and m.message_id != answer.message_id)
    assert view.tip(other.message_id) == other.message_id
