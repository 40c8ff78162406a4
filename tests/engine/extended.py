"""Uses what docs/extending.md adds; `tests/docs/test_extending.py` runs this in a copy of the project that has it.

The additions are used only by their names, as in stored events, manifests and settings.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.app.maintenance.chat_archive import pack_log, unpack_log
from engine.commands.catalog import ForkChat, SelectModel, SetRenderConfig
from engine.deciders.import_validation import unsound
from engine.errors import Invalid
from engine.models.dialect import base_of
from engine.models.provider_discovery import ProviderDiscovery
from engine.models.providers import PROVIDERS
from engine.rendering.plan import plan_from_json
from engine.rendering.plans import plan_to_json
from events.catalog.event_types import EVENT_TYPES
from events.duckdb_log import DuckDBLog
from events.event import Event
from tests.support.talk import Talk, call

MARK = "01890a5d-ac96-774b-bcce-b302099a8057"


def marked(talk: Talk) -> Event:
    """Mark the chat's answer, remove the mark again, and return the first event."""
    talk.replies({"text": "Yes."})
    talk.ask("?")
    made: dict[str, Any] = {"bookmark_id": talk.app._new_id(), "message_id": talk.branch()[-1].message_id}
    event = EVENT_TYPES["BookmarkSet"].model_validate({**made, "name": "Yes"})
    removed = EVENT_TYPES["BookmarkRemoved"].model_validate({"bookmark_id": made["bookmark_id"]})
    talk.app._chats.transact(talk.chat_id, lambda _: [event, removed])
    return event


def test_the_event_is_read_back_and_described_in_the_history(talk: Talk) -> None:
    event = marked(talk)
    assert talk.events("BookmarkSet") == [event]
    assert [e.sentence() for e in talk.events()][-2:] == [
        "You marked a message as Yes.",
        "You removed a mark.",
    ]
    assert talk.app.past.moments(talk.chat_id)[-1].type == "BookmarkRemoved"


def test_a_fork_copies_the_event_with_new_ids(talk: Talk) -> None:
    event = marked(talk)
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id)))
    copied, removed = fork.events("BookmarkSet", "BookmarkRemoved")
    message_id = getattr(copied, "message_id")  # noqa: B009 - a class that the copy alone has
    assert message_id == fork.branch()[-1].message_id
    assert (
        copied.payload()["bookmark_id"] == removed.payload()["bookmark_id"] != event.payload()["bookmark_id"]
    )
    first = talk.branch()[0].message_id
    early = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id, first)))
    assert early.events("BookmarkSet", "BookmarkRemoved") == []


def test_the_event_is_imported_and_refused_if_it_refers_to_nothing(talk: Talk, tmp_path: Path) -> None:
    event = marked(talk)
    chat = talk.app.log.read_stream(f"chat-{talk.chat_id}")
    with talk.app.reads.reader() as cursor:
        packed = pack_log(cursor, [(talk.chat_id, chat)], talk.app._workspaces.blobs)
    unpack_log(packed, tmp_path / "brought", lambda *_: None, 1 << 30)
    log = DuckDBLog(tmp_path / "brought")
    try:
        assert event in [r.event for r in log.read_stream(f"chat-{talk.chat_id}")]
    finally:
        log.close()
    lost = [r.event for r in chat if r.event.type != "MessageAdded"]
    assert unsound(lost, set()) is not None
    again = [*(r.event for r in chat), event]
    assert "contains an id that is not valid or is already in use" in str(unsound(again, set()))


def test_the_renderer_creates_a_plan_that_is_stored_and_drawn(talk: Talk) -> None:
    config = {"label": "Files", "value": 7, "title": "Count"}
    with pytest.raises(Invalid, match="needs value"):
        talk.app.send(SetRenderConfig("kit:look", "metric", {"label": "Files"}))
    talk.app.send(SetRenderConfig("kit:look", "metric", config))
    talk.replies({"calls": [call("look")]}, {"text": "Seven."})
    talk.ask("?")
    plan = talk.calls()[0].plan
    assert plan is not None
    assert plan_to_json(plan) == {"renderer": "metric", "notes": [], **config}
    page = AppTest.from_function(
        drawn, kwargs={"plan": json.dumps(plan_to_json(plan))}, default_timeout=300
    ).run()
    assert [(metric.label, metric.value) for metric in page.metric] == [("Files", "7.0")]
    assert plan_from_json({**plan_to_json(plan), "value": "many"}).renderer == "json"


def drawn(plan: str) -> None:
    """Draw a stored plan with the card of its renderer."""
    import json  # noqa: PLC0415 - a script of its own

    from engine.rendering.plan import plan_from_json  # noqa: PLC0415
    from ui.widgets.render_plan import CARDS  # noqa: PLC0415

    read = plan_from_json(json.loads(plan))
    CARDS[read.renderer]("chat", None, read, "key")  # type: ignore[arg-type]


@contextmanager
def acme() -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Run a fake Acme server; yield its address and the requests that it received."""
    asked: list[Mapping[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            self._say(200 if self.path.endswith("/v1/catalog") else 404, b'{"names": ["one", "two"]}')

        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            if self.path.endswith("/v1/talk/two"):
                self._say(400, b'{"trouble": "Two is asleep."}')
            else:
                self._say(
                    200, b'data: {"say": "Good "}\n\ndata: {"say": "day.", "end": true, "words": 2}\n\n'
                )

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_dialect_answers_and_lists_its_models(talk: Talk) -> None:
    with acme() as (url, asked):
        talk.app.send(SelectModel(talk.chat_id, "acme:one", url))
        turn = talk.ask("Good morning")
        assert (turn.reason, talk.branch()[-1].text) == ("stop", "Good day.")
        assert asked[0]["turns"][-1]["by"] == "user"
        assert "Good morning" in asked[0]["turns"][-1]["text"]
        talk.app.send(SelectModel(talk.chat_id, "acme:two", url))
        talk.ask("And you?")
        assert "Two is asleep." in str(talk.events("TurnFinished")[-1].payload()["message"])
        found = ProviderDiscovery(
            lambda _: None, lambda: {"acme": url}, providers={"acme": PROVIDERS["acme"]}
        )
        (offer,) = found.current(refresh=True)
        assert (offer.state, offer.models) == ("ready", ("one", "two"))
    assert base_of(PROVIDERS["acme"], None) == "https://api.acme.example/v1"
