"""The built-in tool `edit_file`: it replaces an exact text, or changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.bundle_code import function_of

edit_file = function_of(None, "anabranch_tool.files:edit_file")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    file = tmp_path / "note.md"
    file.write_text("# Sales\n\nNorth grew.\nSouth grew.\n", encoding="utf-8")
    return file


def edit(file: Path, **arguments: Any) -> dict[str, Any]:
    """Edit a file in a new folder."""
    return dict(edit_file(file.parent, path=file.name, **arguments))


def test_a_text_that_occurs_once_is_replaced(note: Path) -> None:
    assert edit(note, old="North grew.", new="North fell.") == {
        "path": "note.md",
        "replaced": 1,
        "first_line": 3,
        "bytes": 33,
    }
    assert note.read_text() == "# Sales\n\nNorth fell.\nSouth grew.\n"


def test_every_occurrence_is_replaced_only_on_request(note: Path) -> None:
    with pytest.raises(ValueError, match="2 times"):
        edit(note, old="grew", new="fell")
    assert edit(note, old="grew", new="fell", all=True)["replaced"] == 2
    assert "grew" not in note.read_text()


@pytest.mark.parametrize(
    ("old", "why"),
    [("", "`old` is empty"), ("North grows.", "Line 3 is similar"), ("nothing like it", "does not contain")],
)
def test_a_text_that_is_not_found_changes_nothing_and_the_error_shows_similar_text(
    note: Path, old: str, why: str
) -> None:
    before = note.read_bytes()
    with pytest.raises(ValueError, match=why):
        edit(note, old=old, new="x")
    assert note.read_bytes() == before


def test_line_ends_encoding_and_mode_are_preserved(tmp_path: Path) -> None:
    """A model writes plain line ends, whatever the file uses."""
    file = tmp_path / "run.bat"
    file.write_bytes("echo caf\u00e9\r\necho two\r\n".encode("cp1252"))
    file.chmod(0o755)
    edit(file, old="caf\u00e9\necho two", new="one\necho caf\u00e9")
    assert file.read_bytes() == "echo one\r\necho caf\u00e9\r\n".encode("cp1252")
    assert file.stat().st_mode & 0o700 == 0o700
    assert [path.name for path in tmp_path.iterdir()] == ["run.bat"]


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0\1\2")
    with pytest.raises(ValueError, match="not text"):
        edit(tmp_path / "x.bin", old="a", new="b")


def test_a_text_that_the_encoding_cannot_represent_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    file = tmp_path / "old.txt"
    file.write_bytes("caf\u00e9".encode("cp1252"))
    with pytest.raises(ValueError, match="cp1252"):
        edit(file, old="caf", new="\u4e2d")
    assert file.read_bytes() == "caf\u00e9".encode("cp1252")
