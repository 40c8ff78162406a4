"""Choices for cards: how a table is shown, now, at any moment and in forks; and results hidden by a rewind."""

import pytest

from engine.commands.catalog import ForkChat, RewindChat, RunTool, SelectLeaf, SetTableView, TableLook
from engine.commands.codec import decode
from engine.errors import Invalid, NotFound
from engine.views.chat import CallView
from tests.support.talk import Talk, call

PATH = "results/orders.parquet"
LOOK = TableLook(
    shown=("units", "region"),
    names={"units": "Sold"},
    numbers="compact",
    formats={"units": "whole"},
    totals=True,
    sort_by="units",
    descending=True,
    find="East",
)


@pytest.fixture
def asked(talk: Talk) -> CallView:
    """The only call of an answer."""
    talk.replies({"calls": [call("put", files={PATH: "rows"})]}, {"text": "Here."})
    talk.ask("show it")
    (found,) = talk.app.chat(talk.chat_id).calls.values()
    return found


def shown(talk: Talk, call_id: str, at: int | None = None, chat_id: str = "") -> TableLook | None:
    return talk.app.chat(chat_id or talk.chat_id, at=at).calls[call_id].looks.get(PATH)


def own_run(talk: Talk, origin: str) -> str:
    return talk.app.send(RunTool(talk.chat_id, "kit:look", {}, from_call_id=origin))


def aside(talk: Talk) -> set[str]:
    return {one.call_id for one in talk.app.chat(talk.chat_id).calls.values() if one.aside}


def test_a_view_is_recorded_once_and_can_be_read_at_any_moment_and_reset(talk: Talk, asked: CallView) -> None:
    app, before = talk.app, talk.app.log.head()
    app.send(SetTableView(talk.chat_id, asked.call_id, PATH, LOOK))
    chosen = app.log.head()
    app.send(SetTableView(talk.chat_id, asked.call_id, PATH, LOOK))
    assert app.log.head() == chosen, "the same view again is no event"
    assert shown(talk, asked.call_id) == shown(talk, asked.call_id, chosen) == LOOK
    (step,) = [m for m in talk.branch() if m.calls]
    assert step.calls[0].looks == {PATH: LOOK}
    app.send(SetTableView(talk.chat_id, asked.call_id, PATH, TableLook()))
    assert shown(talk, asked.call_id) is None
    assert (shown(talk, asked.call_id, before), shown(talk, asked.call_id, chosen)) == (None, LOOK)


def test_a_fork_and_a_rewind_show_tables_with_the_views_of_that_time(talk: Talk, asked: CallView) -> None:
    app, before = talk.app, talk.app.log.head()
    app.send(SetTableView(talk.chat_id, asked.call_id, PATH, LOOK))
    fork = app.send(ForkChat(talk.chat_id))
    (copied,) = app.chat(fork).calls.values()
    assert copied.looks == {PATH: LOOK}
    undo = app.send(RewindChat(talk.chat_id, before))
    assert shown(talk, asked.call_id) is None
    app.send(RewindChat(talk.chat_id, undo))
    assert shown(talk, asked.call_id) == LOOK
    app.send(RewindChat(talk.chat_id, before, "files"))
    assert shown(talk, asked.call_id) == LOOK, "files only: the cards stay"


def test_views_of_tables_that_a_call_did_not_show_and_huge_views_are_refused(
    talk: Talk, asked: CallView
) -> None:
    with pytest.raises(NotFound, match=rf"no table from a file nope\.csv\. Its tables are from: {PATH}\."):
        talk.app.send(SetTableView(talk.chat_id, asked.call_id, "nope.csv", LOOK))
    odd = {"chat_id": talk.chat_id, "call_id": asked.call_id, "path": PATH, "view": {"numbers": "roman"}}
    with pytest.raises(Invalid, match=r"view\.numbers: Input should be 'whole', 'two_decimals'"):
        decode(SetTableView, odd)
    with pytest.raises(NotFound, match="no call 01890a5d"):
        talk.app.send(SetTableView(talk.chat_id, "01890a5d-ac96-774b-bcce-b302099a8057", PATH, LOOK))
    for wrong in (TableLook(hidden=[str(n) for n in range(4_001)]), TableLook(find="x" * 501)):
        with pytest.raises(Invalid, match=r"up to 4,000 columns, each with up to 500"):
            talk.app.send(SetTableView(talk.chat_id, asked.call_id, PATH, wrong))


def test_a_rewind_hides_later_results_of_the_user_and_undoing_it_shows_them_again(
    talk: Talk, asked: CallView
) -> None:
    app = talk.app
    first = own_run(talk, asked.call_id)
    between = app.log.head()
    second, third = own_run(talk, first), own_run(talk, asked.call_id)
    undo = app.send(RewindChat(talk.chat_id, between))
    assert aside(talk) == {second, third}
    assert {one.aside for one in app.chat(app.send(ForkChat(talk.chat_id))).calls.values()} == {True, False}
    fourth = own_run(talk, first)
    again = app.send(RewindChat(talk.chat_id, undo))
    assert aside(talk) == {fourth}, "as it was before the first rewind"
    app.send(RewindChat(talk.chat_id, again))
    assert aside(talk) == {second, third}


def test_a_rewind_to_an_earlier_answer_does_not_hide_results_of_the_later_branch(talk: Talk) -> None:
    one, two = {"calls": [call("look")]}, {"calls": [call("look")]}
    talk.replies(one, {"text": "One."}, two, {"text": "Two."})
    talk.ask("first")
    earlier = talk.app.log.head()
    talk.ask("second")
    first, second = talk.app.chat(talk.chat_id).calls
    of_first, of_second = own_run(talk, first), own_run(talk, second)
    talk.app.send(RewindChat(talk.chat_id, earlier))
    assert aside(talk) == {of_first}
    assert of_second not in aside(talk)


def test_returning_to_a_branch_shows_results_that_a_rewind_had_hidden(talk: Talk) -> None:
    talk.replies({"text": "one"}, {"text": "two"})
    talk.ask("a")
    at = talk.app.log.head()
    talk.ask("b")
    leaf = talk.app.chat(talk.chat_id).leaf
    own = talk.app.send(RunTool(talk.chat_id, "kit:look", {}))
    talk.app.send(RewindChat(talk.chat_id, at))
    assert aside(talk) == {own}
    talk.app.send(SelectLeaf(talk.chat_id, leaf))
    assert aside(talk) == set()
