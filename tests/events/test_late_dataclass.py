"""Late dataclasses behave like Python's own, and cost nothing until they are used."""

import copy
import dataclasses
import pickle
import sys
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from importlib import import_module
from pkgutil import walk_packages
from threading import Barrier, Thread
from typing import ClassVar

import pytest

import engine
import events
from events import late_dataclass
from events.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()
    kinds: ClassVar[int] = 7
    seen: list[int] = field(default_factory=list, compare=False, repr=False)

    @property
    def total(self) -> int:
        return self.x + self.y


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "?"

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a name is needed")


@dataclass(slots=True)
class Counter:
    count: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class PythonPoint:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()
    kinds: ClassVar[int] = 7
    seen: list[int] = field(default_factory=list, compare=False, repr=False)


def test_values_defaults_and_representation_are_the_same_as_in_a_dataclass_of_python() -> None:
    late, own = Point(1, tags=("a",)), PythonPoint(1, tags=("a",))
    assert repr(late) == repr(own).replace("PythonPoint", "Point")
    assert asdict(late) == asdict(own)
    assert [each.name for each in fields(Point)] == [each.name for each in fields(PythonPoint)]
    assert Point.__match_args__ == PythonPoint.__match_args__
    assert Point.kinds == 7
    assert not hasattr(late, "__dict__")


def test_equality_and_hash_depend_on_the_values() -> None:
    assert Point(1) == Point(1, seen=[4])
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert len({Point(1), Point(1), Point(3)}) == 2
    with pytest.raises(TypeError):
        hash(Counter())


def test_a_frozen_value_cannot_be_changed_but_can_be_replaced() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    assert replace(point, x=5).total == 7
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    named = Named(1, 5, name="here")
    assert named.total == 6
    assert [each.name for each in fields(Named)] == ["x", "y", "tags", "seen", "name"]
    with pytest.raises(ValueError, match="a name is needed"):
        Named(1, name="")


def test_values_can_be_copied_and_pickled() -> None:
    point = Point(1, tags=("a",), seen=[3])
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert again == point
        assert again.seen == [3]


def test_a_value_can_be_loaded_before_any_was_made_in_this_process() -> None:
    pickled = pickle.dumps(Point(1, tags=("a",)))

    @dataclass(frozen=True, slots=True)
    class Fresh:
        x: int
        y: int = 2
        tags: tuple[str, ...] = ()
        seen: list[int] = field(default_factory=list)

    Fresh.__qualname__ = "Fresh"
    module = sys.modules[__name__]
    setattr(module, "Fresh", Fresh)  # noqa: B010 - pickle looks the class up by its name
    try:
        loaded = pickle.loads(pickled.replace(b"\x8c\x05Point", b"\x8c\x05Fresh"))
    finally:
        delattr(module, "Fresh")
    assert loaded == Fresh(1, tags=("a",))


def test_a_pattern_can_take_the_fields_by_position() -> None:
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)
        case _:
            pytest.fail("the pattern did not match")


def test_methods_are_written_once_when_many_threads_make_the_first_instance() -> None:
    for _ in range(20):

        @dataclass(frozen=True, slots=True)
        class Shared:
            number: int

        made: list[int] = []
        together = Barrier(8)

        def make(
            number: int, made: list[int] = made, together: Barrier = together, kind: type = Shared
        ) -> None:
            together.wait()
            made.append(kind(number).number)

        threads = [Thread(target=make, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(made) == list(range(8))


def test_nothing_is_written_before_the_first_use() -> None:
    @dataclass(frozen=True, slots=True)
    class Unused:
        number: int

    assert Unused in late_dataclass._waiting
    assert "__eq__" not in vars(Unused)
    assert Unused(1) == Unused(1)
    assert Unused not in late_dataclass._waiting


def test_a_class_whose_fields_do_not_fit_says_so_at_each_use() -> None:
    @dataclass(frozen=True, slots=True)
    class Wrong:
        first: int = 1
        second: str  # type: ignore[misc]

    for _ in range(2):
        with pytest.raises(TypeError, match="non-default argument 'second' follows default argument"):
            Wrong(second="")


def test_every_late_dataclass_of_the_project_can_be_written() -> None:
    for package in (engine, events):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if ".library." not in found.name and not found.name.endswith("__main__"):
                import_module(found.name)
    waiting = [
        owner for owner in late_dataclass._waiting if owner.__module__.startswith(("engine.", "events."))
    ]
    for owner in waiting:
        late_dataclass.finish(owner)
        assert dataclasses.is_dataclass(owner)
