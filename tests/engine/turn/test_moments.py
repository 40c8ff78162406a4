"""Moments (TIM-12): named states of the files, which SQL and `python` read as schemas."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import (
    ForgetMoment,
    ForkChat,
    InstallToolset,
    NameMoment,
    RemoveFile,
    ReplayChat,
    RewindChat,
    RunTool,
    SelectLeaf,
    Upload,
    UploadFiles,
)
from engine.errors import Invalid, NotFound, Refused
from events.catalog.moment import MomentNamed
from events.catalog.replay import ReplayFinished
from events.catalog.tool_call import ToolCallStarted
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, Talk, call, write_bundle

BEFORE = "id,amount\n1,10\n2,20\n2,20\n3,30\n"
AFTER = "id,amount\n1,10\n2,20\n3,30\n"
QUERY, CHART, PYTHON = ("toolset__data-analyst__" + name for name in ("query", "chart", "python"))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with open_app(tmp_path_factory.mktemp("moments") / "data") as app:
        yield app


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A chat with one table."""
    talk = Talk(app, tmp_path)
    upload(talk, BEFORE)
    return talk


def upload(talk: Talk, text: str, path: str = "orders.csv") -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload(path, text.encode())]))


def replace_file(talk: Talk, text: str, path: str = "orders.csv") -> None:
    talk.app.send(RemoveFile(talk.chat_id, path))
    upload(talk, text, path)


def named(talk: Talk) -> list[str]:
    return [row["name"] for row in talk.app.read("moments", chat_id=talk.chat_id)]


def ran(talk: Talk, tool: str, **arguments: Any) -> Any:
    """Run a tool as the user; return its result, or its error's message."""
    call_id = talk.app.send(
        RunTool(talk.chat_id, f"data-analyst:{tool}", arguments, allow_confirmations=True)
    )
    made = talk.app.chat(talk.chat_id).calls[call_id]
    return made.result if made.status == "success" else str((made.error or {})["message"])


def rows(talk: Talk, sql: str) -> Any:
    found = ran(talk, "query", sql=sql)
    assert isinstance(found, dict), found
    return found["rows"]


@pytest.mark.long
def test_sql_compares_the_files_with_a_named_moment(talk: Talk) -> None:
    talk.app.send(NameMoment(talk.chat_id, "before_cleaning"))
    replace_file(talk, AFTER)
    assert rows(talk, "SELECT count(*) FROM orders") == [[3]]
    assert rows(talk, "SELECT count(*) FROM before_cleaning.orders") == [[4]]
    assert rows(talk, "SELECT * FROM Before_Cleaning.orders EXCEPT ALL SELECT * FROM orders") == [[2, 20]]
    code = """
old, new = tables["before_cleaning.orders"], tables["orders"]
both = sql("SELECT count(*) AS n FROM before_cleaning.orders o JOIN orders USING (id)")
print(len(old), len(new), both.n[0], len(tables))
"""
    assert "4 3 4 " in ran(talk, "python", code=code)["output"]
    drawn = ran(talk, "chart", table="before_cleaning.orders", mark="point", x="id", y="amount")
    assert "from 4 rows" in json.dumps(drawn)


def test_a_call_reads_only_the_moments_that_it_names(talk: Talk) -> None:
    """Its start records them, so a later moment of the same name changes nothing."""
    for name in ("one", "two"):
        talk.app.send(NameMoment(talk.chat_id, name))
    rows(talk, "SELECT 1 FROM orders")
    rows(talk, "SELECT 1 FROM one.orders")
    (none, one) = (event for event in talk.events("ToolCallStarted") if isinstance(event, ToolCallStarted))
    (first, _) = (event for event in talk.events("MomentNamed") if isinstance(event, MomentNamed))
    assert none.moments == ()
    assert [(read.name, read.manifest_id) for read in one.moments] == [("one", first.manifest_id)]
    assert {path.name for path in talk.place.glob("*") if path.is_file()} == {"orders.csv"}


@pytest.mark.long
def test_a_result_in_a_moment_can_be_read_even_if_it_is_gone_now(talk: Talk) -> None:
    """Parquet files are not in the cache of typed tables; they are read from the chat's contents."""
    rows(talk, "SELECT sum(amount) AS total FROM orders")
    assert isinstance(ran(talk, "query", sql="SELECT * FROM orders WHERE amount > 10", name="large"), dict)
    talk.app.send(NameMoment(talk.chat_id, "with_result"))
    for path in [path for path in talk.app.workspace.files(talk.chat_id) if path.startswith("results/")]:
        talk.app.send(RemoveFile(talk.chat_id, path))
    assert rows(talk, "SELECT count(*) FROM with_result.large") == [[3]]
    assert "3" in ran(talk, "python", code='print(len(tables["with_result.large"]))')["output"]
    assert "3" in ran(talk, "python", code='m = "with_result"\nprint(len(tables[f"{m}.large"]))')["output"]
    assert "large" in ran(talk, "query", sql="SELECT * FROM large_ones")


