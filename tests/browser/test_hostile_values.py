"""Scripts in the values of every renderer: in a real Chromium none of them ever runs.

A script on the app's page could do all that `tests/support/hostile_pages/attack.html` tries, so a single one that runs
fails the test. Every script reports that it ran, in any frame. Whether tools' own pages are isolated is tested in
`test_hostile_artifacts.py`; here they only get hostile values.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.app.app import open_app
from engine.app.maintenance.chat_archive import pack_log
from engine.workspace.blobs import FolderBlobs
from tests.browser.steps import look_at_everything, settled
from tests.browser.test_demo import demo_served
from tests.support.hostile_chat import free_port, hostile_chat, page_served

pytestmark = [pytest.mark.browser, pytest.mark.long]


def scripts(name: str) -> dict[str, str]:
    """Texts that could contain a script; each calls `ran`, which the browser provides in every frame."""
    ran = f"window.ran&&ran('{name}')"
    return {
        "script": f"<script>{ran}</script>",
        "end of a script": f"</script><script>{ran}</script>",
        "end of a text": f"</textarea></title></style><script>{ran}</script>",
        "end of an attribute": f'"\'><img src=x onerror="{ran}">',
        "attribute": f'" onfocus="{ran}" autofocus tabindex="0" x="',
        "picture": f'<img src=x onerror="{ran}">',
        "drawing": f'<svg onload="{ran}"><animate onbegin="{ran}" attributeName="x" dur="1s"/></svg>',
        "fold": f'<details open ontoggle="{ran}">x</details>',
        "frame": f'<iframe srcdoc="<script>parent.{ran[7:]}</script>"></iframe>',
        "frame of script": f'<iframe src="javascript:parent.{ran}"></iframe>',
        "link": f"[press](javascript:{ran}) <javascript:{ran}>",
        "link in HTML": f'<a href="javascript:{ran}">press</a>',
        "link by reference": f"[press][r]\n\n[r]: javascript:{ran}",
        "link of data": f"[press](data:text/html,<script>{ran}</script>)",
        "disguised link": f"[press](java\tscript:{ran}) [press](&#106;avascript:{ran})",
        "formula": f"$\\href{{javascript:{ran}}}{{press}}$ $\\htmlData{{x=1}}{{y}}$",
        "template": f'{{{{constructor.constructor("{ran}")()}}}}',
        "Mermaid": f'```mermaid\nflowchart LR\nA["<img src=x onerror={ran}>"]\nclick A "javascript:{ran}"\n```',
        "fenced HTML": f"```html\n<script>{ran}</script>\n```",
    }


def charts(name: str) -> list[dict[str, Any]]:
    """Specifications that would make Vega evaluate or link to a script."""
    ran = f"ran('{name}')"
    code = f'constructor.constructor("{ran}")()'
    rows = {"data": {"values": [{"a": 1, "b": f"<img src=x onerror={ran}>"}]}}
    drawn = {"mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}
    return [
        {**rows, **drawn, "transform": [{"calculate": f"datum.{code}", "as": "c"}]},
        {**rows, **drawn, "transform": [{"filter": f"{{}}.{code}"}]},
        {**rows, **drawn, "params": [{"name": "p", "expr": f"datum.{code}"}]},
        {**rows, **drawn, "params": [{"name": "p", "expr": f"modify('x', warn.{code})"}]},
        {**rows, "mark": {"type": "point", "tooltip": True}, "encoding": {"tooltip": {"field": "b"}}},
        {**rows, **drawn, "encoding": {**drawn["encoding"], "href": {"value": f"javascript:{ran}"}}},
        {**rows, **drawn, "title": {"text": f"</script><script>{ran}</script>"}},
        {**rows, **drawn, "usermeta": {"embedOptions": {"actions": True, "sourceHeader": f"<script>{ran}</script>"}}},
        {"signals": [{"name": "s", "init": f"datum.{code}"}], "marks": [], "$schema": "https://vega.github.io/schema/vega/v6.json"},
    ]  # fmt: skip


def drawing(name: str) -> str:
    ran = f"window.ran&&ran('{name}')"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40" onload="{ran}"><script>{ran}</script>'
        f'<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="{ran}"/>'
        f'</foreignObject><a href="javascript:{ran}"><rect width="80" height="40"/></a></svg>'
    )


def calls() -> list[tuple[str, dict[str, Any]]]:
    """A call for each renderer, with scripts wherever a value is shown."""

    def all_of(name: str) -> str:
        return "\n\n".join(scripts(name).values())

    cells = [[text, text, text] for text in scripts("table").values()]
    named = [f"{name} {text}" for name, text in scripts("columns").items()][:3]
    files = {
        "evil.svg": drawing("file"),
        "evil.md": all_of("file"),
        "evil.html": all_of("file"),
        "evil.py": all_of("file"),
    }
    marked = '<img src=x onerror="window.ran&&ran(`name`)">.csv'
    shown = {"write": {**files, marked: "a\n1\n"}, "files": ["evil.svg"]}
    given: list[tuple[str, dict[str, Any]]] = [
        *(("document", {"text": text, "title": text}) for text in scripts("document").values()),
        ("document", {"text": all_of("document"), "title": all_of("title")}),
        ("program", {"text": all_of("code"), "title": all_of("title"), "language": scripts("language")["attribute"]}),
        ("program", {"text": all_of("code"), "title": "HTML", "language": "html"}),
        ("value", {"title": all_of("title"), "deep": scripts("json"), all_of("key"): [all_of("json")]}),
        ("table", {"rows": cells, "columns": named, "title": all_of("title"), "sql": all_of("sql")}),
        *(("chart", {"spec": spec, "title": all_of("title")}) for spec in charts("chart")),
        ("pictures", {**shown, "caption": all_of("caption"), "title": all_of("title")}),
        ("page", {"data": {**scripts("page"), all_of("page"): all_of("page"), **NOWHERE}, "title": all_of("title")}),
        ("address", {"url": "javascript:window.ran&&ran('address')", "title": all_of("title")}),
        ("address", {"url": "data:text/html,<script>parent.ran('address')</script>", "title": "Data"}),
        ("document", {"fail": all_of("error")}),
    ]  # fmt: skip
    return given


NOWHERE = dict.fromkeys(["outside", "secure", "socket", "app"], "about:blank") | {"stun": "stun:127.0.0.1:9"}
"""What the page of the bundle wants to be given; its own probes are other tests' matter."""


