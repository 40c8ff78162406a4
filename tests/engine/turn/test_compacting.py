"""A chat that outgrows its model's context window continues, and its beginning is not lost (SEAT-7)."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from engine.app.app import open_app
from engine.commands.catalog import ChangeSetting, ForkChat, SelectModel, Upload, UploadFiles
from engine.deciders.import_validation import unsound
from engine.models.registry import Models
from events.catalog.turn import ContextCompacted, StepStarted
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import FakeProvider, fake_provider
from tests.support.talk import Talk

DIALECTS = pytest.mark.parametrize(
    "dialect", ["openai", *(pytest.param(name, marks=pytest.mark.long) for name in ("gemini", "anthropic"))]
)
SUMMARY = "The first question was about Oslo, and the answer was 4711."
TOO_LONG = (
    "This model's maximum context length is {limit} tokens. However, your messages resulted in {sent} tokens."
)


def look(number: int, filler: int = 0) -> Reply:
    """A call whose result has a name and a few thousand characters."""
    back = {"table": f"result_{number}", "value": 4711 + number, "filler": "x " * filler}
    return Reply(text="I look.", calls=(Call("toolset__kit__look", {"back": back}),))


def asks_for_summary(body: Any) -> bool:
    return "Write a summary of it for yourself" in json.dumps(body)


def strict(limit: int, answer: Callable[[Any], Reply]) -> Callable[[Any], Reply]:
    """A model that accepts `limit` tokens, of four characters each, and refuses more."""

    def policy(body: Any) -> Reply:
        sent = len(json.dumps(body)) // 4
        if sent > limit:
            return Reply(status=400, error=TOO_LONG.format(limit=limit, sent=sent))
        return Reply(text=SUMMARY) if asks_for_summary(body) else answer(body)

    return policy


def steps_so_far(body: Any) -> int:
    """The number of results in the request."""
    text = json.dumps(body)
    return max(text.count('"functionResponse"'), text.count('"role": "tool"'), text.count('"tool_result"'))


@contextmanager
def chat_with(
    talk: Talk, dialect: str, policy: Callable[[Any], Reply], window: int | None = None
) -> Iterator[FakeProvider]:
    with fake_provider(dialect, policy=policy) as server:
        talk.app.send(SelectModel(talk.chat_id, f"{dialect}:fake-model", server.base_url))
        if window is not None:
            talk.app.send(ChangeSetting("context_window", {f"{dialect}:*": window}))
        yield server
        talk.app.send(ChangeSetting("context_window", None))


def compactions(talk: Talk) -> list[ContextCompacted]:
    return [event for event in talk.events() if isinstance(event, ContextCompacted)]


class Analyst:
    """Makes a call for each question, and answers; asked about the first question, it reads that result again."""

    def __init__(self, filler: int = 400) -> None:
        self.asked = 0
        self.filler = filler

    def __call__(self, body: Any) -> Reply:
        text = json.dumps(body)
        newest = json.dumps((body.get("messages") or body["contents"])[-1])
        if "read_result" in newest or '\\"tool\\":\\"look\\"' in newest or '"tool": "look"' in newest:
            return Reply(text="It was 4711." if "4711" in newest else "I do not know.")
        if "What was the first value" in newest:
            assert "result_0" in text, "the summary names the results that it covers"
            return Reply(text="I read it back.", calls=(Call("read_result", {"name": "result_0"}),))
        if "result_" in newest:
            return Reply(text=f"That was question {self.asked - 1}.")
        self.asked += 1
        return look(self.asked - 1, self.filler)


@pytest.mark.long
@DIALECTS
def test_a_chat_twice_as_long_as_its_window_continues_and_remembers_its_first_turn(
    talk: Talk, dialect: str
) -> None:
    with chat_with(talk, dialect, strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(24):
            assert talk.ask(f"And number {number}?").reason == "stop"
        assert sum(len(body.body) for body in server.requests[-1:]) < 36_000
        assert talk.ask("What was the first value?").reason == "stop"
        assert not [p for p in server.problems if "replies" not in p]
    assert talk.branch()[-1].content == "It was 4711."
    assert compactions(talk)
    assert {made.reason for made in compactions(talk)} == {"window"}
    assert {made.written_by for made in compactions(talk)} == {"model"}
    questions = [message.content for message in talk.branch() if message.role == "user"]
    assert questions == [f"And number {n}?" for n in range(24)] + ["What was the first value?"]


@pytest.mark.long
@DIALECTS
def test_a_provider_that_reports_a_request_as_too_long_gets_a_shorter_one(talk: Talk, dialect: str) -> None:
    """The window was not known: the table listed more than the server accepts."""
    with chat_with(talk, dialect, strict(9_000, Analyst(1_200)), window=500_000):
        for number in range(24):
            assert talk.ask(f"And number {number}?").reason == "stop"
    first, *later = compactions(talk)
    assert (first.reason, first.window) == ("refused", 9_000)
    assert {made.reason for made in later} == {"window"}, "the limit that it named is kept in mind"


@pytest.mark.long
@DIALECTS
def test_a_single_turn_that_is_too_long_is_summarised_in_the_middle(talk: Talk, dialect: str) -> None:
    """Its question stays word for word."""
    talk.app.send(ChangeSetting("max_tool_iterations", 20))

    def answer(body: Any) -> Reply:
        assert "Compare all of them, please." in json.dumps(body)
        count = len(requests)
        requests.append(body)
        return look(count, 1_500) if count < 12 else Reply(text="Compared.")

    requests: list[Any] = []
    with chat_with(talk, dialect, strict(9_000, answer), window=9_000):
        turn = talk.ask("Compare all of them, please.")
    talk.app.send(ChangeSetting("max_tool_iterations", None))
    assert (turn.reason, talk.branch()[-1].content) == ("stop", "Compared.")
    assert len(talk.calls()) == 12
    assert compactions(talk)


@pytest.mark.long
@DIALECTS
def test_every_request_around_a_summary_can_be_rebuilt_byte_for_byte(talk: Talk, dialect: str) -> None:
    with chat_with(talk, dialect, strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(12):
            talk.ask(f"And number {number}?")
        sent = [request.body for request in server.requests if not asks_for_summary(request.json)]
        with open_app(talk.app.data.parent / "elsewhere") as _:
            model = Models(lambda _: None).resolve(f"{dialect}:fake-model", server.base_url)
        steps = [event for event in talk.events() if isinstance(event, StepStarted)]
        assert [model.body(talk.app.request(talk.chat_id, s.turn_id, s.step)) for s in steps] == sent
    assert compactions(talk)


@pytest.mark.long
def test_without_a_summary_from_the_model_the_questions_and_answers_are_quoted(talk: Talk) -> None:
    def policy(body: Any) -> Reply:
        return Reply(status=503, error="Busy.") if asks_for_summary(body) else analyst(body)

    analyst = Analyst(1_200)
    with chat_with(talk, "openai", policy, window=9_000) as server:
        for number in range(12):
            assert talk.ask(f"And number {number}?").reason == "stop"
        last = server.requests[-1].body.decode()
    (made, *_) = compactions(talk)
    assert made.written_by == "rules"
    assert "Busy" in (made.problem or "")
    assert "The user asked: And number 0?" in last
    assert "You answered: That was question 0." in last


@pytest.mark.long
def test_a_branch_from_before_the_summary_contains_every_message_again(talk: Talk) -> None:
    with chat_with(talk, "openai", strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(12):
            talk.ask(f"And number {number}?")
        assert compactions(talk)
        talk.retry(talk.branch()[0].message_id)
        assert "<summary>" not in server.requests[-1].body.decode()


@pytest.mark.long
def test_a_fork_keeps_the_summary(talk: Talk) -> None:
    with chat_with(talk, "openai", strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(12):
            talk.ask(f"And number {number}?")
        copied = talk.app.send(ForkChat(talk.chat_id, talk.branch()[-1].message_id))
        fork = Talk(talk.app, talk.folder, copied)
        talk.app.send(SelectModel(copied, "openai:fake-model", server.base_url))
        assert fork.ask("And here?").reason == "stop"
        assert "<summary>" in server.requests[-1].body.decode()
    ours = {message.message_id for message in fork.app.chat(copied).messages.values()}
    assert {made.through_id for made in compactions(fork)} <= ours


@pytest.mark.long
def test_after_a_summary_the_model_still_knows_the_tables_and_the_date(talk: Talk) -> None:
    """The summary covers the message that described them."""
    talk.app.send(UploadFiles(talk.chat_id, [Upload("sales.csv", b"region,amount\nWest,3\n")]))
    with chat_with(talk, "openai", strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(12):
            talk.ask(f"And number {number}?")
        bodies = [request.body.decode() for request in server.requests if not asks_for_summary(request.json)]
    assert any("<summary>" in body for body in bodies)
    for body in bodies:
        assert body.count("- sales (1 rows, from sales.csv)") == 1
        assert body.count("Today is") == 1


def test_small_messages_are_not_summarised_even_if_the_tools_fill_the_window(talk: Talk) -> None:
    """A summary would save nothing, and cost a request before every answer."""
    with chat_with(talk, "openai", lambda _: Reply(text="Hi."), window=6_000) as server:
        for _ in range(6):
            assert talk.ask("Hello").reason == "stop"
        assert len(server.requests) == 6
    assert compactions(talk) == []


def test_a_limit_that_was_only_guessed_is_not_saved(talk: Talk) -> None:
    answers = [
        Reply(text="word " * 2_000),
        Reply(status=400, error="prompt is too long"),
        Reply(text=SUMMARY),
    ]
    answers += [Reply(text="Fine.")] * 5

    with fake_provider("openai", answers) as server:
        talk.app.send(SelectModel(talk.chat_id, "openai:gpt-5", server.base_url))
        for number in range(4):
            assert talk.ask(f"Question {number}").reason == "stop"
    assert [made.window_named for made in compactions(talk)] == [False]


@pytest.mark.long
def test_forks_at_every_message_of_a_chat_with_retries_and_summaries_are_valid(talk: Talk) -> None:
    """A step may use a summary that another turn wrote; the copy contains that summary too."""
    with chat_with(talk, "openai", strict(9_000, Analyst(1_200)), window=9_000) as server:
        for number in range(10):
            talk.ask(f"And number {number}?")
        for question in [m for m in talk.branch() if m.role == "user"][5:8]:
            talk.retry(question.message_id)
        assert len(compactions(talk)) > 1
        for message_id in talk.app.chat(talk.chat_id).messages:
            fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, message_id)))
            events = fork.events()
            assert unsound(events, set()) is None
            for step in (event for event in events if isinstance(event, StepStarted)):
                assert talk.app.request(fork.chat_id, step.turn_id, step.step).messages
        talk.app.send(SelectModel(fork.chat_id, "openai:fake-model", server.base_url))
        assert fork.ask("What was the first value?").reason == "stop"


@pytest.mark.long
def test_an_unnamed_result_is_read_again_by_its_position_including_in_a_fork(talk: Talk) -> None:
    def answer(body: Any) -> Reply:
        newest = json.dumps(body["messages"][-1])
        if "And the first?" in newest:
            return Reply(calls=(Call("read_result", {"name": "call-1", "offset": 0.0}),))
        if '"role": "tool"' in newest:
            return Reply(text="secret-0" if "secret-0" in newest else "Seen.")
        number = sum(message["role"] == "user" for message in body["messages"]) - 1
        back = {"value": f"secret-{number}", "filler": "x " * 1_200}
        return Reply(calls=(Call("toolset__kit__look", {"back": back}),))

    with chat_with(talk, "openai", strict(9_000, answer), window=9_000) as server:
        for number in range(12):
            talk.ask(f"And number {number}?")
        assert compactions(talk)
        fork = Talk(
            talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, talk.branch()[-1].message_id))
        )
        talk.app.send(SelectModel(fork.chat_id, "openai:fake-model", server.base_url))
        fork.ask("And the first?")
    assert fork.branch()[-1].content == "secret-0"
