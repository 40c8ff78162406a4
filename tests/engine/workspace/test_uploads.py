"""Names for what is dropped in, and the limits on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.workspace.manifest import FileEntry
from engine.workspace.paths import require_path
from engine.workspace.uploads import UploadLimits, free_name, free_names, harmless_name, require_room


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


def test_two_uploads_of_one_name_get_two_names() -> None:
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
def test_any_name_becomes_a_path_that_the_workspace_takes(name: str, existing: list[str]) -> None:
    (free,) = free_names(existing, [name])
    assert require_path(free) == [free]
    assert free not in existing
    assert len(free.encode()) < 255


def test_uploads_beyond_the_limits_are_refused_and_named() -> None:
    limits = UploadLimits(file_bytes=10, files_at_once=2, workspace_bytes=25, workspace_files=3)
    files = {"a": FileEntry("0" * 64, 10)}
    require_room(files, [("b", 10)], limits)
    with pytest.raises(Refused, match=r"big\.csv has"):
        require_room(files, [("big.csv", 11)], limits)
    with pytest.raises(Refused, match="at most 2"):
        require_room(files, [("b", 1)] * 3, limits)
    with pytest.raises(Refused, match="workspace would hold more"):
        require_room(files, [("b", 10), ("c", 10)], limits)
    with pytest.raises(Refused, match="workspace would hold more"):
        require_room({**files, "d": files["a"]}, [("b", 1), ("c", 1)], limits)
