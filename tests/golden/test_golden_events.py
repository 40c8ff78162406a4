"""Events that a release has stored can be decoded forever (LOG-4)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import duckdb
import pytest

from events.batch import number
from events.canonical import canonical_json
from events.catalog.event_types import EVENT_TYPES
from events.codec import decode
from events.duckdb_log import DuckDBLog
from events.event import Event, UnknownEvent
from events.identity import UuidV7
from events.log import Append
from events.stored_row import GENESIS, ID_COLUMNS, Row
from events.upcasters import UPCASTERS, Upcaster, current_events_sql, current_version, upcast
from tests.conftest import Ticking
from tests.golden.samples import Golden
from tests.golden.write import FOLDER, missing

FILES = sorted(FOLDER.glob("*.json"))
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def row_of(golden: Golden) -> Row:
    """Return the golden event as a row of the log."""
    return Row(
        position=1,
        stream="chat-golden",
        version=1,
        event_id="01890a5d-ac96-774b-bcce-b302099a8057",
        type=golden["type"],
        schema_version=golden["schema_version"],
        occurred_at=0,
        correlation_id=None,
        causation_id=None,
        ids=tuple(golden["ids"].get(name) for name in ID_COLUMNS),
        payload=json.dumps(golden["payload"]),
    )


def lost(stored: Any, read: Any, place: str = "") -> list[str]:
    """Return the places in `stored` that `read` gives back differently."""
    if isinstance(stored, dict) and isinstance(read, dict):
        gone = [f"{place}.{key}" for key in stored if key not in read]
        return gone + [
            p for key in stored if key in read for p in lost(stored[key], read[key], f"{place}.{key}")
        ]
    if isinstance(stored, list) and isinstance(read, list) and len(stored) == len(read):
        pairs = zip(stored, read, strict=True)
        return [p for i, (one, other) in enumerate(pairs) for p in lost(one, other, f"{place}[{i}]")]
    return [] if stored == read and type(stored) is type(read) else [place]


def old_version(path: Path) -> bool:
    """Whether a golden file has an older version, with an upcaster."""
    golden: Golden = json.loads(path.read_text())
    return (golden["type"], golden["schema_version"]) in UPCASTERS


def default(event: Event, name: str) -> Any:
    """The default of an event's field, as JSON."""
    value = type(event).model_fields[name].get_default()
    return list(value) if isinstance(value, tuple) else value


def known(encoded: Any, stored: Any) -> Any:
    """Return `encoded` without the fields that are newer than `stored`, all of which have defaults."""
    if isinstance(encoded, dict) and isinstance(stored, dict):
        return {key: known(encoded[key], stored[key]) for key in stored if key in encoded}
    if isinstance(encoded, list) and isinstance(stored, list) and len(encoded) == len(stored):
        return [known(one, other) for one, other in zip(encoded, stored, strict=True)]
    return encoded


def test_every_type_and_version_has_its_golden_files() -> None:
    """A new event or version needs new files: `python -m tests.golden.write`."""
    assert [path.name for path in missing()] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stored_event_decodes_to_its_stored_values(path: Path) -> None:
    """Every stored field comes back with its value; fields that are not in the file have their defaults."""
    golden: Golden = json.loads(path.read_text())
    event = decode(row_of(golden)).event
    known = EVENT_TYPES[golden["type"]]
    assert type(event) is known
    if golden["schema_version"] != known.schema_version:
        return
    read, stored = event.payload(), golden["payload"] | golden["ids"]
    assert lost(stored, read) == []
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in known.model_fields.items()
        if name not in stored
    }
    assert {
        name: getattr(event, name) for name in defaults if not known.model_fields[name].is_required()
    } == {name: value for name, value in defaults.items() if not known.model_fields[name].is_required()}


@pytest.mark.parametrize("path", [p for p in FILES if ".full." in p.name], ids=lambda path: path.stem)
def test_a_decoded_event_is_encoded_to_the_same_canonical_payload(path: Path) -> None:
    """Appended again, the event has exactly the bytes that it was read from, and reads as the same model."""
    golden: Golden = json.loads(path.read_text())
    first = decode(row_of(golden)).event
    if golden["schema_version"] != first.schema_version:
        return
    row = number(
        [Append("chat-golden", [first])],
        head=(0, GENESIS),
        stream_version=lambda _: 0,
        now=NOW,
        new_id=UuidV7(),
    )[0]
    assert {name: value for name, value in zip(ID_COLUMNS, row.ids, strict=True) if value} == golden["ids"]
    encoded = json.loads(row.payload)
    assert canonical_json(known(encoded, golden["payload"])) == canonical_json(golden["payload"])
    assert decode(row).event == first


