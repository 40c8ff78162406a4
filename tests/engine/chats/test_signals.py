"""The signals that watchers of a running turn receive."""

from typing import Any

import pytest

from engine.chats.signals import LiveCall, LiveTurn, Signal, Signals


def told(signals: Signals, chat_id: str = "a") -> list[Signal]:
    heard: list[Signal] = []
    signals.watch(chat_id, heard.append)
    return heard


def test_a_watcher_receives_the_signals_of_a_turn_in_order() -> None:
    signals = Signals()
    heard = told(signals)
    signals.begin("a", LiveTurn("t", "m", 1.0))
    signals.text("a", "t", "Hel")
    signals.text("a", "t", "lo")
    signals.step("a", "t")
    signals.call("a", "t", LiveCall("c", "query", "Analyst", "running"))
    signals.end("a", "t", "stop")
    signals.changed("a")
    assert [s["type"] for s in heard] == ["turn", "text", "text", "step", "call", "end", "changed"]
    assert heard[4]["call"] == {
        "call_id": "c", "name": "query", "toolset": "Analyst", "status": "running",
        "commentary": "", "arguments": "", "fraction": None, "text": "",
    }  # fmt: skip
    assert heard[5]["reason"] == "stop"


def test_a_late_watcher_gets_the_draft_and_the_calls_so_far() -> None:
    signals = Signals()
    signals.begin("a", LiveTurn("t", "m", 1.0))
    signals.text("a", "t", "I look.")
    signals.step("a", "t")
    signals.call("a", "t", LiveCall("c", "look", "Kit", "running"))
    signals.call("a", "t", LiveCall("c", "look", "Kit", "success"))
    signals.text("a", "t", "There")
    (picture,), _ = signals.watch("a", lambda _: None)
    assert (picture["text"], picture["message_id"]) == ("There", "m")
    assert [c["status"] for c in picture["calls"]] == ["success"]
    signals.end("a", "t", "stop")
    assert signals.watch("a", lambda _: None)[0] == []
    assert signals.running("a") == []


def test_watchers_of_other_chats_and_stopped_watchers_receive_nothing() -> None:
    signals = Signals()
    heard: list[Signal] = []
    other = told(signals, "b")
    _, stop = signals.watch("a", heard.append)
    signals.changed("a")
    stop()
    stop()
    signals.changed("a")
    assert (len(heard), other) == (1, [])


def test_a_watcher_that_fails_is_dropped_and_the_others_continue(caplog: pytest.LogCaptureFixture) -> None:
    signals = Signals()

    def gone(_: Signal) -> None:
        raise RuntimeError("Event loop is closed")

    signals.watch("a", gone)
    heard = told(signals)
    signals.changed("a")
    signals.changed("a")
    assert len(heard) == 2
    assert len(caplog.records) == 1


def test_a_watcher_may_stop_itself_and_start_another_one() -> None:
    signals = Signals()
    heard: list[Any] = []

    def once(signal: Signal) -> None:
        heard.append((signal["type"], signals.running("a")))
        stop()

    _, stop = signals.watch("a", once)
    signals.begin("a", LiveTurn("t", "m", 1.0))
    signals.end("a", "t", "stop")
    assert [kind for kind, _ in heard] == ["turn"]


def test_a_snapshot_of_a_running_turn_does_not_change_afterwards() -> None:
    signals = Signals()
    signals.begin("a", LiveTurn("t", "m", 1.0))
    (before,) = signals.running("a")
    signals.text("a", "t", "more")
    signals.call("a", "t", LiveCall("c", "look", "Kit", "running"))
    assert (before.text, before.calls) == ("", {})
