"""The built-in file tools, as a model uses them."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LIBRARY = Path(__file__).parents[3] / "engine" / "runtime" / "library"
pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(scope="module")
def library() -> Iterator[None]:
    sys.path.append(str(LIBRARY))
    yield
    sys.path.remove(str(LIBRARY))


@pytest.fixture
def files(library: None) -> Any:
    return importlib.import_module("anabranch_tool.files")


def test_files_are_listed_in_order_with_their_sizes_but_links_are_not(files: Any, tmp_path: Path) -> None:
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "b" / "deep" / "x.csv").write_text("12")
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "file_link").symlink_to("/etc/passwd")
    assert files.list_files(tmp_path) == {
        "files": [{"path": "a.txt", "bytes": 1}, {"path": "b/deep/x.csv", "bytes": 2}],
        "count": 2,
        "truncated": False,
    }
    assert files.list_files(tmp_path, "b")["count"] == 1
    with pytest.raises(NotADirectoryError, match=r"The files are: a\.txt, b/deep/x\.csv"):
        files.list_files(tmp_path, "c")


def test_a_long_list_is_cut_and_counted(files: Any, tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number:04}").touch()
    listed = files.list_files(tmp_path)
    assert (len(listed["files"]), listed["count"], listed["truncated"]) == (1000, 1001, True)


def test_a_text_is_read_in_parts_that_join_to_the_whole(files: Any, tmp_path: Path) -> None:
    whole = "".join(f"line {number} é\n" for number in range(3000))
    (tmp_path / "long.txt").write_text(whole)
    parts, offset = [], 0
    while offset is not None:
        part = files.read_file(tmp_path, "long.txt", offset, 2000)
        assert len(part["content"]) <= 20_000
        assert part["total_lines"] == 3000
        parts.append(part["content"])
        offset = part["next_offset"]
    assert "".join(parts) == whole


def test_an_endless_line_is_cut_and_that_is_reported(files: Any, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("x" * 100_000)
    part = files.read_file(tmp_path, "one.json")
    assert part["content"] == "x" * 2000 + "… (100,000 characters)\n"
    assert part["next_offset"] is None


@pytest.mark.parametrize(
    ("data", "encoding", "content"),
    [
        (b"", "utf-8-sig", ""),
        ("\ufeffé".encode(), "utf-8-sig", "é"),
        ("é".encode("utf-16"), "utf-16", "é"),
        (b"caf\xe9 au lait", "cp1252", "café au lait"),
        (("é" * 5000).encode(), "utf-8-sig", "é" * 2000 + "… (5,000 characters)\n"),
    ],
)
def test_texts_of_several_encodings_are_read(
    files, tmp_path: Path, data: bytes, encoding: str, content: str
) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    part = files.read_file(tmp_path, "a.txt")
    assert (part["encoding"], part["content"]) == (encoding, content)


def test_a_file_that_is_not_text_is_described(files: Any, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    part = files.read_file(tmp_path, "a.png")
    assert (part["binary"], part["kind"], part["bytes"]) == (True, "image/png", 11)
    assert "content" not in part


def test_a_text_file_is_written_replaced_and_appended_to(files: Any, tmp_path: Path) -> None:
    assert files.write_file(tmp_path, "new/a.txt", "é\n") == {
        "path": "new/a.txt",
        "bytes": 3,
        "created": True,
    }
    assert files.write_file(tmp_path, "new/a.txt", "b\n", append=True)["bytes"] == 5
    assert files.write_file(tmp_path, "new/a.txt", "c")["created"] is False
    assert (tmp_path / "new" / "a.txt").read_bytes() == b"c"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "", "a/../../x", "a\\b", "a//b", "."])
def test_paths_that_leave_the_workspace_are_refused(files: Any, tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="is not a path in the workspace"):
        files.write_file(tmp_path, path, "x")
    with pytest.raises(ValueError, match="is not a path in the workspace"):
        files.read_file(tmp_path, path)


def test_links_are_neither_read_nor_written_through(files: Any, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("sk")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "folder").symlink_to(secret)
    (workspace / "file").symlink_to(secret / "key")
    for path in ("folder/key", "file"):
        with pytest.raises(OSError, match=r"link|not a folder"):
            files.read_file(workspace, path)
        with pytest.raises(OSError, match=r"link|not a folder"):
            files.write_file(workspace, path, "gone")
    assert (secret / "key").read_text() == "sk"


def test_errors_for_a_missing_file_and_a_folder_say_what_to_do(files: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="The workspace is empty"):
        files.read_file(tmp_path, "a.txt")
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError, match="list_files"):
        files.read_file(tmp_path, "b")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        files.write_file(tmp_path, "b", "x")
    with pytest.raises(ValueError, match="at most"):
        files.write_file(tmp_path, "big", "x" * (11 << 20))


def test_progress_outside_a_host_does_nothing(files: Any) -> None:
    progress = importlib.import_module("anabranch_tool").progress
    progress(0.5, "half")
    progress(None)