@pytest.mark.long
def test_a_position_and_a_branch_can_be_used_as_schemas_without_a_name(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    question = talk.ask("one").message_id
    at = talk.app.version(talk.chat_id) and talk.app.log.head()
    replace_file(talk, AFTER)
    talk.ask("two")
    talk.app.send(SelectLeaf(talk.chat_id, question))
    talk.replies({"text": "One again."})
    talk.retry(question)
    assert rows(talk, f'SELECT count(*) FROM "at {at}".orders') == [[4]]
    assert rows(
        talk, 'SELECT (SELECT count(*) FROM "branch 1".orders), (SELECT count(*) FROM "Branch 2".orders)'
    ) == [[3, 4]]
    assert "3" in ran(talk, "python", code='print(len(tables["branch 1.orders"]))')["output"]
    code = f'print(sql("SELECT count(*) AS n FROM \\"at {at}\\".orders").n[0])'
    assert "4" in ran(talk, "python", code=code)["output"]
    assert "This chat has 2 branches" in ran(talk, "query", sql='SELECT * FROM "branch 7".orders')
    assert "after this chat's last event" in ran(talk, "query", sql='SELECT * FROM "at 999999".orders')
    assert "did not exist at position 1" in ran(talk, "query", sql='SELECT * FROM "at 1".orders')


def test_an_unknown_moment_is_an_error_that_lists_the_existing_ones(talk: Talk) -> None:
    assert "No moment of this chat has a name yet" in ran(talk, "query", sql="SELECT * FROM befor.orders")
    talk.app.send(NameMoment(talk.chat_id, "before"))
    assert "The moments are: before." in ran(talk, "query", sql="SELECT * FROM befor.orders")
    assert "before.orders" in ran(talk, "query", sql="SELECT * FROM before.order_lines")
    assert "before.…" in ran(talk, "python", code='tables["befor.orders"]')


def test_the_model_names_a_moment_and_reads_it_in_the_same_step(talk: Talk) -> None:
    upload(talk, AFTER, "other.csv")
    edit = call("edit_file", path="other.csv", old="3,30\n", new="")
    compare = "SELECT (SELECT count(*) FROM before.other) AS was, (SELECT count(*) FROM other) AS now"
    talk.replies(
        {
            "calls": [
                call("name_moment", name="before", description="as it came"),
                edit,
                call(QUERY, sql=compare),
            ]
        },
        {"text": "One row less."},
    )
    turn = talk.ask("Take the last row out.")
    naming, _, query = talk.calls()
    assert (naming.status, query.status) == ("success", "success"), (naming.error, query.error)
    assert query.result["rows"] == [[3, 2]]  # type: ignore[index,call-overload]
    assert naming.result == {"named": "before", "use": "SQL and python read its tables as before.TABLE."}
    (event,) = (event for event in talk.events("MomentNamed") if isinstance(event, MomentNamed))
    assert (event.call_id, event.message_id) == (naming.call_id, naming.message_id)
    told = [
        json.dumps([str(m) for m in talk.app.request(talk.chat_id, turn.turn_id, step).messages])
        for step in (1, 2)
    ]
    assert ["before (as it came)" in text for text in told] == [False, True]


@pytest.mark.long
def test_a_name_that_is_in_use_is_moved_and_the_result_says_so(talk: Talk) -> None:
    first = talk.app.send(NameMoment(talk.chat_id, "checked"))
    replace_file(talk, AFTER)
    talk.replies({"calls": [call("name_moment", name="checked")]}, {"text": "."})
    talk.ask()
    assert "was the name of an earlier moment" in str(talk.calls()[0].result)
    assert named(talk) == ["checked"]
    assert rows(talk, "SELECT count(*) FROM checked.orders") == [[3]]
    assert [event.model_dump()["moment_id"] for event in talk.events("MomentForgotten")] == [first]


@pytest.mark.long
def test_a_moment_can_be_renamed_and_removed(talk: Talk) -> None:
    head = talk.app.log.head()
    replace_file(talk, AFTER)
    talk.app.send(NameMoment(talk.chat_id, "raw", position=head))
    talk.app.send(NameMoment(talk.chat_id, "uploaded", renames="raw"))
    assert named(talk) == ["uploaded"]
    assert rows(talk, "SELECT count(*) FROM uploaded.orders") == [[4]]
    before = talk.app.log.head()
    talk.app.send(ForgetMoment(talk.chat_id, "uploaded"))
    assert named(talk) == []
    assert [row["name"] for row in talk.app.read("moments", at=before, chat_id=talk.chat_id)] == ["uploaded"]
    with pytest.raises(NotFound, match="The chat has no named moments"):
        talk.app.send(ForgetMoment(talk.chat_id, "uploaded"))
    assert "does not exist" in ran(talk, "query", sql="SELECT * FROM uploaded.orders")
    with pytest.raises(Invalid, match="Give one of these"):
        talk.app.send(NameMoment(talk.chat_id, "x", position=head, renames="y"))
    with pytest.raises(NotFound, match="no message"):
        talk.app.send(NameMoment(talk.chat_id, "x", message_id="0"))


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    mostly_long([
        "", " ", "Before", "before cleaning", "1st", "_x", "x" * 61, "été", "a.b", 'a"b', "a;drop table orders",
        "a\nb", "a\x00", "main", "temp", "information_schema", "pg_catalog", "system", "memory", "select", "all",
        "at", "x\u202ey", "ſelect", "K",
    ], quick=(0, 3, 9, 15, 23)),
)  # fmt: skip
def test_a_name_that_is_not_valid_in_sql_is_refused(talk: Talk, name: str) -> None:
    with pytest.raises(Invalid, match=r"name|word"):
        talk.app.send(NameMoment(talk.chat_id, name))
    assert named(talk) == []


