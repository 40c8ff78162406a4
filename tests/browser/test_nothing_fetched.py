"""Text of models and tools is shown without making the browser fetch anything from outside, unless the user clicks.

Each way in which ordinary elements fetch is on one page, in a chat that a hostile bundle filled. `localhost` stands for
outside: the app is at `127.0.0.1`. The page without routes has no policy, so there the text itself must be harmless.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.steps import look_at_everything
from tests.support.hostile_chat import free_port, hostile_chat, page_served
from tests.support.outside import Outside, outside

pytestmark = pytest.mark.browser

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><image href="{u}svg-image" width="9" height="9"/>'
    '<style>@import url({u}svg-style);rect{{fill:url({u}svg-fill)}}</style><rect width="9" height="9"/>'
    '<script>fetch("{u}svg-script")</script><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" '
    'src="{u}svg-foreign"/></foreignObject></svg>'
)


def markdown(url: str) -> dict[str, str]:
    """Ways in which Markdown could fetch something, by name."""
    u = f"{url}/md-"
    return {
        "picture": f"![a]({u}picture)",
        "picture after a backslash": f"\\![a]({u}backslash)",
        "picture after an escaped backslash": f"\\\\![a]({u}backslashes)",
        "picture by reference": f"![a][r]\n\n[r]: {u}reference",
        "picture by its own name": f"![r2]\n\n[r2]: {u}collapsed",
        "picture in a link": f"[![a]({u}linked)]({u}link)",
        "picture in a table": f"| a |\n| - |\n| ![a]({u}table) |",
        "picture in a heading": f"# ![a]({u}heading)",
        "picture in a quote": f"> ![a]({u}quote)",
        "picture in a list": f"- a\n\n  ```\n![a]({u}list)\n",
        "picture in a footnote": f"a[^1]\n\n[^1]: ![a]({u}footnote)",
        "picture after a quoted fence": f"> ```\n\n![a]({u}lazy)\n",
        "picture between escaped backticks": f"\\`![a]({u}tick)\\`",
        "picture between ticks of two lengths": f"`` ![a]({u}ticks) `",
        "picture after four backticks": f"````\n\n```\n\n````\n![a]({u}four)\n```",
        "picture between tildes": f"~~~\n\n```\n~~~\n![a]({u}tilde)\n```",
        "picture after a comment": f"<!--\n\n```\n-->\n![a]({u}comment)\n```",
        "picture after a carriage return": f"```\ra\r```\r![a]({u}return)\n```",
        "directive with a picture": f":red[![a]({u}directive)] :small[![a]({u}small)]",
        "HTML picture": f'<img src="{u}html">',
        "HTML of all kinds": f'<video src="{u}video" poster="{u}poster"></video><iframe src="{u}iframe"></iframe>'
        f'<link rel="stylesheet" href="{u}link"><style>@import "{u}import"</style><object data="{u}object"></object>'
        f'<div style="background:url({u}style)">x</div><svg><image href="{u}svg"/></svg>',
        "HTML block": f'<div>\n<img src="{u}block">\n</div>',
        "autolink": f"{u}autolink <{u}angle>",
        "formula with a picture": f"$\\includegraphics{{{u}formula}}$ $$\\href{{{u}href}}{{x}}$$",
        "Mermaid": f'```mermaid\nflowchart LR\nA["<img src={u}mermaid>"]\nclick A "{u}click"\n```',
        "link of script": "[a](javascript:document.title='taken')",
    }


def charts(url: str) -> list[dict[str, Any]]:
    """Specifications of charts that would fetch something."""
    u = f"{url}/chart-"
    mark: dict[str, Any] = {"mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}
    rows: dict[str, Any] = {"data": {"values": [{"a": 1, "image": f"{u}tooltip", "url": f"{u}url"}]}}
    return [
        {**mark, "data": {"url": f"{u}data"}},
        {**rows, "mark": "image", "encoding": {"url": {"field": "url"}}},
        {**rows, "mark": {"type": "image", "url": f"{u}mark"}},
        {**rows, **mark, "encoding": {**mark["encoding"], "href": {"value": f"{u}href"}}},
        {
            **rows,
            **mark,
            "usermeta": {"embedOptions": {"patch": f"{u}patch", "sourceHeader": f"<img src={u}head>"}},
        },
        {**rows, "mark": {"type": "point", "tooltip": {"content": "data"}}},
        *tooltips(u),
        {**rows, **mark, "title": {"text": f"<img src='{u}title'>"}},
        {**rows, **mark, "transform": [{"lookup": "a", "from": {"data": {"url": f"{u}lookup"}, "key": "a"}}]},
        {**rows, **mark, "config": {"background": f"url({u}background)"}},
        {"layer": [{**mark, "data": {"url": f"{u}layer", "format": {"type": "topojson", "feature": "a"}}}]},
    ]


def tooltips(u: str) -> list[dict[str, Any]]:
    """Charts on which every point has a tooltip with a value called `image`."""
    shown = {"type": "rect", "tooltip": True}
    rows: dict[str, Any] = {
        "data": {"values": [{"image": f"{u}picture", "b": f"{u}titled", "c": {"image": f"{u}nested"}}]}
    }
    return [
        {**rows, "mark": shown, "encoding": {"color": {"field": "image"}}},
        {**rows, "mark": shown, "encoding": {"color": {"field": "b", "title": "image"}}},
        {**rows, "mark": shown, "encoding": {"color": {"field": "b", "title": "im\\u0061ge"}}},
        {**rows, "mark": "rect", "encoding": {"tooltip": {"field": "c", "type": "nominal"}}},
        {**rows, "mark": {"type": "rect", "tooltip": {"signal": "{image: datum.b}"}}},
    ]


def calls(there: Outside) -> list[tuple[str, dict[str, Any]]]:
    """The calls that the model makes to the hostile tools."""
    url = there.url
    words = f"![x]({url}/words) <img src={url}/words-html>"
    cells = [
        [f"{url}/cell.png", f"![x]({url}/cell-md)", f"<img src={url}/cell-html>", f"data:image/svg+xml,{url}"]
    ]
    drawing = DRAWING.format(u=f"{url}/")
    named = f"![x](http:{url.removeprefix('http:')}/name).csv".replace("//", "")
    found: list[tuple[str, dict[str, Any]]] = [
        ("document", {"text": "\n\n".join(markdown(url).values()), "title": words}),
        *(("document", {"text": text, "title": name}) for name, text in markdown(url).items()),
        ("program", {"text": words, "title": words, "language": f"{url}/language"}),
        (
            "value",
            {"title": words, "image": f"{url}/json.png", words: {"src": f"{url}/json-src", "html": words}},
        ),
        ("table", {"rows": cells, "columns": ["image", words, "url", "link"], "title": words, "sql": words}),
        *(("chart", {"spec": spec, "data": None, "title": words}) for spec in charts(url)),
        ("pictures", {"write": {"a.svg": drawing}, "files": ["a.svg"], "caption": words, "title": words}),
        ("address", {"url": f"{url}/framed", "title": words}),
        ("document", {"fail": words}),
        ("pictures", {"files": [f"{url}/no-file.png"], "title": words}),
        (
            "value",
            {"write": {named: "a\n1\n", f"![x](https:localhost:{there.port}/path).csv": f"{words}\n1\n"}},
        ),
    ]
    return found


@pytest.mark.long
@pytest.mark.parametrize("routes", [True, False], ids=["with routes", "as a plain script"])
def test_no_text_of_models_or_tools_makes_the_browser_fetch_from_outside(
    routes: bool, tmp_path: Path, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    port = free_port()
    with outside() as there:
        words = f"![x]({there.url}/bundle)"
        said = "\n\n".join(["Said.", *markdown(there.url).values()])
        chat = hostile_chat(tmp_path / "data", calls(there), words=words, answer=said, title=words)
        with page_served(tmp_path / "data", port, routes=routes) as url:
            context = chromium.new_context(viewport={"width": 1280, "height": 900})
            page, asked = context.new_page(), list[str]()
            page.on("request", lambda request: asked.append(request.url))
            look_at_everything(page, f"{url}/?chat={chat}")
            shown = [seen for seen in asked if there.url in seen]
            context.close()
            assert shown == []
            assert there.taken() == []
            control = chromium.new_page()
            control.goto(f"{there.url}/control")
            control.close()
            assert "control" in there.taken()
