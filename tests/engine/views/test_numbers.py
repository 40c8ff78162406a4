"""The numbers of an answer, from a question to `numbers`, the dossier and `anabranch why`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.turn_document import turn_document
from engine.commands.catalog import (
    Ask,
    BeginChat,
    EditAnswer,
    ForkChat,
    RerunChat,
    SaveFile,
    SelectLeaf,
    Upload,
    VouchNumber,
)
from engine.errors import NotFound, Refused
from engine.views.dossier import rounding
from engine.views.number_evidence import ResultTables
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call, script

ORDERS = b"region,quarter,revenue\nEast,Q2,355020\nEast,Q3,271640\nWest,Q2,501775\nWest,Q3,515210\n"
SQL = (
    "SELECT region, sum(revenue) FILTER (quarter = 'Q2') AS q2, sum(revenue) FILTER (quarter = 'Q3') AS q3"
    " FROM orders GROUP BY ALL ORDER BY region"
)

UNCLEAR = "East brought 355,020 visitors."
"""The value of a cell whose row is named, and a noun that no result has."""


def answered(app: App, folder: Path, *steps: dict[str, Any], files: list[Upload] | None = None) -> Talk:
    model = script(folder / "script.json", list(steps))
    turn = app.send(
        BeginChat("Which region lost most?", files or [Upload("orders.csv", ORDERS)], model=model)
    )
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def query(sql: str = SQL, title: str = "Revenue by region") -> dict[str, Any]:
    return {"calls": [call("query", sql=sql, title=title)]}


def numbers(talk: Talk) -> list[dict[str, Any]]:
    view = talk.app.chat(talk.chat_id)
    turn = max(view.turns.values(), key=lambda one: one.started_at)
    return list(turn_document(talk.app, talk.chat_id, turn.turn_id)["numbers"])


def answer_id(talk: Talk) -> str:
    return talk.branch()[-1].message_id


def test_each_number_has_its_cell_or_its_derivation(app: App, tmp_path: Path) -> None:
    talk = answered(
        app,
        tmp_path,
        query(),
        {"text": "East fell from €355,020 to €271,640 in Q3 (−23.5%); West made 515,201."},
    )
    told = {one["text"]: one for one in numbers(talk)}
    made_by = talk.calls()[0].call_id

    assert told["€355,020"] | {"derivation": None} == {
        "text": "€355,020",
        "value": 355020.0,
        "status": "exact",
        "call_id": made_by,
        "result": "revenue_by_region",
        "column": "q2",
        "row": {"region": "East"},
        "derivation": None,
    }
    assert (told["−23.5%"]["status"], told["−23.5%"]["derivation"]["operation"]) == ("derived", "growth")
    assert told["515,201"]["status"] == "unbacked"  # two digits changed places
    assert told["Q3"]["status"] == "plain"


def test_a_number_stated_for_another_row_is_in_no_result(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "West made 355,020 in Q2."})
    assert [one["status"] for one in numbers(talk) if one["text"] == "355,020"] == ["unbacked"]


@pytest.mark.long
def test_a_number_from_a_replaced_result_is_out_of_date(app: App, tmp_path: Path) -> None:
    clean = {"calls": [call("edit_file", path="orders.csv", old="East,Q3,271640", new="East,Q3,280000")]}
    talk = answered(app, tmp_path, query(), clean, query(), {"text": "East made 271,640 in Q3."})
    assert [one["status"] for one in numbers(talk) if one["text"] == "271,640"] == ["stale"]


def test_numbers_printed_by_python_can_be_quoted(app: App, tmp_path: Path) -> None:
    code = {"calls": [call("python", code="print('correlation of price and demand', -0.4242)")]}
    talk = answered(app, tmp_path, code, {"text": "The correlation of price and demand is −0.42."})
    assert [(one["text"], one["status"]) for one in numbers(talk)] == [("−0.42", "exact")]


def test_the_dossier_of_a_number_leads_from_the_text_to_the_file(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "East made 355.0k in Q2."})
    found = app.dossier(talk.chat_id, answer_id(talk), 1)

    assert found.status == "exact"
    assert [(cell.result, cell.value, cell.columns[cell.column]) for cell in found.cells] == [
        ("Revenue by region", 355020, "q2")
    ]
    assert found.made is not None
    assert found.made.program == SQL
    (orders,) = found.made.inputs
    assert (orders.path, orders.origin, orders.edits, found.made.changed) == (
        "orders.csv",
        "you added it",
        0,
        (),
    )
    assert [(one.all, one.used) for one in orders.totals] == [(4, 4)]
    stream = {r.position: r.hash for r in app.log.read_stream(f"chat-{talk.chat_id}")}
    assert found.hash == stream[found.message.position]
    assert found.made.hash == stream[found.made.call.position]

    before = app.workspace.files(talk.chat_id)["orders.csv"].sha256
    app.send(SaveFile(talk.chat_id, "orders.csv", ORDERS.replace(b"355020", b"1"), before))
    assert app.dossier(talk.chat_id, answer_id(talk), 1).status == "stale"
    with pytest.raises(NotFound, match="no traced number 2"):
        app.dossier(talk.chat_id, answer_id(talk), 2)


def test_the_closest_values_are_shown_for_a_number_in_no_result(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "East made 355,200 in Q2."})
    found = app.dossier(talk.chat_id, answer_id(talk), 1)
    assert (found.status, found.nearest[0].value) == ("unbacked", 355020)


def test_after_a_refresh_each_number_is_read_again_from_its_cell(app: App, tmp_path: Path) -> None:
    text = "West made €501.8k in Q2, East 355,020 and 271,640 in Q3, a fall of 23.5%."
    talk = answered(app, tmp_path, query(), {"text": text})
    october = b"region,quarter,revenue\nEast,Q2,355020\nEast,Q3,300000\nWest,Q2,612345\nWest,Q3,1\n"
    rerun_id = app.send(RerunChat(talk.chat_id, files=[Upload("orders.csv", october)]))

    found = app.rerun(talk.chat_id, rerun_id)["numbers"]

    assert [(one["before"], one["after"], one["status"]) for one in found] == [
        ("€501.8k", "€612.3k", "moved"),
        ("355,020", "355,020", "same"),
        ("271,640", "300,000", "moved"),
        ("23.5%", "15.5%", "moved"),
    ]
    now = [one for one in app.numbers(talk.chat_id, answer_id(talk)) if one.cells]
    assert [(one.was, one.text, one.status) for one in now] == [
        ("€501.8k", "€612.3k", "exact"),
        ("", "355,020", "exact"),
        ("271,640", "300,000", "exact"),
        ("23.5%", "15.5%", "derived"),
    ]
    dossier = app.dossier(talk.chat_id, answer_id(talk), now[3].place)
    assert dossier.number.traced.derivation is not None
    assert dossier.number.traced.derivation.formula == "(300,000 − 355,020) ÷ 355,020"
    assert [cell.value for cell in dossier.cells] == [355020, 300000]


OCTOBER = b"region,quarter,revenue\nEast,Q2,355020\nEast,Q3,400000\nWest,Q2,501775\nWest,Q3,390000\n"


def in_october(app: App, talk: Talk) -> list[dict[str, Any]]:
    """Answer again with the numbers of October, and return the new state of the answer's numbers."""
    rerun_id = app.send(RerunChat(talk.chat_id, files=[Upload("orders.csv", OCTOBER)]))
    found: list[dict[str, Any]] = app.rerun(talk.chat_id, rerun_id)["numbers"]
    return found


