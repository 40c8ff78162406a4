"""A read that creates many lasting values causes no pass over them."""

import gc

from engine.system.gc_pause import garbage_collection_paused


def test_many_new_values_are_old_at_once() -> None:
    with garbage_collection_paused():
        assert not gc.isenabled()
        made = [[number] for number in range(100_000)]
    assert gc.isenabled()
    assert gc.get_count()[0] < 50_000
    oldest = {id(one) for one in gc.get_objects(generation=2)}
    assert all(id(one) in oldest for one in made)


def test_within_another_pause_nothing_is_collected_until_both_have_ended() -> None:
    with garbage_collection_paused():
        with garbage_collection_paused():
            made = [[number] for number in range(100_000)]
        assert not gc.isenabled()
        assert gc.get_count()[0] > len(made) / 2
    assert gc.isenabled()


def test_where_collection_is_off_it_stays_off() -> None:
    gc.disable()
    try:
        with garbage_collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
