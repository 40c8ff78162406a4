"""A long history from a seed: chats in groups of ten at a time, and one that is scattered over the whole log.

The events are real ones, encoded and chained as in the log, but made faster: the rows of a turn are encoded only once
for each of a few kinds of turns, and then its ids, texts and hashes are filled in.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate, islice
from pathlib import Path

import duckdb

from events.catalog.chat import ChatCreated, MessageAdded, MessageUsage, ToolsSelected
from events.catalog.parts import CallPart, TextPart
from events.catalog.tool_call import Confined, ToolCallFinished, ToolCallRequested, ToolCallStarted
from events.catalog.turn import StepStarted, TurnFinished, TurnStarted
from events.catalog.workspace import File, ManifestRecorded
from events.chain import chained
from events.codec import encode
from events.duckdb_log import DuckDBLog
from events.event import BlobRef, Event, Inline
from events.log_files import DATABASE
from events.schema import CREATE_LOG, insert_rows
from events.stored_row import GENESIS, Row, row_to_json

__all__ = ["BIG", "TURN", "History", "build", "raw_bytes"]

BIG = "01900000-0000-7000-8000-0000000000b1"
"""The chat whose events are one in two hundred, from the first position to the last."""

TURN = 11
"""Events of a turn."""

_TURNS = 7
"""Turns of an ordinary chat: with its beginning some 80 events."""

_SOME, _SECONDS = 811_811, 8.118_118
"""Numbers that stand for other ones."""

_START = datetime(2026, 1, 5, tzinfo=UTC)
_NAMES = ("question", "turn", "step", "call", "manifest", "parent", "before", "answer")


def _turn_events() -> list[Event]:
    """One turn: a question, a step with a tool call that writes a file, and an answer."""
    blob = BlobRef(sha256="@sha1@", size=4_800, head="You are an analyst. The files of this chat are ")
    step = {
        "turn_id": "@turn@",
        "model": "openrouter:qwen/qwen3-32b",
        "parameters": {"temperature": 0.2},
        "system": blob,
        "tools": blob,
        "tool_ids": {"query": "data-analyst:query", "chart": "data-analyst:chart"},
    }
    return [
        MessageAdded(
            message_id="@question@", parent_id="@parent@", role="user", parts=(TextPart(text="@text@"),)
        ),
        TurnStarted(turn_id="@turn@", message_id="@question@", model="openrouter:qwen/qwen3-32b"),
        StepStarted(**step, step=1, manifest_id="@before@", message_id="@question@"),
        MessageAdded(
            message_id="@step@",
            parent_id="@question@",
            turn_id="@turn@",
            role="assistant",
            parts=(TextPart(text="@text@"), CallPart(call_id="@call@", name="query", provider_call_id="c_1")),
            finish="tool_calls",
            usage=MessageUsage(tokens_in=_SOME, tokens_out=64, seconds=_SECONDS),
        ),
        ToolCallRequested(
            call_id="@call@",
            message_id="@step@",
            turn_id="@turn@",
            index=0,
            tool_id="data-analyst:query",
            arguments=Inline(value={"sql": "SELECT species, avg(body_mass_g) FROM penguins WHERE @text@"}),
            commentary="I count first.",
        ),
        ToolCallStarted(
            call_id="@call@", pre_manifest_id="@before@", toolset_version="1.0.0", content_hash="@sha2@"
        ),
        ManifestRecorded(
            manifest_id="@manifest@",
            parent_id="@before@",
            message_id="@step@",
            call_id="@call@",
            added={"results/@word@.parquet": File(sha256="@sha1@", size=18_231)},
            changed={},
            removed=(),
            source="tool_run",
            source_ref="@call@",
        ),
        ToolCallFinished(
            call_id="@call@",
            status="success",
            result=Inline(value={"rows": 3, "columns": ["species", "average"], "note": "@text@"}),
            render_plan=Inline(value={"type": "table", "file": "results/@word@.parquet", "sha256": "@sha1@"}),
            post_manifest_id="@manifest@",
            seconds=_SECONDS,
            peak_bytes=_SOME,
            confined=Confined(level="full", layers=("limits", "landlock", "seccomp")),
        ),
        StepStarted(**step, step=2, manifest_id="@manifest@", message_id="@step@"),
        MessageAdded(
            message_id="@answer@",
            parent_id="@step@",
            turn_id="@turn@",
            role="assistant",
            parts=(TextPart(text="@text@ @text@"),),
            finish="stop",
            usage=MessageUsage(tokens_in=_SOME, tokens_out=133, seconds=_SECONDS),
        ),
        TurnFinished(turn_id="@turn@", reason="stop", tokens_in=_SOME, tokens_out=197, seconds=_SECONDS),
    ]


def _encoded(events: list[Event]) -> list[Row]:
    return [
        encode(
            event,
            position=0,
            stream="",
            version=0,
            event_id="",
            occurred_at=_START,
            correlation_id="@turn@",
            causation_id=None,
            previous=GENESIS,
            salt=b"",
        )
        for event in events
    ]


class History:
    """An endless series of rows, the same for the same seed, numbered and chained from the first."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        self._words = [
            "".join(self._random.choices(letters, weights=range(26, 0, -1), k=self._random.randint(2, 9)))
            for _ in range(5_000)
        ]
        self._weights = list(accumulate(1 / (n + 3) for n in range(5_000)))
        self._turn = _encoded(_turn_events())
        self._begin = _encoded(
            [
                ChatCreated(title="@word@"),
                ToolsSelected(selection={"data-analyst": ["query", "chart"], "builtin": ["list_files"]}),
            ]
        )
        self._milliseconds = int(_START.timestamp() * 1000)
        self._place = (0, GENESIS)
        self._versions: dict[str, int] = {}
        self._ends: dict[str, tuple[str | None, str | None]] = {}
        self._rows = self._endless()

    def take(self, count: int) -> list[Row]:
        """Return the next `count` rows."""
        return list(islice(self._rows, count))

    def _endless(self) -> Iterator[Row]:
        yield from self._chained(BIG, self._begin)
        open_chats: list[tuple[str, int]] = []
        while True:
            if len(open_chats) < 10:
                chat_id = self._id()
                open_chats.append((chat_id, _TURNS))
                yield from self._chained(chat_id, self._begin)
            chat_id, left = open_chats.pop(self._random.randrange(len(open_chats)))
            yield from self._chained(chat_id, self._turn)
            if left > 1:
                open_chats.append((chat_id, left - 1))
            else:
                del self._versions[chat_id], self._ends[chat_id]
            if self._random.random() < 1 / 200:
                yield from self._chained(BIG, self._turn)

    def _chained(self, chat_id: str, templates: list[Row]) -> Iterator[Row]:
        parent, before = self._ends.get(chat_id, (None, None))
        ids: dict[str, str | None] = {f"@{name}@": self._id() for name in _NAMES}
        ids |= {"@parent@": parent, "@before@": before}
        hashes = {f"@sha{n}@": f"{self._random.getrandbits(256):064x}" for n in (1, 2)}
        for template in templates:
            position, previous = self._place
            version = self._versions.get(chat_id, 0) + 1
            self._milliseconds += self._random.randrange(400)
            row = replace(
                template,
                position=position + 1,
                stream=f"chat-{chat_id}",
                version=version,
                event_id=self._id(),
                occurred_at=self._milliseconds * 1000 + self._random.randrange(1000),
                correlation_id=ids["@turn@"],
                ids=tuple(ids.get(value, value) if value else None for value in template.ids),
                payload=self._filled(template.payload, ids, hashes),
            )
            row = chained(previous, replace(row, salt=self._random.randbytes(16).hex()))
            self._place = (row.position, row.hash)
            self._versions[chat_id] = version
            yield row
        self._ends[chat_id] = (
            (ids["@answer@"], ids["@manifest@"]) if templates is self._turn else (None, None)
        )

    def _filled(self, payload: str, ids: dict[str, str | None], hashes: dict[str, str]) -> str:
        for name, value in ids.items():
            if name in payload:
                payload = payload.replace(f'"{name}"', f'"{value}"' if value else "null")
        for name, value in hashes.items():
            payload = payload.replace(name, value)
        if str(_SOME) in payload:
            payload = payload.replace(str(_SOME), str(self._random.randrange(100, 9_999)))
        if str(_SECONDS) in payload:
            payload = payload.replace(str(_SECONDS), str(self._random.randrange(1_000, 9_999_999) / 1e6))
        while "@text@" in payload:
            payload = payload.replace("@text@", self._text(self._random.randint(12, 40)), 1)
        return payload.replace("@word@", self._text(1))

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))

    def _id(self) -> str:
        bits = self._random.getrandbits(72)
        low = f"{bits:018x}"
        high = f"{self._milliseconds:012x}"
        return f"{high[:8]}-{high[8:]}-7{low[:3]}-8{low[3:6]}-{low[6:]}"


def raw_bytes(row: Row) -> int:
    """The size of an event as a line of JSON, without its hash."""
    return len(row_to_json(replace(row, hash="", format=1)).encode())


def build(home: Path, count: int) -> int:
    """Create a log of `count` events in `home` with its read models; return its raw bytes."""
    home.mkdir(parents=True)
    with duckdb.connect(str(home / DATABASE)) as connection:
        connection.execute(f"BEGIN; {CREATE_LOG} COMMIT;")
        history, raw, left = History(), 0, count
        while left:
            rows = history.take(min(left, 50_000))
            insert_rows(connection, rows)
            raw += sum(map(raw_bytes, rows))
            left -= len(rows)
    DuckDBLog(home).close()
    return raw