@pytest.mark.long
def test_the_name_of_a_table_and_more_than_fifty_names_are_refused(talk: Talk) -> None:
    rows(talk, "SELECT 1 FROM orders")
    with pytest.raises(Refused, match="A table in this chat is already called orders"):
        talk.app.send(NameMoment(talk.chat_id, "orders"))
    with pytest.raises(Invalid, match="up to 200"):
        talk.app.send(NameMoment(talk.chat_id, "x", description="d" * 201))
    with pytest.raises(Invalid, match="For example: before_cleaning"):
        talk.app.send(NameMoment(talk.chat_id, "Before cleaning!"))
    for number in range(50):
        talk.app.send(NameMoment(talk.chat_id, f"m{number}"))
    with pytest.raises(Refused, match="already has 50"):
        talk.app.send(NameMoment(talk.chat_id, "one_more"))
    events = len(talk.events())
    talk.app.send(NameMoment(talk.chat_id, "m7"))
    assert len(talk.events()) == events, "the same again is no event"


def test_a_table_and_a_moment_with_the_same_name_can_both_be_read(talk: Talk) -> None:
    talk.app.send(NameMoment(talk.chat_id, "old"))
    upload(talk, "id\n7\n", "old.csv")
    assert rows(talk, "SELECT (SELECT count(*) FROM old.orders), old.id FROM old") == [[4, 7]]


@pytest.mark.long
def test_a_fork_contains_the_moments_of_its_path(talk: Talk) -> None:
    talk.replies({"text": "One."}, {"text": "Two."})
    talk.ask("one")
    here = talk.branch()[-1].message_id
    talk.app.send(NameMoment(talk.chat_id, "first"))
    replace_file(talk, AFTER)
    talk.ask("two")
    talk.app.send(NameMoment(talk.chat_id, "second"))
    rows(talk, "SELECT 1 FROM second.orders")
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, here)))
    assert named(fork) == ["first"]
    replace_file(fork, "id\n1\n")
    assert rows(fork, "SELECT count(*) FROM first.orders") == [[4]]
    whole = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id)))
    assert rows(
        whole, "SELECT (SELECT count(*) FROM first.orders), (SELECT count(*) FROM second.orders)"
    ) == [[4, 3]]


def test_files_can_be_reset_to_a_moment_that_was_named_at_a_position(talk: Talk) -> None:
    at = talk.app.log.head()
    replace_file(talk, AFTER)
    talk.app.send(NameMoment(talk.chat_id, "cleaned"))
    talk.app.send(RewindChat(talk.chat_id, at, "files"))
    assert rows(talk, "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM cleaned.orders)") == [
        [4, 3]
    ]


