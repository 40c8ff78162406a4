"""A branch that runs again with other files or a changed call has the same results as doing it by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pandas as pd
import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import BeginChat, RerunChat, SelectLeaf, StopTurn, Upload
from engine.errors import Invalid, NotFound, Refused
from engine.replay.rerun_calls import RerunCalls
from engine.views.comparisons import SideWanted
from events.catalog.replay import RerunStarted
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call, script

AUGUST = b"region,month,revenue\nEast,2026-08,100\nWest,2026-08,200\nNorth,2026-08,50\n"
SEPTEMBER = b"region,month,revenue\nWest,2026-09,220\nNorth,2026-09,500\nSouth,2026-09,5\n"
BY_REGION = "SELECT region, sum(revenue) AS r FROM orders GROUP BY ALL ORDER BY r DESC"
ANALYSIS: list[dict[str, Any]] = [
    {"calls": [call("query", sql=BY_REGION, title="By region")]},
    {
        "calls": [
            call("query", sql="SELECT * FROM orders WHERE region = 'East'", title="East"),
            call("query", sql="SELECT count(*) AS n FROM by_region", title="Regions"),
        ]
    },
    {"text": "West leads."},
]


def analysed(app: App, folder: Path, data: bytes) -> Talk:
    model = script(folder / f"script{len(list(folder.glob('script*')))}.json", ANALYSIS)
    turn = app.send(BeginChat("Which region leads?", [Upload("orders.csv", data)], model=model))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def results(talk: Talk) -> list[Any]:
    return [(one.status, one.result) for one in talk.calls()]


def rerun(talk: Talk, **more: Any) -> dict[str, Any]:
    rerun_id = talk.app.send(RerunChat(talk.chat_id, **more))
    return dict(talk.app.rerun(talk.chat_id, rerun_id))


@pytest.mark.long
def test_a_refresh_gives_the_same_results_as_asking_the_questions_again(app: App, tmp_path: Path) -> None:
    """On a new branch; the old one stays unchanged."""
    talk, fresh = analysed(app, tmp_path, AUGUST), analysed(app, tmp_path, SEPTEMBER)
    before, leaf, old = results(talk), app.chat(talk.chat_id).leaf, app.workspace.files(talk.chat_id)

    done = rerun(talk, files=[Upload("orders.csv", SEPTEMBER)])

    assert results(talk) == results(fresh)
    assert [one["status"] for one in done["calls"]] == ["ran"] * 3
    assert [one["moved"] for one in done["calls"]] == [True, True, False]
    assert done["calls"][1]["quotes"] == ["East"]
    assert app.chat(talk.chat_id).leaf == done["branch_leaf"] != leaf
    assert [message.text for message in talk.branch()] == [message.text for message in fresh.branch()]
    assert talk.place.joinpath("orders.csv").read_bytes() == SEPTEMBER
    assert app.workspace.files(talk.chat_id) == app.workspace.files(fresh.chat_id)

    app.send(SelectLeaf(talk.chat_id, leaf))
    assert (results(talk), app.workspace.files(talk.chat_id)) == (before, old)


@pytest.mark.long
def test_a_refresh_with_the_same_file_changes_no_result(app: App, tmp_path: Path) -> None:
    """Each call has the same result."""
    talk = analysed(app, tmp_path, AUGUST)
    done = rerun(talk, files=[Upload("orders.csv", AUGUST)])
    assert {(one["status"], one["moved"]) for one in done["calls"]} == {("ran", False)}


def test_a_changed_call_reruns_with_the_calls_after_it_but_none_before(app: App, tmp_path: Path) -> None:
    """The calls before it are shared with the old branch, event by event."""
    talk = analysed(app, tmp_path, AUGUST)
    _, east, _ = talk.calls()
    before = talk.branch()
    done = rerun(talk, call_id=east.call_id, arguments={"sql": "SELECT 1 AS one", "title": "East"})
    after = talk.branch()
    assert after[:2] == before[:2]
    assert after[2].siblings == (before[2].message_id, after[2].message_id)
    first, changed, regions = talk.calls()
    assert first.call_id not in [one["new_id"] for one in done["calls"]]
    assert isinstance(changed.result, dict)
    assert changed.result["rows"] == [[1]]
    assert isinstance(regions.result, dict)
    assert regions.result["rows"] == [[3]]


def test_a_call_that_no_longer_succeeds_ends_the_branch(app: App, tmp_path: Path) -> None:
    """Later calls are not run. The chat stays on the old branch, so the next run covers the whole analysis."""
    talk = analysed(app, tmp_path, AUGUST)
    leaf, files = app.chat(talk.chat_id).leaf, app.workspace.files(talk.chat_id)
    done = rerun(talk, files=[Upload("orders.csv", b"region,month,revenue\nWest,2026-09,none\n")])
    assert [one["status"] for one in done["calls"]] == ["failed", "not reached", "not reached"]
    assert "sum" in done["calls"][0]["told"]
    view = app.chat(talk.chat_id)
    assert (view.leaf, app.workspace.files(talk.chat_id)) == (leaf, files)
    turn = view.turns[view.branch(done["branch_leaf"])[-1].turn_id or ""]
    assert turn.reason == "error"
    assert len(rerun(talk, files=[Upload("orders.csv", SEPTEMBER)])["calls"]) == 3


NO_REVENUE = b"region,month,sales\nWest,2026-09,1\n"


@pytest.mark.parametrize(
    ("new", "said"),
    mostly_long(
        [
            (NO_REVENUE, "The new orders.csv has no column revenue, but 1 call uses it."),
            (b"", "The new orders.csv cannot be read as a table"),
            (b"\x00\x01\xff" * 50, "The new orders.csv cannot be read as a table"),
        ],
        quick=(1,),
    ),
)
def test_a_file_that_would_make_calls_fail_is_refused_and_leaves_no_branch(
    app: App, tmp_path: Path, new: bytes, said: str
) -> None:
    """Nothing is recorded; the user can still run it anyway."""
    talk = analysed(app, tmp_path, AUGUST)
    events = len(talk.events())
    with pytest.raises(Refused, match=said) as refused:
        rerun(talk, files=[Upload("orders.csv", new)])
    assert refused.value.code == "files_do_not_fit"
    assert len(talk.events()) == events
    done = rerun(talk, files=[Upload("orders.csv", new)], anyway=True)
    assert done["calls"][0]["status"] == "failed"


@pytest.mark.long
def test_a_file_without_an_unused_column_is_accepted(app: App, tmp_path: Path) -> None:
    """New columns and missing columns that no call names make no difference."""
    talk = analysed(app, tmp_path, AUGUST)
    new = AUGUST.replace(b"month", b"week")
    assert [one["moved"] for one in rerun(talk, files=[Upload("orders.csv", new)])["calls"]] == [
        False,
        True,  # it lists every column
        False,
    ]


@pytest.mark.long
def test_the_terminal_says_how_to_match_a_column_and_runs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second run, with the column matched, covers the whole analysis."""
    data = tmp_path / "data"
    with open_app(data) as app:
        talk = analysed(app, tmp_path, AUGUST)
        events = len(talk.events())
    (tmp_path / "new.csv").write_bytes(NO_REVENUE)
    words = ["rerun", talk.chat_id, "--data", str(data), "--file", f"orders.csv={tmp_path / 'new.csv'}"]
    assert run(words) == 1
    told = capsys.readouterr().err
    assert "revenue is missing. 1 of the calls uses it." in told
    assert "add --column revenue=NAME" in told
    assert "No call ran." in told
    with open_app(data) as again:
        assert len(Talk(again, tmp_path, talk.chat_id).events()) == events
    assert run([*words, "--column", "revenue=sales", "--json"]) == 4
    assert [one["status"] for one in json.loads(capsys.readouterr().out)["calls"]] == ["ran"] * 3