@pytest.mark.long
def test_after_a_refresh_a_weighted_mean_is_computed_again(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "Weighted by Q2, the mean of Q3 is 414,285."})

    (found,) = in_october(app, talk)

    # (355,020 × 271,640 + 501,775 × 515,210) ÷ 856,795, and with the new third quarter
    assert (found["before"], found["after"], found["status"]) == ("414,285", "394,144", "moved")


@pytest.mark.long
def test_after_a_refresh_totals_and_their_growth_are_computed_again(app: App, tmp_path: Path) -> None:
    rows = "SELECT region, quarter, revenue FROM orders ORDER BY ALL"
    text = "Revenue fell from 856,795 in Q2 to 786,850 in Q3 (−8.2%)."
    talk = answered(app, tmp_path, query(rows, "Revenue by region and quarter"), {"text": text})

    found = in_october(app, talk)

    # East and West together: 355,020 + 501,775 as before, and 400,000 + 390,000
    assert [(one["before"], one["after"], one["status"]) for one in found] == [
        ("856,795", "856,795", "same"),
        ("786,850", "790,000", "moved"),
        ("−8.2%", "−7.8%", "moved"),
    ]
    now = [one for one in app.numbers(talk.chat_id, answer_id(talk)) if one.cells]
    growth = app.dossier(talk.chat_id, answer_id(talk), now[2].place)
    assert growth.number.traced.derivation is not None
    assert growth.number.traced.derivation.formula == "(790,000 − 856,795) ÷ 856,795"
    assert sorted(cell.value for cell in growth.cells) == [355020, 390000, 400000, 501775]


