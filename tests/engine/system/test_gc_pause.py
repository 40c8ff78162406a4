"""A read that creates many long-lived values does not trigger garbage collection of them."""

import gc

from engine.system.gc_pause import garbage_collection_paused


def test_many_new_values_go_to_the_oldest_generation_at_once() -> None:
    with garbage_collection_paused():
        assert not gc.isenabled()
        made = [[number] for number in range(100_000)]
    assert gc.isenabled()
    assert gc.get_count()[0] < 50_000
    oldest = {id(one) for one in gc.get_objects(generation=2)}
    assert all(id(one) in oldest for one in made)


def test_nested_pauses_delay_collection_until_both_have_ended() -> None:
    with garbage_collection_paused():
        with garbage_collection_paused():
            made = [[number] for number in range(100_000)]
        assert not gc.isenabled()
        assert gc.get_count()[0] > len(made) / 2
    assert gc.isenabled()


def test_if_collection_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with garbage_collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