def test_differences_in_the_columns_of_a_new_file_are_reported_before_anything_runs(
    app: App, tmp_path: Path
) -> None:
    """Missing columns with suggestions, new ones, other types, and values that calls quote."""
    talk = analysed(app, tmp_path, AUGUST)
    events = len(talk.events())
    new = b"region,months,revenue,channel\nWest,2026-09,abc,web\n"
    (table,) = app.preview_rerun(talk.chat_id, [Upload("orders.csv", new)])
    told = {column.name: (column.what, column.like) for column in table.columns}
    assert told == {
        "month": ("missing", "months"),
        "revenue": ("other type", None),
        "months": ("new", None),
        "channel": ("new", None),
        "region": ("same", None),
    }
    assert table.values_gone == ("“East” is no longer a value of region, but a call quotes it",)
    assert not table.fits
    assert len(talk.events()) == events


RENAMED = b"area,month,sales,channel\nWest,2026-08,220\nNorth,2026-08,500\nSouth,2026-08,5\n".replace(
    b"\n", b",web\n"
).replace(b"channel,web", b"channel")
MATCHED = {"orders.csv": {"region": "area", "revenue": "sales"}}


def test_a_renamed_column_is_suggested_and_nothing_is_matched_silently(app: App, tmp_path: Path) -> None:
    """The suggestion has a reason and the number of calls; once the column is matched, the file fits."""
    talk = analysed(app, tmp_path, AUGUST)
    new = RENAMED.replace(b"sales", b"total_revenue")
    (table,) = app.preview_rerun(talk.chat_id, [Upload("orders.csv", new)])
    told = {column.name: (column.what, column.like, column.calls) for column in table.columns}
    assert told == {
        "region": ("missing", "area", 2),
        "revenue": ("missing", "total_revenue", 1),
        "total_revenue": ("new", None, 0),
        "area": ("new", None, 0),
        "channel": ("new", None, 0),
        "month": ("same", None, 0),
    }
    whys = {column.name: column.why for column in table.columns}
    assert (whys["region"], whys["revenue"]) == ("67% of its values are the same", "the name is similar")
    assert not table.fits
    names = {"orders.csv": {"region": "area", "revenue": "total_revenue"}}
    (table,) = app.preview_rerun(talk.chat_id, [Upload("orders.csv", new)], columns=names)
    assert [column.what for column in table.columns] == ["matched", "matched", "new", "same"]
    assert table.values_gone == ("“East” is no longer a value of region, but a call quotes it",)