@pytest.mark.long
def test_after_a_refresh_a_computed_number_keeps_its_scale(app: App, tmp_path: Path) -> None:
    """The result is in thousands of euros, the answer in millions."""
    rows = "SELECT region, quarter, revenue / 1000 AS revenue_k_eur FROM orders ORDER BY ALL"
    text = "Total revenue was €1.64 million."
    talk = answered(app, tmp_path, query(rows, "Revenue by region and quarter"), {"text": text})
    (before,) = [one for one in app.numbers(talk.chat_id, answer_id(talk)) if one.cells]
    assert rounding(before) == "“€1.64 million”, rounded from 1,643,645"

    (found,) = in_october(app, talk)

    # 355,020 + 271,640 + 501,775 + 515,210, and 355,020 + 400,000 + 501,775 + 390,000
    assert (found["before"], found["after"], found["status"]) == ("€1.64 million", "€1.65 million", "moved")


@pytest.mark.long
def test_after_a_refresh_numbers_of_one_formula_are_computed_again(app: App, tmp_path: Path) -> None:
    rows = "PIVOT orders ON quarter USING sum(revenue) ORDER BY region"
    text = "The mean of the quarters is 313,330 for East and 508,492.5 for West."
    talk = answered(app, tmp_path, query(rows, "Revenue by region"), {"text": text})

    found = in_october(app, talk)

    assert [(one["before"], one["after"]) for one in found] == [
        ("313,330", "377,510"),
        ("508,492.5", "445,887.5"),
    ]


FOLLOWING = [
    ("**West is highest** in Q3.", False, "East is highest in q3 now, with 400,000."),
    ("West made most in Q2.", True, None),
    ("East fell from 355,020 to 271,640, by 83,380.", False, "The change is −44,980 now."),
    ("In Q3 West made more than East.", False, "q3 is now: West 390,000, East 400,000."),
    ("In Q2, West is ahead of East.", True, None),
    ("East is the weakest region in Q3.", False, "West is lowest in q3 now, with 390,000."),
]


@pytest.mark.parametrize(
    ("text", "follows", "now"), mostly_long(FOLLOWING, quick=(0, 2)), ids=[one[0] for one in FOLLOWING]
)
def test_a_sentence_that_no_longer_follows_is_marked(
    app: App, tmp_path: Path, text: str, follows: bool, now: str | None
) -> None:
    talk = answered(app, tmp_path, query(), {"text": text + " Ask me anything."})
    rerun_id = app.send(RerunChat(talk.chat_id, files=[Upload("orders.csv", OCTOBER)]))
    found = app.rerun(talk.chat_id, rerun_id)["sentences"]
    assert found == [{"message_id": answer_id(talk), "text": text, "follows": follows, "now": now}]


@pytest.mark.long
def test_all_sentences_still_follow_if_no_number_changed(app: App, tmp_path: Path) -> None:
    text = " ".join(one[0] for one in FOLLOWING)
    talk = answered(app, tmp_path, query(), {"text": text})
    rerun_id = app.send(RerunChat(talk.chat_id))
    found = app.rerun(talk.chat_id, rerun_id)["sentences"]
    assert (len(found), all(one["follows"] for one in found)) == (6, True)


