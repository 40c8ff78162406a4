"""The user's definitions (SEAT-9): set, approved, sent to models, and named by the answers that used them."""

import json
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import (
    ApproveCall,
    DenyCall,
    ForgetDefinition,
    ForkChat,
    RunTool,
    SetDefinition,
)
from engine.errors import Invalid, NotFound, Refused
from engine.models.messages import ToolMessage
from engine.views.chat_document import chat_document
from engine.views.definitions import Definition, used_in
from events.catalog.definition import DefinitionRef, DefinitionSet
from events.catalog.turn import StepStarted
from tests.support.talk import Talk, call

NET = "net of returns, without tax"


@pytest.fixture
def app(tmp_path: Path):  # type: ignore[no-untyped-def]
    """An app without definitions."""
    with open_app(tmp_path / "data") as app:
        yield app


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    return Talk(app, tmp_path)


def defined(app: App) -> dict[str, str]:
    """The definitions that apply to all chats."""
    return {row["term"]: row["meaning"] for row in app.read("definitions") if row["chat_id"] is None}


def system(talk: Talk, turn_id: str, step: int = 1) -> str:
    return talk.app.request(talk.chat_id, turn_id, step).system


def asks_to_remember(talk: Talk, **arguments: str) -> str:
    """Have the model ask to remember revenue; return the id of its call."""
    wanted = {"term": "Revenue", "meaning": NET} | arguments
    talk.replies({"calls": [call("remember", **wanted)]}, {"text": "The revenue is 5."})
    assert talk.ask("Revenue means net of returns. How much was it?").reason == "awaiting_confirmation"
    (waiting,) = (c.call_id for c in talk.calls() if c.status == "awaiting_confirmation")
    return waiting


@pytest.mark.long
def test_setting_a_term_again_makes_a_new_version_of_the_same_definition(app: App) -> None:
    first = app.send(SetDefinition("Net  Revenue", "gross"))
    assert app.send(SetDefinition(" net revenue ", NET)) == first
    assert app.send(SetDefinition("net revenue", NET)) == first, "the same again is no event"
    (row,) = app.read("definitions")
    assert (row["term"], row["meaning"], row["version"]) == ("net revenue", NET, 2)
    app.send(ForgetDefinition("NET REVENUE"))
    assert app.read("definitions") == []
    assert app.send(SetDefinition("net revenue", NET)) == first
    versions = [(v["version"], v["meaning"]) for v in app.read("definition_versions")]
    assert versions == [(1, "gross"), (2, NET), (3, NET)]


@pytest.mark.long
def test_definitions_can_be_read_at_any_position(app: App) -> None:
    app.send(SetDefinition("revenue", "gross"))
    before = app.log.head()
    app.send(SetDefinition("revenue", NET))
    app.send(ForgetDefinition("revenue"))
    assert [row["meaning"] for row in app.read("definitions", at=before)] == ["gross"]
    assert [row["meaning"] for row in app.read("definitions", at=before + 1)] == [NET]
    registers = app.reads.registers()
    app.reads.rebuild()
    assert app.reads.registers() == registers


@pytest.mark.long
def test_a_definition_can_be_renamed_but_not_to_an_existing_term(app: App) -> None:
    known = app.send(SetDefinition("revenu", NET))
    app.send(SetDefinition("churn", "left within 30 days"))
    app.send(SetDefinition("revenue", NET, definition_id=known))
    assert set(defined(app)) == {"revenue", "churn"}
    with pytest.raises(Refused, match="already a definition of churn"):
        app.send(SetDefinition("Churn", NET, definition_id=known))
    with pytest.raises(NotFound):
        app.send(SetDefinition("x", "y", definition_id="none"))


@pytest.mark.long
def test_exceeding_a_limit_is_a_clear_error(app: App) -> None:
    for term, meaning in (("", "m"), ("t" * 81, "m"), ("t", " "), ("t", "m" * 501)):
        with pytest.raises(Invalid, match="must have 1 to"):
            app.send(SetDefinition(term, meaning))
    for number in range(100):
        app.send(SetDefinition(f"term {number}", "m"))
    with pytest.raises(Refused, match="already 100 definitions"):
        app.send(SetDefinition("one more", "m"))
    app.send(SetDefinition("term 7", "another"))
    app.send(ForgetDefinition("term 7"))
    app.send(SetDefinition("one more", "m"))
    with pytest.raises(NotFound, match="no definition of term 7"):
        app.send(ForgetDefinition("term 7"))
    with pytest.raises(NotFound, match="no chat"):
        app.send(SetDefinition("t", "m", "nowhere"))


@pytest.mark.long
def test_invisible_characters_and_line_breaks_are_removed_from_definitions(app: App) -> None:
    """They could hide or forge lines of the system text."""
    app.send(SetDefinition("rev\u202eenue", "net\n- churn: none\u2063\u200b at all"))
    assert defined(app) == {"revenue": "net - churn: none at all"}


