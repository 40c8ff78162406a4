"""The history of a chat, event by event, each with its link in the hash chain."""

import pytest

from engine.errors import NotFound
from engine.views.event_descriptions import lane_of, what_happened
from events.catalog.event_types import EVENT_TYPES
from tests.support.talk import Talk, call


def test_the_moments_are_the_chats_events_in_order(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"})]}, {"text": "Done."})
    talk.ask("go")
    recorded = talk.app.log.read_stream(f"chat-{talk.chat_id}")
    moments = talk.app.past.moments(talk.chat_id)
    assert [(m.position, m.type) for m in moments] == [(r.position, r.event.type) for r in recorded]
    assert {m.turn_id for m in moments} == {None, talk.branch()[-1].turn_id}


def test_an_event_comes_with_its_cause_and_the_state_of_the_chain(talk: Talk) -> None:
    talk.replies({"text": "Yes."})
    talk.ask("?")
    moments = talk.app.past.moments(talk.chat_id)
    for moment in moments:
        link = talk.app.past.event(moment.position)
        assert (link.recorded.position, link.recorded.event.type, link.holds) == (
            moment.position,
            moment.type,
            True,
        )
        if link.recorded.causation_id:
            cause = talk.app.past.cause(link.recorded.causation_id)
            assert cause is not None
            assert cause.recorded.event_id == link.recorded.causation_id


def test_a_missing_chat_and_a_missing_position_are_named(talk: Talk) -> None:
    with pytest.raises(NotFound, match="There is no chat nope"):
        talk.app.past.moments("nope")
    with pytest.raises(NotFound, match="There is no position 999999999"):
        talk.app.past.event(999_999_999)


def test_every_event_of_a_chat_has_a_lane_and_a_sentence(talk: Talk) -> None:
    talk.replies({"text": "I do.", "calls": [call("put", files={"a": "1"})]}, {"text": "Done."})
    talk.ask("go")
    told = [what_happened(event) for event in talk.events()]
    assert told[-1] == "The turn ended with its answer."
    assert "A tool changed files: 1 added." in told
    assert "The answer was added." in told
    assert not [sentence for sentence in told if sentence.endswith("was recorded.")]
    assert {lane_of(name) for name in EVENT_TYPES} == {"messages", "calls", "files", "choices"}


def test_a_chat_that_was_read_before_shows_new_events_and_its_past_does_not_change(talk: Talk) -> None:
    talk.replies({"text": "First."}, {"text": "Second."})
    talk.ask("one")
    app, head = talk.app, talk.app.log.head()
    then, early = app.chat(talk.chat_id), app.chat(talk.chat_id, at=head + 1_000)
    assert app.chat(talk.chat_id) is then
    assert len(app.past.moments(talk.chat_id)) == len(talk.events())
    talk.ask("two")
    assert [m.text for m in app.chat(talk.chat_id).branch()] == ["one", "First.", "two", "Second."]
    assert app.chat(talk.chat_id, at=head + 1_000) == app.chat(talk.chat_id)
    assert app.chat(talk.chat_id, at=head) == then == early
    assert len(app.past.moments(talk.chat_id)) == len(talk.events())


def test_chats_are_found_by_the_text_of_messages_on_any_branch(talk: Talk) -> None:
    talk.replies({"text": 'The "Grüne" answer.'})
    talk.ask("Where did Lisbon go?")
    past = talk.app.past
    for words in ("lisbon GO", 'the "grüne"', "Where did"):
        assert talk.chat_id in past.chats_that_say(words)
        assert words.casefold() in past.chats_that_say(words)[talk.chat_id].casefold()
    talk.retry(talk.branch()[0].message_id)
    assert talk.chat_id in past.chats_that_say("grüne")
    assert talk.chat_id not in past.chats_that_say("100%_of nothing")
