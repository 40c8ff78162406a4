"""Archives that are accepted or refused: each refusal has a code and leaves the data folder unchanged."""

import io
import os
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import Invalid
from engine.toolsets import archive as archive_module
from engine.toolsets.archive import open_bundle
from engine.toolsets.install import stage
from tests.engine.toolsets.bundles import GOOD, folder, with_entry, zipped


def refused(source: Path | bytes, data: Path) -> dict[str, str | None]:
    """Return the codes and the files that they name, after checking that the refusal did not change `data`."""
    before = sorted(data.rglob("*"))
    with pytest.raises(Invalid) as caught:
        stage(source, data / "toolsets")
    assert caught.value.code == "invalid_bundle"
    assert all(problem.message and problem.code for problem in caught.value.problems)
    assert sorted(data.rglob("*")) == before
    return {problem.code: problem.file for problem in caught.value.problems}


def _link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("assets/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def _pipe() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("assets/pipe")
    info.external_attr = (stat.S_IFIFO | 0o644) << 16
    return info


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../evil.py", "path_traversal"),
        ("assets/../../evil", "path_traversal"),
        ("assets/./x", "path_traversal"),
        ("assets//x", "path_traversal"),
        ("/etc/passwd", "path_absolute"),
        ("C:/evil", "path_absolute"),
        ("assets/a\x01b", "path_characters"),
        ("assets/a?b", "path_characters"),
        ("assets/a\u202eb", "path_characters"),
        ("assets/con.txt", "path_reserved"),
        ("assets/dot.", "path_reserved"),
        ("assets/space ", "path_reserved"),
        ("assets/" + "x" * 130, "path_too_long"),
        ("/".join(["long-folder"] * 25), "path_too_long"),
        ("TOOLSET.yaml", "case_collision"),
        ("Tools/greet.py", "case_collision"),
        ("assets/café au lait.txt", None),
        ("tools", "file_and_folder"),
        ("toolset.yaml/x", "file_and_folder"),
    ],
)
def test_a_name_that_means_different_files_on_other_systems_is_refused(
    name: str, code: str | None, tmp_path: Path
) -> None:
    source = with_entry(zipfile.ZipInfo(name))
    if code is None:
        assert stage(source, tmp_path / "toolsets").created
    else:
        assert code in refused(source, tmp_path)


def test_two_accented_spellings_of_one_name_collide(tmp_path: Path) -> None:
    files = GOOD | {"assets/caf\u00e9": b"1", "assets/cafe\u0301": b"2"}
    assert "case_collision" in refused(zipped(files), tmp_path)


def test_a_name_with_a_backslash_is_refused(tmp_path: Path) -> None:
    source = with_entry(zipfile.ZipInfo("assets/a#b")).replace(b"assets/a#b", b"assets/a\\b")
    assert "path_backslash" in refused(source, tmp_path)


def test_a_name_that_zipfile_would_cut_at_its_null_byte_is_refused(tmp_path: Path) -> None:
    source = with_entry(zipfile.ZipInfo("assets/a#b")).replace(b"assets/a#b", b"assets/a\0b")
    assert "path_characters" in refused(source, tmp_path)


def test_a_name_in_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    source = with_entry(zipfile.ZipInfo("assets/a#b")).replace(b"assets/a#b", b"assets/a\x82b")
    assert "name_encoding" in refused(source, tmp_path)


def test_a_name_that_claims_to_be_utf8_and_is_not_is_refused(tmp_path: Path) -> None:
    source = with_entry(zipfile.ZipInfo("assets/é")).replace("assets/é".encode(), b"assets/\xff\xfe")
    assert "name_encoding" in refused(source, tmp_path)


@pytest.mark.parametrize("make", [_link, _pipe])
def test_a_link_or_a_special_file_in_an_archive_is_refused(
    make: Callable[[], zipfile.ZipInfo], tmp_path: Path
) -> None:
    assert "link_or_special" in refused(with_entry(make(), b"/etc/passwd"), tmp_path)