@pytest.mark.long
def test_numbers_are_updated_again_when_the_new_branch_is_rerun(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "West made €501.8k in Q2, 41% more than East."})
    for value in (b"612345", b"700000"):
        app.send(RerunChat(talk.chat_id, files=[Upload("orders.csv", ORDERS.replace(b"501775", value))]))
    now = [one for one in app.numbers(talk.chat_id, answer_id(talk)) if one.cells]
    assert [(one.was, one.text) for one in now] == [("€501.8k", "€700.0k"), ("41%", "97%")]


@pytest.mark.long
def test_a_row_that_is_not_in_the_new_file_is_reported_as_gone(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "West made 501,775 in Q2."})
    rerun_id = app.send(
        RerunChat(talk.chat_id, files=[Upload("orders.csv", ORDERS.replace(b"West", b"North"))])
    )
    assert [one["status"] for one in app.rerun(talk.chat_id, rerun_id)["numbers"]] == ["gone"]


@pytest.mark.long
def test_a_limit_from_the_arguments_of_a_call_is_believed(app: App, tmp_path: Path) -> None:
    above = "SELECT count(*) AS n FROM orders WHERE revenue > 300123"
    talk = answered(app, tmp_path, query(above, "Large"), {"text": "3 rows are above 300,123."})
    assert [(one["text"], one["status"]) for one in numbers(talk)] == [("3", "exact"), ("300,123", "plain")]


@pytest.mark.long
def test_a_total_says_how_many_cells_it_sums_up(app: App, tmp_path: Path) -> None:
    talk = answered(
        app, tmp_path, query("SELECT revenue FROM orders", "All"), {"text": "In total 1,643,645."}
    )
    assert [one["derivation"]["cell_count"] for one in numbers(talk)] == [4]


@pytest.mark.long
def test_a_long_printed_line_and_decimals_as_text_are_read(app: App, tmp_path: Path) -> None:
    code = "print(' '.join(['1'] * 20000)); print('the rate is', 0.4242)"
    big = "SELECT 12345678901234567890.25::DECIMAL(38,2) AS amount"
    steps = ({"calls": [call("python", code=code)]}, query(big, "Amount"))
    talk = answered(
        app, tmp_path, *steps, {"text": "The rate is 0.4242, the amount 12,345,678,901,234,567,890.25."}
    )
    assert [one["status"] for one in numbers(talk)] == ["exact", "exact"]


def test_facts_about_tables_from_the_briefing_need_no_call(app: App, tmp_path: Path) -> None:
    text = (
        "orders.csv has 4 rows and 3 columns; revenue runs from 271,640 to 515,210. "
        "The highest revenue is 515,201."
    )
    talk = answered(app, tmp_path, {"text": text})
    told = {one["text"]: one["status"] for one in numbers(talk)}
    assert told["515,201"] == "unbacked"
    assert {told[text] for text in ("4", "3", "271,640", "515,210")} <= {"exact", "plain"}


@pytest.mark.long
def test_a_number_that_follows_only_from_the_briefing_names_its_table(app: App, tmp_path: Path) -> None:
    orders = "revenue,units\n" + "".join(f"{100 + at},{at % 7}\n" for at in range(251))
    talk = answered(
        app,
        tmp_path,
        query("SELECT count(*) AS n FROM orders", "Count"),
        {"text": "The revenue column has a maximum of 350 and minimum 100: 250."},
        files=[Upload("orders.csv", orders.encode())],
    )
    assert [one["status"] for one in numbers(talk) if one["text"] == "250"] == ["unclear"]
    place = next(one.place for one in app.numbers(talk.chat_id, answer_id(talk)) if one.text == "250")
    told = app.dossier(talk.chat_id, answer_id(talk), place).maybe
    assert told.startswith("250 follows from Columns of orders: ")


@pytest.mark.long
def test_ranges_of_a_file_that_changed_are_out_of_date(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, {"text": "Hello."})
    before = app.workspace.files(talk.chat_id)["orders.csv"].sha256
    app.send(SaveFile(talk.chat_id, "orders.csv", ORDERS.replace(b"515210", b"600000"), before))
    talk.replies({"text": "Hello."}, {"text": "The maximum of revenue is 515,210, no, 600,000."})
    talk.ask("What is the maximum revenue?")
    told = [(one["text"], one["status"]) for one in numbers(talk)]
    assert told == [("515,210", "stale"), ("600,000", "exact")]


