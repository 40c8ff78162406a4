"""Notes that distinguish chats with the same title in the sidebar: origin, start, and where a search matched."""

from datetime import UTC, datetime
from typing import Any

from ui.widgets.sidebar import note_of


def row(**given: Any) -> dict[str, Any]:
    begun = datetime(2026, 11, 24, 8, 30, tzinfo=UTC).replace(tzinfo=None)
    return {"chat_id": "b", "origin_chat_id": None, "created_at": begun, "message_count": 3, **given}


def test_a_fork_names_its_origin() -> None:
    forked = row(origin_chat_id="a")
    assert note_of(forked, {"a": "Revenue"}, twice=False, offset=0) == "Fork of Revenue, 3 messages"
    assert note_of(forked, {}, twice=False, offset=0) == "Fork of a chat that is not listed, 3 messages"


def test_two_chats_with_the_same_title_show_when_they_were_started() -> None:
    assert note_of(row(), {}, twice=True, offset=0).endswith(", 3 messages")
    assert note_of(row(), {}, twice=False, offset=0) == ""


def test_a_chat_that_was_found_shows_the_matching_text() -> None:
    assert (
        note_of(row(said="…the word in a sentence…"), {}, twice=True, offset=0) == "…the word in a sentence…"
    )
