"""Any input ends in a complete install or in a refusal with known codes; nothing in between."""

import io
import tempfile
import warnings
import zipfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import Invalid, Problem
from engine.toolsets.install import stage
from tests.engine.toolsets.bundles import GOOD, MANIFEST, zipped

CODES = """
    archive_too_large archive_zip64 artifact_missing bundle_too_large case_collision command_argument
    command_collision compression_method compression_ratio config_env config_unless corrupt_entry duplicate_id
    duplicate_name encrypted entrypoint_function entrypoint_module entrypoint_shape entrypoint_syntax example_args
    example_file file_and_folder
    invalid_id invalid_value invalid_version link_or_special manifest_encoding manifest_missing manifest_shape
    manifest_too_large manifest_version mcp_reference mcp_transport mcp_url missing_key name_encoding not_a_zip
    overlapping_entries path_absolute path_backslash path_characters path_reserved path_too_long path_traversal
    renderer_config requirement schema_invalid schema_pattern schema_ref
    schema_reserved schema_too_complex schema_type size_mismatch source_changed
    source_missing timeout_range too_many_entries unknown_key wrong_type yaml_alias yaml_ambiguous
    yaml_duplicate_key yaml_syntax yaml_tag yaml_too_complex
    """


def whole_or_refused(source: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "toolsets"
        problems = refusal(source, root)
        if problems is not None:
            assert problems
            assert {problem.code for problem in problems} <= set(CODES.split())
            assert not list(Path(folder).iterdir())
        else:
            staged = stage(source, root)
            stored = {
                path.relative_to(staged.folder).as_posix()
                for path in staged.folder.rglob("*")
                if path.is_file()
            }
            assert stored == {file.path for file in staged.files}
            assert all(path.resolve().is_relative_to(root.resolve()) for path in Path(folder).rglob("*"))


def refusal(source: bytes, root: Path) -> tuple[Problem, ...] | None:
    try:
        stage(source, root)
    except Invalid as error:
        return error.problems
    return None


PACKED = zipped(GOOD)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, len(PACKED) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_an_archive_with_changed_bytes_is_installed_or_refused(changes: list[tuple[int, int]]) -> None:
    source = bytearray(PACKED)
    for place, byte in changes:
        source[place] = byte
    whole_or_refused(bytes(source))


@settings(max_examples=50)
@given(st.integers(0, len(PACKED)), st.integers(0, len(PACKED)), st.binary(max_size=40))
def test_an_archive_with_a_part_removed_or_inserted_is_installed_or_refused(
    start: int, end: int, new: bytes
) -> None:
    whole_or_refused(PACKED[:start] + new + PACKED[end:])


names = st.text(
    st.sampled_from("ab./\\:\0\x01é\u202e~ ") | st.characters(exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
)
parts = st.sampled_from(["tools", "..", ".", "", "assets", "TOOLS", "con", "__pycache__", "toolset.yaml"])
paths = names | st.lists(parts | names, min_size=1, max_size=4).map("/".join)


@settings(max_examples=150)
@given(st.lists(st.tuples(paths, st.binary(max_size=20), st.integers(0, 0xFFFF)), max_size=5))
@example([("a/", b"x", 0)])
@example([("/", b"", 0)])
def test_an_archive_with_random_names_and_modes_is_installed_or_refused(
    entries: list[tuple[str, bytes, int]],
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, data in GOOD.items():
            archive.writestr(path, data)
        for name, data, mode in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data)
    whole_or_refused(packed.getvalue())


ODD_LINES = """\
  - id: x
    renderer: {type: html}
mcp_servers:
config: [a]
&a *a
!t x
? x
    input_schema: {$ref: '#'}
    examples: [{args: []}]
requirements: {}
tools:
    entrypoint: a:b
\t"""
lines = st.sampled_from([*MANIFEST.splitlines(), *ODD_LINES.split("\n")])
junk = st.text(st.sampled_from("abc:-{}[]&*!|>'\"%@`#,? \n\t01.~é"), max_size=30)


@settings(max_examples=200)
@given(st.lists(lines | junk, max_size=20).map("\n".join) | st.text(max_size=60))
def test_any_text_as_a_manifest_is_accepted_or_refused(text: str) -> None:
    whole_or_refused(zipped(GOOD | {"toolset.yaml": text.encode("utf-8", "surrogatepass")}))


@settings(max_examples=150)
@given(st.integers(0, len(MANIFEST)), st.integers(0, 12), junk)
def test_a_valid_manifest_with_a_part_replaced_is_accepted_or_refused(
    start: int, length: int, new: str
) -> None:
    text = MANIFEST[:start] + new + MANIFEST[start + length :]
    whole_or_refused(zipped(GOOD | {"toolset.yaml": text.encode()}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["object", "#", "#/$defs/a", "x", "["]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "$ref", "$defs", "a", "allOf", "required", "pattern", "enum", "$id"]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=200)
@given(json_values)
def test_any_value_as_a_schema_is_accepted_or_refused(schema: object) -> None:
    text = MANIFEST.split("    input_schema:")[0] + f"    input_schema: {flow(schema)}\n"
    whole_or_refused(zipped(GOOD | {"toolset.yaml": text.encode()}))


def flow(value: object) -> str:
    """Write a value in YAML's flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}': {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    return "null" if value is None else str(value).lower()
