"""Export: importing gives the same tools, exporting again the same bytes, and secrets are never included."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Unavailable
from engine.toolsets.archive import open_bundle
from engine.toolsets.export import export_toolset, manifest_to_yaml, pack, stored_contents
from engine.toolsets.install import StagedBundle, StoredFile, stage
from engine.toolsets.manifest import Manifest
from engine.toolsets.manifest_read import read_manifest
from engine.toolsets.manifest_yaml import parse_yaml
from engine.toolsets.redact import redact
from tests.engine.toolsets.bundles import GOOD, folder, with_lines, zipped

EVERYTHING = """\
    category: greetings
    requires_confirmation: true
    effects: create
    timeout: 7.5
    renderer: {type: html, config: {artifact: artifacts/card.html, data: $return}, priority: 3}
    command: hi
    command_argument: who
    examples: [{description: One, args: {who: Ada}, files: {a.txt: "1\\n2\\n"}, expected_keys: [hello]}]
mcp_servers:
  - {id: clock, command: uvx, args: [mcp-server-time], env: {A: "${A}"}, auto_enabled: false}
  - {id: far, url: "https://mcp.example.com/sse", headers: {Authorization: "Bearer ${FAR}"}}
config: [{name: FAR, secret: true, required: true, description: "a: b #c"}]
permissions: {network: true}
requirements: [pandas>=3]
"""


def exported(staged: StagedBundle, data: Path) -> bytes:
    return export_toolset(staged.manifest, stored_contents(data, staged.files))


def test_exporting_twice_or_after_an_import_gives_the_same_bytes(tmp_path: Path) -> None:
    first = stage(zipped(with_lines(EVERYTHING)), tmp_path / "toolsets")
    packed = exported(first, tmp_path)
    assert exported(first, tmp_path) == packed
    again = stage(packed, tmp_path / "toolsets")
    assert again.manifest == first.manifest
    assert exported(again, tmp_path) == packed


def test_every_file_is_exported_unchanged(tmp_path: Path) -> None:
    files = GOOD | {"assets/zeros": bytes(3 << 20), "assets/é.txt": b"\r\n"}
    staged = stage(folder(tmp_path / "in", files), tmp_path / "toolsets")
    with open_bundle(exported(staged, tmp_path)) as opened:
        assert {path: opened.read(path) for path in opened if path != "toolset.yaml"} == {
            path: data for path, data in files.items() if path != "toolset.yaml"
        }


def test_the_order_of_files_does_not_change_the_export() -> None:
    assert pack(GOOD) == pack(dict(reversed(GOOD.items())))


def test_a_missing_stored_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"tools/x\.py cannot be read"):
        stored_contents(
            tmp_path, [StoredFile("a", "tools/x.py", "python", "0" * 64, 1, "toolsets/a/1/tools/x.py")]
        )


ODD = ("", "no", "1.10", "1e5", "~", "0x1F", "2020-01-01", "- a", "a: b", " a", "a ", "\n a\n", "${X}")
ODDER = ("*x", "&x", "!x", "<<", "=", "\u2028", "\x85", "a\r\nb", "a\n\n", "\ta", "# no", "%x", "'", '"')
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(ODD + ODDER)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(texts, below, max_size=4),
    max_leaves=12,
)


@pytest.mark.long
@given(st.dictionaries(texts, values, max_size=4), texts, texts)
def test_any_manifest_is_read_back_unchanged(config: dict[str, Any], one: str, two: str) -> None:
    tool = {
        "id": "t",
        "description": one,
        "entrypoint": "greet:run",
        "renderer": {"type": "json", "config": config},
    }
    given_value = {
        "manifest_version": "1", "id": "a", "name": "A", "version": "1.0.0", "description": two,
        "tools": [tool | {"examples": [{"description": two, "files": {"f": one}, "args": config}]}],
    }  # fmt: skip
    manifest = Manifest.from_json(given_value)
    root, problems = parse_yaml(manifest_to_yaml(manifest).encode(), "toolset.yaml")
    assert problems == []
    assert root is not None
    assert Manifest.from_json(root.value) == manifest


SERVERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"env": {"API_KEY": "abc123", "REGION": "eu"}}, {"env": {"API_KEY": "${API_KEY}", "REGION": "eu"}}),
    ({"env": {"OPENAI": "sk-abcdefghij0123456789"}}, {"env": {"OPENAI": "${OPENAI}"}}),
    ({"env": {"TOKEN": "${MY_TOKEN}"}}, {"env": {"TOKEN": "${MY_TOKEN}"}}),
    ({"args": ["--token", "abc", "--port", "80"]}, {"args": ["--token", "${TOKEN}", "--port", "80"]}),
    ({"args": ["--api-key=abc", "-v"]}, {"args": ["--api-key=${API_KEY}", "-v"]}),
    ({"args": ["PASSWORD=abc", "ghp_abcdefghij0123456789"]}, {"args": ["PASSWORD=${PASSWORD}", "${SECRET}"]}),
    ({"args": ["postgres://me:hunter2@db/x"]}, {"args": ["postgres://me:${PASSWORD}@db/x"]}),
    ({"args": ["--path", "/data", "keyboard"]}, {"args": ["--path", "/data", "keyboard"]}),
    ({"env": {"VALUE": "a1B2c3D4e5F6g7H8i9J0k1L2"}}, {"env": {"VALUE": "${VALUE}"}}),
    ({"env": {"DECLARED": "plain words"}}, {"env": {"DECLARED": "${DECLARED}"}}),
    ({"args": ["a1B2c3D4e5F6g7H8i9J0k1L2"]}, {"args": ["${SECRET}"]}),
    ({"args": ["mcp-server-motherduck@1.1.0", "/a/b"]}, {"args": ["mcp-server-motherduck@1.1.0", "/a/b"]}),
    ({"args": ["say topsecretvalue"]}, {"args": ["say ${EXA_API_KEY}"]}),
]
REMOTE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"headers": {"Authorization": "Bearer abc"}}, {"headers": {"Authorization": "Bearer ${AUTHORIZATION}"}}),
    (
        {"headers": {"X-Api-Key": "abc", "Accept": "x"}},
        {"headers": {"X-Api-Key": "${X_API_KEY}", "Accept": "x"}},
    ),
    ({"headers": {"Cookie": "a=b"}}, {"headers": {"Cookie": "${COOKIE}"}}),
    (
        {"url": "https://u:pw@h/x?api_key=abc&q=1"},
        {"url": "https://u:${PASSWORD}@h/x?api_key=${API_KEY}&q=1"},
    ),
    ({"url": "https://h/sk-abcdefghij0123456789/sse"}, {"url": "https://h/${SECRET}/sse"}),
    ({"url": "https://h/topsecretvalue"}, {"url": "https://h/${EXA_API_KEY}"}),
]


@pytest.mark.parametrize(
    ("written", "expected"),
    [({"command": "x"} | a, {"command": "x"} | b) for a, b in SERVERS]
    + [({"url": "https://h/"} | a, {"url": "https://h/"} | b) for a, b in REMOTE],
)
def test_a_secret_is_replaced_by_a_reference(written: dict[str, Any], expected: dict[str, Any]) -> None:
    def made(server: dict[str, Any]) -> Manifest:
        return Manifest.from_json(
            {
                "manifest_version": "1",
                "id": "a",
                "name": "A",
                "version": "1.0.0",
                "mcp_servers": [{"id": "s"} | server],
                "config": [{"name": "declared", "secret": True}],
            }
        )

    found = redact(made(written), {"EXA_API_KEY": "topsecretvalue"})
    assert found == made(expected)
    assert redact(found) == found


def test_no_secret_is_left_in_an_exported_archive() -> None:
    with open_bundle(zipped(GOOD)) as opened:
        manifest = read_manifest(opened).manifest
        server = {"id": "a", "command": "x", "args": ["--token", "hush-hush"], "env": {"KEY": "very-secret"}}
        older = Manifest.from_json(manifest.to_json() | {"mcp_servers": [server]})  # today it is refused
        packed = export_toolset(older, {path: opened.read(path) for path in opened})
    with open_bundle(packed) as again:
        written = again.read("toolset.yaml")
        assert read_manifest(again).manifest.tools == manifest.tools
    assert b"hush-hush" not in written
    assert b"very-secret" not in written
