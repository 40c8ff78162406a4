"""No user data leaves this machine without the user's knowledge: a call that would send data waits for approval."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    ApproveCall,
    AskAgain,
    ChangeSetting,
    DenyCall,
    InstallToolset,
    RunTool,
    Upload,
    UploadFiles,
)
from engine.deciders.chat import question
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from engine.turn.addresses import given_addresses, makes_up_address
from engine.views.chat import CallView
from engine.views.outgoing_data import what_leaves
from tests.support.long_cases import mostly_long
from tests.support.sender import SENDER, Collector, collecting
from tests.support.talk import Talk, call, install_kit, write_bundle

SECRET = "account,4711\n"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the bundle `sender`, which may use the network, and `kit`, which may not."""
    root = tmp_path_factory.mktemp("sending")
    with open_app(root / "data") as opened:
        opened.send(InstallToolset(write_bundle(root / "sender", SENDER), "yes"))
        install_kit(opened, root / "kit")
        yield opened


@pytest.fixture
def _asks_again(app: App) -> Iterator[None]:
    """Reset the setting after the test."""
    yield
    app.send(ChangeSetting("sending", None))


@pytest.fixture
def collector() -> Iterator[Collector]:
    """The server that data would be sent to."""
    with collecting() as there:
        yield there


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A chat with two files."""
    talk = Talk(app, tmp_path)
    files = [Upload("private.csv", SECRET.encode()), Upload("public.txt", b"hello")]
    app.send(UploadFiles(talk.chat_id, files))
    return talk


def sends(port: int, **more: object) -> dict[str, object]:
    """A call of the tool that sends data."""
    return call("toolset__sender__send", port=port, **more)


def waiting(talk: Talk) -> CallView:
    """The waiting call."""
    (one,) = [one for one in talk.calls() if one.status == "awaiting_confirmation"]
    return one


def test_a_call_that_would_send_data_waits_even_with_yes(talk: Talk, collector: Collector) -> None:
    talk.replies({"calls": [sends(collector.port, text=SECRET)]}, {"text": "Done."})
    assert talk.ask(allow_confirmations=True).reason == "awaiting_confirmation"
    assert waiting(talk).sends_to == "sender:collector.example"
    assert collector.taken == []


def test_the_data_shown_for_approval_is_exactly_what_the_tool_gets(talk: Talk, collector: Collector) -> None:
    """The arguments byte for byte, and only those files that they name."""
    talk.replies({"calls": [sends(collector.port, text="é", file="public.txt")]}, {"text": "Done."})
    talk.ask()
    asked = waiting(talk)
    tool = next(tool for tool in talk.app.tools() if tool.tool_id == asked.tool_id)
    shown = what_leaves(asked, tool, talk.app.workspace.files(talk.chat_id), list(talk.calls()))
    assert shown is not None
    assert (shown.destination, shown.first) == ("sender:collector.example", True)
    assert shown.files == (("public.txt", 5),)
    assert shown.size == len(shown.text.encode())
    talk.ended(talk.app.send(ApproveCall(talk.chat_id, asked.call_id)).turn_id)
    assert collector.taken == [b"", repr(("é", {"public.txt": "hello"})).encode()]


def test_a_denied_call_sends_nothing_and_the_model_is_told(talk: Talk, collector: Collector) -> None:
    talk.replies({"calls": [sends(collector.port, text=SECRET)]}, {"text": "Then not."})
    talk.ask()
    talk.ended(talk.app.send(DenyCall(talk.chat_id, waiting(talk).call_id)).turn_id)
    (asked,) = talk.calls()
    assert asked.status == "denied"
    assert collector.taken == []


def test_always_applies_to_a_destination_in_this_chat(
    talk: Talk, app: App, tmp_path: Path, collector: Collector
) -> None:
    twice = [sends(collector.port, text="1"), sends(collector.port, text="2")]
    talk.replies(
        {"calls": twice}, {"text": "Done."}, {"calls": [sends(collector.port, text="3")]}, {"text": "Done."}
    )
    talk.ask()
    first = talk.calls()[0]
    talk.ended(app.send(ApproveCall(talk.chat_id, first.call_id, always=True)).turn_id)
    assert talk.ask("again").reason == "stop"
    assert [one.status for one in talk.calls()] == ["success"] * 3
    app.send(AskAgain(talk.chat_id, "sender:collector.example"))
    talk.replies(*[{"text": ""}] * 4, {"calls": [sends(collector.port, text="5")]}, {"text": "Done."})
    assert talk.ask("once more").reason == "awaiting_confirmation"
    other = Talk(app, tmp_path)
    app.send(UploadFiles(other.chat_id, [Upload("private.csv", SECRET.encode())]))
    other.replies({"calls": [sends(collector.port, text="4")]}, {"text": "Done."})
    assert other.ask().reason == "awaiting_confirmation"


def test_a_made_up_address_needs_approval_even_if_its_destination_is_allowed(
    talk: Talk, collector: Collector
) -> None:
    """It could carry the content of a file. Addresses that the user wrote or a search found do not need approval."""
    made_up = sends(collector.port, text="https://collector.example/?account=4711")
    found = sends(collector.port, text="https://reports.example/2026")
    talk.replies({"calls": [found]}, {"calls": [made_up]}, {"text": "Done."})
    turn = talk.ask("Read https://reports.example/2026", allow_sends=["sender:collector.example"])
    assert turn.reason == "awaiting_confirmation"
    assert [one.status for one in talk.calls()] == ["success", "awaiting_confirmation"]
    assert "4711" not in str(collector.taken)


def test_allowing_a_destination_in_advance_allows_no_other(talk: Talk, collector: Collector) -> None:
    talk.replies({"calls": [sends(collector.port, text="1")]}, {"text": "Done."})
    with pytest.raises(NotFound, match=r"sender:collector\.example"):
        talk.ask(allow_sends=["sender:elsewhere.example"])
    assert talk.ask(allow_sends=["web-search:api.exa.ai"]).reason == "awaiting_confirmation"
    talk.ended(talk.app.send(DenyCall(talk.chat_id, waiting(talk).call_id)).turn_id)
    talk.replies(*[{"text": ""}] * 2, {"calls": [sends(collector.port, text="2")]}, {"text": "Done."})
    assert talk.ask(allow_sends=["sender:collector.example"]).reason == "stop"
    assert len(collector.taken) == 2


def test_results_of_earlier_calls_need_approval_like_files(
    app: App, tmp_path: Path, collector: Collector
) -> None:
    """In a chat without files, the result of an earlier call could be sent."""
    talk = Talk(app, tmp_path)
    free, later = sends(collector.port, text="nothing yet"), sends(collector.port, text="4711")
    talk.replies({"calls": [free]}, {"calls": [later]}, {"text": "Done."})
    assert talk.ask().reason == "awaiting_confirmation"
    assert [one.sends_to for one in talk.calls()] == [None, "sender:collector.example"]


@pytest.mark.usefixtures("_asks_again")
def test_sending_is_refused_if_the_setting_is_never(talk: Talk, app: App, collector: Collector) -> None:
    app.send(ChangeSetting("sending", "never"))
    talk.replies({"calls": [sends(collector.port, text=SECRET)]}, {"text": "Then not."})
    assert talk.ask(allow_confirmations=True).reason == "stop"
    (refused,) = talk.calls()
    assert refused.error is not None
    assert refused.error["kind"] == "sending_refused"
    assert collector.taken == []


@pytest.mark.usefixtures("_asks_again")
def test_sending_needs_no_approval_if_the_setting_is_freely(
    talk: Talk, app: App, collector: Collector
) -> None:
    app.send(ChangeSetting("sending", "freely"))
    talk.replies({"calls": [sends(collector.port, text="fine")]}, {"text": "Done."})
    assert talk.ask().reason == "stop"
    assert len(collector.taken) == 2


@pytest.mark.parametrize(
    ("named", "found"),
    mostly_long(
        [
            ({}, []),
            ({"file": "private.csv"}, ["private.csv"]),
            ({"file": "./public.txt"}, ["public.txt"]),
            ({"files": ["public.txt", "private.csv"]}, ["private.csv", "public.txt"]),
            ({"text": "send private.csv to them"}, []),
            ({"file": "../private.csv"}, []),
        ],
        quick=(0, 2, 5),
    ),
)
def test_a_process_with_network_access_sees_only_the_files_named_in_its_arguments(
    talk: Talk, named: dict[str, object], found: list[str]
) -> None:
    """Also if the user runs it. The files that it writes are added to the others."""
    call_id = talk.app.send(RunTool(talk.chat_id, "sender:send", {**named, "make": "made.txt"}))
    ran = talk.app.chat(talk.chat_id).calls[call_id]
    assert ran.result == {"found": found}
    assert sorted(talk.files()) == ["made.txt", "private.csv", "public.txt"]


def test_a_tool_without_network_access_needs_no_approval_and_sees_all_files(talk: Talk) -> None:
    talk.replies({"calls": [call("toolset__kit__look")]}, {"text": "Done."})
    assert talk.ask().reason == "stop"
    (ran,) = talk.calls()
    assert set(ran.result["saw"]) == {"private.csv", "public.txt"}
    assert ran.sends_to is None


GIVEN = "https://att.example/c"


@pytest.mark.parametrize(
    "text",
    [
        "https://att.example/c?d=4711", "https://att.example/c'4711", "https://att.example/c)?d=4711",
        "https://att.example/c\t4711", "https://att.example/", "https://att.example/c 4711", "//att.example/4711",
        "att.example/?d=4711", "https:/att.example/4711", "https:\\\\att.example/4711", "HTTPS://ATT.EXAMPLE/4711",
        "https://4711@att.example/c", "ftp://att.example/c", "see https://att.example/d",
    ],
)  # fmt: skip
def test_an_address_that_extends_a_given_one_counts_as_made_up(text: str) -> None:
    """In every notation that some program reads as an address."""
    state = ChatState()
    state.evolve(question(f"Read <{GIVEN}>, please.", lambda: "m", parent_id=None))
    given = given_addresses(state, (), lambda kept: None)
    assert not makes_up_address({"urls": [GIVEN], "query": "what is 4711. Or 12/13?"}, lambda: given)
    assert makes_up_address({"urls": [text]}, lambda: given)


def test_a_sending_call_waits_until_earlier_calls_have_ended(talk: Talk, collector: Collector) -> None:
    """An earlier call could still create or change the files that were shown."""
    first = call("toolset__kit__ask_first", files={"late.txt": "4711"})
    talk.replies({"calls": [first, sends(collector.port, file="late.txt")]}, {"text": "Done."})
    talk.ask()
    _, send = talk.calls()
    with pytest.raises(Refused, match="earlier call"):
        talk.app.send(ApproveCall(talk.chat_id, send.call_id))
    assert collector.taken == []


def test_invisible_characters_are_shown_escaped(talk: Talk, collector: Collector) -> None:
    hidden = "weather Berlin\u200b\U000e0034\u202e"
    talk.replies({"calls": [sends(collector.port, text=hidden)]}, {"text": "Done."})
    talk.ask()
    shown = what_leaves(waiting(talk), None, {}, [])
    assert shown is not None
    assert "weather Berlin\\u200b\\udb40\\udc34\\u202e" in shown.text
    assert json.loads(shown.text)["text"] == hidden


def test_output_of_a_failed_call_counts_like_a_result(app: App, tmp_path: Path, collector: Collector) -> None:
    talk = Talk(app, tmp_path)
    fails = call("toolset__kit__look", fail="account 4711")
    talk.replies({"calls": [fails]}, {"calls": [sends(collector.port, text="4711")]}, {"text": "Done."})
    assert talk.ask().reason == "awaiting_confirmation"
