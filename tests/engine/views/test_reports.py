"""Exported pages: the same cells as in the chat, sources, marked numbers, and a check that finds each changed part."""

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ExportChat
from engine.commands.catalog import Ask, BeginChat, CreateChat, RunTool, SaveFile, Upload
from engine.errors import NotFound
from engine.views.chart_versions import CHART
from engine.views.reports.part_digest import part_digest
from tests.support.talk import Talk, call, script

ORDERS = b"region,quarter,revenue\nEast,Q2,355020.50\nEast,Q3,271640\nWest,Q2,501775\n<b>West</b>,Q3,515210\n"
SQL = "SELECT region, sum(revenue) AS total FROM orders GROUP BY ALL ORDER BY region"
ANSWER = "East made **626,660.50** in all; nothing says 123,456.\n\n![](result:revenue_by_region)"


class Tables(HTMLParser):
    """The cells of each table of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.sections: list[str] = []
        self._cell: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append("".join(self._cell))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def asked(app: App, folder: Path, *steps: dict[str, Any], name: str = "script") -> Talk:
    model = script(folder / f"{name}.json", list(steps))
    turn = app.send(BeginChat("What did East make?", [Upload("orders.csv", ORDERS)], model=model))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def query(sql: str = SQL, title: str = "Revenue by region") -> dict[str, Any]:
    return {"calls": [call("query", sql=sql, title=title)]}


def exported(talk: Talk, kind: Any = "html", **more: Any) -> str:
    made: bytes = answer(talk.app, ExportChat(talk.chat_id, kind, **more))
    return made.decode()


@pytest.mark.long
def test_a_page_has_the_last_version_of_an_edited_chart(app: App, tmp_path: Path) -> None:
    bars = {
        "table": "orders",
        "mark": "bar",
        "x": "region",
        "y": "revenue",
        "aggregate": "sum",
        "title": "As drawn",
    }
    talk = asked(app, tmp_path, {"calls": [call("chart", **bars)]}, {"text": "Here."})
    (drawn,) = talk.calls()
    edited = app.send(
        RunTool(talk.chat_id, CHART, bars | {"title": "First edit"}, from_call_id=drawn.call_id)
    )
    app.send(RunTool(talk.chat_id, CHART, bars | {"title": "Last edit"}, from_call_id=edited))
    page = exported(talk)
    assert "Last edit" in page
    assert "First edit" not in page
    assert page.count("<figure") == 1


def test_a_page_has_the_answer_with_its_table_sql_and_file(app: App, tmp_path: Path) -> None:
    page = exported(asked(app, tmp_path, query(), {"text": ANSWER}))

    found = Tables(page).tables
    assert found[0] == [
        ["region", "total"],
        ["<b>West</b>", "515,210.00"],
        ["East", "626,660.50"],
        ["West", "501,775.00"],
    ]
    assert "&lt;b&gt;West&lt;/b&gt;" in page
    assert "sum(revenue) AS total" in page
    assert found[1][1][:4] == ["orders.csv", "4", "3", str(len(ORDERS))]
    assert '<a class="exact" href="#number-1"' in page
    assert '<a class="unbacked" href="#number-2"' in page
    assert 'id="number-2"' in page


def test_a_page_fetches_nothing_and_runs_only_its_own_script(app: App, tmp_path: Path) -> None:
    hostile = (
        "![x](https://example.org/p.png) <img src=https://example.org/q.png onerror=alert(1)> "
        "[link](javascript:alert(1)) <script>alert(2)</script>"
    )
    page = exported(
        asked(app, tmp_path, query(title="</script><script>alert(3)</script>"), {"text": hostile})
    )

    assert "default-src &#x27;none&#x27;" in page
    assert len(re.findall(r"<script[ >]", page)) == 2
    assert not re.findall(r"<img[^>]+src=\"(?!data:)", page)
    assert "javascript:" not in " ".join(re.findall(r'href="([^"]*)"', page))


def test_every_part_is_listed_with_its_hash(app: App, tmp_path: Path) -> None:
    page = exported(asked(app, tmp_path, query(), {"text": ANSWER}))

    listed = json.loads(re.search(r'id="parts">(.*?)</script>', page).group(1))  # type: ignore[union-attr]
    parts = re.findall(r'data-name="([^"]*)">.*?<div class="seen">(.*?)</div></section>\n', page, re.DOTALL)
    assert [{"name": name, "sha256": part_digest(html)} for name, html in parts] == listed
    assert [one["name"] for one in listed][:4] == ["Title", "Heading 1", "Text 1", "Table 1"]


@pytest.mark.long
def test_only_the_chosen_answers_are_exported_with_the_calls_that_they_need(app: App, tmp_path: Path) -> None:
    talk = asked(
        app,
        tmp_path,
        query(),
        {"text": "Done."},
        query("SELECT max(total) AS top FROM revenue_by_region", "Top"),
        {"text": "It is 626,660.50."},
    )
    turn = app.send(Ask(talk.chat_id, "And the most?"))
    app.wait(turn.turn_id)
    last = talk.branch()[-1].message_id

    page = exported(talk, answers=[last])

    assert "And the most?" in page
    assert "What did East make?" not in Tables(page).tables[0][0]
    assert "<h2>What did East make?</h2>" not in page
    assert page.count("<summary>") == 2  # its own call, and the one whose result it reads
    with pytest.raises(NotFound, match="no message"):
        exported(talk, answers=["nothing"])


def test_markdown_has_the_tables_and_pictures_in_one_file(app: App, tmp_path: Path) -> None:
    chart = {"calls": [call("chart", sql=SQL, mark="bar", x="region", y="total", title="Bars")]}
    text = exported(asked(app, tmp_path, query(), chart, {"text": ANSWER}), "md")

    assert "| East | 626,660.50 |" in text
    picture = re.search(r"!\[Bars\]\(data:image/png;base64,([^)]+)\)", text)
    assert picture is not None
    assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
    assert "```sql\nSELECT region" in text


def test_a_report_file_is_built_from_results_by_name(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, query(), {"text": "Done."})
    report = (
        "# Revenue for the board\n*First draft*\n\nEast made 626,660.50.\n\n"
        "![What each region made](result:revenue_by_region)\n\n![](result:no_such)\n"
    )
    app.send(SaveFile(talk.chat_id, "reports/board.md", report.encode(), None))

    page = exported(talk, report="reports/board.md")

    assert "<h1>Revenue for the board</h1>" in page
    assert "First draft" in page
    assert "<b>Table 1.</b> What each region made" in page
    assert "no result named “no_such”" in page
    assert '<a class="exact"' in page


def test_configured_keys_are_not_exported(app: App, tmp_path: Path) -> None:
    key = "sk-live-0123456789abcdefghij"
    talk = asked(
        app,
        tmp_path,
        query(f"SELECT '{key}' AS leaked, count(*) AS n FROM orders"),
        {"text": f"It is {key}."},
    )
    app.vault.set("model/openai", key)

    for kind in ("html", "md"):
        assert key not in exported(talk, kind)


def test_a_chat_without_a_question_cannot_be_exported(app: App) -> None:
    chat_id = app.send(CreateChat())
    with pytest.raises(NotFound, match="no question yet"):
        answer(app, ExportChat(chat_id, "html"))
