"""A saved text keeps its file's encoding, byte order mark and line ends."""

import pytest

from ui.widgets.text_file import TextFile, Unwritable, text_file

LINES = "größe\n\tb\x0b\u2028c\n"


def read(data: bytes) -> TextFile:
    found = text_file(data)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "data",
    [
        LINES.encode(),
        LINES.replace("\n", "\r\n").encode("utf-8-sig"),
        b"\xff\xfe" + LINES.replace("\n", "\r\n").encode("utf-16-le"),
        b"\xfe\xff" + LINES.encode("utf-16-be"),
        "größe\r\n€\r\n".encode("cp1252"),
        "größe\rolder\r".encode(),
        b"a\r\nb\nc\rd",
        b"",
    ],
)
def test_an_unchanged_text_is_written_with_the_same_bytes(data: bytes) -> None:
    file = read(data)
    assert file.is_whole
    assert "\r" not in file.text
    assert file.written(file.text) == data


def test_a_changed_line_ends_like_most_lines_and_the_others_stay() -> None:
    file = read(b"one\ntwo\r\nthree\r\nfour\r\nfive")
    assert file.written("one\ntwo\nTHREE\nand\nfour\nfive") == b"one\ntwo\r\nTHREE\r\nand\r\nfour\r\nfive"
    assert file.written("") == b""
    assert read(b"").written("new\n") == b"new\n"


def test_a_character_that_the_encoding_cannot_represent_is_refused_by_name() -> None:
    with pytest.raises(Unwritable, match="Windows-1252, which cannot store “→”"):
        read("größe".encode("cp1252")).written("größe →")
    with pytest.raises(Unwritable, match="U\\+D83D"):
        read(b"a").written("a\ud83d")


@pytest.mark.parametrize(
    "data", [b"gr\xf6\x81e", b"\xff\xfea\x00b", b"\xff\xfe\x00\xd8", b"a" * 70_000 + b"\0"]
)
def test_a_text_that_could_not_be_written_back_is_not_editable(data: bytes) -> None:
    assert not read(data).is_whole


def test_bytes_that_are_not_text_are_not_read_as_text() -> None:
    assert text_file(b"PK\0\0") is None