def add_language(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 1 → 2 of a made-up event."""
    return payload | {"language": "en"}


def name_the_title(payload: dict[str, Any]) -> dict[str, Any]:
    """Version 2 → 3 of a made-up event."""
    return {key: value for key, value in payload.items() if key != "heading"} | {"title": payload["heading"]}


MADE_UP = {
    ("ReportWritten", 1): Upcaster(add_language),
    ("ReportWritten", 2): Upcaster(name_the_title),
}


def test_an_event_of_an_old_version_goes_through_each_upcaster_in_turn() -> None:
    """Version 1 becomes 2 and then 3."""
    stored = {"heading": "Sales"}
    assert upcast("ReportWritten", 1, stored, MADE_UP) == (3, {"title": "Sales", "language": "en"})
    assert stored == {"heading": "Sales"}


@pytest.mark.parametrize("path", [p for p in FILES if old_version(p)], ids=lambda path: path.stem)
def test_sql_reads_events_of_old_versions_as_python_does(path: Path, tmp_path: Path) -> None:
    """Read models are computed in SQL, so an upcaster has two forms."""
    row = row_of(json.loads(path.read_text()))
    values = {**{name: getattr(row, name) for name in ("type", "schema_version")}, "payload": row.payload}
    values |= dict(zip(ID_COLUMNS, row.ids, strict=True))
    columns = [f"CAST(${n} AS {'UUID' if name in ID_COLUMNS else 'JSON' if name == 'payload' else 'VARCHAR'}) AS {name}"
               for n, name in enumerate(values, 1)]  # fmt: skip
    select = ", ".join(columns).replace("AS VARCHAR) AS schema_version", "AS INTEGER) AS schema_version")
    sql = current_events_sql(("type", "schema_version", *ID_COLUMNS, "payload"))
    with duckdb.connect() as database:
        found = database.execute(
            f"WITH event_log AS (SELECT {select}) {sql}", list(values.values())
        ).fetchone()
    assert found is not None
    event = decode(row).event
    payload = event.payload()
    ids = {name: payload.pop(name, None) for name in ID_COLUMNS}
    assert found[:2] == (event.type, event.schema_version)
    read_ids = {
        name: str(value) if value else None for name, value in zip(ID_COLUMNS, found[2:-1], strict=True)
    }
    assert read_ids == {name: value or None for name, value in ids.items()}
    read = {name: value for name, value in json.loads(found[-1]).items() if name not in ID_COLUMNS}
    assert lost(read, payload) == []
    assert set(payload) - set(read) <= {
        name for name, value in payload.items() if value == default(event, name)
    }


def test_the_version_of_an_event_type_follows_from_its_upcasters() -> None:
    """Read models skip later versions; they take the version from the upcasters, without loading the event types."""
    declared = {name: event.schema_version for name, event in EVENT_TYPES.items()}
    assert declared == {name: current_version(name) for name in EVENT_TYPES}


def test_upcasters_in_sql_do_not_nest() -> None:
    """Whoever adds a second step for a type has to define the order of the steps."""
    current_events_sql(("payload",), UPCASTERS)
    with pytest.raises(ValueError, match="would need several in turn"):
        current_events_sql(("payload",), MADE_UP)


def test_an_event_of_an_intermediate_version_goes_through_only_the_remaining_upcasters() -> None:
    """Version 2 becomes 3."""
    assert upcast("ReportWritten", 2, {"heading": "S"}, MADE_UP) == (3, {"title": "S"})


def test_events_of_the_current_version_or_of_other_types_are_not_changed() -> None:
    """Events that need no upcaster stay as they are."""
    assert upcast("ReportWritten", 3, {"title": "S"}, MADE_UP) == (3, {"title": "S"})
    assert upcast("ChatCreated", 1, {"title": "S"}, MADE_UP) == (1, {"title": "S"})


class MoonPhaseNoted(Event):
    """An event of a future release."""

    type: Literal["MoonPhaseNoted"] = "MoonPhaseNoted"
    phase: str
    message_id: str | None = None


class ChatCreatedAnew(Event):
    """A known event in a future version."""

    schema_version = 9
    type: Literal["ChatCreated"] = "ChatCreated"
    colour: str


MESSAGE = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.mark.parametrize(
    ("event", "known_as"),
    [
        (
            MoonPhaseNoted(phase="full", message_id=MESSAGE),
            UnknownEvent(type="MoonPhaseNoted", version=1, content={"phase": "full", "message_id": MESSAGE}),
        ),
        (
            ChatCreatedAnew(colour="red"),
            UnknownEvent(type="ChatCreated", version=9, content={"colour": "red"}),
        ),
    ],
    ids=["unknown type", "unknown version"],
)
def test_an_event_of_a_newer_release_is_kept_and_shown_as_unknown(
    event: Event, known_as: UnknownEvent, tmp_path: Path, clock: Ticking
) -> None:
    """It is read as unknown, survives closing and opening, and is covered by the hash chain."""
    log = DuckDBLog(tmp_path, clock=clock)
    log.append(Append("chat-a", [event]))
    assert [recorded.event for recorded in log.read_stream("chat-a")] == [known_as]
    log.reads.rebuild()
    log.close()
    opened = DuckDBLog(tmp_path, clock=clock)
    assert [recorded.event for recorded in opened.read_all()] == [known_as]
    assert opened.verify().ok
    opened.close()
