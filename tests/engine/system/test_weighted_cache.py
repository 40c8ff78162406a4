"""Caches have a limit, and values in use are kept."""

from threading import Thread

from engine.chats.open_chats import Chats, stream_of
from engine.system.weighted_cache import WeightedCache
from events.catalog.chat import ChatCreated, ChatRenamed
from events.log import Append
from events.memory_log import MemoryLog


def test_values_are_dropped_by_weight_and_the_least_used_go_first() -> None:
    kept: WeightedCache[str, str] = WeightedCache(10, len)
    kept.put("a", "aaaa")
    kept.put("b", "bbbb")
    assert kept.get("a") == "aaaa"
    kept.put("c", "cccc")
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ("aaaa", None, "cccc")


def test_the_newest_value_is_kept_even_if_it_is_heavy() -> None:
    kept: WeightedCache[str, str] = WeightedCache(3, len)
    kept.put("a", "aa")
    kept.put("b", "bbbbbbbb")
    assert (len(kept), kept.get("b")) == (1, "bbbbbbbb")


def test_the_newest_values_are_kept_even_if_they_are_heavy() -> None:
    kept: WeightedCache[str, str] = WeightedCache(3, len, newest=2)
    for name in ("a", "b", "c"):
        kept.put(name, name * 9)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (None, "b" * 9, "c" * 9)


def test_a_value_is_weighed_again_when_it_is_stored_again() -> None:
    kept: WeightedCache[str, list[int]] = WeightedCache(5, len)
    grows: list[int] = [1]
    kept.put("grows", grows)
    kept.put("other", [1, 2])
    grows += [2, 3, 4]
    kept.put("grows", grows)
    assert (kept.get("other"), kept.get("grows")) == (None, [1, 2, 3, 4])


def test_unused_chats_are_dropped_and_read_again() -> None:
    log = MemoryLog()
    chats = Chats(log, most=80)
    for number in range(100):
        chats.transact(f"c{number}", lambda _: [ChatCreated(title="x")])
    assert len(chats) < 25
    for number in range(100):
        with chats.locked(f"c{number}") as state:
            assert (state.version, state.title) == (1, "x")


def test_a_locked_chat_is_not_dropped_when_others_need_room() -> None:
    log = MemoryLog()
    chats = Chats(log, most=8)
    log.append(Append(stream_of("held"), [ChatCreated(title="x")]))
    with chats.locked("held") as state:
        others = Thread(
            target=lambda: [chats.transact(f"c{n}", lambda _: [ChatCreated(title="y")]) for n in range(20)]
        )
        others.start()
        others.join()
        chats.transact("held", lambda _: [ChatRenamed(title="z")])
        assert (state.version, state.title) == (2, "z")


def test_dropped_chats_are_reported() -> None:
    chats = Chats(MemoryLog(), most=12)
    dropped: list[str] = []
    chats.dropped = dropped.append
    for number in range(6):
        chats.transact(f"c{number}", lambda _: [ChatCreated(title="x")])
    assert dropped == ["c0", "c1"]
    assert len(chats) == 4


def test_recently_used_chats_are_kept_even_if_they_are_long() -> None:
    chats = Chats(MemoryLog(), most=10)
    dropped: list[str] = []
    chats.dropped = dropped.append
    for number in range(4):
        chats.transact(f"c{number}", lambda _: [ChatCreated(title="x"), *[ChatRenamed(title="y")] * 50])
    for _ in range(2):
        for number in range(4):
            with chats.locked(f"c{number}") as state:
                assert state.version == 51
    assert dropped == []
    chats.transact("c4", lambda _: [ChatCreated(title="x")])
    assert dropped == ["c0"]