@pytest.mark.long
def test_a_file_with_matched_columns_gives_the_results_of_its_rows(app: App, tmp_path: Path) -> None:
    """It is read with the column names that the calls use; the event refers to the original file and the matches."""
    talk = analysed(app, tmp_path, AUGUST)
    fresh = analysed(app, tmp_path, RENAMED.replace(b"area", b"region").replace(b"sales", b"revenue"))
    rerun(talk, files=[Upload("orders.csv", RENAMED)], columns=MATCHED)
    assert results(talk) == results(fresh)
    (started,) = [event for event in talk.events() if isinstance(event, RerunStarted)]
    assert started.columns == MATCHED
    assert app.workspace.read(talk.chat_id, started.brought["orders.csv"].sha256) == RENAMED
    assert "area is read as region" in started.sentence()
    assert talk.place.joinpath("orders.csv").read_bytes() == RENAMED.replace(b"area", b"region").replace(
        b"sales", b"revenue"
    )


@pytest.mark.long
@pytest.mark.parametrize("ending", mostly_long(["xlsx", "parquet", "tsv"], quick=(1,)))
def test_columns_are_matched_in_every_kind_of_table(app: App, tmp_path: Path, ending: str) -> None:
    """Workbooks, Parquet and texts; the other bytes of the file stay."""
    rows = {"region": ["West", "East"], "revenue": [1.5, 2.5]}
    old, new = pd.DataFrame(rows), pd.DataFrame(rows).rename(columns={"revenue": "sales & more"})
    write: dict[str, Callable[[pd.DataFrame, Path], object]] = {
        "xlsx": lambda table, file: table.to_excel(file, index=False, sheet_name="Data", engine="xlsxwriter"),
        "parquet": lambda table, file: table.to_parquet(file, index=False),
        "tsv": lambda table, file: table.to_csv(file, index=False, sep="\t", encoding="utf-8-sig"),
    }
    name = f"orders.{ending}"
    write[ending](old, tmp_path / name)
    write[ending](new, tmp_path / f"new.{ending}")
    replies = [{"calls": [call("query", sql="SELECT sum(revenue) AS s FROM orders")]}, {"text": "There."}]
    model = script(tmp_path / "s.json", replies)
    begun = app.send(BeginChat("Total?", [Upload(name, (tmp_path / name).read_bytes())], model=model))
    app.wait(begun.turn_id)
    talk = Talk(app, tmp_path, begun.chat_id)
    upload = Upload(name, (tmp_path / f"new.{ending}").read_bytes())
    done = rerun(talk, files=[upload], columns={name: {"revenue": "sales & more"}})
    assert [(one["status"], one["moved"]) for one in done["calls"]] == [("ran", False)]


