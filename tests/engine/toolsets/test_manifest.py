"""toolset.yaml: what is accepted and refused, with all problems reported together with their lines."""

from collections.abc import Mapping
from time import process_time

import pytest
import yaml

from engine.errors import Invalid
from engine.toolsets.archive import open_bundle
from engine.toolsets.install import validate
from engine.toolsets.manifest import Manifest
from engine.toolsets.manifest_read import read_manifest
from tests.engine.toolsets.bundles import GOOD, MANIFEST, manifest, with_lines, zipped


def read(files: Mapping[str, bytes]) -> Manifest:
    with open_bundle(zipped(files)) as opened:
        return read_manifest(opened).manifest


def problems(files: Mapping[str, bytes]) -> list[tuple[str, int | None]]:
    """Return each problem's code and line, in order."""
    return [(problem.code, problem.line) for problem in validate(zipped(files))]


def codes(files: Mapping[str, bytes]) -> list[str]:
    return [code for code, _ in problems(files)]


def messages(files: Mapping[str, bytes]) -> str:
    return "\n".join(problem.message for problem in validate(zipped(files)))


def test_a_short_manifest_has_every_default_of_the_specification() -> None:
    found = read(
        manifest(
            input_schema="{type: object, required: [n, q], properties: {n: {type: integer}, q: {type: string}}}"
        )
    )
    tool = found.tools[0]
    assert (tool.name, tool.effects, tool.timeout, tool.requires_confirmation) == (
        "Greet",
        "write",
        60.0,
        False,
    )
    assert (tool.command, tool.command_argument) == ("greet", "q")
    assert found.permissions.network is False
    assert Manifest.from_json(found.to_json()) == found


def test_a_commands_name_is_the_tools_id_with_hyphens() -> None:
    assert read(manifest(id="say_hello_to")).tools[0].command == "say-hello-to"


def test_all_problems_are_reported_together_each_with_its_line() -> None:
    text = """\
manifest_version: "1"
id: Greeter
name: Greeter
version: 1.10
descripton: typo
tools:
  - id: greet
    description: Greets.
    entrypoint: tools.greet:greet
    effects: destroy
    timeout: 0
    renderer:
      type: html
      config:
        artifact: artifacts/gone.html
  - id: greet
    name: yes
    description: [no, text]
    entrypoint: os:system
    input_schema:
      type: array
permissions:
  network: sometimes
"""
    assert problems(GOOD | {"toolset.yaml": text.encode()}) == [
        ("invalid_id", 2),
        ("wrong_type", 4),
        ("unknown_key", 5),
        ("entrypoint_function", 9),
        ("invalid_value", 10),
        ("timeout_range", 11),
        ("artifact_missing", 15),
        ("duplicate_id", 16),
        ("yaml_ambiguous", 17),
        ("yaml_ambiguous", 18),
        ("wrong_type", 18),
        ("entrypoint_module", 19),
        ("schema_type", 21),
        ("wrong_type", 23),
    ]