def changed(talk: Talk, old: bytes, new: bytes, path: str = "orders.csv") -> None:
    before = talk.app.workspace.files(talk.chat_id)[path].sha256
    talk.app.send(SaveFile(talk.chat_id, path, ORDERS.replace(old, new), before))


def test_numbers_show_at_once_that_a_file_behind_them_changed(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "East made 355,020 in Q2, 29% less than West."})
    assert app.refreshed(talk.chat_id, answer_id(talk)) is None
    answer = answer_id(talk)
    changed(talk, b"355020", b"355021")
    told = {one["text"]: (one["status"], one.get("changed")) for one in numbers(talk)}
    assert told["355,020"] == ("stale", ["orders.csv"])
    again = app.refreshed(talk.chat_id, answer)
    assert again is not None
    app.send(again)
    assert talk.branch()[-1].message_id != answer
    app.send(SelectLeaf(talk.chat_id, answer))
    changed(talk, b"355020", b"355020")  # as it was
    assert [one.status for one in app.numbers(talk.chat_id, answer)] == ["exact", "plain", "derived"]


@pytest.mark.long
def test_the_file_behind_a_table_of_an_earlier_call_counts(app: App, tmp_path: Path) -> None:
    second = query("SELECT max(q2) AS best FROM revenue_by_region", "Best")
    talk = answered(app, tmp_path, query(), second, {"text": "The best region made 501,775."})
    changed(talk, b"355020", b"355021")
    assert [(one["status"], one["changed"]) for one in numbers(talk)] == [("stale", ["orders.csv"])]


@pytest.mark.long
def test_changing_a_file_that_the_answer_does_not_use_has_no_effect(app: App, tmp_path: Path) -> None:
    files = [Upload("orders.csv", ORDERS), Upload("other.csv", b"a,b\n1,2\n")]
    talk = answered(app, tmp_path, query(), {"text": "East made 355,020 in Q2."}, files=files)
    changed(talk, b"", b"", "other.csv")
    assert [one["status"] for one in numbers(talk) if one["text"] == "355,020"] == ["exact"]


def test_a_number_confirmed_by_the_user_is_reported(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "East made 355,020 in Q2. Cafés buy 12% more beans."})
    answer = answer_id(talk)
    assert [(one["text"], one["status"]) for one in numbers(talk) if one["status"] != "plain"] == [
        ("355,020", "exact"),
        ("12%", "unbacked"),
    ]
    app.send(VouchNumber(talk.chat_id, answer, 2))
    (vouched,) = [one for one in numbers(talk) if one["text"] == "12%"]
    assert (vouched["status"], vouched["vouched"]) == ("said", True)
    assert app.dossier(talk.chat_id, answer, 2).status == "said"
    fork = app.send(ForkChat(talk.chat_id, answer))
    copied = app.chat(fork).branch()[-1].message_id
    assert [one.status for one in app.numbers(fork, copied) if one.text == "12%"] == ["said"]

    app.send(VouchNumber(talk.chat_id, answer, 2, vouched=False))
    assert [one["status"] for one in numbers(talk) if one["text"] == "12%"] == ["unbacked"]
    with pytest.raises(Refused, match="355,020 is traced"):
        app.send(VouchNumber(talk.chat_id, answer, 1))
    with pytest.raises(NotFound, match="no traced number 3"):
        app.send(VouchNumber(talk.chat_id, answer, 3))