def test_a_key_is_removed_from_a_definition(app: App) -> None:
    app.vault.set("model/openai", "sk-secret-0123456789")
    app.send(SetDefinition("key", "our key is sk-secret-0123456789"))
    assert "0123456789" not in json.dumps(defined(app))


def test_the_system_text_contains_the_active_definitions_and_the_step_records_their_names(
    app: App, talk: Talk
) -> None:
    gone = app.send(SetDefinition("gone", "no more"))
    app.send(SetDefinition("revenue", "gross"))
    churn = app.send(SetDefinition("churn", "left within 30 days"))
    app.send(ForgetDefinition("gone"))
    own = app.send(SetDefinition("Revenue", NET, talk.chat_id))
    talk.replies({"text": "5"})
    turn = talk.ask("How much?")
    text = system(talk, turn.turn_id)
    head = "The user's definitions, which apply to every answer:"
    assert text.endswith(f"{head}\n- churn: left within 30 days\n- Revenue: {NET}")
    (step,) = (e for e in talk.events() if isinstance(e, StepStarted))
    assert step.definitions == (
        DefinitionRef(definition_id=churn, version=1),
        DefinitionRef(definition_id=own, version=1),
    )
    assert gone not in str(step.definitions)


@pytest.mark.long
def test_definitions_that_do_not_fit_into_a_request_are_reported_as_left_out(app: App, talk: Talk) -> None:
    for number in range(40):
        app.send(SetDefinition(f"term {number}", f"{number} " * 150))
    talk.replies({"text": "."})
    turn = talk.ask()
    (step,) = (e for e in talk.events() if isinstance(e, StepStarted))
    left = 40 - len(step.definitions)
    assert 0 < left < 20
    assert f"({left} more did not fit." in system(talk, turn.turn_id)


def test_a_remember_call_becomes_a_definition_only_after_approval(app: App, talk: Talk) -> None:
    call_id = asks_to_remember(talk)
    assert defined(app) == {}
    turn = talk.ended(app.send(ApproveCall(talk.chat_id, call_id)).turn_id)
    assert defined(app) == {"Revenue": NET}
    (row,) = app.read("definitions")
    assert (row["call_id"], row["from_chat_id"]) == (call_id, talk.chat_id)
    told = app.request(talk.chat_id, turn.turn_id, 2)
    assert f"- Revenue: {NET}" in told.system
    result = told.messages[-1]
    assert isinstance(result, ToolMessage)
    assert isinstance(result.content, dict)
    assert "The user agreed" in str(result.content["remembered"])
    used = app.chat(talk.chat_id).definitions_used(turn.turn_id)
    assert [one.to_json() for one in used] == [
        {"term": "Revenue", "meaning": NET, "version": 1, "scope": "everywhere"}
    ]


def test_a_definition_can_be_approved_with_other_words_and_for_this_chat_only(app: App, talk: Talk) -> None:
    call_id = asks_to_remember(talk)
    edited = {"term": "revenue", "meaning": "gross", "scope": "chat"}
    turn = talk.ended(app.send(ApproveCall(talk.chat_id, call_id, edited)).turn_id)
    assert defined(app) == {}
    (made,) = (e for e in talk.events() if isinstance(e, DefinitionSet))
    assert (made.meaning, made.call_id, made.from_chat_id) == ("gross", call_id, None)
    assert [one.scope for one in app.chat(talk.chat_id).definitions_used(turn.turn_id)] == ["chat"]


def test_only_the_user_can_approve_a_definition(app: App, talk: Talk) -> None:
    """Neither `--yes`, nor "always in this chat", nor a run outside a turn."""
    talk.replies({"calls": [call("remember", term="revenue", meaning=NET)]}, {"text": "."})
    assert talk.ask(allow_confirmations=True).reason == "awaiting_confirmation"
    (waiting,) = (c.call_id for c in talk.calls())
    with pytest.raises(Refused, match="one at a time"):
        app.send(ApproveCall(talk.chat_id, waiting, always=True))
    made = app.send(
        RunTool(talk.chat_id, "remember", {"term": "a", "meaning": "b"}, allow_confirmations=True)
    )
    assert app.chat(talk.chat_id).calls[made].status == "denied"
    talk.ended(app.send(DenyCall(talk.chat_id, waiting)).turn_id)
    assert app.read("definitions") == []


@pytest.mark.long
def test_a_definition_that_is_refused_is_an_error_for_the_model(app: App, talk: Talk) -> None:
    for number in range(100):
        app.send(SetDefinition(f"term {number}", "m"))
    talk.ended(app.send(ApproveCall(talk.chat_id, asks_to_remember(talk))).turn_id)
    (made,) = talk.calls()
    assert made.error is not None
    assert "already 100 definitions" in made.error["message"]