def test_the_same_name_twice_is_refused(tmp_path: Path) -> None:
    assert refused(with_entry(zipfile.ZipInfo("tools/greet.py")), tmp_path) == {
        "duplicate_name": "tools/greet.py"
    }


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD))
    central = source.index(b"PK\x01\x02")
    source[central + 8] |= 1
    assert refused(bytes(source), tmp_path) == {"encrypted": "toolset.yaml"}


def test_any_compression_other_than_deflate_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("assets/x")
    info.compress_type = zipfile.ZIP_LZMA
    assert "compression_method" in refused(with_entry(info, b"x" * 100), tmp_path)


def test_an_entry_that_unpacks_two_hundredfold_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    source = zipped(GOOD | {"assets/zeros": bytes(20 << 20)})
    tracemalloc.start()
    try:
        assert refused(source, tmp_path) == {"compression_ratio": "assets/zeros"}
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_a_small_file_may_have_any_compression_ratio(tmp_path: Path) -> None:
    assert stage(zipped(GOOD | {"assets/zeros": bytes(1 << 20)}), tmp_path / "toolsets").created


def test_more_than_two_thousand_entries_are_refused(tmp_path: Path) -> None:
    many = {f"assets/{number}": b"" for number in range(1998)}
    assert refused(zipped(GOOD | many), tmp_path) == {"too_many_entries": "archive"}
    assert refused(folder(tmp_path / "in", GOOD | many), tmp_path) == {"too_many_entries": None}


def test_more_than_a_hundred_mebibytes_unpacked_are_refused(tmp_path: Path) -> None:
    source = bytearray(with_entry(zipfile.ZipInfo("assets/big")))
    central = source.rindex(b"PK\x01\x02")
    struct.pack_into("<I", source, central + 24, 101 << 20)
    assert "bundle_too_large" in refused(bytes(source), tmp_path)


def test_a_folder_of_more_than_a_hundred_mebibytes_is_refused(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD)
    with (made / "big.bin").open("wb") as sparse:
        sparse.truncate((100 << 20) + 1)
    assert refused(made, tmp_path) == {"bundle_too_large": None}


def test_an_archive_that_is_too_large_is_refused_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "MAX_ARCHIVE_BYTES", 100)
    assert refused(zipped(GOOD), tmp_path) == {"archive_too_large": "archive"}


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD | {"assets/a": os.urandom(500), "assets/b": b"b"}))
    second = source.rindex(b"PK\x01\x02")
    offset = source.index(b"PK\x03\x04", source.index(b"assets/a") - 30)
    struct.pack_into("<I", source, second + 42, offset)
    assert "overlapping_entries" in refused(bytes(source), tmp_path)


def test_a_damaged_entry_is_refused(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD | {"assets/noise": os.urandom(300)}))
    source[source.index(b"assets/noise") + 100] ^= 0xFF
    assert refused(bytes(source), tmp_path) == {"corrupt_entry": "assets/noise"}


def test_an_entry_of_another_size_than_declared_is_refused(tmp_path: Path) -> None:
    source = bytearray(with_entry(zipfile.ZipInfo("assets/x"), b"hello"))
    central = source.rindex(b"PK\x01\x02")
    struct.pack_into("<I", source, central + 24, 9)
    assert refused(bytes(source), tmp_path).keys() & {"size_mismatch", "corrupt_entry"}


@pytest.mark.parametrize("source", [b"", b"PK", b"not a zip", zipped(GOOD)[:200], zipped(GOOD)[:-1]])
def test_a_file_that_is_not_a_complete_archive_is_refused(source: bytes, tmp_path: Path) -> None:
    assert refused(source, tmp_path) == {"not_a_zip": "archive"}


def test_an_archive_whose_directory_is_nonsense_is_refused(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD))
    source[source.index(b"PK\x01\x02")] = 0
    assert refused(bytes(source), tmp_path) == {"not_a_zip": "archive"}


def test_a_directory_that_would_fill_the_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD))
    end = source.rindex(b"PK\x05\x06")
    struct.pack_into("<HH", source, end + 8, 60_000, 60_000)
    assert refused(bytes(source), tmp_path) == {"too_many_entries": "archive"}


