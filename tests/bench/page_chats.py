"""Data folders for the benchmarks of the page: chats of any length, whose turns are copies of real ones.

The engine itself runs the first turns of each chat, with their files, calls and results. The later turns are the same
events with new ids, put into the log in one batch, so the log looks like that of a long chat.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.app.app import App, open_app
from engine.chats.open_chats import stream_of
from engine.commands.catalog import Ask, BeginChat, RenameChat, SelectModel, Upload
from events.catalog.event_types import EVENT_TYPES
from events.event import Event, Recorded
from events.identity import UuidV7, utc_now
from events.log import Append

__all__ = ["EXCHANGES", "LONG", "MANY", "Chats", "prepare"]

EXCHANGES = 20
"""Questions with their answers in the ordinary chat."""

LONG = 1_000
"""Messages of the long chat: a question, a step with a call, and an answer, over and over."""

MANY = 5_000
"""Events of the chat with a long history."""

_QUESTION = "How many penguins are there of each species, and which is the heaviest?"
_ANSWER = """\
There are **three species**. Gentoo is the heaviest, by a third:

| species | birds | mean mass |
| --- | ---: | ---: |
| Adelie | 152 | 3,701 g |
| Chinstrap | 68 | 3,733 g |
| Gentoo | 124 | 5,076 g |

Masses were taken at the nest, so birds at sea are missing; `body_mass_g` is empty for two of them.
"""
SQL = "SELECT species, count(*) AS birds, round(avg(mass)) AS mass FROM penguins GROUP BY ALL ORDER BY 1"
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Chats:
    """The chats of a data folder, by id."""

    data: Path
    ordinary: str
    long: str
    many: str


def prepare(place: Path, *, base_url: str | None = None) -> Chats:
    """Create a data folder below `place` with the three chats; the ordinary one uses the provider at `base_url`."""
    turn = [{"text": "I count first.", "calls": [{"name": "query", "arguments": {"sql": SQL}}]}]
    replies = [*turn, {"text": _ANSWER}] * 2
    script = place / "replies.json"
    script.write_text(json.dumps([*replies, *({"text": _ANSWER} for _ in range(2_000))]))
    data = place / "data"
    with open_app(data) as app:
        made = [begun(app, f"scripted:{script}") for _ in range(3)]
        ordinary, long, many = made
        grow(app, ordinary, exchanges=EXCHANGES)
        grow(app, long, exchanges=LONG // 3 + 1)
        grow(app, many, events=MANY)
    with open_app(
        data
    ) as app:  # opened anew: what it had in mind of the chats is behind what stands in the log
        for chat_id, title in zip(made, ("Ordinary", "Long", "Many events"), strict=True):
            app.send(RenameChat(chat_id, title))
        if base_url is not None:
            app.send(SelectModel(ordinary, "openai:fake-model", base_url))
    return Chats(data, ordinary, long, many)


def begun(app: App, model: str) -> str:
    rows = "".join(f"{name},{3_500 + 10 * n}\n" for n in range(100) for name in ("Adelie", "Gentoo"))
    files = [Upload("penguins.csv", f"species,mass\n{rows}".encode())]
    first = app.send(BeginChat(_QUESTION, files, model=model))
    app.wait(first.turn_id)
    app.wait(app.send(Ask(first.chat_id, _QUESTION)).turn_id)
    return str(first.chat_id)


def grow(app: App, chat_id: str, *, exchanges: int = 0, events: int = 0) -> None:
    """Repeat the chat's last turn until it has that many exchanges or events."""
    stream = app.log.read_stream(stream_of(chat_id))
    last = max(n for n, one in enumerate(stream) if one.event.type == "TurnStarted") - 1
    turn = stream[last:]
    times = exchanges - 2 if exchanges else (events - len(stream)) // len(turn)
    copied = _copies(stream[:last], turn, times)
    app.log.append(Append(stream_of(chat_id), copied))


def _copies(before: Sequence[Recorded], turn: Sequence[Recorded], times: int) -> list[Event]:
    """The turn's events repeated, each time with new ids and after the previous ones."""
    new_id = UuidV7(utc_now)
    texts = [json.dumps(one.event.payload() | {"type": one.event.type}, ensure_ascii=False) for one in turn]
    known = {found for one in before for found in _ID.findall(json.dumps(one.event.payload()))}
    own = dict.fromkeys(found for text in texts for found in _ID.findall(text) if found not in known)
    first = json.loads(texts[0])
    last = json.loads(next(text for text in reversed(texts) if '"MessageAdded"' in text))["message_id"]
    manifests = [json.loads(text) for text in texts if '"ManifestRecorded"' in text]
    now = {name: name for name in own}
    follows = {first["parent_id"]: last}
    if manifests:
        follows[manifests[0]["parent_id"]] = manifests[-1]["manifest_id"]
    made: list[Event] = []
    for _ in range(times):
        then, now = now, {name: new_id() for name in own}
        names = now | {name: then[to] for name, to in follows.items()}
        for one, text in zip(turn, texts, strict=True):
            renamed = _ID.sub(lambda m: names.get(m[0], m[0]), text)  # noqa: B023 - used at once
            made.append(EVENT_TYPES[one.event.type].model_validate_json(renamed))
    return made