@pytest.mark.long
def test_a_moment_whose_content_was_removed_is_reported(talk: Talk) -> None:
    upload(talk, "id\n1\n", "stays.csv")
    upload(talk, "id\n1\n", "more/orders.csv")
    talk.app.send(NameMoment(talk.chat_id, "old"))
    assert rows(talk, "SELECT count(*) FROM old.orders") == [[4]]
    replace_file(talk, AFTER)
    talk.app.retention.collect(datetime.now(UTC) + timedelta(days=1))
    for _ in range(2):
        assert "removed by `anabranch gc`" in ran(talk, "query", sql="SELECT count(*) FROM old.orders")
        assert "removed by `anabranch gc`" in ran(talk, "python", code='tables["old.orders"]')
        assert rows(talk, "SELECT count(*) FROM old.stays") == [[1]]


def test_a_tool_with_network_access_cannot_read_moments(talk: Talk, tmp_path: Path) -> None:
    """Otherwise old files could leave the machine by a name that was never shown as a file."""
    manifest = KIT["toolset.yaml"].replace("tools:", "permissions: {network: true}\ntools:", 1)
    act = "from anabranch_tool.context import given\ndef run(workspace, **_):\n    return {'given': given['moments']}\n"
    talk.app.send(
        InstallToolset(write_bundle(tmp_path / "kit", {"toolset.yaml": manifest, "tools/act.py": act}), "yes")
    )
    talk.app.send(NameMoment(talk.chat_id, "before"))
    call_id = talk.app.send(
        RunTool(talk.chat_id, "kit:look", {"say": "before.orders"}, allow_confirmations=True)
    )
    made = talk.app.chat(talk.chat_id).calls[call_id]
    assert made.result == {"given": []}, made.error


@pytest.mark.long
def test_the_command_line_names_lists_and_removes_moments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_app(tmp_path / "data") as closed:
        talk = Talk(closed, tmp_path)
        upload(talk, BEFORE)
        data, chat_id, at = str(closed.data), talk.chat_id, closed.log.head()

    def said(*words: str, code: int = 0) -> str:
        assert run(["chat", *words, "--data", data]) == code
        out = capsys.readouterr()
        return out.out + out.err

    assert "raw.TABLE" in said("name-moment", chat_id, "raw", "--at", str(at), "--description", "as it came")
    assert "no longer has a name" in said("name-moment", chat_id, "raw")
    assert "raw2.TABLE" in said("name-moment", chat_id, "raw2", "--rename", "raw")
    assert "raw2" in said("moments", chat_id)
    assert "raw2 no longer names a moment" in said("forget-moment", chat_id, "raw2")
    assert "No named moments" in said("moments", chat_id)
    assert "has no moment 'raw2'" in said("forget-moment", chat_id, "raw2", code=1)


@pytest.mark.long
def test_a_call_that_reads_moments_runs_again_with_the_same_states(talk: Talk) -> None:
    """Its start records the states; the names may have moved since."""
    talk.app.send(NameMoment(talk.chat_id, "before"))
    replace_file(talk, AFTER)
    code = 'print(len(tables["before.orders"]), len(tables["orders"]))'
    talk.replies(
        {"calls": [call("name_moment", name="after")]},
        {"calls": [call(QUERY, sql="SELECT * FROM before.orders EXCEPT ALL SELECT * FROM after.orders")]},
        {"calls": [call(PYTHON, code=code)]},
        {"text": "One row less."},
    )
    talk.ask("What changed?")
    replace_file(talk, "id,amount\n9,9\n")
    talk.app.send(NameMoment(talk.chat_id, "before"))
    talk.app.send(ForgetMoment(talk.chat_id, "after"))
    known = named(talk)
    talk.app.send(ReplayChat(talk.chat_id))
    (replay,) = (event for event in talk.events("ReplayFinished") if isinstance(event, ReplayFinished))
    assert [one.verdict for one in replay.calls] == ["skipped", "identical", "identical"], replay.calls
    assert named(talk) == known


@pytest.mark.long
def test_a_fork_records_which_moment_of_its_original_a_call_read(talk: Talk) -> None:
    talk.replies({"text": "."}, {"text": "."})
    question = talk.ask("one").message_id
    talk.app.send(SelectLeaf(talk.chat_id, question))
    replace_file(talk, AFTER)
    talk.app.send(NameMoment(talk.chat_id, "aside"))
    talk.replies({"calls": [call(QUERY, sql="SELECT count(*) FROM aside.orders")]}, {"text": "3"})
    talk.retry(question)
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id)))
    (started,) = (event for event in fork.events("ToolCallStarted") if isinstance(event, ToolCallStarted))
    assert [read.name for read in started.moments] == ["aside"]