def test_every_refusal_says_what_to_do() -> None:
    told = messages(with_lines("verison: x\n"))
    assert "did you mean version?" in told
    assert 'put it in quotes: "1.10"' in messages(
        GOOD | {"toolset.yaml": MANIFEST.replace('"1.0.0"', "1.10").encode()}
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"a: &x 1\nb: *x\n", "yaml_alias"),
        (b"a: !!python/object:os.system x\n", "yaml_tag"),
        (b"a: !custom x\n", "yaml_tag"),
        (b"id: a\nid: b\n", "yaml_duplicate_key"),
        (b"a: [1, 2\n", "yaml_syntax"),
        (b"a: \x07\n", "yaml_syntax"),
        (b"a: 1\n---\nb: 2\n", "yaml_syntax"),
        (b"a: \xff\n", "manifest_encoding"),
        (b"[" * 60, "yaml_too_complex"),
        (b"- a\n" * 21_000, "yaml_too_complex"),
        (b"#" * 300_000, "manifest_too_large"),
        (b'a: "\\ud800"\n', "manifest_encoding"),
        (b"a: off\n", "yaml_ambiguous"),
        (b"a: 010\n", "yaml_ambiguous"),
        (b"a: 1e999\n", "yaml_ambiguous"),
        (b"", "manifest_shape"),
        (b"- a\n- b\n", "manifest_shape"),
        (b"just text", "manifest_shape"),
        (b"? [a]\n: b\n", "manifest_shape"),
    ],
)
@pytest.mark.parametrize("loader", [yaml.CSafeLoader, yaml.SafeLoader], ids=["libyaml", "Python"])
def test_yaml_that_is_not_exactly_one_mapping_is_refused(
    text: bytes, code: str, loader: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether PyYAML was built with libyaml or not."""
    monkeypatch.setattr("engine.toolsets.manifest_yaml._Loader", loader)
    assert code in codes(GOOD | {"toolset.yaml": text})


def test_a_yaml_bomb_of_aliases_is_refused_while_it_is_read() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + above] * 9)}]\n"
        for above, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert set(codes(GOOD | {"toolset.yaml": bomb.encode()})) >= {"yaml_alias"}


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('manifest_version: "1"', 'manifest_version: "2"', "manifest_version"),
        ('manifest_version: "1"\n', "", "missing_key"),
        ("name: Greeter\n", "", "missing_key"),
        ("id: greeter", "id: -greeter", "invalid_id"),
        ("id: greeter", f"id: {'g' * 41}", "invalid_id"),
        ("id: greeter", "id: 7", "wrong_type"),
        ('"1.0.0"', '"1.0"', "invalid_version"),
        ('"1.0.0"', '"01.0.0"', "invalid_version"),
        ('"1.0.0"', '"1.0.0/.."', "invalid_version"),
        ("id: greet\n", "id: Greet\n", "invalid_id"),
        ("id: greet\n", "id: 1greet\n", "invalid_id"),
        ("description: Greets somebody.", "requires_confirmation: maybe", "wrong_type"),
        ("description: Greets somebody.", "{description: x}", "yaml_syntax"),
        ("tools:", "tools: nothing\nrest:", "wrong_type"),
    ],
)
def test_a_field_that_breaks_its_rule_is_refused(old: str, new: str, code: str) -> None:
    assert code in codes(GOOD | {"toolset.yaml": MANIFEST.replace(old, new, 1).encode()})


def test_a_manifest_version_of_1_without_quotes_is_accepted() -> None:
    assert read(GOOD | {"toolset.yaml": MANIFEST.replace('"1"', "1").encode()}).manifest_version == "1"


@pytest.mark.parametrize(
    ("entrypoint", "code"),
    [
        ("greet", "entrypoint_shape"),
        ("tools.greet:__import__('os')", "entrypoint_shape"),
        ("../greet:run", "entrypoint_shape"),
        ("tools.greet:class", "entrypoint_shape"),
        ("tools:run", "entrypoint_module"),
        ("os:system", "entrypoint_module"),
        ("tools.gone:run", "entrypoint_module"),
        ("tools.greet:gone", "entrypoint_function"),
        ("tools.more:Klass", "entrypoint_function"),
        ("tools.more:computed", "entrypoint_function"),
        ("tools.more:system", "entrypoint_function"),
        ("tools.more:json", "entrypoint_function"),
        ("tools.more:nothing", "entrypoint_function"),
        ("tools.circle:run", "entrypoint_function"),
        ("tools.broken:run", "entrypoint_syntax"),
        ("tools.deep:run", "entrypoint_syntax"),
        ("tools.more:nested", "entrypoint_function"),
    ],
)
def test_an_entrypoint_that_does_not_name_a_function_is_refused(entrypoint: str, code: str) -> None:
    files = {
        "tools/more.py": b"import json\nfrom os import system\nclass Klass: pass\ncomputed = lambda w: {}\n"
        b"def nothing(): return {}\ndef outer(w):\n    def nested(w): return {}\n",
        "tools/circle.py": b"from tools.circle import run\n",
        "tools/broken.py": b"def run(workspace)\n    pass\n",
        "tools/deep.py": b"(" * 5000,
    }
    assert codes(manifest(entrypoint=entrypoint) | files) == [code]


@pytest.mark.parametrize(
    "entrypoint",
    [
        "tools.greet:run",
        "greet:run",
        "tools.more:later",
        "more:again",
        "pack:run",
        "pack.deep:run",
        "more:guarded",
    ],
)
def test_an_entrypoint_that_names_a_function_is_accepted_in_either_spelling(entrypoint: str) -> None:
    files = {
        "tools/more.py": b"from tools.greet import run as again\nasync def later(workspace): return {}\n"
        b"try:\n    import x\nexcept ImportError:\n    def guarded(*, workspace): return {}\n",
        "tools/pack/__init__.py": b"from .deep import run\n",
        "tools/pack/deep.py": b"from ..greet import run\n",
    }
    assert codes(manifest(entrypoint=entrypoint) | files) == []


def test_a_bundles_code_is_read_and_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    loud = b"print('I run')\nraise SystemExit(3)\ndef run(workspace): return {}\n"
    assert codes(GOOD | {"tools/greet.py": loud}) == []
    assert capsys.readouterr().out == ""


def test_a_syntax_error_is_reported_with_its_file_and_line() -> None:
    found = validate(zipped(GOOD | {"tools/greet.py": b"x = 1\ndef run(:\n"}))
    assert [(problem.file, problem.line) for problem in found] == [("tools/greet.py", 2)]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("{type: objekt}", "schema_invalid"),
        ("{type: object, properties: [a]}", "schema_invalid"),
        ("{type: object, properties: {a: {minimum: low}}}", "schema_invalid"),
        ("{type: object, properties: {a: {pattern: '('}}}", "schema_invalid"),
        ("{type: string}", "schema_type"),
        ("{}", "schema_type"),
        ("{type: object, properties: {a: {$ref: 'https://example.com/s.json'}}}", "schema_ref"),
        ("{type: object, properties: {a: {$ref: 'other.json'}}}", "schema_ref"),
        ("{type: object, properties: {a: {$ref: '#/$defs/gone'}}}", "schema_ref"),
        ("{type: object, properties: {a: {$id: 'https://example.com/'}}}", "schema_ref"),
        ("{type: object, $ref: '#'}", "schema_ref"),
        (
            "{type: object, allOf: [{$ref: '#/$defs/a'}], $defs: {a: {anyOf: [{$ref: '#/$defs/a'}]}}}",
            "schema_ref",
        ),
        ("{type: object, properties: {workspace: {type: string}}}", "schema_reserved"),
        ("[a, b]", "wrong_type"),
    ],
)
def test_a_schema_that_cannot_be_used_to_check_arguments_is_refused(schema: str, code: str) -> None:
    assert code in codes(manifest(input_schema=schema))


@pytest.mark.parametrize(
    "schema",
    [
        "{type: object, properties: {$ref: {type: string}, pattern: {type: string}}}",
        "{type: object, properties: {a: {$ref: '#/$defs/t'}}, $defs: {t: {properties: {b: {$ref: '#/$defs/t'}}}}}",
        "{type: object, properties: {a: {enum: [{$ref: 'data'}], default: {$ref: 'https://data'}}}}",
        "{$schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/me', type: object}",
    ],
)
def test_an_unusual_but_valid_schema_is_accepted(schema: str) -> None:
    assert codes(manifest(input_schema=schema)) == []


@pytest.mark.parametrize(
    ("renderer", "code"),
    [
        ("{type: html, config: {artefact: artifacts/card.html}}", "unknown_key"),
        ("{type: html, config: {data: $return}}", "renderer_config"),
        ("{type: html, config: {artifact: artifacts/gone.html}}", "artifact_missing"),
        ("{type: html, artifact: gone.html}", "artifact_missing"),
        ("{type: table, config: [a]}", "wrong_type"),
        ("{type: table, config: {file: $return.file}, priority: high}", "wrong_type"),
        ("7", "wrong_type"),
    ],
)
def test_a_renderer_with_nothing_to_show_is_refused(renderer: str, code: str) -> None:
    assert code in codes(manifest(renderer=renderer))


@pytest.mark.parametrize(
    "renderer",
    [
        "{type: html, config: {artifact: artifacts/card.html, data: $return}}",
        "{type: html, artifact: card.html, data: $return}",
        "{type: html, config: {artifact: $return.page}}",
        "json",
        "{type: table, config: {rows: $return.rows}, priority: 5}",
    ],
)
def test_a_renderer_is_accepted_in_its_long_and_its_short_form(renderer: str) -> None:
    assert codes(manifest(renderer=renderer)) == []


def test_a_renderer_of_a_newer_release_is_reported_and_not_refused() -> None:
    files = manifest(renderer="{type: hologram, config: {depth: 3}}")
    assert problems(files) == [("renderer_unknown", 10)]
    assert read(files).tools[0].renderer is not None


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ({"command": "Greet"}, "invalid_id"),
        ({"command": "help"}, "command_collision"),
        ({"command_argument": "whom"}, "command_argument"),
        ({"timeout": "3601"}, "timeout_range"),
        ({"timeout": "-1"}, "timeout_range"),
        ({"timeout": "soon"}, "wrong_type"),
        ({"timeout": "true"}, "wrong_type"),
        ({"effects": "delete"}, "invalid_value"),
        ({"examples": "[{args: {who: 3}}]"}, "example_args"),
        ({"examples": "[{arguments: {}}]"}, "unknown_key"),
        ({"examples": "[{files: {../out.txt: x}}]"}, "example_file"),
    ],
)
def test_the_other_fields_of_a_tool_are_checked(lines: dict[str, str], code: str) -> None:
    schema = {"input_schema": "{type: object, properties: {who: {type: string}}}"}
    assert code in codes(manifest(**schema | lines))


def test_two_tools_with_one_slash_command_are_refused() -> None:
    text = "  - {id: salute, description: d, entrypoint: 'greet:run', command: greet}\n"
    assert problems(with_lines(text)) == [("command_collision", 16)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("mcp_servers: [{id: a}]\n", "mcp_transport"),
        ("mcp_servers: [{id: a, command: uvx, url: 'https://x.y'}]\n", "mcp_transport"),
        ("mcp_servers: [{id: a, url: 'ftp://x.y'}]\n", "mcp_url"),
        ("mcp_servers: [{id: a, url: 'https://[x'}]\n", "mcp_url"),
        ("mcp_servers: [{id: a, command: x, args: ['${not a name}']}]\n", "mcp_reference"),
        ("mcp_servers: [{id: a, command: x, env: {'a b': x}}]\n", "invalid_id"),
        ("mcp_servers: [{id: a, command: x, env: {A: 1}}]\n", "wrong_type"),
        ("mcp_servers: [{id: a, command: x}, {id: a, command: y}]\n", "duplicate_id"),
        ("config: [{name: A}, {name: A}]\n", "duplicate_id"),
        ("config: [{name: A, env: LD_PRELOAD}]\n", "config_env"),
        ("config: [{name: path}]\n", "config_env"),
        ("config: [{name: A, unless: [B]}]\n", "config_unless"),
        ("config: [{name: A, unless: [A]}]\n", "config_unless"),
        ("config: [{secret: true}]\n", "missing_key"),
        ("requirements: ['--index-url=https://evil']\n", "requirement"),
        ("requirements: ['pandas @ https://evil/x.whl']\n", "requirement"),
        ("requirements: ['../local']\n", "requirement"),
        ("requirements: [3]\n", "wrong_type"),
        ("permissions: {network: [443]}\n", "wrong_type"),
        ("permissions: {filesystem: true}\n", "unknown_key"),
    ],
)
def test_servers_keys_permissions_and_packages_are_checked(text: str, code: str) -> None:
    assert code in codes(with_lines(text))


def test_a_full_manifest_is_accepted() -> None:
    text = """\
mcp_servers:
  - {id: clock, command: uvx, args: [mcp-server-time, "--key=${CLOCK_KEY}"], env: {A: "${A}"}}
  - {id: far, url: "https://mcp.example.com/sse?k=${FAR}", headers: {Authorization: "Bearer ${FAR}"}}
config:
  - {name: EXA_API_KEY, description: Key of Exa, secret: true, required: true}
  - {name: region, env: GREETER_REGION}
permissions: {network: true}
requirements: [pandas>=3, "httpx[http2]~=0.28 ; python_version > '3.11'", "numpy (>=2)"]
"""
    found = read(with_lines(text))
    assert [server.id for server in found.mcp_servers] == ["clock", "far"]
    assert [key.env for key in found.config] == ["EXA_API_KEY", "GREETER_REGION"]
    assert found.permissions.network


def test_a_bundle_that_offers_nothing_is_reported_but_not_refused() -> None:
    text = MANIFEST.split("tools:\n")[0]
    assert codes(GOOD | {"toolset.yaml": text.encode()}) == ["nothing_offered"]


def test_a_stored_manifest_that_is_not_valid_is_refused() -> None:
    with pytest.raises(Invalid, match="install the toolset again"):
        Manifest.from_json({"id": "x"})


def test_code_that_takes_long_to_parse_is_refused_without_parsing_it() -> None:
    dense = b"def run(workspace): return {}\nx = [" + b",".join(b"%d" % n for n in range(400_000)) + b"]\n"
    began = process_time()
    assert codes(GOOD | {"tools/greet.py": dense}) == ["entrypoint_syntax"]
    assert process_time() - began < 2


def test_long_names_are_not_compared_character_by_character() -> None:
    other = b"def " + b"ab" * 40_000 + b"(workspace): return {}\n"
    began = process_time()
    found = codes(manifest(entrypoint="tools.greet:" + "ba" * 40_000) | {"tools/greet.py": other})
    assert "entrypoint_function" in found
    assert process_time() - began < 2
