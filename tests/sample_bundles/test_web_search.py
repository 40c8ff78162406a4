"""web-search in use: it needs a key first, and then queries an Exa server on loopback in tool processes."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import ConfigureToolset, CreateChat, RunTool
from engine.errors import Refused
from engine.rendering.plans import DocumentPlan, TablePlan
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest
from engine.system.cancellation import Cancellation
from engine.toolsets.install import validate
from engine.views.chat import CallView
from tests.support.image_endpoints import Asked, Reply, image_server
from tests.support.long_cases import mostly_long

BUNDLE = Path(__file__).parents[2] / "sample_bundles" / "web-search"
KEY = "made-up-exa-key-0123456789"
RESULTS = {
    "requestId": "r",
    "results": [
        {
            "id": "https://example.org/penguins",
            "url": "https://example.org/penguins",
            "title": "Penguins\nof Dream Island",
            "publishedDate": "2024-03-31T08:00:00.000Z",
            "author": "A. Author",
            "text": "There are\u0000 124 " + "of them " * 200,
        },
        {"url": "javascript:alert(1)", "title": "not an address"},
        {"url": "https://example.org/two", "title": None, "author": None},
    ],
}

Call = Callable[..., CallView]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture
def call(app: App) -> Iterator[Call]:
    """Run a tool with a key and an address, in a new chat."""
    chat_id = app.send(CreateChat())

    def run(address: str, tool: str = "search", /, **arguments: Any) -> CallView:
        app.send(ConfigureToolset("web-search", {"EXA_API_KEY": KEY, "EXA_BASE_URL": address}))
        call_id = app.send(RunTool(chat_id, f"web-search:{tool}", arguments))
        return app.chat(chat_id).calls[call_id]

    yield run
    app.send(ConfigureToolset("web-search", {"EXA_API_KEY": None, "EXA_BASE_URL": None}))


def failure(made: CallView) -> str:
    assert made.status == "error", made.result
    assert made.error is not None
    return str(made.error["message"])


def test_the_bundle_is_valid_and_requests_the_network_and_a_key(app: App) -> None:
    assert validate(BUNDLE) == []
    (row,) = [row for row in app.installed() if row["id"] == "web-search"]
    assert (row["available"], row["reason"]) == (False, "API key not configured")
    assert row["manifest"]["permissions"] == {"network": True, "hosts": ["api.exa.ai"]}
    with pytest.raises(Refused, match="API key not configured"):
        app.send(RunTool(app.send(CreateChat()), "web-search:search", {"query": "x"}))


def test_a_search_sends_the_question_and_shows_a_table_of_results(call: Call) -> None:
    with image_server(lambda _: Reply(RESULTS)) as exa:
        made = call(
            f"{exa.url}/exa/",
            query=" penguins ",
            count=3,
            since="2024-01-01",
            until="2024-12-31",
            domains=["example.org"],
            without_domains=["example.com"],
        )
    (asked,) = exa.asked
    assert (asked.method, asked.path, asked.headers["x-api-key"]) == ("POST", "/exa/search", KEY)
    assert asked.body == {
        "query": "penguins",
        "type": "auto",
        "numResults": 3,
        "contents": {"text": {"maxCharacters": 600}},
        "startPublishedDate": "2024-01-01T00:00:00.000Z",
        "endPublishedDate": "2024-12-31T23:59:59.999Z",
        "includeDomains": ["example.org"],
        "excludeDomains": ["example.com"],
    }
    assert made.status == "success", made.error
    assert isinstance(made.result, dict)
    first, second = made.result["results"]
    assert (first["title"], first["published"]) == ("Penguins of Dream Island", "2024-03-31")
    assert first["passage"].startswith("There are 124 of them")
    assert len(first["passage"]) == 600
    assert (second["title"], second["passage"]) == ("https://example.org/two", "")
    assert isinstance(made.plan, TablePlan)
    assert made.plan.columns == ("title", "url", "published", "passage")
    assert made.plan.rows is not None
    assert len(made.plan.rows) == 2


def test_an_empty_search_result_is_an_answer(call: Call) -> None:
    with image_server(lambda _: Reply({"results": []})) as exa:
        made = call(exa.url, query="qwzx")
    assert made.status == "success"
    assert isinstance(made.result, dict)
    assert made.result["count"] == 0
    assert "Nothing was found" in made.result["note"]


@pytest.mark.parametrize(
    ("reply", "told"),
    mostly_long(
        [
            (
                Reply({"error": f"bad {KEY}", "tag": "INVALID_API_KEY"}, 401),
                "did not accept the key (HTTP 401)",
            ),
            (Reply({"error": "none left"}, 402), "credits of this Exa key are used up"),
            (Reply({"error": "no"}, 403), "does not allow this with your key"),
            (Reply({"error": "slow"}, 429, {"Retry-After": "17"}), "Try again in 17 seconds. It says: slow"),
            (Reply({"error": "slow"}, 429), "too many requests. Try again later."),
            (Reply({"error": "Invalid date"}, 400), "refused the request (HTTP 400). It says: Invalid date"),
            (Reply(b"<html>oops", 503), "an internal problem (HTTP 503)"),
            (Reply(b"", 302, {"Location": "http://127.0.0.1:1/"}), "Is EXA_BASE_URL right?"),
            (Reply(b"<html>", 200), "not a list of results"),
            (Reply({"results": "none"}, 200), "not a list of results"),
            (Reply(bytes(9 << 20), 200), "more than 8 MiB"),
        ],
        quick=(0, 3, 8),
    ),
)
def test_an_error_says_what_to_do_and_never_contains_the_key(call: Call, reply: Reply, told: str) -> None:
    with image_server(lambda _: reply) as exa:
        message = failure(call(exa.url, query="x"))
    assert told in message
    assert KEY not in message
    assert len(exa.asked) == 1


@pytest.mark.long
def test_an_exa_server_that_is_unreachable_or_has_no_valid_address_is_reported(call: Call) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert "cannot be reached at 127.0.0.1: Connection refused" in failure(call(address, query="x"))
    assert "EXA_BASE_URL is not an http or https address" in failure(call("ftp://exa", query="x"))
    assert "which is not a date" in failure(call(address, query="x", since="2024-02-31"))
    assert "the query is blank" in failure(call(address, query="  "))


def test_an_exa_server_that_does_not_answer_in_time_is_reported(tmp_path: Path) -> None:
    for file in (path for path in BUNDLE.rglob("*") if path.suffix in (".py", ".yaml")):
        target = tmp_path / "hasty" / file.relative_to(BUNDLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.read_text().replace("SECONDS = 30.0", "SECONDS = 0.2"))
    (tmp_path / "workspace").mkdir()
    ending = Event()

    def slow(_: Asked) -> Reply:
        ending.wait(600)
        return Reply(b"")

    with image_server(slow) as exa, Pool() as pool:
        granted = {"EXA_API_KEY": KEY, "EXA_BASE_URL": exa.url}
        request = RunRequest(
            "c",
            tmp_path / "hasty",
            "tools.search:run",
            tmp_path / "workspace",
            {"query": "x"},
            granted,
            network=True,
        )
        outcome = pool.run(request, cancel=Cancellation())
        ending.set()
    assert outcome.error is not None
    assert "did not answer within 0 seconds" in outcome.error.message


def test_pages_are_shown_as_a_document_and_unreadable_ones_are_named(call: Call) -> None:
    answer = {
        "results": [
            {
                "url": "https://example.org/a",
                "title": "A [page](http://x)",
                "text": "<img src=x>\n# one\n" * 400,
            }
        ],
        "statuses": [
            {"id": "https://example.org/a", "status": "success"},
            {
                "id": "https://example.org/gone",
                "status": "error",
                "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404},
            },
        ],
    }
    with image_server(lambda _: Reply(answer)) as exa:
        urls = ["https://example.org/a", "https://example.org/gone", "https://example.org/a"]
        made = call(exa.url, "get_contents", urls=urls, characters=1000)
    (asked,) = exa.asked
    assert asked.path == "/contents"
    assert asked.body == {"urls": urls[:2], "text": {"maxCharacters": 1000}}
    assert isinstance(made.result, dict)
    (page,) = made.result["pages"]
    assert (len(page["text"]), page["cut"]) == (1000, True)
    assert made.result["failed"] == [{"url": "https://example.org/gone", "reason": "there is no such page"}]
    assert isinstance(made.plan, DocumentPlan)
    assert made.plan.content is not None
    assert "\n    <img src=x>\n    # one\n" in made.plan.content, "what a page says is text, not a document"
    assert "A \\[page\\]" in made.plan.content


def test_if_no_page_can_be_read_the_error_names_each(call: Call) -> None:
    failed = {"id": "https://example.org/a", "status": "error", "error": {"tag": "CRAWL_TIMEOUT"}}
    with image_server(lambda _: Reply({"results": [], "statuses": [failed]})) as exa:
        message = failure(call(exa.url, "get_contents", urls=["https://example.org/a"]))
    assert "https://example.org/a: it did not answer in time" in message