def test_zip64_is_refused_with_a_message(tmp_path: Path) -> None:
    source = bytearray(zipped(GOOD))
    end = source.rindex(b"PK\x05\x06")
    locator = b"PK\x06\x07" + bytes(16)
    assert refused(bytes(source[:end] + locator + source[end:]), tmp_path) == {"archive_zip64": "archive"}


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "gone.zip", tmp_path) == {"source_missing": "gone.zip"}


def test_a_bundle_without_a_manifest_is_refused(tmp_path: Path) -> None:
    files = {path: data for path, data in GOOD.items() if path != "toolset.yaml"}
    assert refused(zipped(files), tmp_path) == {"manifest_missing": "toolset.yaml"}
    assert refused(zipped({}), tmp_path) == {"manifest_missing": "toolset.yaml"}


def test_a_link_in_a_folder_is_refused_and_not_followed(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD)
    (made / "assets").symlink_to("/etc")
    (made / "tools" / "secret.py").symlink_to("/etc/passwd")
    assert refused(made, tmp_path) == {"link_or_special": "tools/secret.py"}


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD)
    os.mkfifo(made / "pipe")
    assert refused(made, tmp_path) == {"link_or_special": "pipe"}


def test_a_file_name_that_is_not_text_is_refused_in_a_folder(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD)
    Path(os.fsdecode(os.fsencode(made) + b"/\xff")).write_bytes(b"")
    assert "name_encoding" in refused(made, tmp_path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD)
    with open_bundle(made) as files:
        (made / "tools" / "greet.py").write_text("changed")
        with pytest.raises(Invalid) as caught:
            files.read("tools/greet.py")
    assert [problem.code for problem in caught.value.problems] == ["source_changed"]


def test_all_problems_of_an_archive_are_reported_together(tmp_path: Path) -> None:
    found = refused(zipped(GOOD | {"../a": b"", "assets/con": b"", "TOOLSET.YAML": b""}), tmp_path)
    assert found.keys() == {"path_traversal", "path_reserved", "case_collision"}


def test_a_single_wrapping_folder_and_junk_files_of_operating_systems_are_removed() -> None:
    wrapped = {f"greeter-main/{path}": data for path, data in GOOD.items()}
    litter = {
        "__MACOSX/greeter-main/._toolset.yaml": b"m",
        "greeter-main/.DS_Store": b"d",
        "greeter-main/tools/__pycache__/greet.cpython-311.pyc": b"p",
        "greeter-main/.git/HEAD": b"g",
        "greeter-main/tools/.greet.py.swp": b"s",
    }
    with open_bundle(zipped(wrapped | litter)) as wrapped_files, open_bundle(zipped(GOOD)) as plain_files:
        assert list(wrapped_files) == sorted(GOOD)
        assert wrapped_files.content_hash == plain_files.content_hash


def test_an_archive_and_its_folder_are_the_same_bundle(tmp_path: Path) -> None:
    made = folder(tmp_path / "in", GOOD | {"tools/__pycache__/x.pyc": b"p", ".git/HEAD": b"g"})
    with open_bundle(made) as from_folder, open_bundle(zipped(GOOD)) as from_zip:
        assert from_folder.content_hash == from_zip.content_hash
        assert from_folder.entries == from_zip.entries


def test_every_change_of_a_file_changes_the_content_hash() -> None:
    hashes = set()
    for files in (GOOD, GOOD | {"a": b""}, GOOD | {"b": b""}, GOOD | {"a": b"1"}):
        with open_bundle(zipped(files)) as opened:
            hashes.add(opened.content_hash)
    assert len(hashes) == 4


def test_an_archive_with_a_comment_and_folder_entries_is_accepted() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.comment = b"made with care"
        archive.writestr("tools/", b"")
        for path, data in GOOD.items():
            archive.writestr(path, data)
    with open_bundle(packed.getvalue()) as opened:
        assert list(opened) == sorted(GOOD)