@pytest.mark.long
def test_columns_that_cannot_be_matched_are_refused_and_nothing_is_recorded(app: App, tmp_path: Path) -> None:
    """For example a column that the new file does not have, one used for two others, and a missing file."""
    talk = analysed(app, tmp_path, AUGUST)
    events = len(talk.events())
    for columns, said in (
        ({"orders.csv": {"region": "nowhere"}}, "does not contain nowhere exactly once"),
        ({"orders.csv": {"region": "area", "revenue": "area"}}, "cannot be used for two"),
        ({"other.csv": {"region": "area"}}, "no new other.csv was given"),
    ):
        with pytest.raises(Invalid, match=said):
            rerun(talk, files=[Upload("orders.csv", RENAMED)], columns=columns)
    assert len(talk.events()) == events


@pytest.mark.long
def test_a_preview_compares_with_the_file_that_the_user_uploaded(app: App, tmp_path: Path) -> None:
    """Not with a version that a call made; and on the requested branch."""
    clean = {"calls": [call("put", files={"data.csv": "tidy\n1\n"})]}
    model = script(tmp_path / "s.json", [{"text": "Seen."}, clean, {"text": "Cleaned."}])
    begun = app.send(BeginChat("Look.", [Upload("data.csv", b"raw\n1\n")], model=model))
    app.wait(begun.turn_id)
    talk = Talk(app, tmp_path, begun.chat_id)
    first = app.chat(talk.chat_id).leaf
    talk.ask("Clean it.", files=[Upload("more.csv", b"a\n1\n")])
    (table,) = app.preview_rerun(talk.chat_id, [Upload("data.csv", b"raw\n2\n")])
    assert [(column.name, column.what) for column in table.columns] == [("raw", "same")]
    assert app.preview_rerun(talk.chat_id, [Upload("more.csv", b"a\n2\n")])
    with pytest.raises(NotFound, match="The added files are: data"):
        app.preview_rerun(talk.chat_id, [Upload("more.csv", b"a\n2\n")], first)


@pytest.mark.long
def test_quoted_values_are_searched_in_all_rows_of_a_new_file(app: App, tmp_path: Path) -> None:
    """Even if a column has more values than its profile lists."""
    many = "".join(f"c{n}\n" for n in range(6_000))
    replies = [{"calls": [call("query", sql="SELECT 1 FROM t WHERE who = 'c5999'")]}, {"text": "There."}]
    begun = app.send(
        BeginChat("?", [Upload("t.csv", f"who\n{many}".encode())], model=script(tmp_path / "s.json", replies))
    )
    app.wait(begun.turn_id)
    (table,) = app.preview_rerun(begun.chat_id, [Upload("t.csv", f"who\n{many[:-6]}\n".encode())])
    assert table.values_gone == ("“c5999” is no longer a value of who, but a call quotes it",)
    (table,) = app.preview_rerun(begun.chat_id, [Upload("t.csv", f"who\nnew\n{many}".encode())])
    assert table.values_gone == ()


@pytest.mark.long
def test_edits_by_the_user_are_repeated_on_the_new_branch(talk: Talk, tmp_path: Path) -> None:
    """An edit by hand is part of the analysis."""
    talk.replies({"calls": [call("put", files={"a.txt": "one"})]}, {"text": "Done."})
    talk.ask()
    (talk.place / "note.txt").write_text("by hand")
    talk.replies({}, {}, {"calls": [call("look")]}, {"text": "Done."})
    talk.ask()
    done = rerun(talk)
    assert [one["moved"] for one in done["calls"]] == [False, False]
    assert talk.files() == {"a.txt": "one", "note.txt": "by hand"}