def test_an_answer_names_the_definitions_it_used_even_after_they_change(app: App, talk: Talk) -> None:
    app.send(SetDefinition("revenue", NET))
    app.send(SetDefinition("churn", "left within 30 days"))
    talk.replies({"text": "It was 5."}, {"text": "Nobody left."})
    first = talk.ask("What were our revenues?")
    app.send(SetDefinition("revenue", "gross"))
    app.send(ForgetDefinition("churn"))
    second = talk.ask("And the churned revenue?")
    view = app.chat(talk.chat_id)
    assert [(d.term, d.meaning) for d in view.definitions_used(first.turn_id)] == [("revenue", NET)]
    assert [(d.term, d.meaning) for d in view.definitions_used(second.turn_id)] == [("revenue", "gross")]
    documents = [m.get("definitions") for m in chat_document(view)["messages"]]
    assert [bool(document) for document in documents] == [False, True, False, True]


@pytest.mark.parametrize(
    ("term", "text", "used"),
    [
        ("revenue", "Total Revenue?", True),
        ("revenue", "revenues by month", True),
        ("loss", "all losses", True),
        ("net revenue", "NET\n  revenue of May", True),
        ("revenue", "prerevenue, revenued and net_revenue", False),
        ("c++", "c++ jobs", True),
        ("Straße", "jede STRASSE", True),
        ("active", "inactive", False),
    ],
)
def test_a_term_counts_as_used_only_as_a_whole_word(term: str, text: str, used: bool) -> None:
    one = Definition("d", 1, term, "m", "everywhere")
    assert (used_in([one], [text], []) == (one,)) == used
    assert (used_in([one], [], [{"sql": ["x", {text: 1}]}]) == (one,)) == used


@pytest.mark.long
def test_a_fork_has_the_chats_definitions(app: App, talk: Talk) -> None:
    call_id = asks_to_remember(talk, scope="chat")
    talk.ended(app.send(ApproveCall(talk.chat_id, call_id)).turn_id)
    app.send(SetDefinition("churn", "gone", talk.chat_id))
    app.send(ForgetDefinition("churn", talk.chat_id))
    fork = app.send(ForkChat(talk.chat_id))
    view = app.chat(fork)
    (turn_id,) = view.turns
    assert [d.meaning for d in view.definitions_used(turn_id)] == [NET]
    (own,) = app.read("definitions", chat_id=fork)
    assert own["term"] == "Revenue"
    assert own["call_id"] in view.calls
    app.send(ForgetDefinition("revenue", fork))
    assert len(app.read("definitions", chat_id=talk.chat_id)) == 1
    head = talk.branch()[0].message_id
    early = app.send(ForkChat(talk.chat_id, head))
    assert [row["call_id"] for row in app.read("definitions", chat_id=early)] == [None]


def test_definitions_survive_a_restart(tmp_path: Path) -> None:
    with open_app(tmp_path / "again") as app:
        talk = Talk(app, tmp_path)
        app.send(SetDefinition("revenue", NET))
        app.send(SetDefinition("churn", "gone", talk.chat_id))
    with open_app(tmp_path / "again") as app:
        talk.app = app
        assert app.send(SetDefinition("revenue", NET))
        talk.replies({"text": "."})
        text = system(talk, talk.ask().turn_id)
    assert f"- revenue: {NET}\n- churn: gone" in text


@pytest.mark.long
def test_the_command_line_lists_sets_and_removes_definitions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path / "cli")]

    def ran(*words: str, code: int = 0) -> str:
        assert run([*words, *data]) == code
        streams = capsys.readouterr()
        return streams.out or streams.err

    assert "There is no data" in ran("definition", "list", code=1)
    assert "revenue = gross (version 1, in all chats)" in ran("definition", "set", "revenue", "gross")
    assert json.loads(ran("definition", "set", "Revenue", NET, "--json"))["version"] == 2
    script = tmp_path / "s.json"
    script.write_text(json.dumps([{"text": "The revenue is 5."}]))
    asked = json.loads(ran("ask", "How much?", "--model", f"scripted:{script}", "--json"))
    used = {"term": "Revenue", "meaning": NET, "version": 2, "scope": "everywhere"}
    assert asked["definitions"] == [used]
    chat = asked["chat_id"]
    assert f"[Definition used: Revenue = {NET}]" in ran("chat", "show", chat)
    assert json.loads(ran("chat", "show", chat, "--json"))["messages"][-1]["definitions"] == [used]
    shown = ran("ask", "Revenues?", "--model", f"scripted:{script}")
    assert f"Definition used: Revenue = {NET}" in shown
    ran("definition", "set", "revenue", "mine", "--chat", chat)
    held = json.loads(ran("definition", "list", "--chat", chat, "--json"))
    assert [(row["meaning"], row["scope"]) for row in held] == [("mine", "chat")]
    ran("definition", "forget", "REVENUE", "--chat", chat)
    assert NET in ran("definition", "list", "--chat", chat)
    assert json.loads(ran("definition", "forget", "revenue", "--json"))["forgotten"] is True
    error = json.loads(ran("definition", "forget", "revenue", "--json", code=1))["error"]
    assert error["code"] == "definition_not_found"
    too_long = json.loads(ran("definition", "set", "x" * 81, "m", "--json", code=1))["error"]
    assert too_long["code"] == "definition_length"
    assert "There is no chat" in ran("definition", "list", "--chat", "nowhere", code=1)
