"""Workings: the model's block of computations below an answer is checked, recorded, and not part of the text."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import EditAnswer
from engine.models.messages import Message, TextPart
from engine.models.registry import Models
from engine.turn.workings_stream import WorkingsStream
from events.catalog.parts import WorkingsPart
from tests.engine.turn.test_second_look import QUERY, WRONG, answered, document, last_request

TEXT = "East and West made 786,850, of which East has a third."
BLOCK = "\n\n```workings\n786,850 = 271640 + 515210 | revenue\na third = 271640 / (271640 + 515210) | East of all\n```"


def split(text: str, cuts: Sequence[int]) -> list[tuple[str, str]]:
    """Feed a text in pieces, and join neighbouring pieces of one kind."""
    stream, found = WorkingsStream(), list[tuple[str, str]]()
    ends = [*cuts, len(text)]
    pieces = [
        one for start, end in zip([0, *ends], ends, strict=False) for one in stream.add(text[start:end])
    ]
    for kind, piece in (*pieces, *stream.end()):
        if found and found[-1][0] == kind:
            found[-1] = kind, found[-1][1] + piece
        else:
            found.append((kind, piece))
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (TEXT + BLOCK, [("text", TEXT), ("workings", BLOCK)]),
        (TEXT + BLOCK + "\nMore.", [("text", TEXT), ("workings", BLOCK), ("text", "\nMore.")]),
        (BLOCK.lstrip(), [("workings", BLOCK.lstrip())]),
        ("A\n~~~ Working\nx\n~~~", [("text", "A"), ("workings", "\n~~~ Working\nx\n~~~")]),
        ("A\n```workings\nnever closed", [("text", "A"), ("workings", "\n```workings\nnever closed")]),
        ("A\n````workings\n```\n````", [("text", "A"), ("workings", "\n````workings\n```\n````")]),
        ("A ```workings\nx\n```", [("text", "A ```workings\nx\n```")]),
        ("A\n```sql\nSELECT 1\n```\n", [("text", "A\n```sql\nSELECT 1\n```\n")]),
        ("A\n```work", [("text", "A\n```work")]),
        (" \n\n", [("text", " \n\n")]),
        ("", []),
    ],
)
def test_a_block_is_separated_wherever_the_stream_is_cut(text: str, wanted: list[tuple[str, str]]) -> None:
    chance = random.Random(7)
    for _ in range(100):
        cuts = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(0, 8)))
        assert split(text, cuts) == wanted


def test_long_blank_space_before_a_block_is_not_held_back_forever() -> None:
    stream = WorkingsStream()
    passed = sum(len(piece) for _ in range(200) for _, piece in stream.add("\n" * 100))
    assert passed > 15_000


def test_the_block_is_checked_and_is_not_part_of_the_answers_text(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, QUERY, {"text": TEXT + BLOCK})
    found = document(talk)
    assert (found["answer"], found["drafts"]) == (TEXT, [])
    total, third = found["numbers"]
    assert (total["status"], total["derivation"]["operation"], total["derivation"]["formula"]) == (
        "derived",
        "working",
        "271,640 + 515,210",
    )
    assert total["working"] == {"text": "271640 + 515210 | revenue", "objection": None}
    assert (third["text"], third["status"]) == ("a third", "derived")
    answer = talk.branch()[-1]
    assert [part.kind for part in answer.parts] == ["text", "workings"]
    assert app.dossier(talk.chat_id, answer.message_id, 1).objection == ""


def test_the_workings_block_is_sent_back_to_the_model_unchanged(app: App, tmp_path: Path) -> None:
    talk = answered(
        app, tmp_path, QUERY, {"text": f"{WRONG['text']}{BLOCK}\nThat is all."}, {"text": "None."}
    )
    request = last_request(talk)
    draft = [one for one in request.messages if isinstance(one, Message)][-1]
    assert any(isinstance(part, WorkingsPart) for part in draft.parts)
    model = Models(lambda _: None).resolve("openai:a-model", "http://127.0.0.1:1/v1")
    said = [
        one["content"] for one in json.loads(model.body(request))["messages"] if one["role"] == "assistant"
    ]
    assert said[-1] == f"{WRONG['text']}{BLOCK}\nThat is all."


def test_a_workings_line_that_gives_another_number_is_sent_back_with_the_reason(
    app: App, tmp_path: Path
) -> None:
    slip = "Together they made 768,850.\n```workings\n768,850 = 271640 + 515210 | revenue\n```"
    talk = answered(app, tmp_path, QUERY, {"text": slip}, {"text": TEXT + BLOCK})
    assert document(talk)["drafts"] == ["Together they made 768,850."]
    data = [one for one in last_request(talk).messages if isinstance(one, Message)][-1].data_part
    assert "its working was not accepted: it gives 786,850" in data


def test_a_second_answer_with_only_workings_completes_the_draft(app: App, tmp_path: Path) -> None:
    """The model need not write a long answer again if all of its numbers are right."""
    doubted = "The east has 90,546.67 for each of its three shops."
    block = "```workings\n90,546.67 = 271640 / 3 | revenue of East, three shops\n```"
    talk = answered(app, tmp_path, QUERY, {"text": doubted}, {"text": block})
    found = document(talk)
    assert (found["finish"], found["answer"], found["drafts"]) == ("stop", doubted, [doubted])
    assert found["numbers"][0]["status"] == "derived"
    assert TextPart(text=doubted) in talk.branch()[-1].parts


def test_workings_without_a_draft_are_not_an_answer(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, QUERY, {"text": BLOCK})
    assert (document(talk)["answer"], document(talk)["numbers"]) == ("", [])
    ended = max(app.chat(talk.chat_id).turns.values(), key=lambda one: one.started_at)
    assert ended.problem == "The model returned an empty answer. Retry, or choose another model."


def test_an_edited_answer_keeps_its_workings(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, QUERY, {"text": TEXT + BLOCK})
    message_id = app.send(
        EditAnswer(talk.chat_id, talk.branch()[-1].message_id, TEXT.replace("made", "earned"))
    )
    assert [one.status for one in app.numbers(talk.chat_id, message_id)] == ["derived", "derived"]
