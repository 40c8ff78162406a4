"""A running turn as watchers see it."""

from tests.support.talk import Talk, call


def test_watchers_receive_text_calls_and_the_end_in_order(talk: Talk) -> None:
    talk.replies({"text": "I look.", "calls": [call("look"), call("nothing")]}, {"text": "Well then."})
    talk.ask()
    heard = [talk.signals.get_nowait() for _ in range(talk.signals.qsize())]
    heard = heard[[s["type"] for s in heard].index("turn") :]
    kinds = [s["type"] for s in heard]
    assert "".join(s["text"] for s in heard if s["type"] == "text") == "I look.Well then."
    assert kinds[:3] == ["turn", "text", "text"]
    assert kinds.index("step") > kinds.index("text")
    assert (kinds[-1], heard[-1]["reason"]) == ("end", "stop")
    looking, unknown = (
        [s["call"] for s in heard if s["type"] == "call" and s["call"]["name"] == name]
        for name in ("look", "nothing")
    )
    assert [c["status"] for c in looking] == ["pending", "running", "success"]
    assert [c["commentary"] for c in looking] == ["", "I look.", "I look."]
    assert [c["status"] for c in unknown] == ["pending", "error"]


def test_a_turn_is_visible_only_while_it_runs(talk: Talk) -> None:
    talk.replies({"text": "I wait.", "calls": [call("put", wait=True)]}, {"text": "Done."})
    turn_id = talk.start()
    place = talk.inside()
    (running,) = talk.app.running(talk.chat_id)
    assert (running.turn_id, running.text) == (turn_id, "")
    assert [(c.name, c.toolset, c.status) for c in running.calls.values()] == [("put", "Kit", "running")]
    assert talk.app.chat(talk.chat_id).turns[turn_id].reason is None
    (place / "go").touch()
    talk.ended(turn_id)
    assert talk.app.running(talk.chat_id) == []


def test_a_watcher_that_fails_does_not_end_the_turn(talk: Talk) -> None:
    def gone(_: object) -> None:
        raise RuntimeError("Event loop is closed")

    talk.app.watch(talk.chat_id, gone)
    talk.replies({"text": "Still here."})
    assert talk.ask().reason == "stop"