@contextmanager
def with_routes(data: Path, chromium: Browser, chat: str) -> Iterator[tuple[Page, str]]:
    with page_served(data, free_port()) as url, tab(chromium) as page:
        yield page, f"{url}/?chat={chat}"


@contextmanager
def plain_script(data: Path, chromium: Browser, chat: str) -> Iterator[tuple[Page, str]]:
    with page_served(data, free_port(), routes=False) as url, tab(chromium) as page:
        yield page, f"{url}/?chat={chat}"


@contextmanager
def demo(data: Path, chromium: Browser, chat: str) -> Iterator[tuple[Page, str]]:
    """A hostile log that a visitor restores into a demo."""
    temporary, log = data.parent / "tmp", data.parent / "theirs.anabranch"
    temporary.mkdir()
    with open_app(data) as app, app.reads.reader() as cursor:
        log.write_bytes(
            pack_log(
                cursor,
                [(chat, app.log.read_stream(f"chat-{chat}"))],
                lambda _: FolderBlobs(data / "chats" / chat / "blobs"),
            )
        )
    with demo_served(temporary) as served, tab(chromium) as page:
        page.goto(served.url)
        page.get_by_role("button", name="Restore a log").click()
        dialog = page.locator("[data-testid=stDialog] [role=dialog]")
        dialog.locator("input[type=file]").set_input_files(str(log))
        dialog.get_by_role("button", name="Restore").click()
        expect(dialog).to_have_count(0)
        yield page, f"{served.url}/?chat={chat}"


@contextmanager
def tab(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    yield page
    context.close()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(with_routes, id="with routes"),
        pytest.param(plain_script, id="as a plain script"),
        pytest.param(demo, id="in a demo"),
    ],
)
def test_no_script_in_a_value_runs(
    place: Callable[..., Any], tmp_path: Path, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    words = scripts("bundle")["picture"]
    said = "\n\n".join(["Said.", *scripts("answer").values()])
    chat = hostile_chat(
        tmp_path / "data", calls(), words=words, answer=said, title=scripts("chat")["picture"]
    )
    with place(tmp_path / "data", chromium, chat) as (page, address):
        ran: list[str] = []
        dialogs: list[str] = []
        page.context.expose_function("ran", lambda *given: ran.append(json.dumps(given)))
        page.context.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        look_at_everything(page, address)
        page.goto(address)
        press_what_invites(page)
        shoot(page, "hostile-values")
        assert (ran, dialogs) == ([], [])
        assert page.url.removesuffix("#") == address
        page.evaluate("ran('the listener hears')")
        assert ran == ['["the listener hears"]']


def press_what_invites(page: Page) -> None:
    """Click everything in the transcript that looks like a link to click."""
    expect(page.locator("[class*=st-key-tool-activity-] summary").first).to_be_visible()
    page.locator("[class*=st-key-tool-activity-] summary").first.click()
    expect(page.locator("[class*=st-key-tool-call-message-]").last).to_be_visible()
    settled(page)
    invites = page.locator("[data-testid=stMain] :is(a, [role=link])", has_text="press")
    assert invites.count() >= 3
    for one in invites.all():
        one.dispatch_event("click")
    page.wait_for_timeout(300)
