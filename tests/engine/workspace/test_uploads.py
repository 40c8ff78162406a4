"""Names for uploaded files, and the limits on uploads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.workspace.limits import Room, WorkspaceLimits
from engine.workspace.manifest import FileEntry
from engine.workspace.paths import require_path
from engine.workspace.uploads import free_name, free_names, harmless_name, require_room


@pytest.mark.parametrize(
    ("existing", "name", "free"),
    [
        ([], "a.csv", "a.csv"),
        (["a.csv"], "a.csv", "a_1.csv"),
        (["a.csv", "a_1.csv"], "a.csv", "a_2.csv"),
        (["A.CSV"], "a.csv", "a_1.csv"),
        (["notes"], "notes", "notes_1"),
        ([".env"], ".env", ".env_1"),
        (["a.tar.gz"], "a.tar.gz", "a.tar_1.gz"),
        (["data/x.csv"], "data", "data_1"),
        (["data/x.csv"], "x.csv", "x.csv"),
    ],
)
def test_a_name_that_is_taken_gets_a_number(existing: list[str], name: str, free: str) -> None:
    assert free_name(existing, name) == free


def test_two_uploads_with_the_same_name_get_different_names() -> None:
    assert free_names(["a.csv"], ["a.csv", "a.csv", "b.csv"]) == ["a_1.csv", "a_2.csv", "b.csv"]


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\a b.csv", "a b.csv"),
        ("a\nb:c?.csv", "a_b_c_.csv"),
        ("..", "upload"),
        ("", "upload"),
        ("é.csv", "é.csv"),
    ],
)
def test_a_browsers_name_is_made_harmless(name: str, harmless: str) -> None:
    assert harmless_name(name) == harmless


@given(st.text(), st.lists(st.text(min_size=1), max_size=5))
def test_any_name_becomes_a_path_that_the_workspace_accepts(name: str, existing: list[str]) -> None:
    (free,) = free_names(existing, [name])
    assert require_path(free) == [free]
    assert free not in existing
    assert len(free.encode()) < 255


def test_twenty_thousand_uploads_of_one_name_get_different_names() -> None:
    names = free_names([f"f{number}.csv" for number in range(20_000)], ["f7.csv"] * 20_000)
    assert names[:2] == ["f7_1.csv", "f7_2.csv"]
    assert len(set(names)) == 20_000


def test_uploads_beyond_the_limits_are_refused_with_advice() -> None:
    limits = WorkspaceLimits(files=3, bytes=25)
    files = {"a": FileEntry("0" * 64, 10)}
    require_room(files, [("b", 10)], limits)
    with pytest.raises(Refused, match=r"the limit is 3\. Nothing was added\. Put many small files into one"):
        require_room(files, [("b", 1)] * 3, limits)
    with pytest.raises(Refused, match=r"the limit is 25 bytes\. Nothing was added\. Remove some"):
        require_room(files, [("b", 10), ("c", 10)], limits)


def test_a_workspace_over_its_limits_still_accepts_questions_without_files() -> None:
    require_room({"a": FileEntry("0" * 64, 10), "b": FileEntry("1" * 64, 10)}, [], WorkspaceLimits(files=1))


@pytest.mark.parametrize("copies", [1, 2])
def test_uploads_that_do_not_fit_on_the_disk_are_refused_before_they_are_written(copies: int) -> None:
    room = Room(free=1 << 30, copies=copies)
    require_room({}, [("a.parquet", (900 << 20) // copies)], room=room)
    with pytest.raises(Refused, match=r"a\.parquet would need .* of which 1\.0 GiB are free.*larger disk"):
        require_room({}, [("a.parquet", (1000 << 20) // copies)], room=room)