@pytest.mark.long
def test_an_impossible_rerun_is_refused_and_nothing_is_recorded(app: App, tmp_path: Path) -> None:
    """Each with the reason."""
    talk = analysed(app, tmp_path, AUGUST)
    (first, *_), events = talk.calls(), len(talk.events())
    for refusal, more, said in (
        (NotFound, {"files": [Upload("other.csv", b"a\n1\n")]}, "The added files are: orders.csv"),
        (NotFound, {"call_id": "nothing", "arguments": {}}, "no call nothing"),
        (NotFound, {"message_id": "nothing"}, "does not have that message"),
        (Invalid, {"call_id": first.call_id}, "give only its new arguments"),
    ):
        with pytest.raises(refusal, match=said):
            rerun(talk, **more)
    assert len(talk.events()) == events
    assert app.rerunning(talk.chat_id) is None


def test_a_stopped_rerun_says_which_calls_did_not_run(talk: Talk) -> None:
    """The calls that ran stay on their branch."""
    talk.replies({"calls": [call("look")]}, {"calls": [call("look", wait=True)]}, {"text": "Done."})
    turn = talk.start()
    (talk.inside() / "go").touch()
    talk.ended(turn)
    found: list[dict[str, Any]] = []
    thread = Thread(target=lambda: found.append(rerun(talk)))
    thread.start()
    talk.inside()
    talk.app.send(StopTurn(talk.chat_id))
    thread.join()
    assert [one["status"] for one in found[0]["calls"]] == ["ran", "failed"]


def test_a_chat_without_calls_has_nothing_to_run_again(talk: Talk) -> None:
    """The error says so."""
    talk.replies({"text": "Hello."})
    talk.ask()
    with pytest.raises(Refused, match="No tool was called"):
        rerun(talk)


@pytest.mark.long
def test_branches_of_a_rerun_are_compared_by_their_results(app: App, tmp_path: Path) -> None:
    """Their texts are the same, so these do not show where the branches differ."""
    talk = analysed(app, tmp_path, AUGUST)
    done = rerun(talk, files=[Upload("orders.csv", SEPTEMBER)])
    found = app.comparisons.compare(
        SideWanted(talk.chat_id, done["from_leaf"]), SideWanted(talk.chat_id, done["branch_leaf"])
    )
    by_region = next(table for table in found.tables if table.name == "By region")
    assert (by_region.diff.rows.changed, by_region.diff.rows.added, by_region.diff.rows.removed) == (2, 1, 1)
    assert found.parted_after == "Which region leads?"


@pytest.mark.long
def test_a_question_asked_during_a_rerun_stays_visible(talk: Talk) -> None:
    """It is answered on the branch that the user sees, and the chat stays there."""
    talk.replies({"calls": [call("look", wait=True)]}, {"text": "Done."})
    turn = talk.start()
    (talk.inside() / "go").touch()
    talk.ended(turn)
    found: list[dict[str, Any]] = []
    thread = Thread(target=lambda: found.append(rerun(talk)))
    thread.start()
    place = talk.inside()
    talk.replies({}, {}, {"text": "At once."})
    talk.ask("And then?")
    (place / "go").touch()
    thread.join()
    assert [message.text for message in talk.branch()][-2:] == ["And then?", "At once."]
    assert [one["status"] for one in found[0]["calls"]] == ["ran"]