def test_the_cell_of_an_unclear_number_can_be_confirmed_and_the_confirmation_withdrawn(
    app: App, tmp_path: Path
) -> None:
    talk = answered(app, tmp_path, query(), {"text": UNCLEAR})
    answer = answer_id(talk)
    (one,) = [one for one in numbers(talk) if one["status"] != "plain"]
    assert (one["status"], one["call_id"]) == ("unclear", None)
    (candidate,) = one["candidates"]
    assert (candidate["column"], candidate["row"], candidate["value"]) == ("q2", {"region": "East"}, 355020)
    assert (candidate["row_named"], candidate["column_named"]) == (True, False)
    place = next(one.place for one in app.numbers(talk.chat_id, answer) if one.status == "unclear")
    told = app.dossier(talk.chat_id, answer, place).likely[0][1]
    assert told == (
        "355,020 is in Revenue by region, East · q2. The sentence does not name q2, so check that "
        "this is the right cell."
    )

    with pytest.raises(NotFound, match="no cell 2"):
        app.send(VouchNumber(talk.chat_id, answer, place, candidate=2))
    app.send(VouchNumber(talk.chat_id, answer, place, candidate=1))
    (confirmed,) = [one for one in numbers(talk) if one["status"] != "plain"]
    assert (confirmed["status"], confirmed["column"], confirmed["vouched"]) == ("exact", "q2", True)
    assert confirmed["call_id"] == candidate["call_id"]
    fork = app.send(ForkChat(talk.chat_id, answer))
    copied = app.chat(fork).branch()[-1].message_id
    (there,) = [one for one in app.numbers(fork, copied) if one.place]
    assert (there.status, there.call_id in {None, candidate["call_id"]}) == ("exact", False)

    app.send(VouchNumber(talk.chat_id, answer, place, vouched=False))
    assert [one["status"] for one in numbers(talk) if one["status"] != "plain"] == ["unclear"]


@pytest.mark.long
def test_a_confirmed_cell_is_read_again_when_the_calls_run_again(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": UNCLEAR})
    answer = answer_id(talk)
    place = next(one.place for one in app.numbers(talk.chat_id, answer) if one.status == "unclear")
    app.send(VouchNumber(talk.chat_id, answer, place, candidate=1))
    files = [Upload("orders.csv", ORDERS.replace(b"355020", b"355900"))]
    app.send(RerunChat(talk.chat_id, files=files))
    (one,) = [one for one in app.numbers(talk.chat_id, answer_id(talk)) if one.place]
    assert (one.status, one.was, one.now) == ("exact", "355,020", "355,900")


@pytest.mark.long
def test_an_edited_answer_is_a_sibling_that_later_questions_follow(app: App, tmp_path: Path) -> None:
    talk = answered(app, tmp_path, query(), {"text": "East made 355,200 in Q2."})
    old = answer_id(talk)
    new = app.send(EditAnswer(talk.chat_id, old, "East made 355,020 in Q2."))
    view = app.chat(talk.chat_id)
    assert (view.leaf, view.messages[new].siblings, view.messages[old].content) == (
        new,
        (old, new),
        "East made 355,200 in Q2.",
    )
    assert [one.status for one in app.numbers(talk.chat_id, new) if one.place] == ["exact"]
    assert [call.tool_id for call in talk.calls()] == ["data-analyst:query"]
    for text, why in (("  ", "empty"), ("East made 355,020 in Q2.", "already says that")):
        with pytest.raises(Refused, match=why):
            app.send(EditAnswer(talk.chat_id, new, text))
    with pytest.raises(NotFound, match="not an answer"):
        app.send(EditAnswer(talk.chat_id, view.branch()[0].message_id, "x"))

    turn = app.send(Ask(talk.chat_id, "And West?"))
    app.wait(turn.turn_id)
    request = app.request(talk.chat_id, turn.turn_id, 1)
    sent = [
        part.text for item in request.messages for part in getattr(item, "parts", ()) if hasattr(part, "text")
    ]
    assert any("355,020 in Q2" in text for text in sent)
    assert not any("355,200" in text for text in sent)
    app.send(SelectLeaf(talk.chat_id, old))
    assert talk.branch()[-1].content == "East made 355,200 in Q2."


def test_the_tables_of_a_call_are_those_of_its_own_chat_even_if_another_chat_has_the_same_id(
    app: App, tmp_path: Path
) -> None:
    talk = answered(app, tmp_path, query(), {"text": "North lost most."})
    made = next(iter(app.chat(talk.chat_id).calls.values()))
    assert isinstance(made.result, dict)
    imported = replace(made, result={**made.result, "rows": [["North", 1]]})
    tables = ResultTables()
    own = tables.of(talk.chat_id, made)
    assert tables.of("imported", imported) != own
    assert tables.of(talk.chat_id, made) is own
    tables.forget()
    assert tables.of(talk.chat_id, made) == own
