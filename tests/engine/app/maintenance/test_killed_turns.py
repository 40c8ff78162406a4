"""kill -9 at each stage of a turn: completed parts stay, nothing runs again, and the next message works."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.commands.catalog import ApproveCall, AskQueued, DenyCall
from events.catalog.tool_call import ToolCallStarted
from tests.support.long_cases import mostly_long
from tests.support.providers.replies import HOLD, Call, Reply
from tests.support.providers.server import FakeProvider, fake_provider
from tests.support.talk import Talk

ROOT = Path(__file__).parents[4]
CHILD = """
import sys
from pathlib import Path
from engine.app.app import App
from engine.commands.catalog import Ask, SelectModel, Upload
from tests.support.talk import Talk, install_kit
data, base_url, until = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
app = App(data)
install_kit(app, data.parent / "kit")
talk = Talk(app, data.parent)
app.send(SelectModel(talk.chat_id, "openai:fake-model", base_url))
turn_id = talk.start("go")
if until in ("inside", "queued"):
    talk.inside()
    if until == "queued":
        app.send(Ask(talk.chat_id, "and then?", [Upload("a.txt", b"the user's")], if_running="queue"))
elif until == "waiting":
    app.wait(turn_id)
print(talk.chat_id, flush=True)
sys.stdin.read()
"""
PUT = Call("toolset__kit__put", {"files": {"a": "1"}})
ASK = Call("toolset__kit__ask_first", {"files": {"b": "1"}})
AFTER = Reply(text="After.")


@contextmanager
def killed(tmp_path: Path, replies: Sequence[Reply], until: str) -> Iterator[tuple[Talk, FakeProvider]]:
    """The chat of a killed engine, opened again; `until` it was inside a tool, waiting, or at a pause."""
    with fake_provider("openai", replies) as server:
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path / "data"), server.base_url, until],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as child:  # fmt: skip
            assert child.stdout is not None
            chat_id = child.stdout.readline().strip()
            if until == "hold":
                server.wait_for_hold()
            child.send_signal(signal.SIGKILL)
        assert chat_id, "the child did not come so far"
        server.release(10)
        with open_app(tmp_path / "data") as app:
            yield Talk(app, tmp_path, chat_id), server
            assert app.log.verify().ok
            live = {name: app.read(name) for name in ("messages", "tool_calls", "turns", "chats")}
            app.reads.rebuild()
            assert {name: app.read(name) for name in live} == live
        assert server.problems == []


def reason(talk: Talk) -> str | None:
    (first, *_) = talk.app.chat(talk.chat_id).turns.values()
    return first.reason


@pytest.mark.parametrize(
    "first",
    mostly_long(
        [
            Reply(text=(HOLD, "Never came.")),
            Reply(text=("One", HOLD, " two")),
            Reply(text="I call.", calls=(Call("toolset__kit__put", ('{"files":', HOLD, "{}}")),)),
        ],
        quick=(2,),
    ),
    ids=["before the first word", "in the middle of text", "in the middle of arguments"],
)
def test_a_kill_while_a_reply_arrives_interrupts_the_turn_and_the_next_question_works(
    tmp_path: Path, first: Reply
) -> None:
    with killed(tmp_path, [first, AFTER], "hold") as (talk, server):
        assert reason(talk) == "interrupted"
        assert talk.calls() == []
        assert len(server.requests) == 1, "nothing is asked again by itself"
        assert talk.ask("and now?").reason == "stop"
        assert talk.branch()[-1].content == "After."


@pytest.mark.long
def test_calls_that_have_ended_are_kept_if_the_app_is_killed_between_two_steps(tmp_path: Path) -> None:
    with killed(tmp_path, [Reply(calls=(PUT,)), Reply(text=(HOLD, "x")), AFTER], "hold") as (talk, _):
        assert reason(talk) == "interrupted"
        assert ([c.status for c in talk.calls()], talk.files()) == (["success"], {"a": "1"})
        assert talk.ask("and now?").reason == "stop"
        assert len([e for e in talk.events() if isinstance(e, ToolCallStarted)]) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    "how", ["approved", *(pytest.param(how, marks=pytest.mark.long) for how in ("denied", "asked on"))]
)
def test_a_call_that_waits_for_approval_still_waits_after_a_kill(tmp_path: Path, how: str) -> None:
    with killed(tmp_path, [Reply(calls=(PUT, ASK)), AFTER], "waiting") as (talk, server):
        assert reason(talk) == "awaiting_confirmation"
        assert [c.status for c in talk.calls()] == ["success", "awaiting_confirmation"]
        call_id = talk.calls()[1].call_id
        if how == "asked on":
            assert talk.ask("never mind").reason == "stop"
        else:
            command = ApproveCall if how == "approved" else DenyCall
            assert talk.ended(talk.app.send(command(talk.chat_id, call_id)).turn_id).reason == "stop"
        assert talk.files() == ({"a": "1", "b": "1"} if how == "approved" else {"a": "1"})
        assert len(server.requests) == 2


@pytest.mark.long
def test_a_kill_interrupts_only_the_running_call_and_a_waiting_call_still_waits(
    tmp_path: Path,
) -> None:
    inside = Call("toolset__kit__put", {"files": {"half": "1"}, "wait": True})
    with killed(tmp_path, [Reply(calls=(inside, ASK, PUT)), AFTER], "inside") as (talk, _):
        assert reason(talk) == "awaiting_confirmation"
        assert [c.status for c in talk.calls()] == ["interrupted", "awaiting_confirmation", "pending"]
        ended = talk.ended(talk.app.send(ApproveCall(talk.chat_id, talk.calls()[1].call_id)).turn_id)
        assert (ended.reason, [c.status for c in talk.calls()]) == (
            "stop",
            ["interrupted", "success", "success"],
        )
        assert talk.files() == {"half": "1", "b": "1", "a": "1"}


@pytest.mark.long
def test_a_question_queued_when_the_app_is_killed_stays_queued_until_the_user_asks_it(
    tmp_path: Path,
) -> None:
    inside = Call("toolset__kit__put", {"files": {"half": "1"}, "wait": True})
    with killed(tmp_path, [Reply(calls=(inside,)), AFTER], "queued") as (talk, server):
        (queued,) = talk.app.queued(talk.chat_id)
        assert (queued.question.text, queued.refusal, queued.due) == ("and then?", None, True)
        assert len(server.requests) == 1, "nothing is asked by itself"
        talk.app.send(AskQueued(talk.chat_id))
        (_, *later) = talk.app.chat(talk.chat_id).turns
        assert [talk.ended(turn_id).reason for turn_id in later] == ["stop"]
        assert [m.text for m in talk.branch() if m.role == "user"] == ["go", "and then?"]
        assert talk.files() == {"half": "1", "a.txt": "the user's"}