@pytest.mark.long
def test_an_interrupted_rerun_leaves_no_open_turn(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that ran stay on their branch, and the chat can be continued."""
    talk.replies({"calls": [call("look")]}, {"calls": [call("look")]}, {"text": "Done."})
    talk.ask()
    judged = RerunCalls.run

    def broken(self: RerunCalls, *given: Any) -> bool:
        if self.done:
            raise OSError("no room")
        return judged(self, *given)

    monkeypatch.setattr(RerunCalls, "run", broken)
    with pytest.raises(Exception, match="no room"):
        rerun(talk)
    assert all(turn.reason is not None for turn in talk.app.chat(talk.chat_id).turns.values())
    assert talk.app.rerunning(talk.chat_id) is None
    talk.replies({}, {}, {}, {"text": "Still here."})
    assert talk.ask("Still there?").reason == "stop"


@pytest.mark.long
def test_a_version_of_a_replaced_file_that_a_call_wrote_is_kept(app: App, tmp_path: Path) -> None:
    """The new file only replaces the file that the user uploaded, at that point."""
    clean = {"calls": [call("put", files={"data.txt": "cleaned"})]}
    model = script(
        tmp_path / "s.json", [clean, {"text": "Cleaned."}, {"calls": [call("look")]}, {"text": "Seen."}]
    )
    begun = app.send(BeginChat("Clean it.", [Upload("data.txt", b"raw")], model=model))
    app.wait(begun.turn_id)
    talk = Talk(app, tmp_path, begun.chat_id)
    talk.ask("Look at it.")
    rerun(talk, files=[Upload("data.txt", b"raw 2")])
    assert talk.calls()[-1].result == {"saw": {"data.txt": "cleaned"}}
    assert talk.files() == {"data.txt": "cleaned"}


@pytest.mark.long
def test_a_moment_is_read_in_its_version_on_the_new_branch(app: App, tmp_path: Path) -> None:
    """A named state of the old branch has a counterpart on the new one."""
    named = {"calls": [call("name_moment", name="original")]}
    total = {"calls": [call("query", sql="SELECT sum(x) AS s FROM original.data", title="Total")]}
    model = script(tmp_path / "s.json", [named, {"text": "Named."}, total, {"text": "There."}])
    begun = app.send(BeginChat("Name it.", [Upload("data.csv", b"x\n1\n2\n")], model=model))
    app.wait(begun.turn_id)
    talk = Talk(app, tmp_path, begun.chat_id)
    talk.ask("Total?")
    rerun(talk, files=[Upload("data.csv", b"x\n10\n20\n")])
    result = talk.calls()[-1].result
    assert isinstance(result, dict)
    assert result["rows"] == [[30]]


@pytest.mark.long
def test_a_call_that_never_ran_can_be_changed_and_then_runs(talk: Talk) -> None:
    """Its old failure is not taken as the result of the new arguments."""
    talk.replies({"calls": [call("look", nonsense=1)]}, {"text": "Done."})
    talk.ask()
    (wrong,) = talk.calls()
    done = rerun(talk, call_id=wrong.call_id, arguments={"back": {"n": 1}})
    (right,) = talk.calls()
    assert (right.status, right.result) == ("success", {"n": 1})
    assert [one["status"] for one in done["calls"]] == ["ran"]


def test_a_changed_call_that_may_not_run_again_is_refused(talk: Talk) -> None:
    """It does not get its old result, and no branch is left; invalid arguments are refused too."""
    talk.replies({"calls": [call("name_moment", name="first"), call("look")]}, {"text": "Done."})
    talk.ask()
    named, look = talk.calls()
    events = len(talk.events())
    with pytest.raises(Refused, match=r"No call ran\. It named a moment"):
        rerun(talk, call_id=named.call_id, arguments={"name": "second"})
    with pytest.raises(Refused, match=r"No call ran\. .*nonsense"):
        rerun(talk, call_id=look.call_id, arguments={"nonsense": 1})
    assert len(talk.events()) == events


@pytest.mark.long
def test_conflicting_files_that_were_kept_aside_stay_aside(talk: Talk) -> None:
    """Nothing changed, so the new branch has the same results."""
    talk.replies(
        {"calls": [call("add", files={"x.txt": "1"}), call("add", files={"x.txt": "2"})]}, {"text": "Done."}
    )
    talk.ask()
    assert talk.files() == {"x.txt": "1"}
    done = rerun(talk)
    assert talk.files() == {"x.txt": "1"}
    assert [(one["status"], one["moved"]) for one in done["calls"]] == [("ran", False), ("kept", False)]
